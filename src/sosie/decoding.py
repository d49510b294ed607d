"""Decoding: the cells of an avatar, from its neighbours' own values.

Here under the published law; the gaussian law has a way of its own (`sosie.gaussian`). The inverse of a barycentre in
the complete space is the barycentre of the neighbours' own values (the encoding is affine, the weights sum to 1), so
values are combined directly and no axis is ever inverted. Where a column has a transform or lies above another, the
values combined are those of the space.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sosie.blocks import blocks
from sosie.columns import MISSING, PRESENT, Codes, Floats, Mask, States, Table
from sosie.donors import commonest, drawn, drawn_at
from sosie.gaussian import gaussian_cells
from sosie.generation import Barycentres
from sosie.ordering import in_order
from sosie.recomputation import recomputed
from sosie.space import PLAIN, Space
from sosie.streams import stream
from sosie.threads import each
from sosie.whole import Whole, whole_of


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
    whole: Whole | None = None,
    workers: int = -1,
) -> Table:
    """The avatars of `originals`, row i from individual i (sensitive: the rows are linked).

    `whole` is that of the whole table, where `originals` are one batch of it. Raises InputError
    `BAD_CONFIG` when a derived column cannot hold what its expression gives an avatar, or `round_to` leaves a
    constraint no room.
    """
    if whole is None:
        whole = whole_of(originals, decoding.integers == "truncate")
    lattices = whole.lattices
    if barycentres.law == "gaussian":
        heaviest = decoding.categories == "mode"
        values, states, codes = gaussian_cells(originals, barycentres, space, heaviest, seed, workers)
    else:
        values, states, codes = _published(originals, barycentres, decoding, seed, space, whole, workers)

    def settle(rows: slice) -> None:
        values[rows] = in_order(values[rows], space.relations.bounded, lattices)

    each(settle, blocks(len(values)), workers)
    avatars = replace(originals, numbers=values, states=states, codes=codes)
    return recomputed(space.relations.derivations, avatars, originals)


@dataclass(frozen=True, eq=False)
class Values:
    """(n, p) values to combine, 0 where there is none; `having` is 1 where there is one, None where all are there."""

    filled: Floats
    having: Floats | None

    def over(self, barycentres: Barycentres) -> Floats:
        """(m, p) Σ W·value over the neighbours that have one, weights renormalised among those; NaN where none has."""
        m, k = barycentres.weights.shape
        ends = np.arange(0, m * k + 1, k, dtype=np.int32)
        cells = barycentres.weights.ravel(), barycentres.neighbours.ravel(), ends
        weights = sparse.csr_array(cells, shape=(m, len(self.filled)))
        sums: Floats = weights @ self.filled
        if self.having is None:
            return sums
        with np.errstate(invalid="ignore"):  # 0 / 0 where no neighbour has a value
            shares: Floats = sums / (weights @ self.having)
        return shares


def values_of(numbers: Floats, gaps: bool) -> Values:
    """(n, p) numbers, NaN where there is none, as values to combine; `gaps`: whether the whole table has any.

    Weights sum to 1 but for their last digit: what is not renormalised is another number.
    """
    if not gaps:
        return Values(np.ascontiguousarray(numbers), None)
    having = ~np.isnan(numbers)
    return Values(np.where(having, numbers, 0.0), having.astype(np.float64))


@dataclass(frozen=True, eq=False)
class _Parents:
    """The originals as avatars are combined from them.

    `inside` (n, p) are their numbers in the space and `values` the same to combine; `alone` the raw ones of columns
    that lie above others, by position, for rows that have none of these; `complete` (q,) the columns of codes without
    any gap in the whole table.
    """

    table: Table
    inside: Floats
    values: Values
    alone: Mapping[int, Values]
    complete: Mask


def _published(
    originals: Table,
    barycentres: Barycentres,
    decoding: Decoding,
    seed: int,
    space: Space,
    whole: Whole,
    workers: int,
) -> tuple[Floats, States, Codes]:
    """Combined numbers, states and codes: each batch's blocks draw from streams of their own."""
    parents = _parents_of(originals, space, whole)
    numbers, states = np.empty_like(originals.numbers), np.empty_like(originals.states)
    codes = np.empty_like(originals.codes)

    def draw(place: tuple[int, int, NDArray[np.int64] | slice]) -> None:
        number, block, rows = place
        rng = stream(seed, "donors", number, block)
        found = _block(parents, barycentres.of(rows), space, decoding, rng)
        numbers[rows], states[rows], codes[rows] = found

    each(draw, barycentres.blocks(), workers)
    return numbers, states, codes


def _parents_of(originals: Table, space: Space, whole: Whole) -> _Parents:
    inside = space.inside(originals.numbers)
    bounded = [upper.position for upper in space.relations.bounded]
    return _Parents(
        originals,
        inside,
        # the space has a gap only where the table has one
        values_of(inside, any(whole.number_gaps)),
        {j: values_of(originals.numbers[:, [j]], whole.number_gaps[j]) for j in bounded},
        ~np.array(whole.code_gaps, dtype=bool),
    )


def _block(
    parents: _Parents, barycentres: Barycentres, space: Space, decoding: Decoding, rng: np.random.Generator
) -> tuple[Floats, States, Codes]:
    """The avatars of one block, their numbers not yet rounded.

    Each takes the whole mask of missing values of one donor, missing codes included; a number is the combination over
    the neighbours that have it; a category is drawn in proportion to its mass, independently per column, or the
    heaviest level.
    """
    everyone = np.arange(len(barycentres.weights))
    donor = barycentres.neighbours[everyone, drawn(barycentres.weights, rng)]
    states = parents.table.states.take(donor, axis=0)
    absent = np.isnan(parents.inside.take(donor, axis=0))
    numbers = space.outside(np.where(absent, np.nan, parents.values.over(barycentres)))
    for j, raw in parents.alone.items():
        alone = np.flatnonzero(absent[:, j] & (states[:, j] == PRESENT))
        numbers[alone, j] = raw.over(barycentres.of(alone))[:, 0]
    codes = np.empty((len(donor), len(parents.complete)), dtype=np.int32)
    uniforms = {}
    for j, column in enumerate(parents.table.codes.T):
        if parents.complete[j] and decoding.categories == "draw":
            uniforms[j] = rng.random(len(donor))
        else:
            codes[:, j] = _levels(column, column[donor] != MISSING, barycentres, decoding, rng)
    if uniforms:  # all at once: the sums of the weights are taken once
        positions = drawn_at(barycentres.weights, np.stack(list(uniforms.values())))
        for j, chosen in zip(uniforms, positions, strict=True):
            codes[:, j] = parents.table.codes[:, j][barycentres.neighbours[everyone, chosen]]
    return numbers, states, codes


def _levels(
    column: Codes, present: Mask, barycentres: Barycentres, decoding: Decoding, rng: np.random.Generator
) -> Codes:
    """(m,) levels of the rows that have one, in proportion to the mass of the neighbours that do, or the heaviest."""
    held = column[barycentres.neighbours[present]]
    mass = np.where(held == MISSING, 0.0, barycentres.weights[present])
    chosen = drawn(mass, rng) if decoding.categories == "draw" else commonest(held, mass)
    levels = np.full(len(present), MISSING, dtype=np.int32)
    levels[present] = held[np.arange(len(held)), chosen]
    return levels
