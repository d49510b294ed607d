"""Discriminator: whether a model can tell avatars from people who were never used.

A gradient boosting classifier (scikit-learn's; gaps are something to see, too) is given as many avatars as holdout
rows, learns from a half of them and judges the other half (Lopez-Paz & Oquab, ICLR 2017). The figure is the area under
the ROC curve of these judgements: 0.5, it guesses; 1, every avatar is given away. The control is the same between
holdout and working half, which differ by chance alone. It speaks of likeness, not of safety: copies score 0.5.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from threadpoolctl import threadpool_limits

from sosie.columns import Table
from sosie.estimates import SIGMAS_95, Estimate, NotComputed
from sosie.utility.cells import at_most
from sosie.utility.features import features_of, most_rows

FEWEST_ROWS = 50
FEW_ROWS = "too few rows on one side to train a model"
_BESIDE = 1e-12


@dataclass(frozen=True)
class Discriminator:
    """The areas under the ROC curve, 0.5 ideal, 1 worst, from `rows` rows of each side drawn at random.

    `avatars`: holdout against avatars; `control`: holdout against the working half.
    """

    avatars: Estimate
    control: Estimate
    rows: int


def discriminate(
    working: Table, avatars: Table, holdout: Table, rng: np.random.Generator
) -> Discriminator | NotComputed:
    """The discriminator between holdout and avatars, and its control."""
    rows = min(len(working), len(avatars), len(holdout), most_rows(len(working.columns)))
    if rows < FEWEST_ROWS:
        return NotComputed(FEW_ROWS)
    real = at_most(holdout, rows, rng)
    return Discriminator(
        avatars=_told_apart(real, at_most(avatars, rows, rng), rng),
        control=_told_apart(real, at_most(working, rows, rng), rng),
        rows=rows,
    )


def auc_interval(auc: float, positives: int, negatives: int) -> Estimate:
    """The area with its score interval, which keeps a width at 0 and 1 (Newcombe's method 5, *Stat. Med.* 25, 2006)."""
    pairs, mean_size = positives * negatives, (positives + negatives) / 2

    def excess(theta: float) -> float:
        shape = 1 + (mean_size - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (theta - auc) ** 2 - SIGMAS_95**2 * theta * (1 - theta) * shape / pairs

    # the area itself is inside the interval, and 0 and 1 are roots of their own
    inside = min(max(auc, _BESIDE), 1 - _BESIDE)
    low = optimize.brentq(excess, 0.0, inside) if auc > 0 else 0.0
    high = optimize.brentq(excess, inside, 1.0) if auc < 1 else 1.0
    return Estimate(auc, float(low), float(high))


def _told_apart(here: Table, there: Table, rng: np.random.Generator) -> Estimate:
    # long to import: only where used
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import train_test_split

    features = features_of((here, there))
    rows = np.vstack([features.array(here), features.array(there)])
    side = np.repeat([0, 1], [len(here), len(there)])
    seeds: NDArray[np.int64] = rng.integers(2**31, size=2)
    model = HistGradientBoostingClassifier(
        learning_rate=0.2,
        max_iter=50,
        max_depth=4,
        early_stopping=False,
        categorical_features=features.categorical,
        random_state=int(seeds[0]),
    )
    # Half and half, and no folds: judgements of several folds depend on each other, and an interval that takes them for
    # independent was measured to miss 0.5 in 17 of 100 pairs of halves of the same people.
    parts = train_test_split(rows, side, test_size=0.5, stratify=side, random_state=int(seeds[1]))
    learnt_rows, judged_rows, learnt_side, judged_side = parts
    with threadpool_limits(limits=1):  # the same sums on any machine, and no threads that wait for busy cores
        judged = model.fit(learnt_rows, learnt_side).predict_proba(judged_rows)[:, 1]
    positives = int(judged_side.sum())
    return auc_interval(float(roc_auc_score(judged_side, judged)), positives, len(judged_side) - positives)
