"""Which settings are tried: around the configuration, in an order that a smaller budget only cuts."""

import pytest

from sosie.design import Options, Start, affordable, combinations, design, minutes_needed, refinements
from sosie.search import Setting

START = Start(k=20, ncp=5, weights="published")
NOTHING = Options(None, {})


def test_the_configuration_itself_is_tried_first_and_no_setting_twice() -> None:
    settings = design(START, 500, 40)
    assert settings[0] == Setting()
    assert len(set(settings)) == len(settings)


@pytest.mark.parametrize("budget", [1, 4, 9])
def test_a_smaller_budget_tries_the_first_of_what_a_larger_one_tries(budget: int) -> None:
    assert design(START, 500, budget) == design(START, 500, 40)[:budget]


def test_no_more_neighbours_are_tried_than_a_third_of_the_rows() -> None:
    values = [
        value for setting in design(START, 100, 40) for path, value in setting.changes if path[1] == "k"
    ]
    assert set(values) == {10}


def test_refinements_go_towards_what_is_lacking() -> None:
    best = Setting(((("method", "k"), 40),))
    for meets, k in ((True, 28), (False, 57)):
        (found,) = refinements(best, START, meets, {}, NOTHING, 500, 4)
        assert dict(found.changes)[("method", "k")] == k


def test_columns_that_suffer_weigh_double_and_rare_levels_are_merged() -> None:
    options = Options("other", {"age": 1.0, "ward": 3.0, "kg": 1.0})
    found = refinements(
        Setting(), START, True, {"age": 70.0, "ward": 60.0, "kg": 95.0, "derived": 10.0}, options, 500, 4
    )
    assert [setting.text for setting in found[1:]] == [
        "rare_values.label: other",
        "columns.ward.weight: 6, columns.age.weight: 2",
        "rare_values.label: other, columns.ward.weight: 6, columns.age.weight: 2",
    ]


def test_what_fits_the_time_is_at_least_one_setting() -> None:
    assert affordable(minutes=1, seconds=2, splits=4, fresh=10) == 5
    assert affordable(minutes=0.01, seconds=60, splits=4, fresh=10) == 1
    assert minutes_needed(seconds=2, settings=5, splits=4, fresh=10) == 1


def test_every_combination_of_a_grid_is_a_setting() -> None:
    found = combinations({("method", "k"): [5, 10], ("method", "weights"): ["published", "gaussian"]})
    assert [setting.text for setting in found] == [
        "k: 5, weights: published",
        "k: 5, weights: gaussian",
        "k: 10, weights: published",
        "k: 10, weights: gaussian",
    ]
