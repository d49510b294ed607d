"""What columns are taken for, and which tables are refused, with which words."""

import datetime
import json
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sosie.columns import Fixed, Number
from sosie.errors import InputError
from sosie.rare_levels import KEPT, Rare
from sosie.recognition import Declaration, Type, recognise, refuse_identifiers
from sosie.schemas.configuration import parse_configuration

SECRET = "astronaut"


def levels_of(values: pa.Array) -> "pd.Series[Any]":
    """A column of positions in a dictionary of two values."""
    places = pa.array([0, 1, 1], pa.int8())
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.DictionaryArray.from_arrays(places, values)))


def refusal(frame: pd.DataFrame, **declared: Declaration) -> InputError:
    with pytest.raises(InputError) as caught:
        recognise(frame, declared)
    return caught.value


@pytest.mark.parametrize(
    ("cells", "kind", "reason"),
    [
        (pd.Series([1, 2]), "integer", "integer dtype"),
        (pd.Series([1, None], dtype="Int8"), "integer", "integer dtype"),
        (pd.Series([1.0, 2.5]), "float", "floating-point dtype"),
        (pd.Series([True, False]), "boolean", "boolean dtype"),
        (pd.Series([True, None], dtype="boolean"), "boolean", "boolean dtype"),
        (pd.Series(["a", "b"]), "category", "text"),
        (pd.Series(["a", None], dtype="string"), "category", "text"),
        (pd.Series(["a", "b"], dtype="category"), "category", "categorical dtype"),
        (pd.Series([1, 2], dtype="category"), "category", "categorical dtype"),
        (pd.Series(["a", None], dtype=object), "category", "text objects"),
        (pd.Series([True, None], dtype=object), "boolean", "True and False objects"),
        (pd.Series([1, None], dtype=object), "integer", "integer objects"),
        (pd.Series([1, 2.5], dtype=object), "float", "number objects"),
        (pd.Series([1.5, pd.NA], dtype=object), "float", "number objects"),
        (pd.Series([None, None], dtype=object), "category", "nothing but missing values"),
    ],
)
def test_each_column_is_taken_for_something_and_says_why(
    cells: "pd.Series[Any]", kind: str, reason: str
) -> None:
    column = recognise(pd.DataFrame({"x": cells}), {}).columns[0]
    assert (column.kind, column.reason) == (kind, reason)


def test_a_declaration_wins_and_is_the_reason() -> None:
    frame = pd.DataFrame({"ward": [11, 12, 30], "visits": [1.0, 2.0, np.nan]})
    declared = {"ward": Declaration(type="category", weight=2.0), "visits": Declaration(type="integer")}
    ward, visits = recognise(frame, declared).columns
    assert (ward.kind, ward.reason, ward.weight) == ("category", "declared", 2.0)
    assert visits.kind == "integer"


def test_a_dropped_column_is_not_even_looked_at() -> None:
    frame = pd.DataFrame({"x": [1, 2], "mess": pd.Series([1, "1"], dtype=object)})
    found = recognise(frame, {"mess": Declaration(role="drop")})
    assert [column.name for column in found.columns] == ["x"]
    assert found.dropped == ("mess",)


def test_a_text_key_names_an_integer_column() -> None:
    frame = pd.DataFrame({0: [1, 2], 1: [3, 4]})
    assert [column.name for column in recognise(frame, {"1": Declaration(role="drop")}).columns] == [0]


def test_columns_that_share_a_name_are_refused_with_their_positions() -> None:
    error = refusal(pd.DataFrame([[1, 2, 3]], columns=["age", "bmi", "age"]))
    assert (error.code, error.columns) == ("DUPLICATE_COLUMNS", ("age",))
    assert '"age" at positions 1 and 3' in error.message


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(), pd.DataFrame({"a": []}), pd.DataFrame(index=range(3))],
    ids=["", "rows", "columns"],
)
def test_a_table_of_nothing_is_refused(frame: pd.DataFrame) -> None:
    assert refusal(frame).code == "EMPTY_TABLE"


def test_a_table_whose_every_column_is_dropped_is_refused() -> None:
    assert refusal(pd.DataFrame({"a": [1]}), a=Declaration(role="drop")).code == "EMPTY_TABLE"


