"""Who stands alone: the individuals that an average hides and an attacker tries first."""

import numpy as np
import numpy.typing as npt

from sosie.neighbours import Floats, distances_to_nearest_other

MOST_ISOLATED = 0.025  # the share looked at wherever a metric or an attack also names its tail


def most_isolated(
    coordinates: npt.ArrayLike, share: float = MOST_ISOLATED, workers: int = -1
) -> npt.NDArray[np.bool_]:
    """Which individuals are farthest from their nearest other one, a mask (n,).

    At least the given share of them (rounded up); those tied with the last one are in as well, so that the
    order of the rows decides nothing. ValueError for fewer than 2 rows or a share outside 0-1.
    """
    if not 0 < share <= 1:
        raise ValueError(f"the share of most isolated individuals must lie above 0 and up to 1: {share}")
    return farthest(distances_to_nearest_other(coordinates, workers=workers), share)


def farthest(distances: Floats, share: float = MOST_ISOLATED) -> npt.NDArray[np.bool_]:
    """Which of (n,) distances are the largest: at least this share of them, with those tied with the last one."""
    wanted = int(np.ceil(share * len(distances)))
    return np.asarray(distances >= np.sort(distances)[-wanted])
