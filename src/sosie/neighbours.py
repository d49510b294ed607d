"""The exact distances of the method: k nearest others, nearest in another set, counts within a radius.

Everything is Euclidean, float64 and exact. Equal rows are collapsed to one point before a tree is built and
the individuals are spread out again afterwards, so that a table of many equal rows costs no more than one of
few. No result depends on the number of workers; the order of the rows decides only which of several equal
rows is named.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sosie.threads import each
from sosie.trees import Tree, leaf_order, stretches

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int32]

MOST_ROWS = 2**31 - 1  # that four bytes count
SAME_DISTANCE = 1e-12  # relative: one distance computed in two orders of addition differs by a few 1e-16


@dataclass(frozen=True)
class Neighbours:
    """The k nearest others of each individual, nearest first.

    `indices` (n, k) are row numbers, never the individual's own; `distances` (n, k) are >= 0, 0 for an equal
    row.
    """

    indices: Positions
    distances: Floats


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
    return points + 0.0  # turns -0.0 into 0.0, which equality knows and sorting by bytes would not


def nearest_others(coordinates: npt.ArrayLike, k: int, workers: int = -1) -> Neighbours:
    """The k nearest other individuals of each individual (self excluded, equal rows included).

    Among equal candidates an individual starts at its own rank, cyclically: twins share the equal donors
    between them instead of all taking the first. ValueError unless 2 <= k <= n - 1.
    """
    points = as_points(coordinates, "coordinates")
    n = len(points)
    if not 2 <= k <= n - 1:
        usable = f"the largest usable k is {n - 1}" if n > 2 else "at least 3 rows are needed"
        raise ValueError(f"k must lie between 2 and rows - 1: k = {k} with {n} rows; {usable}")
    groups = _collapse(points)
    tree = Tree(groups.points)
    indices, distances = np.empty((n, k), dtype=np.int32), np.empty((n, k))

    def find(some: slice) -> None:
        asked = np.arange(len(groups.points))[some]
        near, away = _nearest_groups(tree, groups.points, asked, k + 1)
        sizes, begin = groups.sizes[some], groups.starts[asked[0]]
        rows = groups.members[begin : begin + sizes.sum()]
        if len(groups.points) == n:  # nobody has a twin
            indices[rows], distances[rows] = groups.members[near[:, 1:]], away[:, 1:]
            return
        room = groups.sizes[near]
        room[:, 0] -= 1
        column, offset = _fill(room, k)
        at = np.repeat(asked - asked[0], sizes)
        group = np.take_along_axis(near, column, axis=1)[at]
        rank = np.arange(len(rows)) - (groups.starts[some] - begin)[at]
        turn = rank[:, None] + (offset + (column == 0))[at]
        indices[rows] = groups.members[groups.starts[group] + turn % groups.sizes[group]]
        distances[rows] = np.take_along_axis(away, column, axis=1)[at]

    each(find, stretches(len(groups.points)), workers)
    return Neighbours(indices, distances)


def nearest(
    points: npt.ArrayLike, base: npt.ArrayLike, count: int, workers: int = -1
) -> tuple[Floats, Integers]:
    """The `count` rows of another set nearest to each point: distances and row numbers, each (n, count).

    Nearest first. Equal rows of the base count one by one. ValueError unless 1 <= count <= rows of the base.
    """
    asked, held = _same_components(as_points(points, "points"), as_points(base, "base"))
    if not 1 <= count <= len(held):
        raise ValueError(f"count must lie between 1 and the rows of the base: {count} with {len(held)} rows")
    queries, groups = _collapse(asked), _collapse(held)
    found = min(count, len(groups.points))
    away, near = Tree(groups.points).nearest(queries.points, found, workers)
    column, offset = _fill(groups.sizes[near], count)
    chosen = groups.starts[np.take_along_axis(near, column, axis=1)] + offset
    away = np.take_along_axis(away, column, axis=1)
    group = queries.of_rows()
    return away[group], groups.members[chosen][group]


def distances_to_nearest_other(coordinates: npt.ArrayLike, workers: int = -1) -> Floats:
    """The isolation of each individual: its distance to the nearest other row, (n,), 0 when it has a twin.

    ValueError for fewer than 2 rows.
    """
    points = as_points(coordinates, "coordinates")
    if len(points) < 2:
        raise ValueError("the distance to another individual needs at least 2 rows: 1 row")
    # An individual is the nearest row to itself (or tied with its twin, at the same distance 0).
    return nearest(points, points, 2, workers=workers)[0][:, 1]


def paired_distances(points: npt.ArrayLike, others: npt.ArrayLike) -> Floats:
    """The distance of each row to the row of the same number in the other set, (n,)."""
    here, there = _same_components(as_points(points, "points"), as_points(others, "others"))
    if len(here) != len(there):
        raise ValueError(f"paired rows must be as many on both sides: {len(here)} and {len(there)} rows")
    return np.asarray(np.sqrt(np.square(here - there).sum(axis=1)))


def counts_within(
    points: npt.ArrayLike,
    base: npt.ArrayLike,
    radii: npt.ArrayLike,
    workers: int = -1,
    most: int | None = None,
) -> Integers:
    """How many rows of the base lie at most `radii[i]` from point i, ties included, (n,).

    A row whose distance equals the radius to a relative 1e-12 is a tie. Equal rows of the base count one by
    one. Counts from `most` on are given as `most`, which bounds the cost of large ones. ValueError for a
    negative or non-finite radius.
    """
    asked, held = _same_components(as_points(points, "points"), as_points(base, "base"))
    reach = as_points(radii, "radii")
    if reach.shape != (len(asked), 1) or (reach < 0).any():
        raise ValueError(
            f"radii must be one number >= 0 per point: {reach.size} radii, "
            f"{int((reach < 0).sum())} negative, for {len(asked)} points"
        )
    queries, groups = _collapse(np.hstack([asked, reach]), asked.shape[1]), _collapse(held)
    counts = Tree(groups.points, groups.sizes).inside(
        queries.points[:, :-1],
        np.square(queries.points[:, -1] * (1 + SAME_DISTANCE)),
        len(held) if most is None else most,
        workers,
    )
    return counts[queries.of_rows()]


@dataclass(frozen=True)
class _Groups:
    """Rows collapsed to distinct points, neighbours near each other: in the order of the leaves of a tree.

    Those at point g are members[starts[g] : starts[g] + sizes[g]], ascending.
    """

    points: Floats
    starts: Integers
    sizes: Integers
    members: Integers

    def of_rows(self) -> Integers:
        """(n,) the number of each row's point."""
        group = np.empty_like(self.members)
        group[self.members] = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return group


