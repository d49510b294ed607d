"""The contract written from the originals: aggregates rounded outwards, no rare level, nothing of a few."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sosie.columns import Table, encode, with_identifiers
from sosie.declarations import Declaration
from sosie.recognition import recognise
from sosie.schemas.expectations import RARE, Expectation
from sosie.tasks.expectations.contract import Leeway, above, below, contract, step_of

LEEWAY = Leeway(means=0.25, spreads=0.5, gaps=0.05)
FRAME = pd.DataFrame(
    {
        "age": [31, 42, 53, 64, 75, 31, 42, 53, 64, 87],
        "kg": [61.5, np.nan, 70.25, 80.0, 66.0, 61.5, 72.0, 70.25, 80.0, 66.0],
        "ward": ["north"] * 5 + ["south"] * 4 + ["CANARY"],
        "seen": pd.date_range("2024-01-01", periods=10, freq="10D"),
    }
)


def table(frame: pd.DataFrame = FRAME) -> Table:
    return encode(frame, recognise(frame, {}).columns)


def written(originals: Table, **changes: Any) -> dict[tuple[str, ...], Expectation]:
    arguments: dict[str, Any] = {"derived": (), "min_count": 3, "leeway": LEEWAY} | changes
    found = contract(originals, **arguments)
    return {(asked.type.removeprefix("expect_"), *asked.columns): asked for asked in found}


def test_the_contract_says_what_the_originals_are_like() -> None:
    found = written(table())
    assert found["table_columns_to_match_ordered_list",].column_list == ("age", "kg", "ward", "seen")
    assert found["table_row_count_to_equal",].value == 10
    # 31 to 87: the grid's step is 5
    assert found["column_min_to_be_between", "age"].min_value == 30
    assert found["column_max_to_be_between", "age"].max_value == 90
    # mean 54.2, sd 18.5, a quarter of it 4.6, step 1
    mean = found["column_mean_to_be_between", "age"]
    assert (mean.min_value, mean.max_value) == (49, 59)
    spread = found["column_stdev_to_be_between", "age"]
    assert (spread.min_value, spread.max_value) == (9, 28)
    present = found["column_proportion_of_non_null_values_to_be_between", "kg"]
    assert (present.min_value, present.max_value) == (0.85, 0.95)
    # days 19723 to 19813: the grid's step is 5 days
    assert found["column_min_to_be_between", "seen"].min_value == date(2023, 12, 29)
    assert found["column_max_to_be_between", "seen"].max_value == date(2024, 4, 2)


def test_what_must_hold_is_critical_and_what_should_is_a_warning() -> None:
    warnings = {asked.type for asked in contract(table(), (), 3, LEEWAY) if asked.severity == "warning"}
    assert warnings == {
        "expect_column_mean_to_be_between",
        "expect_column_stdev_to_be_between",
        "expect_column_proportion_of_non_null_values_to_be_between",
    }


def test_a_rare_level_is_not_named() -> None:
    levels = "column_distinct_values_to_be_in_set", "ward"
    assert written(table())[levels].value_set == ("north", "south", RARE)
    assert written(table(FRAME[:9]))[levels].value_set == ("north", "south")


def test_nothing_is_said_of_the_numbers_of_a_few() -> None:
    few = FRAME.assign(kg=[987_654.25, 12.5] + [np.nan] * 8)
    about_kg = {kind for kind, *columns in written(table(few)) if columns == ["kg"]}
    assert about_kg == {"column_proportion_of_non_null_values_to_be_between"}


def test_a_column_of_one_value_keeps_it_and_an_empty_one_says_nothing_of_values() -> None:
    found = written(table(FRAME.assign(kg=7.0, age=np.nan)))
    assert found["column_min_to_be_between", "kg"].min_value == 7
    assert ("column_mean_to_be_between", "kg") not in found
    assert ("column_min_to_be_between", "age") not in found


def test_a_derived_column_has_no_range_of_its_own() -> None:
    found = written(table(), derived=("age",))
    assert ("column_max_to_be_between", "age") not in found
    assert ("column_mean_to_be_between", "age") in found


def test_regenerated_identifiers_are_all_different_and_never_missing() -> None:
    frame = FRAME.assign(record=[f"A{place}" for place in range(10)])
    recognised = recognise(frame, {"record": Declaration(role="regenerate")})
    encoded = encode(frame, recognised.columns)
    found = written(with_identifiers(encoded, recognised.regenerated, np.random.default_rng(0)))
    names = found["table_columns_to_match_ordered_list",].column_list
    assert names == ("age", "kg", "ward", "seen", "record")
    assert found["column_values_to_be_unique", "record"].severity == "critical"
    assert found["column_values_to_not_be_null", "record"].severity == "critical"


@pytest.mark.parametrize(
    ("width", "step"), [(10, 1), (19.9, 1), (20, 2), (49, 2), (50, 5), (99, 5), (100, 10), (0.3, 0.02)]
)
def test_the_grid_has_a_step_that_people_count_in(width: float, step: float) -> None:
    assert step_of(width) == pytest.approx(step)


@given(st.floats(-1e12, 1e12, allow_nan=False), st.floats(1e-6, 1e9, allow_nan=False))
def test_bounds_are_never_on_the_wrong_side(value: float, width: float) -> None:
    step = step_of(width)
    assert width / 25.1 <= step <= width / 9.9
    assert below(value, step) <= value <= above(value, step)
    assert above(value, step) - below(value, step) <= step * 1.001 + abs(value) * 1e-15
