"""Nearest avatars in the raw columns: what an attacker without any model does with a mixed table.

The Gower distance of two rows is a sum over columns. Numbers: |a − b| / (range among the avatars, which everybody
can see); a column that is constant among the avatars: 0 if equal, else 1. Categories: 0 if equal, else 1. Gaps are
values: 0 against a gap, 1 against anything else (avatars keep the pattern of missing values); so are missing codes.
Numbers are first laid on a grid of at least a millionth of the range, so that sums are whole numbers: exact, ties
included, in any order of addition. Gower, *A general coefficient of similarity and some of its properties*, 1971.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sosie.attacks.cells import Cells
from sosie.attacks.rates import NotMeasurableError
from sosie.columns import MISSING, Floats

Integers = NDArray[np.int64]
_Grid = NDArray[np.int32]
_Found = TypeVar("_Found")

_MOST_COLUMNS = 2**10
_FINEST = (
    2**23
)  # leaves room for every state of a cell, each one unit or more from all others and from every number
_NO_NUMBER = 2**30
_COMPARISONS = 4e9  # cells of targets against cells of avatars: some seconds
_FEWEST_TARGETS = 100
_AVATARS_AT_ONCE = 8_192
_COUNTABLE = 255  # categories that a byte can count
_PAIRS_AT_ONCE = 65_536  # two arrays of so many whole numbers fit a core's own cache


@dataclass(frozen=True, eq=False)
class GowerSpace:
    """Avatars laid out for comparison: `grid` is (columns, avatars), whole numbers, `unit` being a distance of 1.

    Columns are those of the table, in its order. `least` and `span` are the avatars' minimum and range, NaN for a
    category; a span of 0 marks a constant.
    """

    grid: _Grid
    unit: int
    least: Floats
    span: Floats
    gaps: tuple[bool, ...]

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

    grid: _Grid
    outside: Floats
    gaps: tuple[bool, ...]

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
    laid = _lay(avatars, unit, least, span)
    return GowerSpace(laid.grid, unit, least, span, laid.gaps)


def targets_in(space: GowerSpace, rows: Cells) -> Targets:
    """These rows on the grid of the avatars."""
    return _lay(rows, space.unit, space.least, space.span)


def affordable_targets(space: GowerSpace, columns: int) -> int:
    """How many targets can be compared with every avatar in bounded time; at least 100."""
    return max(_FEWEST_TARGETS, int(_COMPARISONS / (columns * space.avatars)))


def nearest_avatars(
    space: GowerSpace, targets: Targets, columns: Sequence[int], count: int = 1, workers: int = -1
) -> tuple[Floats, Integers]:
    """The `count` avatars nearest to each target: mean distances over these columns, row numbers; (rows, count).

    Distances are 0 (equal) to 1, more only outside the avatars' range. Among equals the first rows. ValueError unless
    1 <= count <= avatars and there is a column.
    """
    if not columns or not 1 <= count <= space.avatars:
        raise ValueError(
            f"nearest avatars need a column and 1 to {space.avatars} of them: {len(columns)} columns, {count} asked"
        )

    def search(block: slice) -> tuple[NDArray[np.float64], Integers]:
        best = _Best(block.stop - block.start, count)
        for part in _parts(space.avatars):
            best.update(_total(space, targets, columns, block, part), part.start)
        return best.distances, best.rows

    found = _in_blocks(search, len(targets), space.avatars, workers)
    distances = np.concatenate([distances for distances, _ in found]) / space.unit
    distances += targets.outside[list(columns)].sum(axis=0)[:, None]
    return distances / len(columns), np.concatenate([rows for _, rows in found])


def nearest_without(
    space: GowerSpace, targets: Targets, known: Sequence[int], secrets: Sequence[int], workers: int = -1
) -> Integers:
    """For each secret column, the avatar nearest to each target in the known columns but that one: (secrets, rows).

    Among equals the first row. A secret need not be among the known. NotMeasurableError when nothing is known of a
    secret.
    """
    for secret in secrets:
        if not set(known) - {secret}:
            raise NotMeasurableError("guessing a column needs at least one other that is known")
    inside = [secret for secret in secrets if secret in known]

    def search(block: slice) -> Integers:
        size = block.stop - block.start
        best = {secret: _Best(size, 1) for secret in (*inside, _NONE)}
        for part in _parts(space.avatars):
            total = _total(space, targets, known, block, part)
            for secret in inside:
                # a second look at one column costs less than keeping the distances of all
                left = total - _total(space, targets, [secret], block, part)
                best[secret].update(left, part.start)
            if len(inside) < len(secrets):
                best[_NONE].update(total, part.start)
        return np.stack([best[secret if secret in known else _NONE].rows[:, 0] for secret in secrets])

    return np.concatenate(_in_blocks(search, len(targets), space.avatars, workers), axis=1)


_NONE = -1  # no known column is left out


class _Best:
    """The nearest avatars so far, nearest first, of a block of targets."""

    def __init__(self, targets: int, count: int) -> None:
        self.distances = np.full((targets, count), np.iinfo(np.int32).max, dtype=np.float64)
        self.rows = np.full((targets, count), -1, dtype=np.int64)
        self._targets = np.arange(targets)

    def update(self, distances: _Grid, start: int) -> None:
        """Take in the next avatars, from row `start` on; the array is used up."""
        for _ in range(min(self.rows.shape[1], distances.shape[1])):
            column = distances.argmin(axis=1)
            value = distances[self._targets, column]
            if not self._insert(value.astype(np.float64), column + start):
                return
            distances[self._targets, column] = np.iinfo(np.int32).max

    def _insert(self, value: Floats, row: Integers) -> bool:
        nearer = value < self.distances[:, -1]
        if nearer.any():
            self.distances[nearer, -1], self.rows[nearer, -1] = value[nearer], row[nearer]
            order = np.argsort(self.distances, axis=1, kind="stable")
            self.distances = np.take_along_axis(self.distances, order, axis=1)
            self.rows = np.take_along_axis(self.rows, order, axis=1)
        return bool(nearer.any())


def _lay(table: Cells, unit: int, least: Floats, span: Floats) -> Targets:
    grid = np.empty((len(table.columns), len(table)), dtype=np.int32)
    outside = np.zeros(grid.shape)
    gaps = []
    for j, (numeric, cells, states) in enumerate(
        zip(table.numeric, table.columns, table.states, strict=True)
    ):
        missing = np.isnan(cells)
        if not numeric:
            grid[j] = np.where(missing, MISSING, cells)
            gaps.append(False)
            continue
        if span[j] > 0:
            shares = (cells - least[j]) / span[j]
            inside = np.clip(shares, 0.0, 1.0)
            outside[j] = np.where(missing, 0.0, np.abs(shares - inside))
        else:
            inside = np.where(cells == least[j], 0.0, 1.0)
        absent = _NO_NUMBER - states.astype(np.float64) * unit
        grid[j] = np.where(missing, absent, np.rint(np.where(missing, 0.0, inside) * unit))
        gaps.append(bool(missing.any()))
    return Targets(grid, outside, tuple(gaps))


def _total(space: GowerSpace, targets: Targets, columns: Sequence[int], block: slice, part: slice) -> _Grid:
    """(block, part) distances, summed over the columns."""
    shape = (block.stop - block.start, part.stop - part.start)
    units = np.full((1, shape[1]), space.unit, dtype=np.int32)  # numpy takes whole rows faster than a scalar
    total, spare = np.zeros(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
    categories = [j for j in columns if np.isnan(space.span[j])]
    for j in columns:
        if not np.isnan(space.span[j]):
            np.subtract(targets.grid[j, block, None], space.grid[j, part], out=spare)
            np.abs(spare, out=spare)
            if space.gaps[j] or targets.gaps[j]:
                np.minimum(spare, units, out=spare)
            total += spare
    for start in range(0, len(categories), _COUNTABLE):
        different = np.zeros(shape, dtype=np.uint8)
        for j in categories[start : start + _COUNTABLE]:
            different += (targets.grid[j, block, None] != space.grid[j, part]).view(np.uint8)
        total += np.multiply(different, units, out=spare, dtype=np.int32)
    return total


def _parts(avatars: int) -> list[slice]:
    starts = range(0, avatars, _AVATARS_AT_ONCE)
    return [slice(start, min(start + _AVATARS_AT_ONCE, avatars)) for start in starts]


def _in_blocks(search: Callable[[slice], _Found], rows: int, avatars: int, workers: int) -> list[_Found]:
    """The search on each block of targets, blocks in order; numpy lets threads work side by side."""
    size = max(1, _PAIRS_AT_ONCE // min(avatars, _AVATARS_AT_ONCE))
    blocks = [slice(start, min(start + size, rows)) for start in range(0, rows, size)]
    threads = (os.cpu_count() or 1) if workers < 0 else max(1, workers)
    with ThreadPoolExecutor(threads) as executor:
        return list(executor.map(search, blocks))