def test_a_declared_column_that_is_absent_is_named() -> None:
    error = refusal(pd.DataFrame({"a": [1]}), b=Declaration(type="category"))
    assert (error.code, error.columns) == ("UNKNOWN_COLUMN", ("b",))


def test_mixed_types_are_refused_unless_declared_a_category() -> None:
    frame = pd.DataFrame({"x": pd.Series([1, "1", 2.5, SECRET, None], dtype=object)})
    error = refusal(frame)
    assert (error.code, error.columns) == ("MIXED_TYPES", ("x",))
    assert SECRET not in error.message
    assert recognise(frame, {"x": Declaration(type="category")}).columns[0].kind == "category"


def test_lists_in_cells_are_refused_even_when_declared_a_category() -> None:
    frame = pd.DataFrame({"x": pd.Series([[SECRET], [SECRET, "b"], None], dtype=object)})
    error = refusal(frame, x=Declaration(type="category"))
    assert (error.code, error.columns) == ("MIXED_TYPES", ("x",))
    assert "2 cell" in error.message
    assert SECRET not in error.message


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "object"])
def test_infinite_values_are_counted_and_refused(dtype: str) -> None:
    error = refusal(pd.DataFrame({"x": pd.Series([1.5, np.inf, -np.inf, 2.0], dtype=dtype)}))
    assert (error.code, error.columns) == ("NON_FINITE", ("x",))
    assert "2 infinite" in error.message


@pytest.mark.parametrize("declared", [{}, {"type": "category"}, {"role": "regenerate"}], ids=str)
@pytest.mark.parametrize(
    "cells",
    [
        [Decimal("sNaN"), Decimal(1), None, Decimal("-sNaN")],
        [Decimal("1e400"), Decimal(1), None, Decimal("-1e5000")],
        [10**400, 1, None, -(10**5000)],
        [10**400, 0.5, None, -(10**400)],
        [Decimal("sNaN"), "a", None, 10**400],
    ],
    ids=["signalling", "decimals", "integers", "numbers", "mixed"],
)
def test_objects_that_no_float_holds_are_counted_and_refused(cells: list[object], declared: Any) -> None:
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object), "kg": range(4)})
    error = refusal(frame, x=Declaration(**declared))
    assert (error.code, error.columns) == ("NON_FINITE", ("x",))
    assert "has 2 number(s) beyond 1e300" in error.message


@pytest.mark.parametrize("cells", [["1e-400", "2e-400"], ["1e-250", "1e60"]], ids=str)
def test_decimals_of_too_many_digits_are_refused(cells: list[str]) -> None:
    error = refusal(pd.DataFrame({"x": pd.Series(list(map(Decimal, cells)), dtype=object)}))
    assert (error.code, error.columns) == ("NON_FINITE", ("x",))
    assert "round it, or make it floats" in error.message


@pytest.mark.parametrize(
    "cells", [[10**299, -(10**299)], [Decimal("1e-200"), Decimal("1e99")]], ids=["integers", "decimals"]
)
def test_numbers_of_nearly_as_many_digits_come_back(cells: list[object]) -> None:
    series = pd.Series(cells * 10, dtype=object)
    (column,) = recognise(series.to_frame("x"), {}).columns
    assert isinstance(column, Number | Fixed)
    written = column.cells(column.numbers(series))
    assert list(map(float, written)) == pytest.approx(list(map(float, series)), rel=1e-12, abs=0)


@pytest.mark.parametrize("dtype", ["float64", "Float64", "object", pd.ArrowDtype(pa.float64())], ids=str)
def test_floats_whose_differences_may_be_none_are_refused_unless_they_stand_for_none(dtype: Any) -> None:
    far = sys.float_info.max
    frame = pd.DataFrame({"x": pd.Series([1.5, far, 2.5, -far, None], dtype=dtype)})
    error = refusal(frame, x=Declaration(missing_codes=(far,)))
    assert (error.code, error.columns) == ("NON_FINITE", ("x",))
    assert "beyond 1e300" in error.message
    (column,) = recognise(frame, {"x": Declaration(missing_codes=(far, -far))}).columns
    assert isinstance(column, Number)
    assert column.missing_codes == (far, -far)


