"""Counting points inside balls: whole boxes of a tree at once, and pairs only where a ball may cut a leaf.

Balls go down the tree in groups, near each other and alike in size: boxes inside all of a group are counted without
looking at their points, boxes that none reaches are dropped. The leaves that are left are compared by one matrix
product each, about the leaf's middle, with the balls that reach them. Products round to 1e-13 of a squared radius,
which is a tenth of what a tie is allowed; where a radius is small beside the leaf, differences are taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from sosie.threads import each

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

_LEAF = 256  # points
# leaves that a ball is compared with first; of at most 8 · 255 points, which the bytes of a sum hold
_AROUND = 4
_DEPTHS = 3  # of the tree between two levels of boxes
_BALLS_AT_ONCE = 32_768
_WIDE = 0.05  # of a leaf's squared diagonal: smaller squared radii hold few of its points
# balls in the order of the leaves that are sorted by radius, and that go down together
_RUN, _GROUP = 256, 64
_GROUPS_AT_ONCE = 512  # of (group, leaf) pairs: bounds temporary arrays to a core's own cache
# of a squared radius: leaves that reach so far in are counted first, and may fill the ball
_SHARES = (0.1, 0.4, 1.0)
# squared radii below this share of the squares that are added: products would round too coarsely
_SMALL = 1e-3


@dataclass(frozen=True, eq=False)
class _Level:
    """Boxes of one depth: rows `starts[i]` to `ends[i]` of the ordered points, (components, boxes) corners, weights.

    `children` is where each box's own boxes start one level below, with one place more for the end.
    """

    starts: Integers
    ends: Integers
    least: Floats
    most: Floats
    weights: Integers
    children: Integers


@dataclass(frozen=True, eq=False)
class Boxes:
    """Points in the order of a kd-tree's leaves, in levels of boxes, largest first.

    Each point has a weight; `plain` where all are 1.
    """

    points: Floats
    weights: Integers
    plain: bool
    levels: tuple[_Level, ...]


def boxes_of(points: Floats, weights: Integers) -> Boxes:
    """The boxes of distinct points."""
    tree = cKDTree(points, leafsize=_LEAF)
    order = np.asarray(tree.indices, dtype=np.int64)
    ordered, weight = points[order], weights[order]
    starts = list(_starts(tree.tree))
    levels: list[_Level] = []
    below: Integers = np.empty(0, dtype=np.int64)
    for depth in range(len(starts) - 1, -1, -1):
        begin = starts[depth]
        levels.append(
            _Level(
                begin,
                np.append(begin[1:], len(points)),
                np.minimum.reduceat(ordered, begin).T.copy(),
                np.maximum.reduceat(ordered, begin).T.copy(),
                np.add.reduceat(weight, begin),
                np.searchsorted(below, np.append(begin, len(points))),
            )
        )
        below = begin
    return Boxes(ordered, weight, bool((weight == 1).all()), tuple(reversed(levels)))


def _starts(root: Any) -> Iterator[Integers]:
    """Where boxes start among the ordered points, level by level, the last being the leaves."""
    nodes = [root]
    while True:
        for _ in range(_DEPTHS):
            nodes = [
                part
                for node in nodes
                for part in ((node,) if node.split_dim == -1 else (node.lesser, node.greater))
            ]
        yield np.array([node.start_idx for node in nodes], dtype=np.int64)
        if all(node.split_dim == -1 for node in nodes):
            return


def count_inside(boxes: Boxes, centres: Floats, radii: Floats, cap: int, workers: int = -1) -> Integers:
    """The weight of the points at most `radii[i]` from `centres[i]`, (n,): exact below `cap`, else `cap`.

    Fastest where centres that follow each other are near each other.
    """
    starts = range(0, len(centres), _BALLS_AT_ONCE)

    def count(start: int) -> Integers:
        rows = slice(start, start + _BALLS_AT_ONCE)
        asked, squares = centres[rows], np.square(radii[rows])
        found = _around(boxes, asked, squares, cap)
        rest = np.flatnonzero(found < cap)
        found[rest] = _count(boxes, asked[rest], squares[rest], cap)
        return found

    return np.concatenate([*each(count, starts, workers), np.empty(0, dtype=np.int64)])


def _around(boxes: Boxes, centres: Floats, squares: Floats, cap: int) -> Integers:
    """The weight of the points in some leaves around each ball, at most `cap`: enough to fill those in a crowd."""
    found = np.zeros(len(centres), dtype=np.int64)
    leaves = boxes.levels[-1]
    if cap > _AROUND * _LEAF // 2:
        return found
    middles, spans = (
        cKDTree((leaves.least + leaves.most).T / 2),
        np.square(leaves.most - leaves.least).sum(axis=0),
    )
    runs = np.split(np.arange(len(centres)), range(_RUN, len(centres), _RUN))
    places = np.asarray(middles.query([centres[run].mean(axis=0) for run in runs])[1])
    for run, leaf in zip(runs, places, strict=True):
        asked = run[squares[run] > _WIDE * spans[leaf]]
        first = leaf // _AROUND * _AROUND
        rows = slice(leaves.starts[first], leaves.ends[min(first + _AROUND, len(leaves.ends)) - 1])
        found[asked] = _weights_inside(boxes, rows, middles.data[leaf], centres[asked], squares[asked])
    return np.minimum(found, cap)


def _count(boxes: Boxes, centres: Floats, squares: Floats, cap: int) -> Integers:
    order = np.lexsort([squares, np.arange(len(squares)) // _RUN])
    centres, squares = centres[order], squares[order]
    counts, balls, leaves, shares = _cut(boxes, centres, squares, cap)
    lower = -1.0
    for upper in _SHARES:
        now = (shares > lower) & (shares <= upper) & (counts[balls] < cap)
        _count_pairs(boxes, centres, squares, balls[now], leaves[now], counts)
        lower = upper
    found = np.empty_like(counts)
    found[order] = np.minimum(counts, cap)
    return found


def _cut(
    boxes: Boxes, centres: Floats, squares: Floats, cap: int
) -> tuple[Integers, Integers, Integers, Floats]:
    """What lies in boxes inside each ball, and the pairs of a ball and a leaf that it reaches, unless it is full.

    With each pair, the squared distance of the leaf from the centre as a share of the squared radius.
    """
    spare = -len(centres) % _GROUP
    columns = np.pad(centres, ((0, spare), (0, 0)), mode="edge").T.reshape(centres.shape[1], -1, _GROUP)
    limits = np.pad(squares, (0, spare), constant_values=-1.0).reshape(-1, _GROUP)  # -1: reaches nothing
    whole, groups, places = _descend(boxes, columns, limits, cap)
    last = boxes.levels[-1]
    none = np.empty(0, dtype=np.int64)
    found: list[tuple[Integers, Integers, Floats]] = [(none, none, np.empty(0))]
    for start in range(0, len(groups), _GROUPS_AT_ONCE):
        group, place = groups[start : start + _GROUPS_AT_ONCE], places[start : start + _GROUPS_AT_ONCE]
        near, limit = np.zeros((len(group), _GROUP)), limits[group]
        for column, least, most in zip(columns, last.least, last.most, strict=True):
            centre = column[group]
            outside = least[place, None] - centre
            np.maximum(outside, np.subtract(centre, most[place, None], out=centre), out=outside)
            np.maximum(outside, 0.0, out=outside)
            outside *= outside
            near += outside
        pairs = np.flatnonzero(near <= limit)
        row, near, limit = pairs // _GROUP, near.ravel()[pairs], limit.ravel()[pairs]
        shares = np.divide(near, limit, out=np.zeros_like(near), where=near > 0)
        found.append((group[row] * _GROUP + pairs % _GROUP, place[row], shares))
    balls, leaves, shares = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return np.repeat(whole, _GROUP)[: len(centres)], balls, leaves, shares


def _descend(boxes: Boxes, columns: Floats, limits: Floats, cap: int) -> tuple[Integers, Integers, Integers]:
    """What lies in boxes inside all balls of a group, and the pairs of a group and a leaf that one may reach."""
    least, most = columns.min(axis=2), columns.max(axis=2)
    smallest, largest = limits.min(axis=1), limits.max(axis=1)
    whole = np.zeros(len(limits), dtype=np.int64)
    groups = np.repeat(np.arange(len(limits)), len(boxes.levels[0].starts))
    places = np.tile(np.arange(len(boxes.levels[0].starts)), len(limits))
    for number, level in enumerate(boxes.levels):
        near, far = _reach(level, least[:, groups], most[:, groups], places)
        inside = far <= smallest[groups]
        whole += np.bincount(
            groups[inside], weights=level.weights[places[inside]], minlength=len(whole)
        ).astype(np.int64)
        cut = (near <= largest[groups]) & ~inside & (whole[groups] < cap)
        groups, places = groups[cut], places[cut]
        if number + 1 < len(boxes.levels):
            first, sizes = level.children[places], np.diff(level.children)[places]
            groups = np.repeat(groups, sizes)
            places = np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(groups))
    return whole, groups, places


def _reach(level: _Level, least: Floats, most: Floats, places: Integers) -> tuple[Floats, Floats]:
    """The squared distances of boxes from `least` to `most` to the nearest and to the farthest place of others."""
    near, far = np.zeros(len(places)), np.zeros(len(places))
    for low, high, lower, upper in zip(least, most, level.least, level.most, strict=True):
        below, above = lower[places] - high, low - upper[places]
        across = np.minimum(below, above)
        across *= across
        far += across
        outside = np.maximum(below, above, out=below)
        np.maximum(outside, 0.0, out=outside)
        outside *= outside
        near += outside
    return near, far


def _count_pairs(
    boxes: Boxes, centres: Floats, squares: Floats, balls: Integers, places: Integers, counts: Integers
) -> None:
    """Add the points of leaves that balls reach, one product a leaf."""
    leaves = boxes.levels[-1]
    # two bytes are sorted without comparing
    order = np.argsort(places.astype(np.uint16) if len(leaves.starts) <= 2**16 else places, kind="stable")
    balls, places = balls[order], places[order]
    begins = np.flatnonzero(np.diff(places, prepend=-1))
    for begin, end in zip(begins, np.append(begins, len(balls))[1:], strict=True):
        leaf, asked = places[begin], balls[begin:end]
        rows = slice(leaves.starts[leaf], leaves.ends[leaf])
        middle = (leaves.least[:, leaf] + leaves.most[:, leaf]) / 2
        counts[asked] += _weights_inside(boxes, rows, middle, centres[asked], squares[asked])


def _weights_inside(boxes: Boxes, rows: slice, middle: Floats, centres: Floats, squares: Floats) -> Integers:
    """The weight of these points in each ball."""
    inside = _inside(boxes.points[rows], middle, centres, squares)
    if boxes.plain:
        return _sums(inside)
    # whole numbers have no fast product
    weights: Floats = inside[:, : rows.stop - rows.start].astype(np.float64) @ boxes.weights[rows]
    return weights.astype(np.int64)


def _inside(points: Floats, middle: Floats, centres: Floats, limits: Floats) -> Mask:
    """Which points lie in which ball, (balls, points): columns up to a multiple of 8 are added, False."""
    here, there = centres - middle, points - middle
    size, sizes = np.einsum("ij,ij->i", here, here), np.einsum("ij,ij->i", there, there)
    # |x − y|² − r² as one product of (−2x, |x|² − r², 1) and (y, 1, |y|²)
    left = np.column_stack([here * -2.0, size - limits, np.ones(len(here))])
    right = np.zeros((left.shape[1], -(-len(points) // 8) * 8))
    right[:-2, : len(points)], right[-2] = there.T, 1.0
    right[-1], right[-1, : len(points)] = np.inf, sizes
    inside: Mask = left @ right <= 0.0
    small = limits < _SMALL * (size + sizes.max())
    if small.any():
        again = np.square(centres[small, None, :] - points[None]).sum(axis=2)
        inside[small, : len(points)] = again <= limits[small, None]
    return inside


def _sums(inside: Mask) -> Integers:
    """How many in each row: eight columns at once, each in a byte of its own."""
    eighths = inside.view(np.uint64).sum(axis=1).view(np.uint8)
    found: Integers = eighths.reshape(-1, 8).sum(axis=1, dtype=np.int64)
    return found
