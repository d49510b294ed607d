"""Inference against guesses worked by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.attacks import Inference, inference
from sosie.attacks.rates import Attack, Rate
from sosie.columns import Table
from sosie.estimates import NotComputed
from sosie.recognition import Declaration

TablesOf = Callable[..., Any]  # as many tables as frames
Patients = Callable[[int, int], pd.DataFrame]


def guessed(
    tables: list[Table], known: list[str], secrets: list[str], attempts: int = 500, seed: int = 0
) -> Inference:
    working, avatars, holdout = tables
    return inference(working, avatars, holdout, known, secrets, attempts, np.random.default_rng(seed))


def test_the_secret_of_the_nearest_avatar_is_the_guess(tables_of: TablesOf) -> None:
    tables = tables_of(
        pd.DataFrame({"age": [21, 39, 58], "ward": ["north", "north", "south"]}),
        pd.DataFrame({"age": [20, 40, 60], "ward": ["north", "east", "south"]}),
        pd.DataFrame({"age": [21, 39, 58], "ward": ["south", "north", "south"]}),
    )
    # by age the guesses are north, east, south on either side
    found = guessed(tables, ["age"], ["ward"]).worst
    assert (found.main, found.control, found.worst) == (Rate(2, 3), Rate(1, 3), "ward")


def test_a_number_is_guessed_within_5_percent_of_its_true_value(tables_of: TablesOf) -> None:
    ward = {"ward": ["a", "b", "c", "d"]}
    tables = tables_of(
        pd.DataFrame({"pay": [100.0, 100.0, -100.0, 0.0], **ward}),
        pd.DataFrame({"pay": [105.0, 105.1, -95.0, 0.01], **ward}),
        pd.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0], **ward}),
    )
    assert guessed(tables, ["ward"], ["pay"]).worst.main == Rate(2, 4)


def test_a_gap_is_guessed_as_a_gap(tables_of: TablesOf) -> None:
    tables = tables_of(
        pd.DataFrame({"ward": ["a", "b"], "kg": [np.nan, 60.0]}),
        pd.DataFrame({"ward": ["a", "b"], "kg": [np.nan, np.nan]}),
        pd.DataFrame({"ward": ["a", "b"], "kg": [50.0, 60.0]}),
    )
    assert guessed(tables, ["ward"], ["kg"]).worst.main == Rate(1, 2)


def test_a_missing_code_is_guessed_as_that_code(tables_of: TablesOf) -> None:
    ward = {"ward": ["a", "b", "c", "d"]}
    tables = tables_of(
        pd.DataFrame({"pay": [-7.0, -9.0, np.nan, 50.0], **ward}),
        pd.DataFrame({"pay": [-7.0, -7.0, -7.0, -7.0], **ward}),
        pd.DataFrame({"pay": [50.0, 60.0, 70.0, 80.0], **ward}),
        pay=Declaration(missing_codes=(-7, -9)),
    )
    # −9 is not −7, a gap is neither, and −7 is not 50
    assert guessed(tables, ["ward"], ["pay"]).worst.main == Rate(1, 4)


def test_a_date_is_guessed_within_a_hundredth_of_the_avatars_range(tables_of: TablesOf) -> None:
    start, ward = pd.Timestamp("2020-01-01"), {"ward": ["a", "b", "c"]}
    days = [[0.0, 1000.0, 500.0], [0.0, 990.0, 511.0], [300.0, 301.0, 302.0]]
    tables = tables_of(
        *(pd.DataFrame({"seen": start + pd.to_timedelta(column, unit="D"), **ward}) for column in days)
    )
    # the avatars span 990 days: 0 and 9.9 would do, 10 and 11 do not
    assert guessed(tables, ["ward"], ["seen"]).worst.main == Rate(1, 3)


def test_every_column_is_a_secret_unless_some_are_named(tables_of: TablesOf, patients: Patients) -> None:
    tables = tables_of(patients(60, 0), patients(60, 1), patients(60, 2))
    assert [name for name, _ in guessed(tables, [], []).by_secret] == ["age", "dose", "kg", "sick", "ward"]
    assert [name for name, _ in guessed(tables, ["age"], ["ward", "kg"]).by_secret] == ["kg", "ward"]


def test_the_worst_secret_is_named_and_its_chance_counts_the_others(
    tables_of: TablesOf, patients: Patients
) -> None:
    leaked, others = patients(300, 0), patients(300, 1)
    avatars = patients(300, 3)
    # what the avatars know of people is their ward, dose and age, and of those the dose
    avatars[["age", "ward", "dose"]] = leaked[["age", "ward", "dose"]]
    found = guessed(tables_of(leaked, avatars, others), ["age", "ward"], ["dose", "kg", "sick"])
    assert found.worst.worst == "dose"
    assert found.worst.risk.value > 0.3
    alone = dict(found.by_secret)["dose"]
    assert isinstance(alone, Attack)
    assert found.worst.p_value == pytest.approx(3 * alone.p_value)
    assert found.worst.advantage_detected


def test_a_secret_that_everybody_shares_is_not_measured(tables_of: TablesOf, patients: Patients) -> None:
    frames = [patients(50, seed).assign(country="fr") for seed in range(3)]
    found = guessed(tables_of(*frames), [], [])
    reason = dict(found.by_secret)["country"]
    assert isinstance(reason, NotComputed)
    assert "every holdout row too (n = 50)" in reason.reason
    assert found.worst.worst != "country"
    with pytest.raises(ValueError, match="none of 1 secret"):
        guessed(tables_of(*frames), ["age"], ["country"])


def test_a_single_column_cannot_be_guessed_from_others(tables_of: TablesOf) -> None:
    with pytest.raises(ValueError, match="at least one other that is known"):
        guessed(tables_of(*[pd.DataFrame({"age": range(9)})] * 3), [], [])


def test_an_unknown_name_is_refused(tables_of: TablesOf, patients: Patients) -> None:
    with pytest.raises(ValueError, match='not among the 5 columns: "wage"'):
        guessed(tables_of(*[patients(20, 0)] * 3), ["wage"], [])
