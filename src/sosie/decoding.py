"""Decoding: the cells of an avatar, from its neighbours' own values.

The inverse transform of a barycentre in the complete space is the barycentre of the neighbours' own values
(the transform is affine, the weights sum to 1), so values are combined directly and no inverse is ever
computed.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie.columns import MISSING, PRESENT, Codes, Floats, Grid, Mask, Numeric, States, Table
from sosie.generation import BLOCK, Barycentres, WeightLaw
from sosie.streams import stream


@dataclass(frozen=True)
class Decoding:
    """How combined values become cells."""

    categories: Literal["draw", "mode"] = "draw"
    integers: Literal["round", "truncate"] = "round"


def invert(originals: Table, barycentres: Barycentres, decoding: Decoding, seed: int) -> Table:
    """The avatars of `originals`, row i from individual i (sensitive: the rows are linked)."""
    grids = [
        _grid(numbers, column)
        for numbers, column in zip(originals.numbers.T, originals.number_columns, strict=True)
    ]
    numbers, states = np.empty_like(originals.numbers), np.empty_like(originals.states)
    codes = np.empty_like(originals.codes)
    for block, start in enumerate(range(0, len(originals), BLOCK)):
        rows = slice(start, start + BLOCK)
        part = Barycentres(barycentres.neighbours[rows], barycentres.weights[rows], barycentres.law)
        numbers[rows], states[rows], codes[rows] = _block(
            originals, grids, part, decoding, stream(seed, "donors", block)
        )
    return replace(originals, numbers=numbers, states=states, codes=codes)


def _block(
    originals: Table,
    grids: list[Grid],
    barycentres: Barycentres,
    decoding: Decoding,
    rng: np.random.Generator,
) -> tuple[Floats, States, Codes]:
    """The avatars of one block.

    Each takes the whole mask of missing values of one donor, missing codes included; a number is the combination over
    the neighbours that have it; a category is drawn in proportion to its mass, independently per column, or the heaviest
    level.
    """
    neighbours, weights, law = barycentres.neighbours, barycentres.weights, barycentres.law
    masses = weights if law == "published" else np.full_like(weights, 1 / weights.shape[1])
    donor = neighbours[np.arange(len(neighbours)), _drawn(masses, rng)]
    states = originals.states[donor]
    numbers = np.full(states.shape, np.nan)
    for j, (column, grid) in enumerate(zip(originals.number_columns, grids, strict=True)):
        present = states[:, j] == PRESENT
        held = originals.numbers[neighbours[present], j]
        numbers[present, j] = _decoded(_combined(held, weights[present], law), column, grid, decoding)
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


def _grid(numbers: Floats, column: Numeric) -> Grid:
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return Grid(0.0, 0.0, 0)
    return Grid(float(present.min()), float(present.max()), column.decimals(present))


def _decoded(values: Floats, column: Numeric, grid: Grid, decoding: Decoding) -> Floats:
    settled = column.settled(values, grid, decoding.integers == "truncate")
    return np.clip(settled, grid.least, grid.most) + 0.0  # no −0


def _level(held: Codes, mass: Floats, decoding: Decoding, rng: np.random.Generator) -> Codes:
    rows = np.arange(len(held))
    if decoding.categories == "draw":
        chosen = _drawn(mass, rng)
    else:
        same = held[:, :, None] == held[:, None, :]
        chosen = (same * mass[:, None, :]).sum(axis=2).argmax(axis=1)
    levels: Codes = held[rows, chosen]
    return levels


def _drawn(masses: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """For each row one position, with probability proportional to its mass (inverse cumulative)."""
    cumulative = masses.cumsum(axis=1)
    thresholds = rng.random(len(masses)) * cumulative[:, -1]
    passed = (cumulative <= thresholds[:, None]).sum(axis=1)
    positions: NDArray[np.int64] = np.minimum(passed, masses.shape[1] - 1)
    return positions
