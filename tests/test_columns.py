"""Columns come back as they went in: dtypes, markers, levels, integers to the unit, decimals."""

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest

from sosie.columns import (
    MISSING,
    UNSEEN,
    Category,
    Dtype,
    Table,
    decimals,
    encode,
    origin_of,
    rounded,
    with_levels_of,
)
from sosie.errors import InputError
from sosie.rare_levels import Rare
from sosie.recognition import Declaration, recognise


def table_of(frame: pd.DataFrame, **declared: Declaration) -> Table:
    return encode(frame, recognise(frame, declared).columns)


def objects(*cells: object) -> "pd.Series[Any]":
    return pd.Series(list(cells), dtype=object)


SERIES: dict[str, "pd.Series[Any]"] = {
    **{dtype: pd.Series([0, 3, 100, 3], dtype=dtype) for dtype in ("uint8", "uint16", "uint32", "uint64")},
    **{dtype: pd.Series([-7, 3, 100, 3], dtype=dtype) for dtype in ("int8", "int16", "int32", "int64")},
    **{dtype: pd.Series([5, None, 100, 3], dtype=dtype) for dtype in ("Int8", "Int16", "Int32", "Int64")},
    **{dtype: pd.Series([5, None, 100, 3], dtype=dtype) for dtype in ("UInt8", "UInt16", "UInt32", "UInt64")},
    "Int64 without gaps": pd.Series([5, 1, 2, 3], dtype="Int64"),
    "float32": pd.Series([0.1, np.nan, -2.5, 3], dtype="float32"),
    "float64": pd.Series([0.1, np.nan, -2.5, 3]),
    "float64 without gaps": pd.Series([0.1, 1e-9, -2.5, 1e300]),
    "Float32": pd.Series([0.5, None, -2.5, 3], dtype="Float32"),
    "Float64": pd.Series([0.1, None, -2.5, 3], dtype="Float64"),
    "bool": pd.Series([True, False, True, True]),
    "boolean": pd.Series([True, None, False, True], dtype="boolean"),
    "boolean without gaps": pd.Series([True, False, False, True], dtype="boolean"),
    "object booleans with None": objects(True, None, False, None),
    "object booleans with nan": objects(True, np.nan, False, True),
    "str": pd.Series(["a", None, "b", "été"], dtype="str"),
    "str without gaps": pd.Series(["a", "", "b", "été"], dtype="str"),
    "string": pd.Series(["a", None, "b", "b"], dtype="string"),
    "object text with None": objects("a", None, "b", "a"),
    "object text with nan": objects("a", np.nan, "b", "a"),
    "object text with NA": objects("a", pd.NA, "b", "a"),
    "object integers with None": objects(1, None, 2, 3),
    "object numbers with NaT": objects(1.5, pd.NaT, 2.25, pd.NaT),
    "object integers of any size": objects(10**20, None, 10**20 + 1, -(10**20)),
    "object floats with NA": objects(1.5, pd.NA, 2.25, 3.0),
    "category": pd.Series(["x", None, "y", "x"], dtype="category"),
    "category, ordered": pd.Series(
        pd.Categorical(["low", "high", "low", None], ["low", "high"], ordered=True)
    ),
    "category with unused levels": pd.Series(pd.Categorical(["x", "y", "x", "x"], ["never", "y", "x"])),
    "category with int levels": pd.Series(pd.Categorical([30, 11, None, 30], [30, 12, 11])),
    "category of intervals": pd.Series(pd.cut(np.array([1.0, 5.0, 9.0, np.nan]), 3)),
    "only missing numbers": pd.Series([np.nan] * 4),
    "only missing objects": objects(None, None, None, None),
    "int64 past 2^53": pd.Series([2**60 + 1, 2**60 + 3, 2**60, 2**60 + 2**20]),
    "Int64 past 2^53": pd.Series([2**60 + 1, None, 2**60, 2**60 + 2**20], dtype="Int64"),
    "uint64 past 2^63": pd.Series([2**64 - 1, 2**64 - 2, 2**64 - 9, 2**64 - 3], dtype="uint64"),
    "decimals": objects(Decimal("0.50"), None, Decimal("-1.25"), Decimal("0.00")),
    "decimals of whole thousands": objects(Decimal("5E+3"), None, Decimal("-2E+3"), Decimal("0E+3")),
    "decimals of Arrow": pd.Series([Decimal("0.50"), None] * 2, dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
    "decimals of Arrow, whole thousands": pd.Series(
        [Decimal("5E+3"), None, Decimal("-2E+3"), Decimal("0E+3")], dtype=pd.ArrowDtype(pa.decimal128(10, -3))
    ),
    "int64 of Arrow": pd.Series([1, None, 3, 4], dtype=pd.ArrowDtype(pa.int64())),
    "double of Arrow": pd.Series([1.5, None, 3, 4], dtype=pd.ArrowDtype(pa.float64())),
    "bool of Arrow": pd.Series([True, None, False, True], dtype=pd.ArrowDtype(pa.bool_())),
    "string of Arrow": pd.Series(["a", None, "b", "b"], dtype=pd.ArrowDtype(pa.string())),
}


def test_two_threads_write_the_frame_that_one_writes() -> None:
    frame = pd.DataFrame({"x": ["b", None, "a"], "n": [1, 2, 3], "y": ["c", "c", "d"]}).astype({"x": "str"})
    table = table_of(frame)
    pd.testing.assert_frame_equal(table.to_frame(workers=2), frame)
    pd.testing.assert_frame_equal(table.to_frame(workers=1), frame)


def test_texts_that_recognition_told_apart_are_encoded_as_those_of_the_frame() -> None:
    frame = pd.DataFrame({"x": pd.Series(["b", None, "few", "b", "rare"], dtype="str")})
    recognised = recognise(frame, {}, Rare(2, "other"))
    told = encode(frame, recognised.columns, recognised.told)
    assert list(recognised.told) == ["x"]
    assert told.codes[:, 0].tolist() == [0, MISSING, 1, 0, 1]
    assert told.codes.tolist() == encode(frame, recognised.columns).codes.tolist()


@pytest.mark.parametrize("series", SERIES.values(), ids=SERIES.keys())
def test_a_column_comes_back_as_it_went_in(series: "pd.Series[Any]") -> None:
    frame = pd.DataFrame({"x": series})
    before = frame.copy(deep=True)
    back = table_of(frame).to_frame()
    pd.testing.assert_frame_equal(back, before)
    pd.testing.assert_frame_equal(frame, before)
    assert [type(cell) for cell in back["x"].astype(object)] == [
        type(cell) for cell in frame["x"].astype(object)
    ]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([11, 12, 30, 11]),
        pd.Series([11, None, 30, 11], dtype="Int64"),
        pd.Series([11.0, np.nan, 30.0, 11.0]),
        pd.Series([11, 12, 30, 11], dtype="uint8"),
        objects(1, 12, None, 1),
    ],
)
def test_a_declared_category_comes_back_as_it_went_in(series: "pd.Series[Any]") -> None:
    frame = pd.DataFrame({"ward": series})
    table = table_of(frame, ward=Declaration(type="category"))
    assert isinstance(table.columns[0], Category)
    pd.testing.assert_frame_equal(table.to_frame(), frame)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_whole_floats_declared_integer_keep_what_is_missing(dtype: str) -> None:
    frame = pd.DataFrame({"visits": pd.Series([1, np.nan, 3], dtype=dtype)})
    pd.testing.assert_frame_equal(table_of(frame, visits=Declaration(type="integer")).to_frame(), frame)


