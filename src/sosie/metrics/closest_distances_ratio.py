"""Closest distances ratio: whether the nearest avatar stands out from the next, as it would for a member.

    r_i = d1 / d2,   r_i = 1 if d2 = 0;   score = 100 q(r towards WA) / q(r towards HO)

d1 <= d2 are the two smallest distances from original i of the working half to the working avatars (WA) or
to the holdout half (HO); q the median and percentile 2.5. Low: each original has one avatar much nearer
than the others; 100: avatars stand to the originals as strangers do. Read with the distance to closest: at
risk when both are low.
"""

import numpy as np
import numpy.typing as npt

from sosie.arranged import Arranged, arranged
from sosie.metrics.against_reference import ReferenceScore, score_against_reference
from sosie.neighbours import Floats, nearest


def closest_distances_ratio(
    working: npt.ArrayLike, avatars: npt.ArrayLike, holdout: npt.ArrayLike, workers: int = -1
) -> ReferenceScore:
    """The ratio towards the avatars as a percentage of the ratio towards the holdout.

    A larger base is nearer by chance alone: avatars and holdout should be equally many, which is the caller's
    matter. Where so many originals have d2 = 0 that a percentile is 1 by convention, it is not informative.
    ValueError for fewer than 2 avatars or 2 holdout rows.

    >>> ratio = closest_distances_ratio(working=[[0.0], [4.0]], avatars=[[1.0], [3.0]], holdout=[[2.0], [6.0]])
    >>> round(ratio.median, 1)
    50.0
    """
    points = arranged(working, "working", workers)
    return ratio_score(
        _two_closest(points, arranged(avatars, "avatars", workers), "avatars", workers),
        _two_closest(points, arranged(holdout, "holdout", workers), "holdout", workers),
    )


def ratio_score(towards_avatars: Floats, towards_holdout: Floats) -> ReferenceScore:
    """The same for (n, 2) distances to the two closest that are known."""
    return score_against_reference(
        ratios(towards_avatars), ratios(towards_holdout), (_twins(towards_avatars), _twins(towards_holdout))
    )


def ratios(closest: Floats) -> Floats:
    """(n,) d1 / d2 from (n, 2) distances to the two closest, 1 where d2 = 0."""
    first, second = closest.T
    found: Floats = np.divide(first, second, out=np.ones_like(first), where=second > 0)
    return found


def _two_closest(points: Arranged, base: Arranged, name: str, workers: int) -> Floats:
    if len(base) < 2:
        raise ValueError(f"a ratio of the two closest distances needs at least 2 rows in {name}: 1 row")
    return nearest(points, base, 2, workers=workers)[0]


def _twins(closest: Floats) -> float:
    """The share (0-1) of points for which d2 = 0 made the ratio 1."""
    return float(np.mean(closest[:, 1] == 0))
