"""How well predictions fit the truth, for many weightings of the same rows at once: the bootstrap in one product.

Each score takes `weights` (B, n) >= 0, how often each row counts in each of B resamples, and gives (B,) scores; one
row of ones is the plain score. A resample in which the score is undefined (one class only, no spread) gives NaN and is
left out of the interval.
"""

from collections.abc import Callable

import numpy as np

from sosie.columns import Floats
from sosie.estimates import Estimate

Score = Callable[[Floats, Floats, Floats], Floats]
_RESAMPLES = 400


def roc_auc(weights: Floats, truth: Floats, scores: Floats) -> Floats:
    """The area under the ROC curve: 0.5 guessing, 1 perfect; `truth` is 0 or 1, a tie counts one half."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.nan) != 0)  # the first of each run of ties
    positive = np.add.reduceat(weights[:, order] * truth[order], starts, axis=1)
    negative = np.add.reduceat(weights[:, order] * (1 - truth[order]), starts, axis=1)
    below = negative.cumsum(axis=1) - negative / 2
    return _quotient((positive * below).sum(axis=1), positive.sum(axis=1) * negative.sum(axis=1))


def balanced_accuracy(weights: Floats, truth: Floats, predicted: Floats) -> Floats:
    """The mean over the classes of the share predicted rightly: 1/classes guessing, 1 perfect."""
    classes = truth[:, None] == np.unique(truth)
    right = weights @ (classes & (truth == predicted)[:, None])
    recalls = _quotient(right, weights @ classes)
    mean: Floats = recalls.mean(axis=1)
    return mean


def r_squared(weights: Floats, truth: Floats, predicted: Floats) -> Floats:
    """1 − SSE/SST: 0 no better than the mean (below: worse), 1 perfect."""
    total = weights.sum(axis=1)
    centred = truth - truth.mean()
    spread = weights @ centred**2 - (weights @ centred) ** 2 / total
    error = weights @ (truth - predicted) ** 2
    unexplained = _quotient(error, np.where(spread > 1e-12 * (centred**2).sum(), spread, 0.0))
    return 1 - unexplained


def resamples(rows: int, rng: np.random.Generator) -> Floats:
    """(B, rows) counts of as many rows drawn with replacement."""
    return rng.multinomial(rows, np.full(rows, 1 / rows), size=_RESAMPLES).astype(float)


def estimate(plain: float, resampled: Floats) -> Estimate:
    """A figure with the 95 % percentile interval of its resamples."""
    low, high = np.nanpercentile(resampled, [2.5, 97.5])
    return Estimate(plain, float(low), float(high))


def _quotient(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)
