"""Nearest avatars in the raw columns: what an attacker without any model does with a mixed table.

The Gower distance of two rows is a sum over columns. Numbers: |a − b| / (range among the avatars, which everybody
can see); a column that is constant among the avatars: 0 if equal, else 1. Categories: 0 if equal, else 1. Gaps are
values: 0 against a gap, 1 against anything else (avatars keep the pattern of missing values); so are missing codes.
Numbers are first laid on a grid of at least a millionth of the range, so that sums are whole numbers: exact, ties
included, in any order of addition. A coarse grid of bytes bounds each distance from below, and only the few avatars
that may be the nearest are compared exactly. Gower, *A general coefficient of similarity and some of its properties*,
1971.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sosie.attacks.cells import Cells
from sosie.attacks.rates import NotMeasurableError
from sosie.columns import MISSING, Floats
from sosie.threads import each

Integers = NDArray[np.int64]
_Grid = NDArray[np.int32]
_Coarse = NDArray[np.int8]
_Steps = NDArray[np.unsignedinteger[Any]]
_Found = TypeVar("_Found")

_MOST_COLUMNS = 2**10
_FINEST = (
    2**23
)  # leaves room for every state of a cell, each one unit or more from all others and from every number
_NO_NUMBER = 2**30
_COMPARISONS = 4e9  # cells of targets against cells of avatars: some seconds
_FEWEST_TARGETS = 100
_AVATARS_AT_ONCE = 8_192
_TARGETS_AT_ONCE = 32  # two bytes of each pair fit a core's own cache
_LOOKED_AT_FIRST = 8_192  # avatars of which one bounds how far the nearest can be
_COARSEST = 15  # steps of the coarse grid in a distance of 1, at least
_BYTE = 255
_FEW = 0.05  # of pairs: more are compared exactly side by side, not one by one


@dataclass(frozen=True, eq=False)
class GowerSpace:
    """Avatars laid out for comparison: `grid` is (columns, avatars), whole numbers, `unit` being a distance of 1.

    `coarse` is the same in bytes, `steps` being a distance of 1, which never lie farther apart than a step too much.
    Columns are those of the table, in its order. `least` and `span` are the avatars' minimum and range, NaN for a
    category; a span of 0 marks a constant.
    """

    grid: _Grid
    coarse: _Coarse
    unit: int
    steps: int
    least: Floats
    span: Floats

    @property
    def avatars(self) -> int:
        """How many rows there are to compare with."""
        return int(self.grid.shape[1])


@dataclass(frozen=True, eq=False)
class Targets:
    """Rows to compare with the avatars: on the same grids (columns, rows), and how far numbers lie outside the range.

    Numbers outside the avatars' range are laid on its end: every avatar is nearer by the same amount, which `outside`
    (columns, rows) gives back, in units of the range.
    """

    grid: _Grid
    coarse: _Coarse
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
    steps = min(np.iinfo(np.int8).max, max(_COARSEST, _BYTE // columns))
    return GowerSpace(*_lay(avatars, unit, steps, least, span), unit, steps, least, span)


def targets_in(space: GowerSpace, rows: Cells) -> Targets:
    """These rows on the grid of the avatars."""
    laid = _lay(rows, space.unit, space.steps, space.least, space.span)
    return Targets(*laid, _outside(rows, space.least, space.span))


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

    def search(block: slice) -> _Best:
        best = _Best(block.stop - block.start, count)
        for pairs in _candidates(space, targets, columns, block, [best], 0):
            best.update(pairs, _sums(space, targets, columns, block, pairs))
        return best

    found = _in_blocks(search, len(targets), workers)
    distances = np.concatenate([best.distances for best in found]) / space.unit
    distances += targets.outside[list(columns)].sum(axis=0)[:, None]
    return distances / len(columns), np.concatenate([best.rows for best in found])


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
    spared = int(any(secret in known for secret in secrets))

    def search(block: slice) -> Integers:
        bests = [_Best(block.stop - block.start, 1) for _ in secrets]
        for pairs in _candidates(space, targets, known, block, bests, spared):
            total = _sums(space, targets, known, block, pairs)
            for secret, best in zip(secrets, bests, strict=True):
                left = total - _apart(space, targets, secret, block, pairs) if secret in known else total
                best.update(pairs, left)
        return np.stack([best.rows[:, 0] for best in bests])

    return np.concatenate(_in_blocks(search, len(targets), workers), axis=1)


_UNKNOWN = np.iinfo(np.int32).max  # a distance that nothing has


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Targets, by their places in a block, and avatars."""

    targets: Integers
    avatars: Integers


