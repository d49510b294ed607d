"""A table examined before its release: what is asked of it, and by whom."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table, encode, with_identifiers
from sosie.declarations import Declaration
from sosie.recognition import recognise
from sosie.schemas.expectations import Expectations
from sosie.tasks.expectations.examining import Examined, examine

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(20, 80, 60),
        "kg": np.where(np.arange(60) % 7 == 0, np.nan, RNG.normal(70, 9, 60).round(1)),
        "ward": ["north", "south", "east"] * 19 + ["CANARYward", "CANARYward", "CANARYwest"],
        "seen": pd.date_range("2024-01-01", periods=60),
        "smoker": RNG.random(60) < 0.4,
        "record": [f"A{place:03}" for place in range(60)],
    }
)
FRAME.loc[59, "kg"] = 987_654.25


def originals() -> Table:
    recognised = recognise(FRAME, {"record": Declaration(role="regenerate")})
    encoded = encode(FRAME, recognised.columns)
    return with_identifiers(encoded, recognised.regenerated, np.random.default_rng(1))


def examined(
    frame: pd.DataFrame, wanted: dict[str, Any] | None = None, library: bool = True
) -> Examined | None:
    return examine(frame, originals(), (), 5, Expectations.model_validate(wanted or {}), library)


def missed(frame: pd.DataFrame, **wanted: Any) -> list[tuple[str, tuple[str, ...], str]]:
    found = examined(frame, wanted)
    assert found is not None
    return [
        (getattr(outcome.asked, "type", ""), outcome.asked.columns, outcome.asked.severity)
        for outcome in found.examination.outcomes
        if outcome.fate != "met"
    ]


def test_the_originals_themselves_meet_their_contract() -> None:
    assert missed(originals().to_frame()) == []


@pytest.mark.parametrize(
    ("column", "change", "kind"),
    [
        ("ward", lambda cells: cells.replace("east", "elsewhere"), "distinct_values_to_be_in_set"),
        ("age", lambda cells: cells + 60, "max_to_be_between"),
        ("seen", lambda cells: cells - pd.Timedelta(days=50), "min_to_be_between"),
        ("smoker", lambda cells: cells.astype("boolean").where(cells), "values_to_not_be_null"),
        ("record", lambda cells: cells.iloc[[0] * 60].reset_index(drop=True), "values_to_be_unique"),
    ],
)
def test_what_breaks_the_contract_is_critical(column: str, change: Any, kind: str) -> None:
    frame = originals().to_frame()
    frame[column] = change(frame[column])
    assert (f"expect_column_{kind}", (column,), "critical") in missed(frame)


def test_a_mean_that_moved_and_gaps_that_multiplied_are_warnings() -> None:
    frame = originals().to_frame()
    frame["kg"] = frame["kg"].where(np.arange(60) % 2 == 0)
    frame["age"] = frame["age"].clip(upper=30)
    found = set(missed(frame))
    assert ("expect_column_mean_to_be_between", ("age",), "warning") in found
    assert ("expect_column_proportion_of_non_null_values_to_be_between", ("kg",), "warning") in found


def test_own_expectations_and_checks_are_counted_with_the_others() -> None:
    own = [
        {"type": "expect_column_mean_to_be_between", "column": "age", "min_value": 90, "severity": "critical"}
    ]
    found = examined(originals().to_frame(), {"own": own, "checks": {"age": {"less_than": 30}}})
    assert found is not None
    assert [o.origin for o in found.examination.outcomes if o.fate == "missed"] == ["own", "check"]
    assert (found.examination.counts.critical.missed, found.examination.counts.blocks) == (2, True)
    assert set(found.files) == {
        "contract-suite.json",
        "contract-result.json",
        "own-suite.json",
        "own-result.json",
    }


def test_without_the_library_only_checks_are_made_and_without_checks_nothing() -> None:
    assert examined(originals().to_frame(), library=False) is None
    found = examined(
        originals().to_frame(), {"checks": {"age": {"less_than": 30, "severity": "warning"}}}, False
    )
    assert found is not None
    assert found.examination.library is None
    assert found.examination.counts.warning.missed == 1
    assert not found.examination.counts.blocks
    assert (
        examined(originals().to_frame(), {"checks": {"age": {"unique": True, "table": "input"}}}, False)
        is None
    )


def test_what_is_left_names_no_rare_level_no_identifier_and_no_distinctive_number() -> None:
    frame = originals().to_frame()
    frame.loc[3, "ward"] = "CANARYunknown"
    own = [{"type": "expect_column_values_to_be_in_set", "column": "ward", "value_set": ["north", "south"]}]
    found = examined(frame, {"own": own, "checks": {"kg": {"less_than": 300}}})
    assert found is not None
    left = found.examination.model_dump_json() + "".join(text.decode() for text in found.files.values())
    assert not re.search(r"CANARY|987[ _,]?654|A0\d\d", left)
    assert "north" in left
