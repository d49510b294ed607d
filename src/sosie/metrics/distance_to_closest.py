"""Distance to closest: how near the nearest avatar comes, measured in distances between strangers.

    score = 100 q(d1 towards WA) / q(d1 towards HO)

d1 is the smallest distance from an original of the working half to the working avatars (WA) or to the
holdout half (HO); q the median and percentile 2.5. 0: avatars sit on originals; 100: they are as far as
people never used.
"""

import numpy.typing as npt

from sosie.arranged import arranged
from sosie.metrics.against_reference import ReferenceScore, score_against_reference
from sosie.neighbours import Floats, nearest


def distance_to_closest(
    working: npt.ArrayLike, avatars: npt.ArrayLike, holdout: npt.ArrayLike, workers: int = -1
) -> ReferenceScore:
    """The distance to the closest avatar as a percentage of the distance to the closest holdout row.

    A larger base is nearer by chance alone: avatars and holdout should be equally many, which is the caller's
    matter. ValueError for empty sets or different components.

    >>> distance_to_closest(working=[[0.0], [4.0]], avatars=[[1.0], [3.0]], holdout=[[2.0], [6.0]]).median
    50.0
    """
    points = arranged(working, "working", workers)
    return distance_score(
        *(
            nearest(points, arranged(base, name, workers), 1, workers=workers)[0]
            for name, base in (("avatars", avatars), ("holdout", holdout))
        )
    )


def distance_score(towards_avatars: Floats, towards_holdout: Floats) -> ReferenceScore:
    """The same for (n, 1 or more) distances to the closest that are known."""
    return score_against_reference(towards_avatars[:, 0], towards_holdout[:, 0])
