"""Contracts of tables: every breach at once, by column and count, and never a cell."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table, encode, with_identifiers
from sosie.errors import InputError
from sosie.recognition import Declaration, recognise
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


def test_one_sentence_tells_every_kind_of_breach() -> None:
    wards: list[Any] = ["x", None, "south", "y"]
    frame = FRAME.assign(age=[31.0, 2.5, 53.0, 64.0], kg=[np.inf, np.nan, 1.0, 2.0], ward=wards)
    error = refusal(frame.drop(columns="smoker").assign(extra=1))
    for told in (
        '"age": another dtype',
        '"kg": out of range (3)',
        '"ward": missing where none may be (1)',
        '"ward": of another level (2)',
        '"smoker": no such column',
        '"extra": one column too many',
    ):
        assert told in error.message
    assert set(error.columns) == {"age", "kg", "ward", "smoker", "extra"}


def test_a_table_as_a_whole_is_told_without_a_column() -> None:
    assert refusal(FRAME[:3]).message == "the table breaks its contract: another number of rows"
    other = FRAME.set_index(pd.Index([5, 6, 7, 8]))
    assert refusal(other).message == "the table breaks its contract: rows not numbered from 0"


def test_an_empty_column_stays_empty() -> None:
    empty = FRAME.assign(kg=np.nan)
    schema = released_schema(encode(empty, recognise(empty, {}).columns))
    check_table(empty, schema)
    with pytest.raises(InputError, match=r'"kg": out of range \(1\)'):
        check_table(empty.assign(kg=[0.0, np.nan, np.nan, np.nan]), schema)


def test_a_missing_code_that_the_originals_lack_is_refused() -> None:
    columns = recognise(FRAME.assign(kg=-7.0), {"kg": Declaration(missing_codes=(-7, -9))}).columns
    schema = released_schema(encode(FRAME.assign(kg=[61.5, -7.0, 70.25, 80.0]), columns))
    check_table(FRAME.assign(kg=[61.5, -7.0, -7.0, 80.0]), schema)
    with pytest.raises(InputError, match=r'"kg": out of range \(1\)'):
        check_table(FRAME.assign(kg=[61.5, -7.0, -9.0, 80.0]), schema)


def test_identifiers_are_new_different_and_of_their_dtype() -> None:
    frame = FRAME.assign(record=["A1", "A2", "A3", "A4"])
    recognised = recognise(frame, {"record": Declaration(role="regenerate")})
    table = with_identifiers(
        encode(frame, recognised.columns), recognised.regenerated, np.random.default_rng(0)
    )
    schema = released_schema(table)
    check_table(table.to_frame(), schema)
    for cells in (["A1", "Z8", "Z7", "Z6"], ["Z9", "Z9", "Z7", "Z6"]):
        with pytest.raises(InputError, match=r'"record": repeated, or an identifier of the input \(1\)'):
            check_table(table.to_frame().assign(record=cells), schema)
    with pytest.raises(InputError, match='"record": another dtype'):
        check_table(table.to_frame().assign(record=[91, 92, 93, 94]), schema)
