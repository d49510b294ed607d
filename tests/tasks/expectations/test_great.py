"""Great Expectations in this process: fates in order, no cell in what it leaves, nothing sent and nothing written."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.schemas.expectations import SIGNATURES, Expectation
from sosie.tasks.expectations.great import judge

FRAME = pd.DataFrame(
    {
        "age": [31.0, 42.0, 53.0, 64.0],
        "kg": [61.5, np.nan, 70.25, 987_654.25],
        "ward": ["north", "south", "north", "CANARY"],
        "seen": [19_723.0, 19_754.0, 19_783.0, 19_814.0],
    }
)


def asked(kind: str, **arguments: Any) -> Expectation:
    return Expectation.model_validate({"type": f"expect_{kind}", **arguments})


@pytest.mark.parametrize(
    ("expected", "fate"),
    [
        (asked("column_distinct_values_to_be_in_set", column="ward", value_set=["north", "south"]), "missed"),
        (asked("column_distinct_values_to_contain_set", column="ward", value_set=["north"]), "met"),
        (asked("column_distinct_values_to_equal_set", column="age", value_set=[31, 42, 53, 64]), "met"),
        (asked("column_max_to_be_between", column="age", max_value=64), "met"),
        (asked("column_max_to_be_between", column="age", max_value=64, strict_max=True), "missed"),
        (asked("column_mean_to_be_between", column="age", min_value=47.5, max_value=47.5), "met"),
        (asked("column_median_to_be_between", column="age", min_value=48), "missed"),
        (asked("column_min_to_be_between", column="seen", min_value="2024-01-01"), "met"),
        (asked("column_min_to_be_between", column="seen", min_value="2024-01-02"), "missed"),
        (asked("column_most_common_value_to_be_in_set", column="ward", value_set=["north"]), "met"),
        (asked("column_pair_values_a_to_be_greater_than_b", column_A="kg", column_B="age"), "met"),
        (
            asked("column_proportion_of_non_null_values_to_be_between", column="kg", max_value=0.75),
            "met",
        ),
        (asked("column_proportion_of_unique_values_to_be_between", column="ward", min_value=0.8), "missed"),
        (asked("column_stdev_to_be_between", column="age", min_value=14.2, max_value=14.21), "met"),
        (asked("column_sum_to_be_between", column="age", min_value=190, max_value=190), "met"),
        (asked("column_unique_value_count_to_be_between", column="ward", min_value=3, max_value=3), "met"),
        (asked("column_value_lengths_to_be_between", column="ward", min_value=5, max_value=6), "met"),
        (asked("column_values_to_be_between", column="kg", min_value=0, max_value=100), "missed"),
        (
            asked("column_values_to_be_between", column="kg", min_value=0, max_value=100, mostly=0.6),
            "met",
        ),
        (asked("column_values_to_be_in_set", column="ward", value_set=["north", "south"]), "missed"),
        (asked("column_values_to_be_null", column="kg", mostly=0.25), "met"),
        (asked("column_values_to_be_unique", column="age"), "met"),
        (asked("column_values_to_match_regex", column="ward", regex="^[a-z]+$"), "missed"),
        (asked("column_values_to_not_be_in_set", column="ward", value_set=["west"]), "met"),
        (asked("column_values_to_not_be_null", column="kg"), "missed"),
        (asked("column_values_to_not_match_regex", column="ward", regex="[0-9]"), "met"),
        (asked("compound_columns_to_be_unique", column_list=["ward", "age"]), "met"),
        (
            asked("table_columns_to_match_ordered_list", column_list=["age", "kg", "ward", "seen"]),
            "met",
        ),
        (asked("table_row_count_to_be_between", min_value=5), "missed"),
        (asked("table_row_count_to_equal", value=4), "met"),
    ],
)
def test_every_kind_of_expectation_is_judged(expected: Expectation, fate: str) -> None:
    assert judge("own", [expected], FRAME).fates == (fate,)


def test_every_kind_of_expectation_has_its_example() -> None:
    (marker,) = (
        mark
        for mark in test_every_kind_of_expectation_is_judged.pytestmark  # type: ignore[attr-defined]
        if mark.name == "parametrize"
    )
    assert {expected.type for expected, _ in marker.args[1]} == set(SIGNATURES)


def test_fates_come_in_the_order_asked_though_two_ask_the_same_of_a_column() -> None:
    expected = [
        asked("column_mean_to_be_between", column="ward", min_value=0),
        asked("column_mean_to_be_between", column="age", min_value=0),
        asked("column_mean_to_be_between", column="age", min_value=50),
        asked("column_mean_to_be_between", column="age", min_value=0),
        asked("table_row_count_to_equal", value=4),
    ]
    assert judge("own", expected, FRAME).fates == ("not computed", "met", "missed", "met", "met")


def test_suite_and_result_are_the_librarys_own_and_hold_no_cell() -> None:
    frame = FRAME.assign(mixed=pd.Series(["CANARY", 3.0, None, 987_654.25], dtype=object))
    expected = [
        asked("column_values_to_be_in_set", column="ward", value_set=["north"], severity="critical"),
        asked("column_max_to_be_between", column="kg", max_value=100),
        asked("column_sum_to_be_between", column="mixed", max_value=100),
        asked("column_values_to_be_between", column="mixed", max_value=100),
    ]
    judged = judge("own", expected, frame)
    assert judged.fates == ("missed", "missed", "not computed", "not computed")
    suite, result = json.loads(judged.suite), json.loads(judged.result)
    assert [one["severity"] for one in suite["expectations"]] == ["critical", "warning", "warning", "warning"]
    assert suite["meta"]["great_expectations_version"] == judged.version
    assert result["success"] is False
    assert len(result["results"]) == 4
    for written in (judged.suite.decode(), judged.result.decode()):
        for canary in ("CANARY", "987654", "south", "Traceback", "exception_message"):
            assert canary not in written


def test_what_the_library_logs_and_warns_of_is_not_passed_on(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GX_ANALYTICS_ENABLED", "true")
    frame = FRAME.assign(mixed=pd.Series(["CANARY", 3.0, None, 987_654.25], dtype=object))
    judge("own", [asked("column_sum_to_be_between", column="mixed", max_value=100)], frame)
    shown = capfd.readouterr()
    assert (caplog.text, shown.out, shown.err) == ("", "", "")
    assert logging.getLogger("great_expectations").propagate
    assert os.environ["GX_ANALYTICS_ENABLED"] == "true"


SCRIPT = """
import socket, sys
def refused(*arguments):
    raise AssertionError("a connection was tried")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refused
import pandas as pd
from sosie.schemas.expectations import Expectation
import sosie.tasks.expectations
assert "great_expectations" not in sys.modules
from sosie.tasks.expectations.great import judge
asked = Expectation(type="expect_column_values_to_be_in_set", column="ward", value_set=["north"])
print(judge("own", [asked], pd.DataFrame({"ward": ["CANARY", "north"]})).fates)
"""


def test_nothing_is_sent_and_nothing_written_anywhere(tmp_path: Path) -> None:
    """A process of its own, its home, working and temporary folders watched, Python's bytecode aside."""
    places = {name: tmp_path / name for name in ("home", "work", "temporary")}
    for place in places.values():
        place.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "GX_"))}
    ended = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", SCRIPT],
        cwd=places["work"],
        env={**kept, "HOME": str(places["home"]), "TMPDIR": str(places["temporary"])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "('missed',)\n"), ended.stderr
    assert "CANARY" not in ended.stderr
    assert [str(path) for place in places.values() for path in place.rglob("*")] == []
