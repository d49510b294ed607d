"""Decoding: the cells of an avatar, from its neighbours' own values.

The inverse of a barycentre in the complete space is the barycentre of the neighbours' own values (the encoding is
affine, the weights sum to 1), so values are combined directly and no axis is ever inverted. Where a column has a
transform or lies above another, the values combined are those of the space.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie.blocks import BLOCK
from sosie.columns import MISSING, PRESENT, Codes, Floats, Mask, States, Table
from sosie.generation import Barycentres, WeightLaw
from sosie.lattice import Lattice, lattice_of
from sosie.ordering import in_order
from sosie.recomputation import recomputed
from sosie.space import PLAIN, Space
from sosie.streams import stream


@dataclass(frozen=True)
class Decoding:
    """How combined values become cells."""

    categories: Literal["draw", "mode"] = "draw"
    integers: Literal["round", "truncate"] = "round"


def invert(
    originals: Table,
    barycentres: Barycentres,
    decoding: Decoding,
    seed: int,
    space: Space = PLAIN,
    lattices: Sequence[Lattice] | None = None,
) -> Table:
    """The avatars of `originals`, row i from individual i (sensitive: the rows are linked).

    `lattices` are those of the whole table, where `originals` are one batch of it. Raises InputError
    `BAD_CONFIG` when a derived column cannot hold what its expression gives an avatar, or `round_to` leaves a
    constraint no room.
    """
    if lattices is None:
        lattices = [
            lattice_of(column, numbers, decoding.integers == "truncate")
            for numbers, column in zip(originals.numbers.T, originals.number_columns, strict=True)
        ]
    inside = space.inside(originals.numbers)
    numbers, states = np.empty_like(originals.numbers), np.empty_like(originals.states)
    codes = np.empty_like(originals.codes)
    for rng, rows in _drawn_together(barycentres, seed):
        part = Barycentres(barycentres.neighbours[rows], barycentres.weights[rows], barycentres.law)
        values, states[rows], codes[rows] = _block(originals, inside, space, part, decoding, rng)
        numbers[rows] = in_order(values, space.relations.bounded, lattices)
    avatars = replace(originals, numbers=numbers, states=states, codes=codes)
    return recomputed(space.relations.derivations, avatars, originals)


def _drawn_together(
    barycentres: Barycentres, seed: int
) -> Iterator[tuple[np.random.Generator, NDArray[np.int64]]]:
    """The rows that draw from one stream, batch by batch and block by block."""
    n, batch = len(barycentres.neighbours), barycentres.batch
    for number in np.unique(batch) if len(batch) else (0,):
        members = np.flatnonzero(batch == number) if len(batch) else np.arange(n)
        for block, start in enumerate(range(0, len(members), BLOCK)):
            yield stream(seed, "donors", int(number), block), members[start : start + BLOCK]


def _block(
    originals: Table,
    inside: Floats,
    space: Space,
    barycentres: Barycentres,
    decoding: Decoding,
    rng: np.random.Generator,
) -> tuple[Floats, States, Codes]:
    """The avatars of one block, their numbers not yet rounded.

    Each takes the whole mask of missing values of one donor, missing codes included; a number is the combination over
    the neighbours that have it; a category is drawn in proportion to its mass, independently per column, or the
    heaviest level.
    """
    neighbours, weights, law = barycentres.neighbours, barycentres.weights, barycentres.law
    masses = weights if law == "published" else np.full_like(weights, 1 / weights.shape[1])
    donor = neighbours[np.arange(len(neighbours)), _drawn(masses, rng)]
    states = originals.states[donor]
    numbers = np.full(states.shape, np.nan)
    for j in range(states.shape[1]):
        present = ~np.isnan(inside[donor, j])
        numbers[present, j] = _combined(inside[neighbours[present], j], weights[present], law)
    numbers = space.outside(numbers)
    for j in (upper.position for upper in space.relations.bounded):
        # nothing in this row to lie above: the column stands for itself
        alone = (states[:, j] == PRESENT) & np.isnan(inside[donor, j])
        numbers[alone, j] = _combined(originals.numbers[neighbours[alone], j], weights[alone], law)
    codes = np.full((len(neighbours), originals.codes.shape[1]), MISSING, dtype=np.int32)
    for j in range(originals.codes.shape[1]):
        present = originals.codes[donor, j] != MISSING
        held_codes = originals.codes[neighbours[present], j]
        mass = np.where(held_codes == MISSING, 0.0, masses[present])
        codes[present, j] = _level(held_codes, mass, decoding, rng)
    return numbers, states, codes


def _combined(held: Floats, weights: Floats, law: WeightLaw) -> Floats:
    """Σ W·value over the neighbours that have the value, the law holding among those."""
    having = ~np.isnan(held)
    if not having.all():
        weights = _among(having, weights, law)
    combined: Floats = (weights * np.where(having, held, 0.0)).sum(axis=1)
    return combined


def _among(having: Mask, weights: Floats, law: WeightLaw) -> Floats:
    kept = np.where(having, weights, 0.0)
    total = kept.sum(axis=1, keepdims=True)
    if law == "published":
        renormalised: Floats = kept / total
        return renormalised
    count = having.sum(axis=1, keepdims=True)
    spread = np.sqrt((weights.shape[1] - 1) / np.maximum(count - 1, 1))
    deviations = np.where(having, weights - total / count, 0.0)
    spread_again: Floats = np.where(having, 1 / count, 0.0) + deviations * spread
    return spread_again


def _level(held: Codes, mass: Floats, decoding: Decoding, rng: np.random.Generator) -> Codes:
    rows = np.arange(len(held))
    if decoding.categories == "draw":
        chosen = _drawn(mass, rng)
    else:
        # neighbour by neighbour: all k × k comparisons at once would take gigabytes
        totals = [np.where(held == held[:, [j]], mass, 0.0).sum(axis=1) for j in range(held.shape[1])]
        chosen = np.stack(totals, axis=1).argmax(axis=1)
    levels: Codes = held[rows, chosen]
    return levels


def _drawn(masses: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """For each row one position, with probability proportional to its mass (inverse cumulative)."""
    cumulative = masses.cumsum(axis=1)
    thresholds = rng.random(len(masses)) * cumulative[:, -1]
    passed = (cumulative <= thresholds[:, None]).sum(axis=1)
    positions: NDArray[np.int64] = np.minimum(passed, masses.shape[1] - 1)
    return positions