def test_missing_numbers_are_not_infinite() -> None:
    assert recognise(pd.DataFrame({"x": [1.0, 2.0, np.nan]}), {}).columns[0].kind == "float"


def test_text_that_differs_in_every_row_is_an_identifier() -> None:
    frame = pd.DataFrame({"ref": [f"P-{i:05d}" for i in range(3000)], "x": range(3000)})
    found = recognise(frame, {})
    assert tuple(found.identifiers) == ("ref",)
    with pytest.raises(InputError, match=r'"ref".*role: drop') as caught:
        refuse_identifiers(found)
    assert (caught.value.code, caught.value.columns) == ("IDENTIFIER_COLUMN", ("ref",))
    assert "P-00" not in caught.value.message
    refuse_identifiers(recognise(frame, {"ref": Declaration(role="drop")}))


def test_one_repeated_text_makes_it_a_category() -> None:
    cells = [f"P-{i:05d}" for i in range(50)]
    cells[1] = cells[0]
    assert recognise(pd.DataFrame({"ref": cells}), {}).identifiers == {}


@pytest.mark.parametrize(
    ("cells", "declaration", "words"),
    [
        (["a", "b"], Declaration(type="integer"), "does not hold numbers"),
        ([True, False], Declaration(type="float"), "does not hold numbers"),
        ([1.0, 2.5], Declaration(type="integer"), "1 value"),
        (["a", "b"], Declaration(round_to=5.0), "round_to is for numbers"),
        ([1, 40], Declaration(round_to=100.0), "no multiple"),
        ([1, 40], Declaration(round_to=0.5), "must be whole"),
    ],
)
def test_a_declaration_that_the_values_do_not_allow_is_refused(
    cells: list[object], declaration: Declaration, words: str
) -> None:
    error = refusal(pd.DataFrame({"x": cells}), x=declaration)
    assert (error.code, error.columns) == ("BAD_CONFIG", ("x",))
    assert words in error.message


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_weight_and_a_step_are_above_0(value: float) -> None:
    with pytest.raises(ValueError, match="weight must be above 0"):
        Declaration(weight=value)
    with pytest.raises(ValueError, match="round_to must be above 0"):
        Declaration(round_to=value)


def test_an_unsupported_dtype_is_named_with_a_remedy() -> None:
    error = refusal(pd.DataFrame({"x": pd.Series([1 + 2j, 3j])}))
    assert (error.code, error.columns) == ("UNSUPPORTED_FORMAT", ("x",))
    assert "complex128" in error.message


@pytest.mark.parametrize("declared", [None, "category", "date", "float"])
@pytest.mark.parametrize("type_", [pa.string_view(), pa.binary_view(), pa.month_day_nano_interval()], ids=str)
def test_a_type_of_arrow_that_pandas_does_not_know_is_refused(
    type_: pa.DataType, declared: Type | None
) -> None:
    cells = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.nulls(3, type_)])))
    error = refusal(pd.DataFrame({"x": cells}), x=Declaration(type=declared))
    assert (error.code, error.columns) == ("UNSUPPORTED_FORMAT", ("x",))
    assert str(type_) in error.message


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series([1 + 2j, 3j]),
        pd.Series([1 + 2j, 3j, None], dtype=object),
        pd.Series(np.array([1, 2, 2], ">i4")),
        pd.Series(np.array([1, 2, 2.5], ">f8")),
        pd.Series([[1], [1, 2]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
        pd.Series([{"a": 1}, {"a": 2}], dtype=pd.ArrowDtype(pa.struct([("a", pa.int64())]))),
        pd.Series([1, 2], dtype=pd.ArrowDtype(pa.decimal64(8, 2))),
        pd.Series(
            pd.arrays.ArrowExtensionArray(pa.array([b"0" * 16, b"1" * 16], pa.binary(16)).cast(pa.uuid()))
        ),
        levels_of(pa.array([[1], [2]])),
        levels_of(pa.array(["a", "b"], pa.string_view())),
        levels_of(pa.array(["a", "b"]).dictionary_encode()),
        levels_of(pa.array([(1, 2, 3), (1, 2, 4)], pa.month_day_nano_interval())),
    ],
    ids=lambda cells: str(cells.dtype),
)
@pytest.mark.parametrize("rare", [KEPT, Rare(2, "7")], ids=["kept", "merged"])
def test_what_cannot_be_told_apart_or_ordered_is_no_category(cells: "pd.Series[Any]", rare: Rare) -> None:
    with pytest.raises(InputError) as caught:
        recognise(pd.DataFrame({"x": cells}), {"x": Declaration(type="category")}, rare)
    assert (caught.value.code, caught.value.columns) == ("UNSUPPORTED_FORMAT", ("x",))


