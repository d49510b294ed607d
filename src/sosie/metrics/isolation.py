"""Who stands alone: the individuals that an average hides and an attacker tries first."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from sosie.neighbours import SAME_DISTANCE, Floats, as_points, nearest

MOST_ISOLATED = 0.025  # the share looked at wherever a metric or an attack also names its tail
_LIKELY = 4  # times as many are asked for their nearest at first: seldom do the most isolated lie outside
_CLUSTER = 64
_CLUSTERS_AT_ONCE = 256

Mask = npt.NDArray[np.bool_]


def most_isolated(
    coordinates: npt.ArrayLike, share: float = MOST_ISOLATED, workers: int = -1
) -> npt.NDArray[np.bool_]:
    """Which individuals are farthest from their nearest other one, a mask (n,).

    At least the given share of them (rounded up); those tied with the last one are in as well, so that the
    order of the rows decides nothing. ValueError for fewer than 2 rows or a share outside 0-1.
    """
    return most_isolated_of_sides([as_points(coordinates, "coordinates")], share, workers)[0]


def most_isolated_of_sides(
    sides: Sequence[Floats], share: float = MOST_ISOLATED, workers: int = -1
) -> list[npt.NDArray[np.bool_]]:
    """The same on each side, where the nearest other one may be of any side.

    Only those are asked for their nearest whose distance to somebody nearby leaves it open.
    """
    if not 0 < share <= 1:
        raise ValueError(f"the share of most isolated individuals must lie above 0 and up to 1: {share}")
    points = np.concatenate(sides)
    if len(points) < 2:
        raise ValueError("the distance to another individual needs at least 2 rows: 1 row")
    places = np.cumsum([len(side) for side in sides])[:-1]
    bounds, asked = np.split(_to_somebody(points), places), _LIKELY * share
    while True:
        ends = [float(np.quantile(bound, max(0.0, 1 - asked))) for bound in bounds]
        rows = np.flatnonzero(np.concatenate([bound >= end for bound, end in zip(bounds, ends, strict=True)]))
        distances = np.zeros(len(points))
        # an individual is the nearest row to itself, or tied with its twin at the same distance 0
        distances[rows] = nearest(points[rows], points, 2, workers=workers)[0][:, 1]
        known = np.split(distances, places)
        found = [farthest(side, share) for side in known]
        # whoever was not asked is nearer to somebody than the end
        least = [side[isolated].min() for side, isolated in zip(known, found, strict=True)]
        if asked >= 1 or all(low > end * (1 + SAME_DISTANCE) for low, end in zip(least, ends, strict=True)):
            return found
        asked *= 2


def _to_somebody(points: Floats) -> Floats:
    """(n,) distances to another individual: to the nearest among some that lie nearby."""
    order = np.asarray(cKDTree(points, leafsize=_CLUSTER, balanced_tree=False).indices, dtype=np.int64)
    size = min(_CLUSTER, len(points))
    # the last cluster reaches back to be as large as the others
    starts = np.minimum(np.arange(0, len(points), size), len(points) - size)
    found = np.empty(len(points))
    for first in range(0, len(starts), _CLUSTERS_AT_ONCE):
        rows = order[starts[first : first + _CLUSTERS_AT_ONCE, None] + np.arange(size)]
        here = points[rows]
        middle = here - here.mean(axis=1, keepdims=True)
        away = np.einsum("ijk,ijk->ij", middle, middle)[:, None, :] - 2 * (middle @ middle.transpose(0, 2, 1))
        away[:, np.arange(size), np.arange(size)] = np.inf
        there = np.take_along_axis(here, away.argmin(axis=2)[:, :, None], axis=1)
        found[rows] = np.sqrt(np.square(here - there).sum(axis=2))
    return found


def farthest(distances: Floats, share: float = MOST_ISOLATED) -> npt.NDArray[np.bool_]:
    """Which of (n,) distances are the largest: at least this share of them, with those tied with the last one."""
    wanted = int(np.ceil(share * len(distances)))
    return np.asarray(distances >= np.sort(distances)[-wanted])