def test_integers_declared_float_come_back_as_integers() -> None:
    frame = pd.DataFrame({"x": [2**60 + 1, 2**60 + 3, 5]})
    back = table_of(frame, x=Declaration(type="float")).to_frame()
    assert back["x"].dtype == np.int64


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series([0, 1, 2**63 - 1]),
        pd.Series([-(2**63), 0, 2**63 - 1]),
        pd.Series([0, 2**63, 2**64 - 1], dtype="uint64"),
    ],
)
def test_integers_over_the_whole_range_of_their_dtype_neither_overflow_nor_pass_the_extremes(
    cells: "pd.Series[Any]",
) -> None:
    back = table_of(pd.DataFrame({"x": cells})).to_frame()["x"]
    assert back.dtype == cells.dtype
    assert int(back.min()) >= int(cells.min())
    assert int(back.max()) <= int(cells.max())
    # a float64 holds 53 of the 64 bits
    assert max(abs(int(a) - int(b)) for a, b in zip(back, cells, strict=True)) <= 2**12


def test_columns_keep_their_order_and_names_and_the_index_is_fresh() -> None:
    frame = pd.DataFrame({"b": [1.5, 2.5], 7: ["x", "y"], "a": [True, False]}, index=[4, 4])
    back = table_of(frame).to_frame()
    assert list(back.columns) == ["b", 7, "a"]
    assert list(back.index) == [0, 1]


