"""A table as an attacker reads it: cell by cell, gaps and all, columns in the order of their names.

Attacks draw targets and break ties by position; by name and by cells, no figure depends on how the columns and the
rows of a file happen to be arranged.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sosie.columns import GAP, MISSING, PRESENT, Category, Floats, States, Table


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
    ranks = {
        column.name: np.argsort(np.argsort([str(level) for level in column.levels], kind="stable"))
        for column in table.category_columns
    }
    cells = cells_of(table)
    keys: list[Floats | States] = []
    for name, column, states in zip(cells.names, cells.columns, cells.states, strict=True):
        keys.append(states)
        held = column >= 0
        if name in ranks and held.any():
            keys.append(np.where(held, ranks[name][np.where(held, column, 0).astype(np.int64)], column))
        else:
            keys.append(column)
    return np.lexsort(keys[::-1])
