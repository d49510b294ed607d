"""Exact searches in a kd-tree, compiled: nearest points and counts inside balls, some queries at a time on threads.

The code is in `native/`. A distance is the root of a float64 sum of squared differences, component after component,
the same on every processor; so is what is found, whatever the number of workers.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sosie import _trees
from sosie.threads import each, threads_of

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int32]

QUERIES_AT_ONCE = 4_096  # in one thread; results do not depend on it


def leaf_order(points: Floats, workers: int = -1) -> Positions:
    """The rows of (n, c) points in the order of a tree's leaves, (n,): it keeps neighbours together."""
    order = np.empty(len(points), dtype=np.int32)
    two_threads = threads_of(workers) > 1 and len(points) > QUERIES_AT_ONCE
    _trees.order(_floats(points), points.shape[1], two_threads, order)
    return order


class Tree:
    """What searches among (n, c) finite points that lie in `leaf_order`, 1 <= n < 2^31 and c >= 1.

    `weights` (n,) say how many each point counts for, by default one. Points are named by their positions.
    ValueError for arrays of other shapes, and for points and queries that are not finite.
    """

    def __init__(self, points: Floats, weights: Integers | None = None) -> None:
        held = None if weights is None else weights.astype(np.int64, "C", "safe", copy=False)
        self._tree = _trees.tree(_floats(points), points.shape[1], held)

    def nearest(self, queries: Floats, count: int, workers: int = -1) -> tuple[Floats, Positions]:
        """Distances and positions, each (m, count), of the points nearest to each of (m, c) queries.

        Nearest first, equals by position; 1 <= count <= n. Fastest where queries that follow each other are near each
        other, as they are in leaf order.
        """
        away = np.empty((len(queries), count))
        near = np.empty((len(queries), count), dtype=np.int32)

        def find(rows: slice) -> None:
            _trees.nearest(self._tree, _floats(queries[rows]), count, near[rows], away[rows])

        each(find, stretches(len(queries)), workers)
        return away, near

    def inside(self, centres: Floats, squares: Floats, most: int, workers: int = -1) -> Integers:
        """(m,) the weight of the points whose squared distance from each of (m, c) centres is at most its own of (m,).

        Exact below `most`, else `most`.
        """
        found = np.empty(len(centres), dtype=np.int64)

        def count(rows: slice) -> None:
            _trees.inside(self._tree, _floats(centres[rows]), _floats(squares[rows]), most, found[rows])

        each(
            count, stretches(max(len(centres), len(squares))), workers
        )  # one longer than the other is refused
        return found


def _floats(numbers: Floats) -> Floats:
    """As the compiled code reads them: float64, one row after the other; the same array if it is so already."""
    return np.require(numbers, np.float64, ["C", "A"])


def stretches(n: int) -> Iterator[slice]:
    """The places of n queries, so many at once."""
    return (slice(start, start + QUERIES_AT_ONCE) for start in range(0, n, QUERIES_AT_ONCE))
