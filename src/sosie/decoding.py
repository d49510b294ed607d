"""Decoding: the cells of an avatar, from its neighbours' own values.

Here under the published law; the gaussian law has a way of its own (`sosie.gaussian`). The inverse of a barycentre in
the complete space is the barycentre of the neighbours' own values (the encoding is affine, the weights sum to 1), so
values are combined directly and no axis is ever inverted. Where a column has a transform or lies above another, the
values combined are those of the space.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sosie.blocks import blocks
from sosie.columns import MISSING, PRESENT, Codes, Floats, States, Table
from sosie.donors import commonest, drawn
from sosie.gaussian import gaussian_cells
from sosie.generation import Barycentres
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
    if barycentres.law == "gaussian":
        heaviest = decoding.categories == "mode"
        values, states, codes = gaussian_cells(originals, barycentres, space, heaviest, seed)
    else:
        values, states, codes = _published(originals, barycentres, decoding, seed, space)
    numbers = np.empty_like(values)
    for rows in blocks(len(values)):
        numbers[rows] = in_order(values[rows], space.relations.bounded, lattices)
    avatars = replace(originals, numbers=numbers, states=states, codes=codes)
    return recomputed(space.relations.derivations, avatars, originals)


def _published(
    originals: Table, barycentres: Barycentres, decoding: Decoding, seed: int, space: Space
) -> tuple[Floats, States, Codes]:
    """Combined numbers, states and codes: each batch's blocks draw from streams of their own."""
    inside = space.inside(originals.numbers)
    numbers, states = np.empty_like(originals.numbers), np.empty_like(originals.states)
    codes = np.empty_like(originals.codes)
    for number, members in barycentres.members():
        for block, within in enumerate(blocks(len(members))):
            rows = members[within]
            part = Barycentres(barycentres.neighbours[rows], barycentres.weights[rows], barycentres.law)
            rng = stream(seed, "donors", number, block)
            numbers[rows], states[rows], codes[rows] = _block(originals, inside, space, part, decoding, rng)
    return numbers, states, codes


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
    neighbours, weights = barycentres.neighbours, barycentres.weights
    donor = neighbours[np.arange(len(neighbours)), drawn(weights, rng)]
    states = originals.states[donor]
    numbers = np.full(states.shape, np.nan)
    for j in range(states.shape[1]):
        present = ~np.isnan(inside[donor, j])
        numbers[present, j] = _combined(inside[neighbours[present], j], weights[present])
    numbers = space.outside(numbers)
    for j in (upper.position for upper in space.relations.bounded):
        # nothing in this row to lie above: the column stands for itself
        alone = (states[:, j] == PRESENT) & np.isnan(inside[donor, j])
        numbers[alone, j] = _combined(originals.numbers[neighbours[alone], j], weights[alone])
    codes = np.full((len(neighbours), originals.codes.shape[1]), MISSING, dtype=np.int32)
    for j in range(originals.codes.shape[1]):
        present = originals.codes[donor, j] != MISSING
        held_codes = originals.codes[neighbours[present], j]
        mass = np.where(held_codes == MISSING, 0.0, weights[present])
        codes[present, j] = _level(held_codes, mass, decoding, rng)
    return numbers, states, codes


def _combined(held: Floats, weights: Floats) -> Floats:
    """Σ W·value over the neighbours that have the value, weights renormalised among those."""
    having = ~np.isnan(held)
    if not having.all():
        kept = np.where(having, weights, 0.0)
        weights = kept / kept.sum(axis=1, keepdims=True)
    combined: Floats = (weights * np.where(having, held, 0.0)).sum(axis=1)
    return combined


def _level(held: Codes, mass: Floats, decoding: Decoding, rng: np.random.Generator) -> Codes:
    chosen = drawn(mass, rng) if decoding.categories == "draw" else commonest(held, mass)
    levels: Codes = held[np.arange(len(held)), chosen]
    return levels
