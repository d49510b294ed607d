"""Individuals arranged for searching: equal rows collapsed to one point, neighbours near each other."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sosie.trees import Tree, leaf_order

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MOST_ROWS = 2**31 - 1  # that four bytes count


@dataclass(frozen=True, eq=False)
class Arranged:
    """(n, c) rows and their distinct points in the order of a tree's leaves.

    The rows at point g are members[starts[g] : starts[g] + sizes[g]], ascending. It serves any number of searches; a
    tree is made by the first one among these rows.
    """

    rows: Floats
    points: Floats
    starts: Integers
    sizes: Integers
    members: Integers

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def distinct(self) -> bool:
        """Whether no two rows are equal."""
        return len(self.points) == len(self.rows)

    @cached_property
    def tree(self) -> Tree:
        """What searches among the points, each of which weighs as many as are equal there."""
        return Tree(self.points, None if self.distinct else self.sizes)


Coordinates = npt.ArrayLike | Arranged


def arranged(coordinates: Coordinates, name: str, workers: int = -1) -> Arranged:
    """The rows of (n, c) coordinates arranged, those that are so already as they are. ValueError as for `as_points`."""
    if isinstance(coordinates, Arranged):
        return coordinates
    rows = as_points(coordinates, name)
    members = _lexicographic(rows)
    ordered = rows.take(members, axis=0)  # several times as fast as an index in brackets
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = np.flatnonzero(fresh)
    distinct = ordered if len(first) == len(rows) else ordered.take(first, axis=0)
    order = leaf_order(distinct, workers)
    sizes = np.diff(first, append=len(rows))[order]
    starts = np.cumsum(sizes) - sizes
    members = members[np.repeat(first[order] - starts, sizes) + np.arange(len(rows))]
    return Arranged(rows, distinct.take(order, axis=0), starts, sizes, members)


def in_order(coordinates: Coordinates, name: str, workers: int = -1) -> tuple[Floats, Integers]:
    """The rows and an order that keeps neighbours together, in which they are asked fastest."""
    if isinstance(coordinates, Arranged):
        return coordinates.rows, coordinates.members
    rows = as_points(coordinates, name)
    return rows, leaf_order(rows, workers).astype(np.int64)


def rows_of(coordinates: Coordinates, name: str) -> Floats:
    """The rows themselves."""
    return coordinates.rows if isinstance(coordinates, Arranged) else as_points(coordinates, name)


def as_points(coordinates: npt.ArrayLike, name: str) -> Floats:
    """Coordinates as a (rows, components) array of finite numbers, a fresh one.

    One dimension is read as one component; no component at all as one where all are equal. ValueError, naming
    `name` and counts, for anything that is not numbers, has no row or more than 2^31 - 1, or has a missing or
    infinite coordinate.
    """
    try:
        points = np.array(coordinates, dtype=np.float64)
    except (TypeError, ValueError):
        # numpy's message quotes the cell
        raise ValueError(f"{name} must be a table of numbers, one row per individual") from None
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2:
        raise ValueError(f"{name} must have rows and components: two dimensions, not {points.ndim}")
    if len(points) == 0:
        raise ValueError(f"{name} must have at least one row: 0 rows")
    if len(points) > MOST_ROWS:
        raise ValueError(
            f"neighbours are found among at most {MOST_ROWS} rows: {len(points)} rows; cut them into batches"
        )
    infinite = ~np.isfinite(points)
    if infinite.any():
        rows = int(infinite.any(axis=1).sum())
        raise ValueError(f"{name} must be finite: {int(infinite.sum())} coordinates in {rows} rows are not")
    if points.shape[1] == 0:
        return np.zeros((len(points), 1))
    points += 0.0  # turns -0.0 into 0.0, which equality knows and sorting by bytes would not
    return points


def _lexicographic(points: Floats) -> Integers:
    """The rows in order of their first component, then of the others, then of their number."""
    members = np.argsort(points[:, 0])
    first = points[members, 0]
    same = first[1:] == first[:-1]
    tied = np.append(same, False) | np.append(False, same)
    if tied.any():  # most tables have few: sorting by all components takes several times as long
        rows = np.sort(members[tied])
        members[tied] = rows[np.lexsort(points[rows].T[::-1])]
    return members