class _Best:
    """The nearest avatars so far, nearest first and the first rows among equals, of a block of targets."""

    def __init__(self, targets: int, count: int) -> None:
        self.distances = np.full((targets, count), _UNKNOWN, dtype=np.int64)
        self.rows = np.full((targets, count), -1, dtype=np.int64)

    def update(self, pairs: _Pairs, distances: Integers) -> None:
        """Take in later avatars."""
        nearer = distances < self.distances[pairs.targets, -1]
        targets, count = self.rows.shape
        whose = np.concatenate([np.repeat(np.arange(targets), count), pairs.targets[nearer]])
        away = np.concatenate([self.distances.ravel(), distances[nearer]])
        rows = np.concatenate([self.rows.ravel(), pairs.avatars[nearer]])
        order = np.lexsort([rows, away, whose])
        kept = order[np.searchsorted(whose[order], np.arange(targets))[:, None] + np.arange(count)]
        self.distances, self.rows = away[kept], rows[kept]


def _candidates(
    space: GowerSpace,
    targets: Targets,
    columns: Sequence[int],
    block: slice,
    bests: Sequence[_Best],
    spared: int,
) -> Iterator[_Pairs]:
    """The pairs that may be the best, by parts of the avatars; `bests` take each in before the next is asked for.

    `spared` of the columns may not count.
    """
    rounding = sum(not np.isnan(space.span[j]) for j in columns)
    bounds = _bounds(space, targets, columns, block, bests[0].rows.shape[1])
    for part in _parts(space.avatars):
        # an equal distance further down is no better
        worst = np.max([best.distances[:, -1] for best in bests], axis=0) - 1
        most = np.minimum(bounds, worst)
        if (most < 0).all():
            return
        steps = most * space.steps // space.unit + rounding + spared * space.steps
        lower = _steps_apart(space, targets.coarse[:, block], space.coarse[:, part], columns)
        steps = np.minimum(np.maximum(steps, 0), np.iinfo(lower.dtype).max).astype(lower.dtype)
        near = (lower <= steps[:, None]) & (most >= 0)[:, None]
        if np.count_nonzero(near) > _FEW * near.size:
            near = _total(space, targets, columns, block, part) <= (most + spared * space.unit)[:, None]
        whose, which = np.divmod(np.flatnonzero(near), near.shape[1])
        yield _Pairs(whose, which + part.start)


