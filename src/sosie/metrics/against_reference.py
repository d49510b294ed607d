"""Working avatars and holdout measured from the same originals, the one as a percentage of the other."""

from dataclasses import dataclass

import numpy as np

from sosie.neighbours import Floats

MEDIAN, OUTLIER = 50.0, 2.5  # percentiles: the ordinary individual and the one closest to what is released


@dataclass(frozen=True)
class ReferenceScore:
    """How far avatars stay from their originals, 100 being as far as people who were never used.

    `median` and `outlier` (percentile 2.5) are 0 (avatars sit on their originals) to 100 and above (they
    are no closer than the holdout is). A score that is not informative is 100, or rests on a convention,
    only because there is nothing to compare with: it says nothing about safety.
    """

    median: float
    outlier: float
    median_informative: bool
    outlier_informative: bool

    @property
    def informative(self) -> bool:
        """Whether both scores say something."""
        return self.median_informative and self.outlier_informative


def score_against_reference(
    avatars: Floats, holdout: Floats, conventional: tuple[float, float] = (0.0, 0.0)
) -> ReferenceScore:
    """The score 100 q(avatars) / q(holdout) for the median and percentile 2.5 (linear interpolation).

    Each array holds one value >= 0 per original. A reference of 0 scores 100, not informative.
    `conventional` gives the shares (0-1) of values of either array that were set to the largest possible
    value by convention; a percentile that falls among them is not informative either.
    """
    scores = [_score(avatars, holdout, percentile, max(conventional)) for percentile in (MEDIAN, OUTLIER)]
    (median, median_informative), (outlier, outlier_informative) = scores
    return ReferenceScore(median, outlier, median_informative, outlier_informative)


def _score(avatars: Floats, holdout: Floats, percentile: float, conventional: float) -> tuple[float, bool]:
    reference = float(np.percentile(holdout, percentile))
    if reference == 0:
        return 100.0, False
    # Conventional values are the largest, so they reach the percentile when they fill everything above it.
    return 100 * float(np.percentile(avatars, percentile)) / reference, conventional < 1 - percentile / 100