def test_equal_numbers_of_two_types_are_no_levels() -> None:
    cells = pd.Series([np.float32(1 / 7), 1 / 7, 0.0, np.float32(0)] * 3, dtype=object)
    error = refusal(pd.DataFrame({"x": cells}), x=Declaration(type="category"))
    assert (error.code, error.columns) == ("MIXED_TYPES", ("x",))
    assert "declare" not in error.message  # it is declared


def test_times_with_and_without_a_zone_are_no_levels() -> None:
    cells = pd.Series([pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02", tz="UTC")] * 3, dtype=object)
    error = refusal(pd.DataFrame({"x": cells}), x=Declaration(type="category"))
    assert (error.code, error.columns) == ("MIXED_TYPES", ("x",))


def test_what_the_user_should_know_is_said_once_a_column() -> None:
    frame = pd.DataFrame(
        {
            "empty": [np.nan] * 400,
            "same": 7.0,
            "big": 2**60 + np.arange(400),
            "many": np.repeat([f"l{i}" for i in range(200)], 2),
            "plain": np.arange(400),
        }
    )
    notices = recognise(frame, {}).notices
    assert [(notice.code, notice.column) for notice in notices] == [
        ("ALL_MISSING", "empty"),
        ("CONSTANT_COLUMN", "same"),
        ("LARGE_INTEGER", "big"),
        ("HIGH_CARDINALITY", "many"),
    ]


def test_levels_are_those_present_in_a_stable_order() -> None:
    frame = pd.DataFrame(
        {
            "text": ["b", None, "a"],
            "declared": pd.Categorical(["low", "high", None], ["high", "never", "low"]),
        }
    )
    text, declared = recognise(frame, {}).columns
    assert text.kind == declared.kind == "category"
    assert list(text.levels) == ["a", "b"]
    assert list(declared.levels) == ["high", "low"]


def test_the_frame_is_left_as_it_was() -> None:
    frame = pd.DataFrame({"x": pd.Series([True, None, False], dtype=object), "y": [1.0, np.nan, 3.0]})
    before = frame.copy(deep=True)
    recognise(frame, {})
    pd.testing.assert_frame_equal(frame, before)


def test_missing_codes_survive_the_configuration_that_a_run_keeps() -> None:
    codes = [-7, -9.5, datetime.date(1900, 1, 1), "31/12/9999"]
    configuration = parse_configuration({"columns": {"x": {"missing_codes": codes}}})
    kept = parse_configuration(json.loads(configuration.model_dump_json()))
    assert list(configuration.columns["x"].missing_codes) == codes
    assert [str(code) for code in kept.columns["x"].missing_codes] == [str(code) for code in codes]


def test_nothing_that_is_found_shows_a_cell_when_it_is_printed() -> None:
    frame = pd.DataFrame({"ref": [f"{SECRET} {i}" for i in range(30)], "x": range(30)})
    assert SECRET not in repr(recognise(frame, {"ref": Declaration(role="regenerate")}).regenerated)


@pytest.mark.parametrize("dtype", ["int64", "float32", "int16[pyarrow]", "float[pyarrow]"])
def test_missing_codes_of_a_number_that_are_no_numbers_are_refused(dtype: str) -> None:
    frame = pd.DataFrame({"x": pd.Series([1, 2, 3], dtype=dtype)})
    with pytest.raises(InputError, match="must be numbers that the column can hold exactly") as refused:
        recognise(frame, {"x": Declaration(missing_codes=("none",))})
    assert refused.value.code == "BAD_CONFIG"