def _collapse(points: Floats, components: int | None = None) -> _Groups:
    """The groups of equal rows; the order is that of the first `components`, by default of all."""
    members = _lexicographic(points)
    ordered = points[members]
    fresh = np.ones(len(points), dtype=bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = np.flatnonzero(fresh)
    distinct = ordered if len(first) == len(points) else ordered[first]
    order = leaf_order(distinct[:, :components])
    sizes = np.diff(first, append=len(points))[order]
    starts = np.cumsum(sizes) - sizes
    members = members[np.repeat(first[order] - starts, sizes) + np.arange(len(points))]
    return _Groups(distinct[order], starts, sizes, members)


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


def _nearest_groups(tree: Tree, points: Floats, asked: Integers, count: int) -> tuple[Positions, Floats]:
    """The nearest distinct points of the asked ones, themselves first."""
    found = min(count, len(points))
    away, near = tree.nearest(points[asked], found, workers=1)
    # Squares of differences below 1e-162 vanish: another point at distance 0 may take a point's own place.
    for row in np.flatnonzero(near[:, 0] != asked):
        others = near[row][near[row] != asked[row]]
        near[row] = np.concatenate([asked[row : row + 1], others[: found - 1]])
    return near, away


def _fill(room: Integers, count: int) -> tuple[Integers, Integers]:
    """Which group each of `count` places goes to when groups are used in order, and how far into it."""
    ends = np.minimum(np.cumsum(room, axis=1), count)
    taken = np.diff(ends, axis=1, prepend=0)
    columns = np.broadcast_to(np.arange(room.shape[1]), room.shape)
    column = np.repeat(columns.ravel(), taken.ravel()).reshape(-1, count)
    return column, np.arange(count) - np.take_along_axis(ends - taken, column, axis=1)


def _same_components(here: Floats, there: Floats) -> tuple[Floats, Floats]:
    if here.shape[1] != there.shape[1]:
        raise ValueError(f"both sets must have the same components: {here.shape[1]} against {there.shape[1]}")
    return here, there
