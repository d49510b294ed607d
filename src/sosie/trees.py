"""Exact searches in a kd-tree, compiled: nearest points and counts inside balls, some queries at a time on threads.

The code is in `native/`. A distance is the root of a float64 sum of squared differences, component after component,
the same on every processor; so is what is found, whatever the number of workers.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sosie import _trees
from sosie.threads import each

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int32]

QUERIES_AT_ONCE = 8_192  # in one thread; results do not depend on it


def leaf_order(points: Floats) -> Positions:
    """The rows of (n, c) points in the order of a tree's leaves, (n,): it keeps neighbours together."""
    order = np.empty(len(points), dtype=np.int32)
    _trees.order(np.ascontiguousarray(points), points.shape[1], order)
    return order


class Tree:
    """What searches among (n, c) finite points that lie in `leaf_order`, 1 <= n < 2^31 and c >= 1.

    `weights` (n,) say how many each point counts for, by default one. Points are named by their positions.
    """

    def __init__(self, points: Floats, weights: Integers | None = None) -> None:
        weight = np.empty(0, dtype=np.int64) if weights is None else np.ascontiguousarray(weights)
        self._tree = _trees.tree(np.ascontiguousarray(points), points.shape[1], weight)

    def nearest(self, queries: Floats, count: int, workers: int = -1) -> tuple[Floats, Positions]:
        """Distances and positions, each (m, count), of the points nearest to each of (m, c) queries.

        Nearest first, equals by position; 1 <= count <= n. Fastest where queries that follow each other are near each
        other, as they are in leaf order.
        """
        away = np.empty((len(queries), count))
        near = np.empty((len(queries), count), dtype=np.int32)

        def find(rows: slice) -> None:
            _trees.nearest(self._tree, np.ascontiguousarray(queries[rows]), count, near[rows], away[rows])

        each(find, stretches(len(queries)), workers)
        return away, near

    def inside(self, centres: Floats, squares: Floats, most: int, workers: int = -1) -> Integers:
        """(m,) the weight of the points whose squared distance from each of (m, c) centres is at most its own of (m,).

        Exact below `most`, else `most`.
        """
        found = np.empty(len(centres), dtype=np.int64)

        def count(rows: slice) -> None:
            some = np.ascontiguousarray(centres[rows]), np.ascontiguousarray(squares[rows])
            _trees.inside(self._tree, *some, most, found[rows])

        each(count, stretches(len(centres)), workers)
        return found


def stretches(n: int) -> Iterator[slice]:
    """The places of n queries, so many at once."""
    return (slice(start, start + QUERIES_AT_ONCE) for start in range(0, n, QUERIES_AT_ONCE))