def _bounds(
    space: GowerSpace, targets: Targets, columns: Sequence[int], block: slice, count: int
) -> Integers:
    """A distance that `count` avatars do not pass, for each target: found among some of them."""
    every = -(-space.avatars // _LOOKED_AT_FIRST)
    some = np.ascontiguousarray(space.coarse[:, ::every])
    size = block.stop - block.start
    if some.shape[1] < count:
        return np.full(size, _UNKNOWN, dtype=np.int64)
    lower = _steps_apart(space, targets.coarse[:, block], some, columns)
    nearest = np.argpartition(lower, count - 1, axis=1)[:, :count] if count > 1 else lower.argmin(axis=1)
    pairs = _Pairs(np.repeat(np.arange(size), count), nearest.ravel() * every)
    found: Integers = _sums(space, targets, columns, block, pairs).reshape(size, count).max(axis=1)
    return found


def _lay(table: Cells, unit: int, steps: int, least: Floats, span: Floats) -> tuple[_Grid, _Coarse]:
    grid = np.empty((len(table.columns), len(table)), dtype=np.int32)
    coarse = np.empty(grid.shape, dtype=np.int8)
    for j, (numeric, cells, states) in enumerate(
        zip(table.numeric, table.columns, table.states, strict=True)
    ):
        missing = np.isnan(cells)
        if not numeric:
            grid[j] = np.where(missing, MISSING, cells)
            coarse[j] = grid[j].astype(np.int8)  # the last byte: where it differs, so does the code
            continue
        if span[j] > 0:
            inside = np.clip((cells - least[j]) / span[j], 0.0, 1.0)
        else:
            inside = np.where(cells == least[j], 0.0, 1.0)
        absent = _NO_NUMBER - states.astype(np.float64) * unit
        laid = np.rint(np.where(missing, 0.0, inside) * unit)
        grid[j] = np.where(missing, absent, laid)
        coarse[j] = laid * steps // unit
    return grid, coarse


def _outside(rows: Cells, least: Floats, span: Floats) -> Floats:
    """How far numbers lie outside the range, 0 for a category, a constant and a gap."""
    outside = np.zeros((len(rows.columns), len(rows)))
    for j in np.flatnonzero(span > 0):  # never of a category, whose span is NaN
        shares = (rows.columns[j] - least[j]) / span[j]
        outside[j] = np.nan_to_num(np.abs(shares - np.clip(shares, 0.0, 1.0)))
    return outside


def _steps_apart(space: GowerSpace, here: _Coarse, there: _Coarse, columns: Sequence[int]) -> _Steps:
    """How many steps lie between targets and avatars: at most one for each number more than their distance has."""
    shape = here.shape[1], there.shape[1]
    spare, different = np.empty(shape, dtype=np.int8), np.empty(shape, dtype=bool)
    at_once = _BYTE // space.steps
    wide = len(columns) > at_once
    total: _Steps = np.zeros(shape, dtype=np.uint16 if wide else np.uint8)
    for start in range(0, len(columns), at_once):
        part = np.zeros(shape, dtype=np.uint8) if wide else total
        counted = np.zeros(shape, dtype=np.uint8)
        for j in columns[start : start + at_once]:
            if np.isnan(space.span[j]):
                np.not_equal(here[j, :, None], there[j], out=different)
                counted += different.view(np.uint8)
            else:
                np.subtract(here[j, :, None], there[j], out=spare)
                np.abs(spare, out=spare)
                part += spare.view(np.uint8)
        counted *= np.uint8(space.steps)
        part += counted
        if wide:
            total += part
    return total


def _sums(
    space: GowerSpace, targets: Targets, columns: Sequence[int], block: slice, pairs: _Pairs
) -> Integers:
    """(pairs,) distances, summed over the columns one by one: very many pairs may be tied."""
    total = np.zeros(len(pairs.targets), dtype=np.int64)
    for column in columns:
        total += _apart(space, targets, column, block, pairs)
    return total


def _apart(space: GowerSpace, targets: Targets, column: int, block: slice, pairs: _Pairs) -> _Grid:
    """(pairs,) distances in one column."""
    here, there = targets.grid[column, block][pairs.targets], space.grid[column, pairs.avatars]
    if np.isnan(space.span[column]):
        different: _Grid = np.multiply(here != there, space.unit, dtype=np.int32)
        return different
    apart: _Grid = np.minimum(np.abs(here - there), space.unit)
    return apart


def _total(space: GowerSpace, targets: Targets, columns: Sequence[int], block: slice, part: slice) -> _Grid:
    """(block, part) distances, summed over the columns."""
    shape = (block.stop - block.start, part.stop - part.start)
    total, spare = np.zeros(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
    for j in columns:
        if np.isnan(space.span[j]):
            np.multiply(
                targets.grid[j, block, None] != space.grid[j, part], space.unit, out=spare, dtype=np.int32
            )
        else:
            np.subtract(targets.grid[j, block, None], space.grid[j, part], out=spare)
            np.minimum(np.abs(spare, out=spare), space.unit, out=spare)
        total += spare
    return total


def _parts(avatars: int) -> list[slice]:
    starts = range(0, avatars, _AVATARS_AT_ONCE)
    return [slice(start, min(start + _AVATARS_AT_ONCE, avatars)) for start in starts]


def _in_blocks(search: Callable[[slice], _Found], rows: int, workers: int) -> list[_Found]:
    """The search on each block of targets, blocks in order; numpy lets threads work side by side."""
    starts = range(0, rows, _TARGETS_AT_ONCE)
    blocks = [slice(start, min(start + _TARGETS_AT_ONCE, rows)) for start in starts]
    return each(search, blocks, workers)
