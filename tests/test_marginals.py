"""A number's distribution: to normal scores and back, without anybody's own value."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sosie.columns import Floats
from sosie.marginals import marginal_of, runs

SHARES = (np.arange(100_000) + 0.5) / 100_000


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_scores_are_those_of_the_middle_ranks() -> None:
    values = np.array([7.0, np.nan, 3.0, 9.0, 7.0])
    # of 4 values, 3 lies in the middle of the first quarter, both 7 in the middle of the second and third
    expected = norm.ppf([0.5, np.nan, 1 / 8, 7 / 8, 0.5])
    np.testing.assert_allclose(marginal_of(values).scores(values), expected, atol=1e-12)


def test_scores_ignore_the_unit_and_the_tail() -> None:
    values = rng().normal(size=500)
    np.testing.assert_array_equal(
        marginal_of(values).scores(values), marginal_of(np.exp(20 * values)).scores(np.exp(20 * values))
    )


def test_the_worked_runs() -> None:
    """0, 1, 2, 9 in runs of 2 that meet half-way, at 1.5; the means 0.5 and 5.5 decide how they are filled."""
    found = runs(np.array([0.0, 1.0, 2.0, 9.0]), 2)
    np.testing.assert_array_equal(found.borders, [0, 0.5, 1])
    np.testing.assert_array_equal(found.lows, [0, 1.5])
    np.testing.assert_array_equal(found.highs, [1.5, 9])
    np.testing.assert_allclose(found.powers, [2, 7.5 / 4 - 1])
    assert found.at(np.array([0.25])).item() == pytest.approx(1.5 / 4)


def test_a_value_of_enough_individuals_is_a_run_of_its_own_and_keeps_its_share() -> None:
    ordered = np.sort(np.concatenate([np.zeros(300), 1 + rng().random(700)]))
    assert (runs(ordered, 20).at(SHARES) == 0).mean() == pytest.approx(0.3, abs=1e-4)


@pytest.mark.parametrize("least", [5, 20, 60])
def test_the_mean_is_kept_however_long_the_tail(least: int) -> None:
    ordered = np.sort(np.exp(2 * rng().normal(size=1000)))
    assert runs(ordered, least).at(SHARES).mean() == pytest.approx(ordered.mean(), rel=0.01)


@given(st.lists(st.integers(-3, 40), min_size=1, max_size=300), st.integers(2, 30))
def test_runs_hold_enough_individuals_never_cut_a_tie_and_never_decrease(
    whole: list[int], least: int
) -> None:
    ordered = np.sort(np.array(whole, dtype=np.float64))
    found = runs(ordered, least)
    borders = np.round(found.borders * len(ordered)).astype(int)
    counts = {value: whole.count(value) for value in whole}
    for start, end in pairwise(borders.tolist()):
        assert start == 0 or ordered[start - 1] < ordered[start]
        between = (start == 0 or counts[ordered[start - 1]] >= least) and (
            end == len(ordered) or counts[ordered[end]] >= least
        )
        assert end - start >= least or between
    values = found.at(np.linspace(0, 1, 997))
    assert (np.diff(values) >= -1e-9).all()
    assert values.min() >= ordered[0] - 1e-12
    assert values.max() <= ordered[-1] + 1e-12


def test_values_come_in_the_order_of_the_scores() -> None:
    combined = rng(1).normal(size=800)
    values = marginal_of(rng().exponential(size=600)).values(combined, 20, rng())
    assert (np.diff(values[np.argsort(combined)]) >= 0).all()


def test_equal_scores_come_in_a_random_order() -> None:
    values = marginal_of(rng().normal(size=2000)).values(np.zeros(2000), 20, rng())
    assert abs(np.corrcoef(values, np.arange(2000))[0, 1]) < 0.1


def test_nobodys_own_value_comes_back() -> None:
    held = rng().normal(size=400)
    assert not np.isin(marginal_of(held).values(rng(1).normal(size=400), 20, rng()), held).any()


def shares_near_the_ends(values: Floats, held: Floats) -> Floats:
    margin = 0.01 * np.ptp(held)
    return np.array([(values <= held.min() + margin).mean(), (values >= held.max() - margin).mean()])


def test_no_mass_gathers_at_the_ends() -> None:
    """Scores twice as wide as the column's: clipped, a quarter of them would lie on the ends."""
    held = rng().random(2000)
    values = marginal_of(held).values(2 * rng(1).normal(size=2000), 20, rng())
    assert (shares_near_the_ends(values, held) < shares_near_the_ends(held, held) + 0.005).all()


def test_the_largest_floats_stay_finite() -> None:
    most = np.finfo(np.float64).max
    values = runs(np.linspace(-1, 1, 50) * most, 10).at(SHARES)
    assert np.isfinite(values).all()
    assert (np.diff(values) >= 0).all()


def test_fewer_than_a_run_needs_are_one_run() -> None:
    assert len(runs(np.array([1.0, 2.0, 4.0]), 10).lows) == 1
    assert runs(np.array([3.0]), 10).at(np.array([0.0, 0.5, 1.0])).tolist() == [3, 3, 3]
