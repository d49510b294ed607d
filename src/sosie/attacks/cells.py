"""A table as an attacker reads it: cell by cell, gaps and all, columns in the order of their names.

Attacks draw targets and break ties by position; by name and by cells, no figure depends on how the columns and the
rows of a file happen to be arranged.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sosie.columns import GAP, MISSING, PRESENT, Category, Column, Floats, States, Table


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
    """What rows are sorted by, first key first: levels and states of several columns in one whole number."""
    packed, room = np.zeros(len(table), dtype=np.int64), 1
    for column, position in sorted(_positions(table), key=lambda known: str(known[0].name)):
        if isinstance(column, Category):
            ranks = np.argsort(np.argsort([str(level) for level in column.levels], kind="stable"))
            # a gap, code -1, comes last
            added, size = np.append(ranks, len(ranks))[table.codes[:, position]], len(ranks) + 1
        else:
            added, size = table.states[:, position], 2**8
        if room * size > 2**62:
            yield packed
            packed, room = np.zeros(len(table), dtype=np.int64), 1
        packed, room = packed * size + added, room * size
        if not isinstance(column, Category):
            yield packed
            yield np.where(added == PRESENT, table.numbers[:, position], 0.0)
            packed, room = np.zeros(len(table), dtype=np.int64), 1
    yield packed


def _positions(table: Table) -> list[tuple[Column, int]]:
    """Each column with its place among those of its kind."""
    numbers, codes = count(), count()
    return [(column, next(codes if isinstance(column, Category) else numbers)) for column in table.columns]
