"""Copies: what of the originals stands in the avatars as it was.

Whole rows, single cells, rare levels, rare pairs of levels, missing patterns of one person. No guess is made here:
these are counts and shares, each beside the same figure for the holdout, who repeats the working half by chance
alone. Levels are counted, never named, except in `NamedLevels`, which is for insiders.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.columns import MISSING, PRESENT, Category, Floats, Mask, States, Table
from sosie.estimates import NOT_LINKED, NotComputed
from sosie.metrics.direct_match import records_of, row_direct_match, row_direct_match_own

Integers = NDArray[np.int64]

_MOST_PAIRS = 300
_COUNTABLE = 4  # combinations a row: beyond it they are numbered, not counted in a table of all


@dataclass(frozen=True)
class ColumnCopies:
    """Cells of one column, in percent: avatars' values found among the originals, holdout's values found there.

    `own`: avatars with the very value of their own original.
    """

    name: str
    any_original: float
    holdout: float
    own: float | NotComputed


@dataclass(frozen=True)
class Survivors:
    """Things that fewer than `min_count` originals have (`originals`), how many of them the avatars still have.

    `unique` and `unique_surviving`: the same of things that exactly one original has. `avatars_carrying` counts
    avatars, `holdout_surviving` the things that the holdout has too: how many are no secret of the working half.
    """

    originals: int
    surviving: int
    unique: int
    unique_surviving: int
    avatars_carrying: int
    holdout_surviving: int


@dataclass(frozen=True)
class Copies:
    """What stands in the avatars as it was. Rows in percent of the avatars; `rows_holdout` of the holdout rows.

    `pairs_of_columns` is (looked at, all): of more than 300 pairs of categorical columns, those of the first columns
    by name. `missing_patterns` are combinations of gaps, having none among them.
    """

    rows_any_original: float
    rows_own: float | NotComputed
    rows_holdout: float
    columns: tuple[ColumnCopies, ...]
    levels: Survivors
    pairs_of_levels: Survivors
    pairs_of_columns: tuple[int, int]
    missing_patterns: Survivors


@dataclass(frozen=True)
class NamedLevels:
    """Rare levels of one column that the avatars still carry: (level, originals, avatars). For insiders only."""

    column: str
    levels: tuple[tuple[str, int, int], ...]


def copies(working: Table, avatars: Table, holdout: Table, linked: bool, min_count: int) -> Copies:
    """Every count of copies. `linked`: row i of the avatars comes from row i of the working half.

    ValueError for an empty table, or linked rows that differ in number.
    """
    sides = working, avatars, holdout
    records = [records_of(table) for table in sides]
    codes = [np.ascontiguousarray(table.codes.T) for table in sides]
    pairs = _pairs(working)
    return Copies(
        rows_any_original=row_direct_match(records[0], records[1]),
        rows_own=row_direct_match_own(records[0], records[1]).row if linked else NotComputed(NOT_LINKED),
        rows_holdout=row_direct_match(records[0], records[2]),
        columns=tuple(_columns(sides, linked)),
        levels=_total([_rare_levels(working, codes, [j], min_count) for j in _codes(working)]),
        pairs_of_levels=_total([_rare_levels(working, codes, pair, min_count) for pair in pairs]),
        pairs_of_columns=(len(pairs), len(_codes(working)) * (len(_codes(working)) - 1) // 2),
        missing_patterns=_survivors([_patterns(table) for table in sides], min_count),
    )


def named_levels(working: Table, avatars: Table, min_count: int) -> tuple[NamedLevels, ...]:
    """The rare levels that avatars carry, named; columns without any are left out."""
    named: list[NamedLevels] = []
    for j, column in enumerate(working.category_columns):
        before, after = (
            np.bincount(table.codes[table.codes[:, j] >= 0, j], minlength=len(column.levels))
            for table in (working, avatars)
        )
        named += carried_levels(column, before, after, min_count)
    return tuple(named)


def carried_levels(
    column: Category, before: Integers, after: Integers, min_count: int
) -> tuple[NamedLevels, ...]:
    """The rare levels of one column that avatars carry, by its counts of each level; empty without any."""
    rare = np.flatnonzero((before > 0) & (before < min_count) & (after > 0))
    levels = tuple((str(column.levels[int(level)]), int(before[level]), int(after[level])) for level in rare)
    return (NamedLevels(str(column.name), levels),) if levels else ()


_NONE = Survivors(0, 0, 0, 0, 0, 0)


def _columns(sides: tuple[Table, Table, Table], linked: bool) -> Iterator[ColumnCopies]:
    numbers, codes = iter(range(len(sides[0].number_columns))), iter(range(len(sides[0].category_columns)))
    for column in sides[0].columns:
        if isinstance(column, Category):
            j = next(codes)
            here, there, others = (table.codes[:, j] for table in sides)
            known = np.zeros(len(column.levels) + 1, dtype=bool)
            known[here] = True  # MISSING is -1, the last place
            repeated, stranger, own = known[there], known[others], here == there if linked else None
        else:
            j = next(numbers)
            quantities = [(table.numbers[:, j], table.states[:, j]) for table in sides]
            repeated, stranger = (_held(*side, *quantities[0]) for side in quantities[1:])
            own = _same(*quantities[1], *quantities[0]) if linked else None
        yield ColumnCopies(
            name=str(column.name),
            any_original=float(100 * repeated.mean()),
            holdout=float(100 * stranger.mean()),
            own=NotComputed(NOT_LINKED) if own is None else float(100 * own.mean()),
        )


def _held(numbers: Floats, states: States, among: Floats, states_among: States) -> Mask:
    """Which cells are found among others: numbers among numbers, a gap or a missing code among states."""
    known = pd.Index(numbers).isin(pd.unique(among[states_among == PRESENT]))
    reasons = np.zeros(np.iinfo(states.dtype).max + 1, dtype=bool)
    reasons[states_among] = True
    found: Mask = np.where(states == PRESENT, known, reasons[states])
    return found


def _same(numbers: Floats, states: States, others: Floats, states_of_others: States) -> Mask:
    """Which cells equal those at their side."""
    same: Mask = (states == states_of_others) & ((states != PRESENT) | (numbers == others))
    return same


def _rare_levels(
    working: Table, sides: Sequence[NDArray[np.int32]], columns: Sequence[int], min_count: int
) -> Survivors:
    """Rare levels, or rare combinations of them, of these categorical columns; a gap is not a level."""
    sizes = [len(working.category_columns[j].levels) + 1 for j in columns]
    if np.prod(sizes, dtype=np.float64) > _COUNTABLE * max(map(len, sides[0])):
        return _survivors(
            [rows[(rows >= 0).all(axis=1)] for rows in (codes[columns].T for codes in sides)], min_count
        )
    counts = []
    for codes in sides:
        labels = np.zeros(codes.shape[1], dtype=np.int64)
        for j, size in zip(columns, sizes, strict=True):
            labels *= size
            labels += codes[j]
            labels += 1  # a gap is 0
        table = np.bincount(labels, minlength=int(np.prod(sizes))).reshape(sizes)
        counts.append(table[(slice(1, None),) * len(columns)].ravel())
    return _of_counts(counts, min_count)


def _survivors(sides: Sequence[NDArray[np.integer[Any]]], min_count: int) -> Survivors:
    """Rare rows among the first of three sets of rows of whole numbers, and where else they are."""
    if not len(sides[0]):
        return _NONE
    labels = np.zeros(sum(map(len, sides)), dtype=np.int64)
    for column in range(sides[0].shape[1]):
        cells = np.concatenate([side[:, column] for side in sides]).astype(np.int64)
        if cells.any():
            # labels stay below the number of rows, so the product does not overflow
            labels = pd.factorize(labels * (int(cells.max()) + 1) + cells)[0].astype(np.int64)
    counts = [
        np.bincount(part, minlength=int(labels.max()) + 1)
        for part in np.split(labels, np.cumsum([len(side) for side in sides])[:-1])
    ]
    return _of_counts(counts, min_count)


def _of_counts(counts: list[Integers], min_count: int) -> Survivors:
    """From how many of each side have each thing."""
    before, after, elsewhere = counts
    rare, unique = (before > 0) & (before < min_count), before == 1
    return Survivors(
        originals=int(rare.sum()),
        surviving=int((rare & (after > 0)).sum()),
        unique=int(unique.sum()),
        unique_surviving=int((unique & (after > 0)).sum()),
        avatars_carrying=int(after[rare].sum()),
        holdout_surviving=int((rare & (elsewhere > 0)).sum()),
    )


def _total(parts: list[Survivors]) -> Survivors:
    """Sums over columns or pairs; an avatar that carries several counts several times."""
    totals = [
        (p.originals, p.surviving, p.unique, p.unique_surviving, p.avatars_carrying, p.holdout_surviving)
        for p in parts
    ]
    return Survivors(*map(sum, zip(*totals, strict=True))) if totals else _NONE


def _codes(table: Table) -> list[int]:
    """Positions of the categorical columns, by name."""
    return sorted(range(len(table.category_columns)), key=lambda j: str(table.category_columns[j].name))


def _pairs(table: Table) -> list[list[int]]:
    pairs = combinations(_codes(table), 2)
    return [list(pair) for pair, _ in zip(pairs, range(_MOST_PAIRS), strict=False)]


def _patterns(table: Table) -> States:
    return np.hstack([table.states, (table.codes == MISSING).astype(np.int8)])
