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

from sosie import _rows
from sosie.blocks import blocks, pieces
from sosie.columns import MISSING, PRESENT, Codes, Floats, Mask, States, Table
from sosie.donors import commonest, drawn, drawn_at
from sosie.gaussian import gaussian_cells
from sosie.generation import Barycentres
from sosie.neighbours import Positions
from sosie.ordering import in_order, refuse_disorder
from sosie.recomputation import Wrong, recomputed, refuse_wrong
from sosie.space import PLAIN, Space
from sosie.streams import stream
from sosie.threads import each, each_in_pieces
from sosie.whole import Whole, whole_of

SomeRows = NDArray[np.int64] | slice


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
    workers: int = -1,
) -> Table:
    """The avatars of `originals`, row i from individual i (sensitive: the rows are linked).

    Raises InputError `BAD_CONFIG` when a derived column cannot hold what its expression gives an avatar, or `round_to`
    leaves a constraint no room.
    """
    whole = whole_of(originals, decoding.integers == "truncate", workers)
    avatars, wrong = invert_batch(originals, barycentres, decoding, seed, space, whole, workers)
    refuse_wrong(wrong, space.relations.derivations, avatars.columns)
    return avatars


def invert_batch(
    originals: Table,
    barycentres: Barycentres,
    decoding: Decoding,
    seed: int,
    space: Space,
    whole: Whole,
    workers: int = -1,
) -> tuple[Table, tuple[Wrong, ...]]:
    """The same where `originals` are one batch of a table, and `whole` is that of the whole table.

    What derived columns cannot hold is told beside the avatars: other batches may have more of it.
    """
    if barycentres.law == "gaussian":
        heaviest = decoding.categories == "mode"
        values, states, codes = gaussian_cells(originals, barycentres, space, heaviest, seed, workers)

        def settle(rows: slice) -> None:
            values[rows] = in_order(values[rows], space.relations.bounded, whole.lattices)

        each(settle, pieces(len(values)), workers)
    else:
        values, states, codes = _published(originals, barycentres, decoding, seed, space, whole, workers)
    for rows in blocks(len(values)):
        refuse_disorder(values[rows], space.relations.bounded)
    avatars = replace(originals, numbers=values, states=states, codes=codes)
    return recomputed(space.relations.derivations, avatars, whole)


@dataclass(frozen=True, eq=False)
class Values:
    """(n, p) values to combine, 0 where there is none; `having` is 1 where there is one, None where all are there."""

    filled: Floats
    having: Floats | None

    def over(self, barycentres: Barycentres) -> Floats:
        """(m, p) Σ W·value over the neighbours that have one, weights renormalised among those; NaN where none has."""
        sums = _weighed(barycentres, self.filled)
        if self.having is None:
            return sums
        with np.errstate(invalid="ignore"):  # 0 / 0 where no neighbour has a value
            shares: Floats = sums / _weighed(barycentres, self.having)
        return shares


def _weighed(barycentres: Barycentres, numbers: Floats) -> Floats:
    """(m, p) Σ W·number over the neighbours, one after the other."""
    weights = np.ascontiguousarray(barycentres.weights)
    neighbours = np.ascontiguousarray(barycentres.neighbours, dtype=np.int32)
    sums = np.empty((len(weights), numbers.shape[1]))
    if len(sums):
        _rows.weighed(len(sums), neighbours, weights, len(numbers), numbers, sums)
    return sums


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
    """Numbers in order, states and codes: each batch's blocks draw from streams of their own."""
    parents = _parents_of(originals, space, whole)
    numbers, states = np.empty_like(originals.numbers), np.empty_like(originals.states)
    codes = np.empty_like(originals.codes)
    donors = np.empty(len(originals), dtype=np.int32)

    def draw(place: tuple[int, int, SomeRows]) -> list[SomeRows]:
        number, block, rows = place
        rng = stream(seed, "donors", number, block)
        donors[rows], codes[rows] = _donors_and_codes(parents, barycentres.of(rows), decoding, rng)
        return _pieces_of(rows)

    def combine(rows: SomeRows) -> None:
        states[rows] = originals.states.take(donors[rows], axis=0)
        combined = _numbers(parents, barycentres.of(rows), donors[rows], states[rows], space)
        numbers[rows] = in_order(combined, space.relations.bounded, whole.lattices)

    each_in_pieces(draw, combine, barycentres.blocks(), workers)
    return numbers, states, codes


def _pieces_of(rows: SomeRows) -> list[SomeRows]:
    if isinstance(rows, slice):
        return [slice(rows.start + of.start, rows.start + of.stop) for of in pieces(rows.stop - rows.start)]
    return [rows[of] for of in pieces(len(rows))]


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


def _numbers(
    parents: _Parents, barycentres: Barycentres, donors: Positions, states: States, space: Space
) -> Floats:
    """(m, p) numbers of avatars, not yet rounded: the combination over the neighbours that have one, as donors do."""
    combined = parents.values.over(barycentres)
    if parents.values.having is None:
        return space.outside(combined)
    absent = np.isnan(parents.inside.take(donors, axis=0))
    numbers = space.outside(np.where(absent, np.nan, combined))
    for j, raw in parents.alone.items():
        alone = np.flatnonzero(absent[:, j] & (states[:, j] == PRESENT))
        numbers[alone, j] = raw.over(barycentres.of(alone))[:, 0]
    return numbers


def _donors_and_codes(
    parents: _Parents, barycentres: Barycentres, decoding: Decoding, rng: np.random.Generator
) -> tuple[Positions, Codes]:
    """The donors of one block of avatars, and their codes.

    Each takes the whole mask of missing values of one donor, missing codes included; a category is drawn in proportion
    to its mass, independently per column, or the heaviest level.
    """
    held, weights, neighbours = parents.table.codes, barycentres.weights, barycentres.neighbours
    alike = parents.complete & (decoding.categories == "draw")  # columns whose draws do not hang on the donor
    first = int(alike.cumprod().sum())
    drawn_first = drawn_at(weights, rng.random((1 + first, len(weights))), neighbours)
    donors, givers = drawn_first[0], dict(enumerate(drawn_first[1:]))
    codes = np.empty((len(donors), len(alike)), dtype=np.int32)
    uniforms = {}
    for j in range(first, len(alike)):
        if alike[j]:
            uniforms[j] = rng.random(len(donors))
        else:
            codes[:, j] = _levels(held[:, j], held[donors, j] != MISSING, barycentres, decoding, rng)
    if uniforms:  # all at once: the sums of the weights are taken once
        drawn_last = drawn_at(weights, np.stack(list(uniforms.values())), neighbours)
        givers.update(zip(uniforms, drawn_last, strict=True))
    for j, given in givers.items():
        codes[:, j] = held[given, j]
    return donors, codes


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
