"""Local cloaking: how many strangers' avatars an individual's own avatar hides behind.

    c_i = #{ j != i : d(x_i, y_j) <= d(x_i, y_i) }

x the originals, y the avatars in the same order, d the Euclidean distance in the projection. 0: the own
avatar is the closest of all, linking by distance succeeds; large: it is lost in the crowd, and n - 1 is the
farthest it can be. A tie hides, so it counts (Guillaudeux et al., npj Digital Medicine 6:37, 2023).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sosie.metrics.isolation import most_isolated
from sosie.metrics.linked import linked_points
from sosie.neighbours import Integers, counts_within, paired_distances


@dataclass(frozen=True)
class LocalCloaking:
    """The distribution of local cloaking over the individuals.

    `median`, `deciles` (first to ninth) and `isolated_median` (among the 2.5 % most isolated originals) are
    counts of avatars; `zero_share` is the percentage of individuals whose own avatar is the closest, alone.
    """

    median: float
    zero_share: float
    deciles: tuple[float, ...]
    isolated_median: float


def local_cloaking_counts(originals: npt.ArrayLike, avatars: npt.ArrayLike, workers: int = -1) -> Integers:
    """The local cloaking of each individual, (n,), between 0 and n - 1.

    ValueError when the two sets do not match row for row.
    """
    here, there = linked_points(originals, avatars)
    own = paired_distances(here, there)
    return counts_within(here, there, own, workers=workers) - 1  # the own avatar is always within


def local_cloaking(originals: npt.ArrayLike, avatars: npt.ArrayLike, workers: int = -1) -> float:
    """The median local cloaking over the individuals, between 0 (half are found) and n - 1."""
    return float(np.median(local_cloaking_counts(originals, avatars, workers=workers)))


def local_cloaking_summary(
    originals: npt.ArrayLike, avatars: npt.ArrayLike, workers: int = -1
) -> LocalCloaking:
    """The median with what it hides: the share of zeros, the deciles and the most isolated individuals.

    ValueError when the two sets do not match row for row, or hold fewer than 2 rows.
    """
    counts = local_cloaking_counts(originals, avatars, workers=workers)
    return summary_of_counts(counts, originals, workers=workers)


def summary_of_counts(counts: Integers, originals: npt.ArrayLike, workers: int = -1) -> LocalCloaking:
    """The same for (n,) counts that are known; ValueError for fewer than 2 rows."""
    isolated = most_isolated(originals, workers=workers)
    return LocalCloaking(
        median=float(np.median(counts)),
        zero_share=float(100 * np.mean(counts == 0)),
        deciles=tuple(np.percentile(counts, np.arange(10, 100, 10)).tolist()),
        isolated_median=float(np.median(counts[isolated])),
    )
