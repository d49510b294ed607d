"""Expectations in a configuration: checked when it is read, every problem by its key and without a value."""

from datetime import date
from typing import Any

import pytest
import yaml

from sosie.errors import InputError
from sosie.schemas.configuration import parse_configuration
from sosie.schemas.expectations import Expectations, moment


def read(text: str) -> Expectations:
    return parse_configuration({"expectations": yaml.safe_load(text)}).expectations


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.code == "BAD_CONFIG"
    assert "CANARY" not in caught.value.message
    return caught.value.message


def test_expectations_and_checks_are_read_as_they_are_written() -> None:
    found = read(
        """
        own:
          - {type: expect_column_mean_to_be_between, column: age, min_value: 40, max_value: 60, severity: critical}
          - {type: expect_column_max_to_be_between, column: admitted, max_value: 2024-12-31}
        checks:
          age: {in_range: [0, 120]}
          2019: {not_null: true, table: output, severity: warning}
        """
    )
    mean, latest = found.own
    assert (mean.column, mean.min_value, mean.max_value, mean.severity) == ("age", 40, 60, "critical")
    assert (latest.max_value, latest.severity) == (date(2024, 12, 31), "warning")
    assert found.checks["age"].rules() == ("in_range",)
    assert (found.checks["age"].table, found.checks["age"].severity) == ("both", "critical")
    assert found.checks["2019"].table == "output"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("own: [{type: unexpected_rows_expectation, column: CANARY}]", "expectations.own.0.type"),
        ("own: [{type: expect_column_mean_to_be_between, min_value: 4}]", "needs column"),
        ("own: [{type: expect_column_mean_to_be_between, column: CANARY}]", "needs min_value or max_value"),
        (
            "own: [{type: expect_column_values_to_be_null, column: CANARY, regex: x}]",
            "expect_column_values_to_be_null takes no regex",
        ),
        (
            "own: [{type: expect_column_max_to_be_between, column: a, min_value: 9, max_value: 2}]",
            "expectations.own.0: Value error, the least value is larger than the largest",
        ),
        (
            "own: [{type: expect_column_max_to_be_between, column: a, min_value: 9, max_value: 2024-01-01}]",
            "one bound is a date, the other a number",
        ),
        ("own: [{type: expect_column_max_to_be_between, column: a, min_value: .nan}]", "own.0.min_value"),
        ("own: [{type: expect_column_values_to_match_regex, column: a, regex: (CANARY}]", "own.0.regex"),
        (
            "own: [{type: expect_column_values_to_be_null, column: a, mostly: 2}]",
            "expectations.own.0.mostly",
        ),
        ("own: [{type: expect_table_row_count_to_equal, value: 3, severity: fatal}]", "own.0.severity"),
        ("checks: {age: {in_range: [9, 2]}}", "expectations.checks.age"),
        ("checks: {age: {eval: CANARY}}", "expectations.checks.age.eval"),
        ("checks: {age: {table: output}}", "no check is named"),
        ("checks: {age: {unique: false}}", "expectations.checks.age.unique"),
        ("run: perhaps", "expectations.run"),
        ("means: 0", "expectations.means"),
        (
            "{run: false, own: [{type: expect_table_row_count_to_equal, value: 3}]}",
            "run: false would leave the expectations of own unexamined",
        ),
    ],
)
def test_what_cannot_be_expected_is_refused_by_its_key(text: str, told: str) -> None:
    assert told in refusal(text)


@pytest.mark.parametrize(
    ("text", "direct", "in_flow"),
    [
        ("{}", False, True),
        ("run: true", True, True),
        ("run: false", False, False),
        ("own: [{type: expect_table_row_count_to_equal, value: 3}]", True, True),
        ("checks: {age: {unique: true}}", False, True),
    ],
)
def test_the_library_is_loaded_where_prefect_runs_or_somebody_asks(
    text: str, direct: bool, in_flow: bool
) -> None:
    assert read(text).wants_examination(in_flow=False) is direct
    assert read(text).wants_examination(in_flow=True) is in_flow


@pytest.mark.parametrize(
    ("bound", "number"),
    [
        (3.5, 3.5),
        (date(1970, 1, 3), 2.0),
        ("1970-01-01T12:00:00", 0.5),
        ("1970-01-01T12:00:00+02:00", 10 / 24),
    ],
)
def test_a_date_is_days_since_1970(bound: Any, number: float) -> None:
    content = {"type": "expect_column_max_to_be_between", "column": "a", "max_value": bound}
    asked = Expectations.model_validate({"own": [content]}).own[0]
    assert asked.max_value is not None
    assert moment(asked.max_value) == pytest.approx(number)
