"""Nearest avatars in the raw columns: what an attacker without any model does with a mixed table.

The Gower distance of two rows is a sum over columns. Numbers: |a − b| / (range among the avatars, which everybody
can see); a column that is constant among the avatars: 0 if equal, else 1. Categories: 0 if equal, else 1. Gaps are
values: 0 against a gap, 1 against anything else (avatars keep the pattern of missing values); so are missing codes.
Numbers are first laid on a grid of at least a millionth of the range, so that sums are whole numbers: exact, ties
included, in any order of addition. Gower, *A general coefficient of similarity and some of its properties*, 1971.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sosie.attacks.cells import Cells
from sosie.attacks.rates import NotMeasurableError
from sosie.columns import MISSING, Floats, Mask

Grid = NDArray[np.int32]

_MOST_COLUMNS = 2**10
_FINEST = (
    2**23
)  # leaves room for every state of a cell, each one unit or more from all others and from every number
_NO_NUMBER = 2**31 - 1
_COMPARISONS = 4e9  # cells of targets against cells of avatars: some seconds
_FEWEST_TARGETS = 100


@dataclass(frozen=True, eq=False)
class GowerSpace:
    """Avatars laid out for comparison: `grid` is (columns, avatars), whole numbers, `unit` being a distance of 1.

    Columns are those of the table, in its order. `least` and `span` are the avatars' minimum and range, NaN for a
    category; a span of 0 marks a constant.
    """

    grid: Grid
    unit: int
    least: Floats
    span: Floats

    @property
    def numeric(self) -> Mask:
        """(columns,) whether each holds numbers."""
        return ~np.isnan(self.span)

    @property
    def avatars(self) -> int:
        """How many rows there are to compare with."""
        return int(self.grid.shape[1])


@dataclass(frozen=True, eq=False)
class Targets:
    """Rows to compare with the avatars: on the same grid (columns, rows), and how far numbers lie outside the range.

    Numbers outside the avatars' range are laid on its end: every avatar is nearer by the same amount, which `outside`
    (columns, rows) gives back, in units of the range.
    """

    grid: Grid
    outside: Floats

    def __len__(self) -> int:
        return int(self.grid.shape[1])


def gower_space(avatars: Cells, *seen: Cells) -> GowerSpace:
    """The avatars as the base of a search; ranges are those of the avatars and of other tables the attacker has seen.

    NotMeasurableError for no row or more than 1,024 columns.
    """
    columns = len(avatars.columns)
    if len(avatars) == 0 or not 1 <= columns <= _MOST_COLUMNS:
        raise NotMeasurableError(
            f"comparing rows needs at least one avatar and 1 to {_MOST_COLUMNS} columns: "
            f"{len(avatars)} avatars, {columns} columns"
        )
    unit = min(_FINEST, 2 ** (30 - (columns - 1).bit_length()))
    least, span = np.full(columns, np.nan), np.full(columns, np.nan)
    for j, numeric in enumerate(avatars.numeric):
        if numeric:
            present = np.concatenate([table.columns[j] for table in (avatars, *seen)])
            present = present[~np.isnan(present)]
            least[j] = present.min() if len(present) else 0.0
            span[j] = present.max() - least[j] if len(present) else 0.0
    return GowerSpace(_lay(avatars, unit, least, span), unit, least, span)


def targets_in(space: GowerSpace, *tables: Cells) -> Targets:
    """The rows of these tables, one after the other, on the grid of the avatars."""
    grids = [_lay(rows, space.unit, space.least, space.span) for rows in tables]
    outside = [_outside(rows, space.least, space.span) for rows in tables]
    return Targets(np.concatenate(grids, axis=1), np.concatenate(outside, axis=1))


def affordable_targets(space: GowerSpace, columns: int) -> int:
    """How many targets can be compared with every avatar in bounded time; at least 100."""
    return max(_FEWEST_TARGETS, int(_COMPARISONS / (columns * space.avatars)))


def _lay(table: Cells, unit: int, least: Floats, span: Floats) -> Grid:
    grid = np.empty((len(table.columns), len(table)), dtype=np.int32)
    for j, (numeric, cells, states) in enumerate(
        zip(table.numeric, table.columns, table.states, strict=True)
    ):
        missing = np.isnan(cells)
        if not numeric:
            grid[j] = np.where(missing, MISSING, cells)
            continue
        if span[j] > 0:
            inside = np.clip((cells - least[j]) / span[j], 0.0, 1.0)
        else:
            inside = np.where(cells == least[j], 0.0, 1.0)
        absent = _NO_NUMBER - states.astype(np.float64) * unit
        grid[j] = np.where(missing, absent, np.rint(inside * unit))
    return grid


def _outside(rows: Cells, least: Floats, span: Floats) -> Floats:
    """How far numbers lie outside the range, 0 for a category, a constant and a gap."""
    outside = np.zeros((len(rows.columns), len(rows)))
    for j in np.flatnonzero(span > 0):  # never of a category, whose span is NaN
        shares = (rows.columns[j] - least[j]) / span[j]
        outside[j] = np.nan_to_num(np.abs(shares - np.clip(shares, 0.0, 1.0)))
    return outside
