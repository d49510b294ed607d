"""Who stands alone: the individuals that an average hides and an attacker tries first."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sosie.arranged import Coordinates
from sosie.neighbours import Floats, distances_to_nearest_other

MOST_ISOLATED = 0.025  # the share looked at wherever a metric or an attack also names its tail

Mask = npt.NDArray[np.bool_]


def most_isolated(coordinates: Coordinates, share: float = MOST_ISOLATED, workers: int = -1) -> Mask:
    """Which individuals are farthest from their nearest other one, a mask (n,).

    At least the given share of them (rounded up); those tied with the last one are in as well, so that the
    order of the rows decides nothing. ValueError for fewer than 2 rows or a share outside 0-1.
    """
    if not 0 < share <= 1:
        raise ValueError(f"the share of most isolated individuals must lie above 0 and up to 1: {share}")
    return farthest(distances_to_nearest_other(coordinates, workers), share)


def most_isolated_of_sides(sides: Sequence[Floats], workers: int = -1) -> list[Mask]:
    """The same on each side, where the nearest other one may be of any side."""
    distances = distances_to_nearest_other(np.concatenate(sides), workers)
    return [farthest(side) for side in np.split(distances, np.cumsum([len(side) for side in sides])[:-1])]


def farthest(distances: Floats, share: float = MOST_ISOLATED) -> Mask:
    """Which of (n,) distances are the largest: at least this share of them, with those tied with the last one."""
    wanted = int(np.ceil(share * len(distances)))
    return np.asarray(distances >= np.sort(distances)[-wanted])
