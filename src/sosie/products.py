"""Nearest points by matrix products: what a tree gains over them vanishes as components grow.

Points lie in the order of a kd-tree's leaves. A block of queries first meets the leaves closest to it, which bounds how
far its neighbours can be; then all leaves whose boxes are within that bound, one product each some thousand points.
Products only choose candidates, with room for their rounding: distances and their order come from differences, in
float64.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LEAF = 128
_QUERIES_AT_ONCE = 256
_POINTS_AT_ONCE = 4_096
_PAIRS_AT_ONCE = 2**20
# of the squares that a product adds up: theirs is below 1e-14 up to some hundred components
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Leaves:
    """(n, c) points about their `middle`, with (n,) squared lengths, and the boxes of each 128 in a row."""

    middle: Floats
    points: Floats
    squares: Floats
    least: Floats
    most: Floats


def leaves_of(points: Floats) -> Leaves:
    """The leaves of (n, c) points that lie in the order of a tree's leaves."""
    starts = np.arange(0, len(points), _LEAF)
    middle = points.mean(axis=0)  # small numbers: products then round least
    centred = points - middle
    return Leaves(
        middle,
        centred,
        np.einsum("ij,ij->i", centred, centred),
        np.minimum.reduceat(centred, starts),
        np.maximum.reduceat(centred, starts),
    )


def nearest_points(leaves: Leaves, queries: Floats, count: int) -> tuple[Floats, Integers]:
    """Distances and positions, each (m, count), of the points nearest to each query, nearest first.

    Queries are in an order that keeps neighbours together: any other is only slower. Among equals the first positions.
    """
    asked, starts = queries - leaves.middle, range(0, len(queries), _QUERIES_AT_ONCE)
    found = [_nearest(leaves, asked[start : start + _QUERIES_AT_ONCE], count) for start in starts]
    return np.concatenate([away for away, _ in found]), np.concatenate([near for _, near in found])


def _nearest(leaves: Leaves, queries: Floats, count: int) -> tuple[Floats, Integers]:
    """One block of queries."""
    size = np.einsum("ij,ij->i", queries, queries)
    room = _ROUNDING * (size + leaves.squares.max())
    gaps = np.maximum(leaves.least - queries.max(axis=0), queries.min(axis=0) - leaves.most)
    reach = np.square(np.maximum(gaps, 0.0)).sum(axis=1)  # of the block's own box to each leaf's
    order = np.argsort(reach, kind="stable")
    first = -(-max(count, _POINTS_AT_ONCE) // _LEAF) + 1  # the last leaf may be short
    rows = _rows(np.sort(order[:first]), len(leaves.points))
    bound = _squares(leaves, queries, size, rows)
    bound.partition(count - 1, axis=1)
    limit = bound[:, count - 1] + 2 * room
    within = np.sort(order[: np.searchsorted(reach[order], limit.max(), side="right")])
    asked, near = np.empty((2, 0), dtype=np.int64)
    for rows in _pieces(within, len(leaves.points)):
        found, place = np.nonzero(_squares(leaves, queries, size, rows) <= limit[:, None])
        asked, near = np.append(asked, found), np.append(near, rows[place])
        if len(asked) > _PAIRS_AT_ONCE:  # very many at one distance
            asked, near, _ = _closest(leaves, queries, asked, near, count)
    _, near, away = _closest(leaves, queries, asked, near, count)
    return away.reshape(-1, count), near.reshape(-1, count)


def _closest(
    leaves: Leaves, queries: Floats, asked: Integers, near: Integers, count: int
) -> tuple[Integers, Integers, Floats]:
    """Of pairs of queries and points the closest, at most `count` of each query, with their distances."""
    away = np.sqrt(np.square(queries[asked] - leaves.points[near]).sum(axis=1))
    ranked = np.lexsort((near, away, asked))
    ordered = asked[ranked]
    rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    chosen = ranked[rank < count]
    return asked[chosen], near[chosen], away[chosen]


def _squares(leaves: Leaves, queries: Floats, size: Floats, rows: Integers) -> Floats:
    """(queries, rows) squared distances, rounded as products are."""
    squares: Floats = (-2 * queries) @ leaves.points[rows].T
    squares += leaves.squares[rows]
    squares += size[:, None]
    return squares


def _pieces(leaves: Integers, n: int) -> Iterator[Integers]:
    """The rows of ascending leaves, some thousand at once."""
    at_once = _POINTS_AT_ONCE // _LEAF
    for start in range(0, len(leaves), at_once):
        yield _rows(leaves[start : start + at_once], n)


def _rows(leaves: Integers, n: int) -> Integers:
    rows = (leaves[:, None] * _LEAF + np.arange(_LEAF)).ravel()
    return rows[rows < n]
