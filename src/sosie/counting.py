"""Counting points inside balls: whole boxes of a tree at once, and pairs only where a ball's surface cuts a leaf.

Boxes inside a ball are counted without looking at their points, boxes outside it are dropped, and the leaves that its
surface cuts are compared by one matrix product each, about the leaf's middle. Products round to 1e-13 of a squared
radius, which is a tenth of what a tie is allowed; where a radius is small beside the leaf, differences are taken.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LEAF = 256
_DEPTHS = 3  # of the tree between two levels of boxes
_BALLS_AT_ONCE = 16_384
_PARTS = 4  # balls that are full after some of their leaves leave the others alone
_SMALL = (
    1e-3  # squared radii below this share of the squares that are added: products would round too coarsely
)


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
    """The weight of the points at most `radii[i]` from `centres[i]`, (n,): exact below `cap`, else `cap`."""
    threads = (cpu_count() or 1) if workers < 0 else max(1, workers)
    starts = range(0, len(centres), _BALLS_AT_ONCE)

    def count(start: int) -> Integers:
        stop = start + _BALLS_AT_ONCE
        return _count(boxes, centres[start:stop], np.square(radii[start:stop]), cap)

    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as executor:
        return np.concatenate([*executor.map(count, starts), np.empty(0, dtype=np.int64)])


def _count(boxes: Boxes, centres: Floats, squares: Floats, cap: int) -> Integers:
    counts = np.zeros(len(centres), dtype=np.int64)
    columns = np.ascontiguousarray(centres.T)
    balls = np.repeat(np.arange(len(centres)), len(boxes.levels[0].starts))
    places = np.tile(np.arange(len(boxes.levels[0].starts)), len(centres))
    for number, level in enumerate(boxes.levels):
        near, far = _reach(level, columns, balls, places)
        limit = squares[balls]
        inside = far <= limit
        counts += np.bincount(
            balls[inside], weights=level.weights[places[inside]], minlength=len(counts)
        ).astype(np.int64)
        cut = (near <= limit) & ~inside & (counts[balls] < cap)
        balls, places = balls[cut], places[cut]
        if number + 1 < len(boxes.levels):
            first, sizes = level.children[places], np.diff(level.children)[places]
            balls = np.repeat(balls, sizes)
            places = np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(balls))
    rank = np.arange(len(balls)) - np.searchsorted(balls, balls)  # of a leaf among those that a ball cuts
    for part in range(_PARTS):
        now = (rank % _PARTS == part) & (counts[balls] < cap)
        _count_pairs(boxes, centres, squares, balls[now], places[now], counts)
    return np.minimum(counts, cap)


def _reach(level: _Level, columns: Floats, balls: Integers, places: Integers) -> tuple[Floats, Floats]:
    """The squared distances of centres to the nearest and to the farthest place of boxes."""
    near, far = np.zeros(len(balls)), np.zeros(len(balls))
    for column, least, most in zip(columns, level.least, level.most, strict=True):
        centre = column[balls]
        below, above = least[places] - centre, centre - most[places]
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
    """Add the points of leaves that surfaces cut, one product a leaf."""
    level = boxes.levels[-1]
    order = np.argsort(places, kind="stable")
    balls, places = balls[order], places[order]
    begins = np.flatnonzero(np.diff(places, prepend=-1))
    for begin, end in zip(begins, np.append(begins, len(balls))[1:], strict=True):
        leaf, asked = places[begin], balls[begin:end]
        rows = slice(level.starts[leaf], level.ends[leaf])
        middle = (level.least[:, leaf] + level.most[:, leaf]) / 2
        points, limit = boxes.points[rows] - middle, squares[asked]
        here = centres[asked] - middle
        size, sizes = np.einsum("ij,ij->i", here, here), np.einsum("ij,ij->i", points, points)
        here *= -2
        # squared distance less squared radius
        inside = here @ points.T + (size - limit)[:, None] <= -sizes
        small = limit < _SMALL * (size + sizes.max())
        if small.any():
            again = np.square(centres[asked[small], None, :] - boxes.points[None, rows]).sum(axis=2)
            inside[small] = again <= limit[small, None]
        counts[asked] += inside.sum(axis=1) if boxes.plain else inside @ boxes.weights[rows]
