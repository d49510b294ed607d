"""What was measured of settings: frontier, order of preference, intervals, and what falls short."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.estimates import Estimate, Metric, NotComputed
from sosie.search import (
    Point,
    Setting,
    frontier,
    members_hidden,
    over_splits,
    parts_of_utility,
    preferred,
    shortfall,
    usefulness,
)

PAIRS = st.lists(
    st.none() | st.tuples(st.integers(0, 5).map(float), st.integers(0, 5).map(float)), max_size=12
)


def tried(
    utility: float, privacy: float = 50.0, missed: tuple[tuple[str, ...], ...] = ((), ()), short: float = 0.0
) -> Point:
    return Point(
        Setting(),
        {},
        Estimate(privacy, privacy, privacy),
        Estimate(utility, utility, utility),
        missed,
        short,
    )


@settings(deadline=None, derandomize=True, database=None)
@given(PAIRS)
def test_no_point_of_the_frontier_is_dominated_and_every_other_one_is(
    points: list[tuple[float, float] | None],
) -> None:
    kept = frontier(points)

    def dominated(pair: tuple[float, float]) -> bool:
        return any(
            other is not None and other != pair and other[0] >= pair[0] and other[1] >= pair[1]
            for other in points
        )

    for place, pair in enumerate(points):
        assert (place in kept) == (pair is not None and not dominated(pair))


def test_of_those_that_meet_the_targets_the_most_useful_is_preferred() -> None:
    points = [tried(80), tried(99, missed=(("hidden_rate",), ()), short=0.1), tried(90), tried(85, 60)]
    assert preferred(points) == (2, 3, 0, 1)


def test_where_none_meets_the_targets_the_one_that_falls_short_least_is_preferred() -> None:
    missed = (("hidden_rate",), ("hidden_rate",))
    points = [tried(99, missed=missed, short=0.3), tried(50, missed=missed, short=0.1)]
    assert preferred(points) == (1, 0)


def test_a_setting_whose_utility_is_unknown_comes_after_those_that_are_known() -> None:
    unknown = Point(Setting(), {}, NotComputed("no"), NotComputed("no"), ((), ()), 0.0)
    assert preferred([unknown, tried(1)]) == (1, 0)


def test_one_split_that_misses_a_target_is_a_miss() -> None:
    point = tried(90, missed=((), ("linkability",), ("linkability", "inference")))
    assert not point.meets
    assert (point.splits, point.splits_met) == (3, 1)
    assert point.ever_missed == ("linkability", "inference")


def test_the_interval_over_splits_is_students() -> None:
    # mean 2, sd 1, t(0.975; 2) = 4.302653: half width 4.302653 / √3
    found = over_splits([1.0, 2.0, 3.0])
    assert isinstance(found, Estimate)
    assert found.value == 2
    assert found.high - found.value == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)


def test_an_interval_stays_within_the_figures_own_range() -> None:
    found = over_splits([99.0, 95.0], (0.0, 100.0))
    assert isinstance(found, Estimate)
    assert (found.value, found.high) == (97.0, 100.0)
    assert found.low == pytest.approx(71.588, abs=1e-3)


def test_a_figure_that_one_split_lacks_has_no_mean() -> None:
    assert isinstance(over_splits([1.0, None]), NotComputed)


def test_members_are_hidden_as_well_as_the_best_attack_lets_them() -> None:
    figures = {"membership_auc": Metric(0.5), "membership_raw_auc": Metric(0.75)}
    assert members_hidden(figures) == 50
    assert members_hidden({"membership_auc": Metric(0.4)}) == 100
    assert members_hidden({"membership_auc": Metric(None)}) is None


def test_utility_is_the_mean_of_its_parts_and_unknown_where_one_is_missing() -> None:
    figures = {
        "hellinger_mean": Metric(90.0),
        "association_difference_mean": Metric(0.2),
        "learning_score": Metric(0.6, reference=0.7),
    }
    parts = parts_of_utility(figures)
    assert usefulness(figures, parts) == pytest.approx((90 + 80 + 90) / 3)
    assert usefulness({"hellinger_mean": Metric(90.0)}, parts) is None


@pytest.mark.parametrize(
    ("value", "least", "most", "chance", "short"),
    [
        (40.0, 50.0, None, 0.0, 0.2),
        (50.0, 50.0, None, 0.0, 0.0),
        (0.7, None, 0.6, 0.5, 1.0),
        (2.0, None, 0.0, 0.0, 2.0),
        (None, 50.0, None, 0.0, 1.0),
    ],
)
def test_a_shortfall_is_measured_in_parts_of_what_was_asked(
    value: float | None, least: float | None, most: float | None, chance: float, short: float
) -> None:
    assert shortfall(value, least, most, chance) == pytest.approx(short)


def test_a_setting_is_written_as_a_configuration_would() -> None:
    setting = Setting(((("method", "weights"), "gaussian"), (("method", "k"), 30)))
    assert setting.text == "weights: gaussian, k: 30"
    other = setting.with_changes((("rare_values", "label"), None), (("method", "k"), 40))
    assert other.text == "weights: gaussian, k: 40, rare_values.label: null"
