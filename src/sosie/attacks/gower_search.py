"""The search for the nearest avatars in the raw columns, exact, leaf by leaf.

Avatars are sorted so that those in a row are alike, and cut into leaves. The bytes of the coarse grid bound how near a
leaf can be, and then each avatar of the leaves that are left; only the few that may be the nearest are compared on the
fine grid.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sosie.attacks.gower import Coarse, GowerSpace, Grid, Integers, Steps, Targets, steps_apart, units_apart
from sosie.attacks.gower_leaves import LEAF, Leaves, leaves_of, steps_to_leaves
from sosie.attacks.rates import NotMeasurableError
from sosie.columns import Floats
from sosie.threads import each

_Found = TypeVar("_Found")

_TARGETS_AT_ONCE = 32
_PAIRS_AT_ONCE = 2_048  # of a target and a leaf: their bytes fit a core's own cache
_LOOKED_AT_FIRST = 32  # leaves whose avatars bound how far the nearest can be
_MANY = 0.3  # of pairs of a target and a leaf: more are compared side by side
_AVATARS_AT_ONCE = 8_192  # side by side
_FEW = 0.05  # of pairs: more are compared exactly side by side, not one by one
_UNKNOWN = 2**63 - 1  # a place that nothing has
_TURNS = 2**32


def nearest_avatars(
    space: GowerSpace, targets: Targets, columns: Sequence[int], count: int = 1, workers: int = -1
) -> tuple[Floats, Integers]:
    """The `count` avatars nearest to each target: mean distances over these columns, row numbers; (rows, count).

    Distances are 0 (equal) to 1, more only outside the avatars' range. Equals come in the space's order. ValueError
    unless 1 <= count <= avatars and there is a column.
    """
    if not columns or not 1 <= count <= space.avatars:
        raise ValueError(
            f"nearest avatars need a column and 1 to {space.avatars} of them: {len(columns)} columns, {count} asked"
        )
    leaves = leaves_of(space, columns)

    def search(block: slice) -> Integers:
        best = _Best(block.stop - block.start, count)
        for pairs in _candidates(space, targets, leaves, block, [best], 0):
            best.update(pairs, _sum(_apart(space, targets, j, block, pairs) for j in columns))
        return best.places

    away, turns = np.divmod(np.concatenate(_in_blocks(search, len(targets), workers)), _TURNS)
    distances = away / space.unit
    distances += targets.outside[list(columns)].sum(axis=0)[:, None]
    return distances / len(columns), space.order[turns]


def nearest_without(
    space: GowerSpace, targets: Targets, known: Sequence[int], secrets: Sequence[int], workers: int = -1
) -> Integers:
    """For each secret column, the avatar nearest to each target in the known columns but that one: (secrets, rows).

    Among equals the first in the space's order. A secret need not be among the known. NotMeasurableError when nothing
    is known of a secret.
    """
    for secret in secrets:
        if not set(known) - {secret}:
            raise NotMeasurableError("guessing a column needs at least one other that is known")
    spared = int(any(secret in known for secret in secrets))
    leaves = leaves_of(space, known)

    def search(block: slice) -> Integers:
        bests = [_Best(block.stop - block.start, 1) for _ in secrets]
        for pairs in _candidates(space, targets, leaves, block, bests, spared):
            apart = {j: _apart(space, targets, j, block, pairs) for j in known}
            total = _sum(apart.values())
            for secret, best in zip(secrets, bests, strict=True):
                best.update(pairs, total - apart[secret] if secret in apart else total)
        return np.stack([best.places[:, 0] for best in bests])

    found: Integers = space.order[np.concatenate(_in_blocks(search, len(targets), workers), axis=1) % _TURNS]
    return found


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Targets, by their places in a block, and avatars, by their turns and by their rows."""

    targets: Integers
    turns: Integers
    avatars: Integers


class _Best:
    """The nearest avatars so far of a block of targets, nearest first: (targets, count) distances, then turns."""

    def __init__(self, targets: int, count: int) -> None:
        self.places = np.full((targets, count), _UNKNOWN, dtype=np.int64)

    def update(self, pairs: _Pairs, distances: Grid) -> None:
        """Take in other avatars."""
        places = distances * np.int64(_TURNS) + pairs.turns
        nearer = places < self.places[pairs.targets, -1]
        whose, places = pairs.targets[nearer], places[nearer]
        targets, count = self.places.shape
        if count == 1:
            np.minimum.at(self.places[:, 0], whose, places)
            return
        whose = np.concatenate([np.repeat(np.arange(targets), count), whose])
        places = np.concatenate([self.places.ravel(), places])
        order = np.lexsort([places, whose])
        kept = order[np.searchsorted(whose[order], np.arange(targets))[:, None] + np.arange(count)]
        self.places = places[kept]


@dataclass(frozen=True, eq=False)
class _Limits:
    """How far the best avatars of a block of targets are, and what that means on the coarse grid.

    `spared` of the columns may not count; `rounding` of them are numbers, each of which may add a step too many.
    """

    space: GowerSpace
    bests: Sequence[_Best]
    spared: int
    rounding: int

    def worst(self) -> tuple[Integers, Integers]:
        """(targets,) distances and turns of the last of the best so far."""
        return np.divmod(np.max([best.places[:, -1] for best in self.bests], axis=0), _TURNS)

    def units(self, distances: Integers) -> Integers:
        """What all columns may add up to."""
        return distances + self.spared * self.space.unit

    def steps(self, distances: Integers, near: Steps, rounding: int = 0) -> Steps:
        """The same on the coarse grid, as the numbers that it is compared with."""
        steps = self.units(distances) * self.space.steps // self.space.unit + rounding
        return np.minimum(steps, np.iinfo(near.dtype).max).astype(near.dtype)

    def open(self, leaves: Leaves, near: Steps, whose: Integers, which: Integers) -> NDArray[np.bool_]:
        """Whether an avatar of these leaves may be better than the best of these targets so far."""
        away, turns = (part[whose] for part in self.worst())
        # an equal distance is better only where it comes first
        most = away - (leaves.first[which] > turns)
        kept: NDArray[np.bool_] = near[whose, which] <= self.steps(np.maximum(most, 0), near)
        return kept & (most >= 0)


