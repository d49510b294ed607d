"""A table as an attacker reads it: cell by cell, gaps and all, columns in the order of their names.

Attacks draw targets and break ties by position; by name and by cells, no figure depends on how the columns and the
rows of a file happen to be arranged.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sosie.columns import GAP, MISSING, PRESENT, Category, Column, Floats, States, Table

_COUNTED = 2**16


@dataclass(frozen=True, eq=False)
class Cells:
    """The m columns of a table sorted by name.

    `columns` are (n,) floats each, codes for a category, NaN where there is neither; `states` (n,) says why, as in a
    `Table`: 0 there is a value, 1 the cell is missing, 2 and more it holds a missing code.
    """

    names: tuple[Hashable, ...]
    numeric: tuple[bool, ...]
    columns: tuple[Floats, ...]
    states: tuple[States, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    def take(self, rows: NDArray[np.int64]) -> "Cells":
        """The individuals at these positions, in this order."""
        return replace(
            self,
            columns=tuple(column[rows] for column in self.columns),
            states=tuple(states[rows] for states in self.states),
        )

    def positions(self, names: Sequence[Hashable]) -> tuple[int, ...]:
        """Where the columns of these names are, in order of position."""
        return tuple(j for j, name in enumerate(self.names) if name in names)


def cells_of(table: Table) -> Cells:
    """The table's cells, each column contiguous."""
    numbers, states, codes = iter(table.numbers.T), iter(table.states.T), iter(table.codes.T)
    found = []
    for column in table.columns:
        if isinstance(column, Category):
            held = next(codes)
            missing = held == MISSING
            cells = np.where(missing, np.nan, held.astype(np.float64))
            found.append((column.name, False, cells, np.where(missing, GAP, PRESENT).astype(np.int8)))
        else:
            found.append((column.name, True, np.array(next(numbers)), np.array(next(states))))
    return Cells(*zip(*sorted(found, key=lambda cells: str(cells[0])), strict=True))


def distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct ones of (n,) numbers, ascending, and how often each is there; NaN is none."""
    gaps = np.isnan(values)
    present = values[~gaps] if gaps.any() else values
    least = _whole_from(present)
    if least is None:
        return np.unique(present, return_counts=True)
    times = np.bincount((present - least).astype(np.int64))
    held = np.flatnonzero(times)
    return held + least, times[held]


def median(values: Floats, counts: NDArray[np.int64]) -> float:
    """The median of distinct numbers that are there so often; NaN where there is none."""
    if not len(values):
        return np.nan
    total = counts.sum()
    low, high = values[np.searchsorted(np.cumsum(counts), [(total - 1) // 2, total // 2], side="right")]
    return float((low + high) / 2)


def _whole_from(present: NDArray[Any]) -> float | None:
    """The least of whole numbers that are few enough to be counted one by one, None for any others."""
    if not len(present) or float(present.max()) - float(present.min()) >= _COUNTED:
        return None
    return float(present.min()) if (present == np.floor(present)).all() else None


def rows_by_cells(table: Table) -> NDArray[np.int64]:
    """The positions of the rows sorted by their cells, columns compared by name; equal rows in any order.

    Levels are compared as text, since their codes may follow the order of the rows.
    """
    keys = list(_sort_keys(table))
    rows = np.argsort(keys[0])
    fresh = _changes(keys[0][rows])
    for key in keys[1:]:
        tied = np.flatnonzero(~(fresh & np.append(fresh[1:], True)))
        if not len(tied):
            break
        # only rows that are equal so far are looked at again
        held = rows[tied]
        group = np.cumsum(fresh)[tied]
        rows[tied] = held[np.lexsort([key[held], group])]
        fresh[tied] |= _changes(key[rows[tied]])
    return rows


def _changes(values: Floats | NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where a value differs from the one before; the first does."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


def _sort_keys(table: Table) -> Iterator[Floats | NDArray[np.int64]]:
    """What rows are sorted by, first key first: levels, states and whole numbers of several columns in one."""
    packed, room = np.zeros(len(table), dtype=np.int64), 1
    for ranks in _ranks(table):
        size = int(ranks.max(initial=0)) + 1 if ranks.dtype == np.int64 else None
        if room > 1 and (size is None or room * size > 2**62):
            yield packed
            packed, room = np.zeros(len(table), dtype=np.int64), 1
        if size is None:
            yield ranks
        else:
            packed, room = packed * size + ranks.astype(np.int64, copy=False), room * size
    yield packed


def _ranks(table: Table) -> Iterator[Floats | NDArray[np.int64]]:
    """What rows are sorted by, column by column; whole numbers from 0 on where there are few."""
    for column, position in sorted(_positions(table), key=lambda known: str(known[0].name)):
        if isinstance(column, Category):
            ranks = np.argsort(np.argsort([str(level) for level in column.levels], kind="stable"))
            # a gap, code -1, comes last
            yield np.append(ranks, len(ranks))[table.codes[:, position]]
            continue
        states, numbers = table.states[:, position], table.numbers[:, position]
        present = states == PRESENT
        least = _whole_from(numbers[present])
        yield states.astype(np.int64)
        yield (
            np.where(present, numbers, 0.0)
            if least is None
            else np.where(present, numbers - least, 0.0).astype(np.int64)
        )


def _positions(table: Table) -> list[tuple[Column, int]]:
    """Each column with its place among those of its kind."""
    numbers, codes = count(), count()
    return [(column, next(codes if isinstance(column, Category) else numbers)) for column in table.columns]