def test_an_unknown_level_is_neither_missing_nor_another_level() -> None:
    table = table_of(pd.DataFrame({"x": ["a", "b", None]}))
    other = pd.DataFrame({"x": ["b", "new", None]})
    assert encode(other, table.columns).codes[:, 0].tolist() == [1, UNSEEN, MISSING]


def test_levels_of_other_frames_are_appended() -> None:
    columns = table_of(pd.DataFrame({"x": ["a", "b"], "n": [1, 2]})).columns
    wider = with_levels_of(columns, {"avatars": pd.DataFrame({"x": ["c", None, "a"], "n": [1, 2, 3]})})
    assert isinstance(wider[0], Category)
    assert list(wider[0].levels) == ["a", "b", "c"]
    assert wider[1] is columns[1]


def test_an_absent_column_is_named() -> None:
    columns = table_of(pd.DataFrame({"x": [1, 2], "y": [1, 2]})).columns
    with pytest.raises(InputError, match='"y"') as caught:
        encode(pd.DataFrame({"x": [1]}), columns)
    assert (caught.value.code, caught.value.columns) == ("UNKNOWN_COLUMN", ("y",))


FLOAT64 = np.dtype("float64")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([944343.1221, 944120.5], 4),
        ([12.5, 12.75, 13.0], 2),
        ([1.0, 2.0, 300.0], 0),
        ([1.1234567890123456], 14),  # 15 significant digits
        ([1e-7, 3e-7], 7),
        ([1e-7, 3.25], 7),
        ([0.1 + 0.2], 15),
        ([123456789012345.6], 0),
        ([1e300, -2.5e290], 0),
        ([1.5e-20, 2e-20], 21),
        ([0.0, 0.0], 0),
        ([np.nan], 0),
        ([], 0),
        ([-0.125, np.nan], 3),
    ],
)
def test_decimals_are_the_most_that_a_column_shows(cells: list[float], expected: int) -> None:
    assert decimals(np.array(cells, dtype=np.float64), FLOAT64) == expected


@pytest.mark.parametrize(
    "dtype",
    [np.dtype("float32"), pd.Float32Dtype(), pd.ArrowDtype(pa.float32())],
    ids=["numpy", "NA", "Arrow"],
)
def test_a_float32_shows_its_own_decimals_not_those_of_its_float64(dtype: Dtype) -> None:
    cells = np.array([0.1, 12.7, 3.25], dtype=np.float32)
    assert decimals(cells.astype(np.float64), dtype) == 2


def test_a_column_of_a_hundred_thousand_prices_shows_two_decimals() -> None:
    cents = np.random.default_rng(0).integers(0, 10**9, 100_000)
    assert decimals(cents / 100, FLOAT64) == 2


@pytest.mark.parametrize("digits", [0, 2, 7, 22, 25, 40])
def test_rounding_leaves_the_shortest_text_with_so_many_decimals(digits: int) -> None:
    numbers = np.random.default_rng(1).normal(size=50) * 10.0 ** (4 - digits)
    expected: npt.NDArray[np.float64] = np.array([round(float(number), digits) for number in numbers])
    np.testing.assert_array_equal(rounded(numbers, digits), expected)


def test_rounding_is_half_to_even_and_gives_no_negative_zero() -> None:
    found = rounded(np.array([0.5, 1.5, 2.5, -0.4]), 0)
    assert found.tolist() == [0.0, 2.0, 2.0, 0.0]
    assert not np.signbit(found).any()


def test_integers_are_stored_as_they_are_up_to_two_to_the_53() -> None:
    assert origin_of(pd.Series([0, 2**53])) == 0
    assert origin_of(pd.Series([2**53 + 5, 2**53 + 1])) == 2**53 + 1
    assert origin_of(pd.Series([0, 2**53 + 1])) != 0


@pytest.mark.parametrize("marker", [None, np.nan, pd.NA, pd.NaT], ids=repr)
@pytest.mark.parametrize("cell", [1.5, 7, Decimal("1.5"), "text", datetime.date(2020, 1, 1)], ids=repr)
def test_objects_of_which_all_are_missing_stay_objects(cell: object, marker: object) -> None:
    frame = pd.DataFrame({"x": objects(cell, cell, marker, marker)})
    back = table_of(frame).take(np.array([2, 3])).to_frame()
    assert back.dtypes["x"] == np.dtype(object)
    assert back["x"].isna().all()
