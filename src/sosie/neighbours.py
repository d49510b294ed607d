"""The exact distances of the method: k nearest others, nearest in another set, counts within a radius.

Everything is Euclidean, float64 and exact. Sets of rows come as arrays or, where they serve several searches,
`arranged`. Equal rows are searched as one point and spread out again afterwards, so that a table of many equal
rows costs no more than one of few. No result depends on the number of workers; the order of the rows decides
only which of several equal rows is named.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sosie.arranged import Arranged, Coordinates, arranged, as_points, in_order, rows_of
from sosie.threads import each
from sosie.trees import stretches

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int32]

SAME_DISTANCE = 1e-12  # relative: one distance computed in two orders of addition differs by a few 1e-16


@dataclass(frozen=True)
class Neighbours:
    """The k nearest others of each individual, nearest first.

    `indices` (n, k) are row numbers, never the individual's own; `distances` (n, k) are >= 0, 0 for an equal
    row.
    """

    indices: Positions
    distances: Floats


def nearest_others(coordinates: Coordinates, k: int, workers: int = -1) -> Neighbours:
    """The k nearest other individuals of each individual (self excluded, equal rows included).

    Among equal candidates an individual starts at its own rank, cyclically: twins share the equal donors
    between them instead of all taking the first. ValueError unless 2 <= k <= n - 1.
    """
    here = arranged(coordinates, "coordinates", workers)
    n = len(here)
    if not 2 <= k <= n - 1:
        usable = f"the largest usable k is {n - 1}" if n > 2 else "at least 3 rows are needed"
        raise ValueError(f"k must lie between 2 and rows - 1: k = {k} with {n} rows; {usable}")
    indices, distances = np.empty((n, k), dtype=np.int32), np.empty((n, k))

    def find(some: slice) -> None:
        asked = np.arange(len(here.points))[some]
        near, away = _nearest_points(here, asked, k + 1)
        sizes, begin = here.sizes[some], here.starts[asked[0]]
        rows = here.members[begin : begin + sizes.sum()]
        if here.distinct:
            indices[rows], distances[rows] = here.members[near[:, 1:]], away[:, 1:]
            return
        room = here.sizes[near]
        room[:, 0] -= 1
        column, offset = _fill(room, k)
        at = np.repeat(asked - asked[0], sizes)
        point = np.take_along_axis(near, column, axis=1)[at]
        rank = np.arange(len(rows)) - (here.starts[some] - begin)[at]
        turn = rank[:, None] + (offset + (column == 0))[at]
        indices[rows] = here.members[here.starts[point] + turn % here.sizes[point]]
        distances[rows] = np.take_along_axis(away, column, axis=1)[at]

    each(find, stretches(len(here.points)), workers)
    return Neighbours(indices, distances)


def nearest(points: Coordinates, base: Coordinates, count: int, workers: int = -1) -> tuple[Floats, Integers]:
    """The `count` rows of another set nearest to each point: distances and row numbers, each (n, count).

    Nearest first. Equal rows of the base count one by one. ValueError unless 1 <= count <= rows of the base.
    """
    (asked, order), held = in_order(points, "points", workers), arranged(base, "base", workers)
    _refuse_other_components(asked, held.rows)
    if not 1 <= count <= len(held):
        raise ValueError(f"count must lie between 1 and the rows of the base: {count} with {len(held)} rows")
    away, near = held.tree.nearest(asked.take(order, axis=0), min(count, len(held.points)), workers)
    chosen = held.starts[near]
    if not held.distinct:
        column, offset = _fill(held.sizes[near], count)
        chosen = np.take_along_axis(chosen, column, axis=1) + offset
        away = np.take_along_axis(away, column, axis=1)
    distances, rows = np.empty_like(away), np.empty_like(chosen)
    distances[order], rows[order] = away, held.members[chosen]
    return distances, rows


def distances_to_nearest_other(coordinates: Coordinates, workers: int = -1) -> Floats:
    """The isolation of each individual: its distance to the nearest other row, (n,), 0 when it has a twin.

    ValueError for fewer than 2 rows.
    """
    here = arranged(coordinates, "coordinates", workers)
    if len(here) < 2:
        raise ValueError("the distance to another individual needs at least 2 rows: 1 row")
    # An individual is the nearest row to itself (or tied with its twin, at the same distance 0).
    return nearest(here, here, 2, workers=workers)[0][:, 1]


def paired_distances(points: Coordinates, others: Coordinates) -> Floats:
    """The distance of each row to the row of the same number in the other set, (n,)."""
    here, there = rows_of(points, "points"), rows_of(others, "others")
    _refuse_other_components(here, there)
    if len(here) != len(there):
        raise ValueError(f"paired rows must be as many on both sides: {len(here)} and {len(there)} rows")
    return np.asarray(np.sqrt(np.square(here - there).sum(axis=1)))


def counts_within(
    points: Coordinates,
    base: Coordinates,
    radii: npt.ArrayLike,
    workers: int = -1,
    most: int | None = None,
) -> Integers:
    """How many rows of the base lie at most `radii[i]` from point i, ties included, (n,).

    A row whose distance equals the radius to a relative 1e-12 is a tie. Equal rows of the base count one by
    one. Counts from `most` on are given as `most`, which bounds the cost of large ones. ValueError for a
    negative or non-finite radius.
    """
    (asked, order), held = in_order(points, "points", workers), arranged(base, "base", workers)
    _refuse_other_components(asked, held.rows)
    reach = as_points(radii, "radii")
    if reach.shape != (len(asked), 1) or (reach < 0).any():
        raise ValueError(
            f"radii must be one number >= 0 per point: {reach.size} radii, "
            f"{int((reach < 0).sum())} negative, for {len(asked)} points"
        )
    squares = np.square(reach[order, 0] * (1 + SAME_DISTANCE))
    counts = np.empty(len(asked), dtype=np.int64)
    counts[order] = held.tree.inside(
        asked.take(order, axis=0), squares, len(held) if most is None else most, workers
    )
    return counts


def _nearest_points(here: Arranged, asked: Integers, count: int) -> tuple[Positions, Floats]:
    """The nearest distinct points of the asked ones, themselves first."""
    found = min(count, len(here.points))
    away, near = here.tree.nearest(here.points.take(asked, axis=0), found, workers=1)
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


def _refuse_other_components(here: Floats, there: Floats) -> None:
    if here.shape[1] != there.shape[1]:
        raise ValueError(f"both sets must have the same components: {here.shape[1]} against {there.shape[1]}")
