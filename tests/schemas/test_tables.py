"""Contracts of tables: every breach at once, by column and count, and never a cell."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table, encode
from sosie.errors import InputError
from sosie.recognition import recognise
from sosie.schemas.tables import check_table, input_schema, released_schema

FRAME = pd.DataFrame(
    {
        "age": [31, 42, 53, 64],
        "kg": [61.5, np.nan, 70.25, 80.0],
        "ward": ["north", "south", "north", "south"],
        "smoker": pd.array([True, None, False, True], dtype="boolean"),
    }
)


def table() -> Table:
    return encode(FRAME, recognise(FRAME, {}).columns)


def refusal(frame: pd.DataFrame) -> InputError:
    with pytest.raises(InputError) as caught:
        check_table(frame, released_schema(table()))
    assert caught.value.code == "SCHEMA_MISMATCH"
    assert caught.value.__cause__ is None
    return caught.value


def test_a_table_keeps_its_own_contract() -> None:
    check_table(FRAME, input_schema(table().columns))
    check_table(FRAME, released_schema(table()))
    check_table(FRAME[::-1].reset_index(drop=True), released_schema(table()))


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("age", [31, 42, 53, 65]),
        ("age", [30, 42, 53, 64]),
        ("age", [31.0, 42.0, 53.0, 64.0]),
        ("kg", [61.5, np.nan, 70.25, 80.01]),
        ("ward", ["north", "south", "CANARY", "south"]),
        ("ward", ["north", "south", None, "south"]),
        ("smoker", [True, False, True, False]),
    ],
)
def test_what_a_release_must_not_hold_is_refused_by_column(column: str, cells: list[Any]) -> None:
    error = refusal(FRAME.assign(**{column: cells}))
    assert error.columns == (column,)
    assert f'"{column}"' in error.message
    assert "CANARY" not in error.message
    assert "80.01" not in error.message


def test_a_gap_where_there_was_one_is_allowed() -> None:
    check_table(FRAME.assign(kg=[np.nan, np.nan, 70.0, 80.0]), released_schema(table()))


def test_a_lost_row_a_lost_column_and_another_order_are_refused() -> None:
    refusal(FRAME[:3])
    refusal(FRAME[["age", "kg", "ward"]])
    refusal(FRAME[["kg", "age", "ward", "smoker"]])


def test_every_breach_is_told_at_once_with_its_count() -> None:
    error = refusal(FRAME.assign(age=[1, 2, 53, 64], ward=["x", "y", "z", "south"]))
    assert set(error.columns) == {"age", "ward"}
    assert "(2)" in error.message
    assert "(3)" in error.message
