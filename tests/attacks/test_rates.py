"""Wilson intervals, risks and exact chances against worked values."""

import numpy as np
import pytest
from scipy import stats

from sosie.attacks.rates import Attack, NotMeasurableError, Rate, excess_p_value


def attack(main: int, control: int, baseline: int = 0, n: int = 100, p_value: float = 1.0) -> Attack:
    return Attack(Rate(main, n), Rate(control, n), Rate(baseline, n), None, p_value)


@pytest.mark.parametrize(
    ("successes", "attempts", "low", "high"),
    # Newcombe, Statistics in Medicine 17, 1998, table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_a_rate_has_the_wilson_interval_of_newcombes_table(
    successes: int, attempts: int, low: float, high: float
) -> None:
    rate = Rate(successes, attempts)
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=5e-5)
    assert rate.low <= rate.value <= rate.high


def test_the_interval_of_no_success_starts_at_0_and_that_of_only_successes_ends_at_1() -> None:
    assert Rate(0, 7).low == 0
    assert Rate(7, 7).high == 1


@pytest.mark.parametrize(("successes", "attempts"), [(0, 0), (3, 2), (-1, 2)])
def test_a_rate_without_attempts_or_with_too_many_successes_is_refused(successes: int, attempts: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} among {attempts}"):
        Rate(successes, attempts)


def test_the_risk_is_the_share_of_what_the_control_left_to_gain() -> None:
    risk = attack(60, 20).risk
    assert risk.value == pytest.approx(0.5)
    # anonymeter 1.1.0: EvaluationResults(100, 60, 0, 20).risk()
    assert (risk.low, risk.high) == pytest.approx((0.358547, 0.618007), abs=1e-6)


def test_an_attack_below_its_control_has_risk_0_and_an_interval_that_holds_it() -> None:
    risk = attack(10, 30).risk
    assert (risk.value, risk.low) == (0, 0)
    assert risk.high >= 0


def test_a_control_that_always_succeeds_leaves_nothing_to_measure() -> None:
    with pytest.raises(NotMeasurableError, match=r"every holdout row too \(n = 100\)"):
        attack(100, 100)


def test_the_chance_of_an_excess_is_fishers_exact_test() -> None:
    assert excess_p_value(Rate(3, 3), Rate(0, 3)) == pytest.approx(
        1 / 20
    )  # one of the 20 ways to deal 3 of 6
    for main, control in [(7, 2), (5, 5), (0, 4)]:
        table = np.array([[main, 10 - main], [control, 12 - control]])
        expected = stats.fisher_exact(table, alternative="greater").pvalue
        assert excess_p_value(Rate(main, 10), Rate(control, 12)) == pytest.approx(expected)


def test_an_advantage_is_detected_when_chance_gives_it_to_at_most_1_table_in_200() -> None:
    assert attack(60, 20, p_value=0.005).advantage_detected
    assert not attack(60, 20, p_value=0.006).advantage_detected


def test_an_attack_that_guessing_equals_says_so() -> None:
    assert not attack(20, 20, baseline=20).better_than_guessing
    assert attack(21, 20, baseline=20).better_than_guessing
