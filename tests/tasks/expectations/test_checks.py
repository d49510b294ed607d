"""Pandera's checks by configuration: an input that breaks one is refused, an output is counted."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table, encode, with_identifiers
from sosie.declarations import Declaration
from sosie.errors import InputError
from sosie.recognition import recognise
from sosie.schemas.expectations import Expectations
from sosie.tasks.expectations.checks import check_output, refuse_input
from sosie.tasks.expectations.fit import refuse_unfit
from sosie.tasks.expectations.plain import plain_frame

FRAME = pd.DataFrame(
    {
        "age": [31, 42, 53, 64],
        "kg": [61.5, np.nan, 70.25, 80.0],
        "ward": ["north", "south", "north", "CANARY"],
        "seen": pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"]),
    }
)


def table(frame: pd.DataFrame = FRAME) -> Table:
    return encode(frame, recognise(frame, {"ward": Declaration(type="category")}).columns)


def fates(checks: dict[str, Any]) -> list[str]:
    wanted = Expectations.model_validate({"checks": checks})
    refuse_unfit(wanted, table())
    return [outcome.fate for outcome in check_output(plain_frame(table()), wanted.checks)]


@pytest.mark.parametrize(
    ("column", "check", "fate"),
    [
        ("age", {"in_range": [31, 64]}, "met"),
        ("age", {"in_range": [32, 64]}, "missed"),
        ("age", {"greater_than": 31}, "missed"),
        ("age", {"greater_than_or_equal_to": 31}, "met"),
        ("age", {"less_than": 64}, "missed"),
        ("age", {"less_than_or_equal_to": 64}, "met"),
        ("age", {"not_equal_to": 42}, "missed"),
        ("age", {"equal_to": 42}, "missed"),
        ("age", {"isin": [31, 42, 53, 64]}, "met"),
        ("age", {"notin": [42]}, "missed"),
        ("age", {"unique": True}, "met"),
        ("ward", {"unique": True}, "missed"),
        ("kg", {"in_range": [60, 90]}, "met"),
        ("kg", {"not_null": True}, "missed"),
        ("ward", {"isin": ["north", "south"]}, "missed"),
        ("ward", {"notin": ["west"]}, "met"),
        ("ward", {"str_matches": "[a-z]+$"}, "missed"),
        ("ward", {"str_contains": "[A-Za-z]"}, "met"),
        ("ward", {"str_startswith": "n"}, "missed"),
        ("ward", {"str_endswith": "h"}, "missed"),
        ("ward", {"str_length": [5, 6]}, "met"),
        ("seen", {"in_range": ["2024-01-01", "2024-04-01"]}, "met"),
        ("seen", {"less_than": "2024-04-01"}, "missed"),
    ],
)
def test_a_check_is_met_or_missed(column: str, check: dict[str, Any], fate: str) -> None:
    assert fates({column: check}) == [fate]


def test_a_check_of_the_input_alone_is_not_made_of_the_output() -> None:
    assert fates({"age": {"less_than": 10, "table": "input"}}) == []


def test_an_input_that_breaks_checks_is_refused_with_counts_and_no_cell() -> None:
    checks = {
        "age": {"in_range": [40, 60], "unique": True},
        "ward": {"isin": ["north"], "table": "input"},
        "kg": {"not_null": True, "table": "output"},
    }
    with pytest.raises(InputError) as caught:
        refuse_input(table(), Expectations.model_validate({"checks": checks}).checks)
    assert caught.value.code == "SCHEMA_MISMATCH"
    assert caught.value.columns == ("age", "ward")
    assert '"age": in_range (2); "ward": isin (2)' in caught.value.message
    assert "CANARY" not in caught.value.message
    assert "unique" not in caught.value.message


def own(kind: str, **arguments: Any) -> dict[str, Any]:
    return {"own": [{"type": f"expect_{kind}", **arguments}]}


@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        ({"checks": {"ghost": {"unique": True}}}, "UNKNOWN_COLUMN", '"ghost"'),
        (own("column_values_to_be_null", column="ghost"), "UNKNOWN_COLUMN", '"ghost"'),
        (
            own("column_mean_to_be_between", column="ward", min_value=1),
            "BAD_CONFIG",
            "expectations.own.0: expect_column_mean_to_be_between needs a column of numbers or dates",
        ),
        (
            own("column_max_to_be_between", column="seen", max_value=1),
            "BAD_CONFIG",
            "the bounds of a column of dates are dates",
        ),
        (
            own("column_max_to_be_between", column="age", max_value="2024-01-01"),
            "BAD_CONFIG",
            "the bounds of a column of numbers are numbers",
        ),
        (
            own("column_stdev_to_be_between", column="seen", max_value="2024-01-01"),
            "BAD_CONFIG",
            "the bounds of expect_column_stdev_to_be_between are numbers",
        ),
        (
            own("column_values_to_match_regex", column="age", regex="1"),
            "BAD_CONFIG",
            "needs a column of texts",
        ),
        (
            own("column_values_to_be_in_set", column="age", value_set=["a"]),
            "BAD_CONFIG",
            "the set of a column of numbers holds numbers",
        ),
        ({"checks": {"ward": {"less_than": 3}}}, "BAD_CONFIG", "expectations.checks.ward: less_than needs"),
        ({"checks": {"age": {"str_length": [1, 2]}}}, "BAD_CONFIG", "str_length needs a column of texts"),
        ({"checks": {"seen": {"isin": ["2024-01-01"]}}}, "BAD_CONFIG", "a set of dates cannot be expected"),
    ],
)
def test_what_a_column_does_not_allow_is_refused_by_its_key(
    content: dict[str, Any], code: str, told: str
) -> None:
    with pytest.raises(InputError, match="expectations") as caught:
        refuse_unfit(Expectations.model_validate(content), table())
    assert caught.value.code == code
    assert told in caught.value.message


def test_identifiers_are_checked_as_they_will_be_released_only() -> None:
    frame = FRAME.assign(record=["A1", "A2", "A3", "A4"])
    recognised = recognise(frame, {"record": Declaration(role="regenerate")})
    released = with_identifiers(
        encode(frame, recognised.columns), recognised.regenerated, np.random.default_rng(0)
    )
    both = Expectations.model_validate({"checks": {"record": {"unique": True, "str_matches": "[A-Z][0-9]"}}})
    refuse_unfit(both, released)
    refuse_input(released, both.checks)
    assert [outcome.fate for outcome in check_output(plain_frame(released), both.checks)] == ["met", "met"]
    alone = Expectations.model_validate({"checks": {"record": {"unique": True, "table": "input"}}})
    with pytest.raises(InputError, match="only table: output can be checked"):
        refuse_unfit(alone, released)
