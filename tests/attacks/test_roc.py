"""Separation of two sets of scores against values worked by hand and against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from sosie.attacks.rates import NotMeasurableError
from sosie.attacks.roc import area_under_curve, roc_points, separation, true_positive_rate
from sosie.estimates import Estimate, NotComputed

MEMBERS = np.array([9.0, 8.0, 7.0, 1.0, 1.0])
OTHERS = np.array([6.0, 5.0, 1.0, 0.0, 0.0])


def test_the_area_counts_pairs_and_half_of_the_ties() -> None:
    # 9, 8 and 7 beat all five; each 1 beats both zeros and ties once
    assert area_under_curve(MEMBERS, OTHERS) == (15 + 2 * 2.5) / 25


def test_the_true_positive_rate_lets_in_no_more_others_than_the_level_allows() -> None:
    rate = true_positive_rate(MEMBERS, OTHERS, 0.2)  # 6 may pass, 5 may not
    assert (rate.successes, rate.attempts) == (3, 5)
    # the next others, at 1, come with both members at 1
    assert true_positive_rate(MEMBERS, OTHERS, 0.6).successes == 5


def test_others_tied_beyond_the_level_are_all_kept_out_with_their_ties() -> None:
    tied = np.array([7.0, 7.0, 0.0, 0.0, 0.0])
    assert true_positive_rate(MEMBERS, tied, 0.2).successes == 2


def test_a_level_finer_than_one_row_is_not_computed() -> None:
    with pytest.raises(NotMeasurableError, match=r"1.0% needs at least 100 holdout rows: 5"):
        true_positive_rate(MEMBERS, OTHERS, 0.01)
    found = separation(MEMBERS, OTHERS, np.random.default_rng(0))
    assert all(isinstance(figure, NotComputed) for _, figure in found.true_positives)


def test_areas_and_curves_are_those_of_scikit_learn_with_many_ties() -> None:
    rng = np.random.default_rng(1)
    members, others = rng.integers(0, 30, 150) / 7 + 0.5, rng.integers(0, 30, 220) / 7
    truth, scores = np.repeat([1, 0], [150, 220]), np.concatenate([members, others])
    assert area_under_curve(members, others) == pytest.approx(roc_auc_score(truth, scores))
    false, true, _ = roc_curve(truth, scores, drop_intermediate=False)
    curve = set(zip(np.round(false, 12), np.round(true, 12), strict=True))
    points = roc_points(members, others)
    assert (points[0], points[-1]) == ((0, 0), (1, 1))
    assert {(round(x, 12), round(y, 12)) for x, y in points} <= curve


def test_a_curve_of_many_rows_has_at_most_101_points_from_corner_to_corner() -> None:
    rng = np.random.default_rng(2)
    points = roc_points(rng.normal(size=3000), rng.normal(size=3000))
    assert len(points) <= 101
    assert (points[0], points[-1]) == ((0, 0), (1, 1))
    assert np.all(np.diff(np.array(points), axis=0) >= 0)


def test_complete_separation_is_an_area_of_1_and_all_members_found() -> None:
    found = separation(np.arange(200.0) + 200, np.arange(200.0), np.random.default_rng(0))
    assert found.auc == Estimate(1.0, 1.0, 1.0)
    (level, rate), (_, finer) = found.true_positives
    assert isinstance(rate, Estimate)
    assert (level, rate.value, rate.high) == (0.01, 1.0, 1.0)
    assert rate.low < 1  # Wilson's: 200 of 200 do not prove that all are found
    assert isinstance(finer, NotComputed)
    assert found.p_value < 1e-6


def test_intervals_hold_their_value_and_narrow_with_more_rows() -> None:
    widths = []
    for n in (50, 800):
        rng = np.random.default_rng(3)
        found = separation(rng.normal(0.5, 1, n), rng.normal(0, 1, n), rng)
        assert found.auc.low <= found.auc.value <= found.auc.high
        widths.append(found.auc.high - found.auc.low)
    assert widths[1] < widths[0] / 2


def test_the_bootstrap_interval_holds_the_true_area_about_95_times_in_100() -> None:
    # scores N(1, 1) and N(0, 1): the area is Φ(1/√2) = 0.7602
    rng = np.random.default_rng(4)
    intervals = [separation(rng.normal(1, 1, 60), rng.normal(0, 1, 60), rng).auc for _ in range(200)]
    assert 180 <= sum(found.low <= 0.7602 <= found.high for found in intervals) <= 198


def test_a_few_members_found_among_many_are_striking_though_the_area_is_not() -> None:
    rng = np.random.default_rng(5)
    members = np.concatenate([np.full(15, 100.0), rng.normal(size=285)])
    found = separation(members, rng.normal(size=300), rng)
    assert found.auc.low < 0.5 + 0.06
    assert found.p_value < 0.001


def test_chances_are_even_when_both_sides_score_alike() -> None:
    rng = np.random.default_rng(6)
    chances = [separation(rng.normal(size=120), rng.normal(size=120), rng).p_value for _ in range(120)]
    assert sum(chance <= 0.05 for chance in chances) <= 12


def test_scores_that_are_all_equal_say_nothing() -> None:
    with pytest.raises(NotMeasurableError, match="all 12 rows score the same"):
        separation(np.ones(6), np.ones(6), np.random.default_rng(0))


def test_too_few_rows_and_infinite_scores_are_refused_with_their_count() -> None:
    with pytest.raises(NotMeasurableError, match="at least 5 rows on each side: 4 and 9"):
        separation(np.arange(4.0), np.arange(9.0), np.random.default_rng(0))
    with pytest.raises(NotMeasurableError, match="finite: 1 are not"):
        area_under_curve(np.array([1.0, 2, 3, 4, np.inf]), np.arange(9.0))
