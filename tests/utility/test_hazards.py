"""Kaplan–Meier and Cox: published figures, the likelihood itself maximised by another road, and reasons."""

import numpy as np
import pytest
from scipy import optimize

from sosie.columns import Floats
from sosie.estimates import NotComputed
from sosie.utility.hazards import (
    NO_EVENT,
    SEPARATED,
    Followed,
    Integers,
    hazard_ratios,
    kaplan_meier,
)

# Remission of acute myelogenous leukaemia: Miller, Survival Analysis, 1981 (R's survival::aml), maintained first.
TIMES = [9, 13, 13, 18, 23, 28, 31, 34, 45, 48, 161, 5, 5, 8, 8, 12, 16, 23, 27, 30, 33, 43, 45]
EVENTS = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]
AML = Followed(np.array(TIMES, dtype=float), np.array(EVENTS) == 1)
MAINTAINED = Followed(AML.durations[:11], AML.events[:11])
NOT_MAINTAINED: Integers = (np.arange(23) >= 11).astype(np.int64)


def test_the_curve_of_a_published_table() -> None:
    shares = kaplan_meier(MAINTAINED, np.array([0, 8.9, 9, 13, 18, 23, 31, 34, 48, 200.0]))
    expected = [1, 1, 0.909, 0.818, 0.716, 0.614, 0.491, 0.368, 0.184, 0.184]  # as R prints it
    np.testing.assert_allclose(shares, expected, atol=6e-4)


def test_without_an_event_the_curve_stays_at_1() -> None:
    nobody = Followed(np.array([1.0, 2.0]), np.array([False, False]))
    assert kaplan_meier(nobody, np.array([0.0, 5.0])).tolist() == [1, 1]


def test_the_hazard_ratio_of_a_published_table() -> None:
    found = hazard_ratios(AML, NOT_MAINTAINED, 2)
    assert not isinstance(found, NotComputed)
    (ratio,) = found
    # R: coxph(Surv(time, status) ~ x, aml): coef 0.9155, se 0.5119
    assert np.log(ratio.value) == pytest.approx(0.9155, abs=5e-5)
    assert np.log(ratio.high / ratio.low) / (2 * 1.959964) == pytest.approx(0.5119, abs=5e-5)


def efron(beta: Floats, followed: Followed, groups: Integers) -> float:
    """Minus the log partial likelihood, term by term as Efron writes it."""
    risk = np.exp(np.concatenate([[0.0], beta]))[groups]
    total = 0.0
    for moment in np.unique(followed.durations[followed.events]):
        dying = followed.events & (followed.durations == moment)
        at_risk, deaths = risk[followed.durations >= moment].sum(), int(dying.sum())
        total += np.log(risk[dying]).sum()
        total -= sum(np.log(at_risk - j / deaths * risk[dying].sum()) for j in range(deaths))
    return -float(total)


@pytest.mark.parametrize("seed", range(3))
def test_ratios_maximise_efrons_likelihood_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 3, 60)
    durations = np.ceil(rng.exponential(np.array([6.0, 9.0, 14.0])[groups]))
    followed = Followed(durations, rng.random(60) < 0.7)
    best = optimize.minimize(efron, np.zeros(2), args=(followed, groups), method="BFGS")
    found = hazard_ratios(followed, groups, 3)
    assert not isinstance(found, NotComputed)
    np.testing.assert_allclose(np.log([ratio.value for ratio in found]), best.x, atol=1e-4)


def test_a_constant_hazard_is_estimated_as_events_per_time() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 2, 20_000)
    durations = rng.exponential(np.array([1.0, 0.5])[groups])
    found = hazard_ratios(Followed(durations, np.ones(20_000, dtype=bool)), groups, 2)
    assert not isinstance(found, NotComputed)
    assert found[0].low < 2 < found[0].high
    assert found[0].value == pytest.approx(2, rel=0.05)


def test_row_order_and_the_unit_of_time_change_nothing() -> None:
    found = hazard_ratios(AML, NOT_MAINTAINED, 2)
    other = hazard_ratios(Followed(AML.durations[::-1] * 30.4, AML.events[::-1]), NOT_MAINTAINED[::-1], 2)
    assert not isinstance(found, NotComputed)
    assert not isinstance(other, NotComputed)
    assert other[0].value == pytest.approx(found[0].value)
    assert other[0].high == pytest.approx(found[0].high)


def test_exchanged_groups_give_the_inverse() -> None:
    found, inverse = (hazard_ratios(AML, groups, 2) for groups in (NOT_MAINTAINED, 1 - NOT_MAINTAINED))
    assert not isinstance(found, NotComputed)
    assert not isinstance(inverse, NotComputed)
    assert inverse[0].value == pytest.approx(1 / found[0].value)
    assert inverse[0].low == pytest.approx(1 / found[0].high)


def test_a_group_without_an_event_or_apart_from_the_others_is_a_reason() -> None:
    groups = np.repeat([0, 1], 6)
    durations = np.arange(1.0, 13.0)
    nobody = Followed(durations, groups == 0)
    assert hazard_ratios(nobody, groups, 2) == NotComputed(NO_EVENT)
    apart = Followed(durations, np.ones(12, dtype=bool))
    assert hazard_ratios(apart, groups, 2) == NotComputed(SEPARATED)
