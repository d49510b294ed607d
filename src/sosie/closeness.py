"""How near individuals are to avatars, beside how near they are to people who were never used: percentiles.

d1 is the distance to the closest, r = d1/d2 how much it stands out from the second closest (1 when d2 = 0), both
Euclidean in the projection, from the working half towards equally many avatars and holdout rows.
"""

import numpy as np

from sosie.columns import Floats
from sosie.evaluation import Closeness, Percentiles
from sosie.metrics.closest_distances_ratio import ratios

PERCENTS = (2.5, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0)
_MOST_INDIVIDUALS = 10_000  # a picture of percentiles gains nothing from more


def closeness_of(towards_avatars: Floats, towards_holdout: Floats) -> Closeness:
    """The percentiles of d1 and r from (n, 2) distances to the two closest.

    Of very many individuals every so manieth is looked at.
    """
    step = -(-len(towards_avatars) // _MOST_INDIVIDUALS)
    avatars, strangers = towards_avatars[::step], towards_holdout[::step]
    return Closeness(
        Percentiles(PERCENTS, _percentiles(avatars[:, 0]), _percentiles(strangers[:, 0])),
        Percentiles(PERCENTS, _percentiles(ratios(avatars)), _percentiles(ratios(strangers))),
    )


def _percentiles(values: Floats) -> tuple[float, ...]:
    return tuple(float(f"{value:.6g}") for value in np.percentile(values, PERCENTS))
