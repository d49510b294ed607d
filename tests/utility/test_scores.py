"""Scores: scikit-learn's, for every resample at once."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, r2_score, roc_auc_score

from sosie.columns import Floats
from sosie.utility.scores import Score, balanced_accuracy, estimate, r_squared, resamples, roc_auc

RNG = np.random.default_rng(0)
BINARY = RNG.integers(0, 2, 80).astype(float)
LEVELS = RNG.integers(0, 4, 80).astype(float)
NUMBERS = 1e6 + RNG.normal(size=80)


@pytest.mark.parametrize(
    ("score", "oracle", "truth", "predicted"),
    [
        (roc_auc, roc_auc_score, BINARY, (BINARY + RNG.normal(size=80)).round(1)),
        (balanced_accuracy, balanced_accuracy_score, LEVELS, np.where(RNG.random(80) < 0.6, LEVELS, 1.0)),
        (r_squared, r2_score, NUMBERS, NUMBERS + RNG.normal(size=80) * 0.5),
    ],
)
def test_weighted_scores_are_scikit_learns(
    score: Score, oracle: "Score", truth: Floats, predicted: Floats
) -> None:
    weights = np.vstack([np.ones(80), resamples(80, np.random.default_rng(1))[:5]])
    expected = [oracle(truth, predicted, sample_weight=row) for row in weights]  # type: ignore[call-arg]
    np.testing.assert_allclose(score(weights, truth, predicted), expected, rtol=1e-7)


def test_a_resample_of_one_class_has_no_area_and_one_without_spread_no_r_squared() -> None:
    weights = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    truth = np.array([0.0, 0.0, 1.0, 1.0])
    assert np.isnan(roc_auc(weights, truth, truth)[0])
    assert np.isnan(r_squared(weights, truth, truth)[0])
    assert roc_auc(weights, truth, truth)[1] == r_squared(weights, truth, truth)[1] == 1


def test_each_resample_draws_as_many_rows() -> None:
    assert (resamples(37, np.random.default_rng(0)).sum(axis=1) == 37).all()


def test_the_interval_of_a_mean_is_about_that_of_its_standard_error() -> None:
    values = np.random.default_rng(2).normal(size=400)
    weights = resamples(400, np.random.default_rng(3))
    found = estimate(float(values.mean()), weights @ values / 400)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * values.std() / 20, rel=0.15)