def _candidates(
    space: GowerSpace, targets: Targets, leaves: Leaves, block: slice, bests: Sequence[_Best], spared: int
) -> Iterator[_Pairs]:
    """The pairs that may be the best, some at a time; `bests` take each in before the next is asked for.

    `spared` of the columns may not count.
    """
    here = targets.coarse[:, block, None]
    near = steps_to_leaves(space, here, leaves)
    limits = _Limits(space, bests, spared, sum(bool(space.numeric[j]) for j in leaves.columns))
    left = np.ones(near.shape, dtype=bool)
    every = np.arange(len(near))
    some = min(_LOOKED_AT_FIRST, near.shape[1])
    # among equals argmin takes the first one, which has the first avatars
    for looked_at in (near.argmin(axis=1)[:, None], np.argpartition(near, some - 1, axis=1)[:, :some]):
        whose, which = np.repeat(every, looked_at.shape[1]), looked_at.ravel()
        new = left[whose, which]
        left[whose, which] = False
        yield _of_leaves(limits, here, leaves, near, whose[new], which[new])
    left &= near <= limits.steps(limits.worst()[0], near)[:, None]
    whose, which = np.nonzero(left)
    kept = limits.open(leaves, near, whose, which)
    if np.count_nonzero(kept) > _MANY * left.size:
        yield from _side_by_side(limits, targets.grid[:, block, None], here, leaves, left)
        return
    whose, which = whose[kept], which[kept]
    for start in range(0, len(whose), _PAIRS_AT_ONCE):
        pairs = slice(start, start + _PAIRS_AT_ONCE)
        yield _of_leaves(limits, here, leaves, near, whose[pairs], which[pairs])


def _of_leaves(
    limits: _Limits, here: Coarse, leaves: Leaves, near: Steps, whose: Integers, which: Integers
) -> _Pairs:
    """Of targets and a leaf each, the pairs that may be the best."""
    kept = limits.open(leaves, near, whose, which)
    whose, which = whose[kept], which[kept]
    steps = steps_apart(
        limits.space,
        leaves.columns,
        (len(whose), LEAF),
        partial(_cells, here[:, whose], leaves.coarse, which),
    )
    most = limits.steps(limits.worst()[0], near, limits.rounding)[whose, None]
    found = np.flatnonzero(steps <= most)
    pair, place = np.divmod(found, LEAF)
    return _pairs(limits.space, leaves, whose[pair], which[pair] * LEAF + place)


def _side_by_side(
    limits: _Limits, fine: Grid, here: Coarse, leaves: Leaves, left: NDArray[np.bool_]
) -> Iterator[_Pairs]:
    """The same of all targets and leaves, where most are left."""
    space, coarse = limits.space, leaves.coarse.reshape(len(leaves.coarse), -1)
    for start in range(0, coarse.shape[1], _AVATARS_AT_ONCE):
        part = slice(start, min(start + _AVATARS_AT_ONCE, coarse.shape[1]))
        shape = here.shape[1], part.stop - part.start
        most, last = limits.worst()
        steps = steps_apart(space, leaves.columns, shape, partial(_beside, here, coarse, part))
        near = steps <= limits.steps(most, steps, limits.rounding)[:, None]
        if np.count_nonzero(near) > _FEW * near.size:
            turns = leaves.turns.ravel()[part]
            rows = space.order[turns]
            total = _sum(units_apart(space, j, fine[j], space.grid[j, rows]) for j in leaves.columns)
            near = total + (turns > last[:, None]) <= limits.units(most)[:, None]
        whose, place = np.divmod(np.flatnonzero(near), shape[1])
        place += part.start
        new = left[whose, place // LEAF]
        yield _pairs(space, leaves, whose[new], place[new])


def _pairs(space: GowerSpace, leaves: Leaves, whose: Integers, place: Integers) -> _Pairs:
    """Targets and avatars, by their places in the leaves; what fills up the last leaf is left out."""
    real = place < space.avatars
    turns = leaves.turns.ravel()[place[real]]
    return _Pairs(whose[real], turns, space.order[turns])


def _beside(here: Coarse, there: Coarse, part: slice, column: int) -> tuple[Coarse, Coarse]:
    return here[column], there[column, part]


def _cells(here: Coarse, there: Coarse, which: Integers, column: int) -> tuple[Coarse, Coarse]:
    return here[column], there[column].take(which, axis=0)


def _apart(space: GowerSpace, targets: Targets, column: int, block: slice, pairs: _Pairs) -> Grid:
    """(pairs,) distances in one column."""
    here, there = targets.grid[column, block][pairs.targets], space.grid[column, pairs.avatars]
    return units_apart(space, column, here, there)


def _sum(parts: Iterable[Grid]) -> Grid:
    """Their sum, one by one: very many pairs may be tied."""
    return reduce(partial(np.add, dtype=np.int32), parts)


def _in_blocks(search: Callable[[slice], _Found], rows: int, workers: int) -> list[_Found]:
    """The search on each block of targets, blocks in order; numpy lets threads work side by side."""
    starts = range(0, rows, _TARGETS_AT_ONCE)
    blocks = [slice(start, min(start + _TARGETS_AT_ONCE, rows)) for start in starts]
    return each(search, blocks, workers)
