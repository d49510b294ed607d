"""Parquet: pandas' types and Arrow's schema come back."""

import datetime
import decimal
import io
import json
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sosie.errors import InputError
from sosie.sources import ParquetDialect, Source, read_source, suffix, write_table
from sosie.sources.streamed import open_columns

DAY = datetime.date(2020, 1, 1)


def typed_frame() -> pd.DataFrame:
    """One column of each type that pandas can keep in Parquet."""
    dates = pd.to_datetime(["2020-01-01", "2021-06-01", "NaT"])
    columns: dict[Any, Any] = {
        "Int64": pd.array([1, None, 2**60 + 1], dtype="Int64"),
        "UInt8": pd.array([1, None, 255], dtype="UInt8"),
        "int8": np.array([1, 2, 3], "int8"),
        "uint64": np.array([1, 2, 2**64 - 1], "uint64"),
        "float32": np.array([1, np.nan, 2.5], "float32"),
        "Float64": pd.array([1.5, None, 2], dtype="Float64"),
        "bool": [True, False, True],
        "boolean": pd.array([True, None, False], dtype="boolean"),
        "object booleans": pd.Series([True, None, False], dtype=object),
        "str": pd.array(["x", None, "y"], dtype="str"),
        "string": pd.array(["x", None, "y"], dtype="string"),
        "ordered": pd.Categorical(["b", "a", None], categories=["z", "b", "a"], ordered=True),
        "unordered": pd.Categorical(["b", "a", None], categories=["b", "unused", "a"]),
        "integer levels": pd.Categorical([3, 1, None], categories=[1, 3], ordered=True),
        "date levels": pd.Categorical(dates),
        "datetime": dates,
        "milliseconds": dates.as_unit("ms"),
        "nanoseconds": dates.as_unit("ns"),
        "zoned": dates.tz_localize("Europe/Paris"),
        "offset": dates.tz_localize("+02:00"),
        "duration": pd.to_timedelta([1, 2, None], unit="s"),
        "dates": pd.Series([DAY, None, DAY], dtype=object),
        "Arrow dates": pd.Series([DAY, None, DAY], dtype=pd.ArrowDtype(pa.date32())),
        "Arrow integers": pd.Series([1, None, 2], dtype=pd.ArrowDtype(pa.int64())),
        "decimals": pd.Series([decimal.Decimal("1.10"), None, decimal.Decimal("2.25")], dtype=object),
        "times": pd.Series([datetime.time(1, 2), None, datetime.time(3)], dtype=object),
        "nothing": pd.Series([None, None, None], dtype=object),
    }
    return pd.DataFrame(columns)


def read(frame: pd.DataFrame, folder: Path, **options: Any) -> Source:
    frame.to_parquet(folder / "table.parquet", **options)
    return read_source(folder / "table.parquet")


def read_table(table: pa.Table, folder: Path, **options: Any) -> Source:
    pq.write_table(table, folder / "table.parquet", **options)
    return read_source(folder / "table.parquet")


def test_every_type_that_pandas_wrote_is_read_as_that_type(tmp_path: Path) -> None:
    frame = typed_frame()
    pd.testing.assert_frame_equal(read(frame, tmp_path).frame, frame)


def test_what_is_written_back_has_the_same_schema_and_values(tmp_path: Path) -> None:
    source = read(typed_frame(), tmp_path)
    write_table(source.frame, source.dialect, tmp_path / "copy.parquet")
    assert pq.read_table(tmp_path / "copy.parquet").equals(pq.read_table(tmp_path / "table.parquet"))
    pd.testing.assert_frame_equal(read_source(tmp_path / "copy.parquet").frame, typed_frame())
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "copy.parquet"), pd.read_parquet(tmp_path / "table.parquet")
    )


def test_a_schema_that_pandas_did_not_write_comes_back(tmp_path: Path) -> None:
    table = pa.table(
        {
            "small text": pa.array(["x", None], pa.string()),
            "large text": pa.array(["x", None], pa.large_string()),
            "wide codes": pa.array(["x", "y"]).cast(pa.dictionary(pa.int32(), pa.string())),
            "day": pa.array([DAY, None], pa.date32()),
            "decimal": pa.array([decimal.Decimal("1.10"), None], pa.decimal128(12, 2)),
            "zoned": pa.array([0, None], pa.timestamp("ms", "Europe/Paris")),
            "int16": pa.array([1, None], pa.int16()),
        }
    )
    source = read_table(table, tmp_path)
    write_table(source.frame, source.dialect, tmp_path / "copy.parquet")
    copy = pq.read_table(tmp_path / "copy.parquet")
    assert copy.equals(pq.read_table(tmp_path / "table.parquet"))
    assert copy.schema.pandas_metadata is None


UUIDS = [uuid.UUID(int=place) for place in (7, 2**127, 7)]


@pytest.mark.parametrize("by_pandas", [False, True])
def test_uuids_are_texts_and_come_back_as_uuids(tmp_path: Path, by_pandas: bool) -> None:
    held = pa.array([*(one.bytes for one in UUIDS), None], pa.binary(16)).cast(pa.uuid())
    table = pa.table({"key": held, "a": [1, 2, 3, 4]})
    source = read(table.to_pandas(), tmp_path) if by_pandas else read_table(table, tmp_path)
    assert source.frame["key"].tolist()[:3] == [str(one) for one in UUIDS]
    assert source.frame["key"].isna().tolist() == [False, False, False, True]
    write_table(source.frame, source.dialect, tmp_path / "copy.parquet")
    assert pq.read_table(tmp_path / "copy.parquet").equals(table)


def test_uuids_that_pandas_holds_by_arrow_are_read(tmp_path: Path) -> None:
    held = pa.array([one.bytes for one in UUIDS], pa.binary(16)).cast(pa.uuid())
    frame = pd.DataFrame({"key": pd.arrays.ArrowExtensionArray(held), "a": [1, 2, 3]})
    source = read_table(pa.Table.from_pandas(frame), tmp_path)
    assert source.frame["key"].tolist() == [str(one) for one in UUIDS]


def test_more_levels_than_the_source_could_number_are_numbered_by_larger_integers(tmp_path: Path) -> None:
    few = pd.DataFrame({"ref": pd.Categorical([f"P-{place:03}" for place in range(100)])})
    source = read(few, tmp_path)
    many = pd.DataFrame({"ref": pd.Categorical([f"R-{place:03}" for place in range(500)])})
    write_table(many, source.dialect, tmp_path / "copy.parquet")
    assert pq.read_schema(tmp_path / "copy.parquet").field("ref").type.index_type == pa.int16()
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "copy.parquet"), many)


def test_a_dictionary_of_arrow_that_pandas_noted_comes_back(tmp_path: Path) -> None:
    held = pa.array(["a", "b", None, "a"]).dictionary_encode()
    frame = pd.DataFrame({"x": pd.Series(pd.arrays.ArrowExtensionArray(held)), "kg": [1, 2, 3, 4]})
    frame.to_parquet(tmp_path / "table.parquet")
    source = read_source(tmp_path / "table.parquet")
    assert source.frame["x"].tolist()[:2] == ["a", "b"]
    write_table(source.frame, source.dialect, tmp_path / "copy.parquet")
    copy, table = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("copy", "table"))
    assert copy.equals(table)
    assert copy.schema.pandas_metadata["columns"] == table.schema.pandas_metadata["columns"]
    (piece,) = open_columns(tmp_path / "table.parquet", "table.parquet", tmp_path).pieces("x")
    pd.testing.assert_series_equal(piece, source.frame["x"])


def test_a_text_that_is_no_uuid_cannot_be_written_among_uuids(tmp_path: Path) -> None:
    held = pa.array([one.bytes for one in UUIDS], pa.binary(16)).cast(pa.uuid())
    source = read_table(pa.table({"key": held}), tmp_path)
    with pytest.raises(InputError, match="'key' holds UUIDs, and some of its avatars are none") as error:
        write_table(source.frame.replace(str(UUIDS[0]), "other"), source.dialect, tmp_path / "copy.parquet")
    assert error.value.code == "BAD_CONFIG"
    assert str(UUIDS[1]) not in str(error.value)


def test_integers_and_booleans_with_gaps_are_nullable_without_pandas_metadata(tmp_path: Path) -> None:
    table = pa.table(
        {
            "int64": pa.array([2**60 + 1, None], pa.int64()),
            "uint8": pa.array([255, None], pa.uint8()),
            "bool": pa.array([True, None]),
            "whole": pa.array([1, 2], pa.int32()),
        }
    )
    frame = read_table(table, tmp_path).frame
    assert list(map(str, frame.dtypes)) == ["Int64", "UInt8", "boolean", "int32"]
    assert frame["int64"].iloc[0] == 2**60 + 1


def test_integers_that_pandas_held_as_objects_are_nullable_and_exact(tmp_path: Path) -> None:
    frame = read(pd.DataFrame({"a": pd.Series([2**60 + 1, None], dtype=object)}), tmp_path).frame
    assert str(frame["a"].dtype) == "Int64"
    assert frame["a"].iloc[0] == 2**60 + 1


@pytest.mark.parametrize(
    "index", [pd.Index([7, 7], name="patient"), pd.Index(["x", "y"]), pd.RangeIndex(5, 7)]
)
def test_an_index_is_left_out(tmp_path: Path, index: pd.Index) -> None:
    source = read(pd.DataFrame({"a": [1, 2]}, index=index), tmp_path)
    assert list(source.frame.columns) == ["a"]
    assert source.frame.index.equals(pd.RangeIndex(2))
    write_table(source.frame.iloc[:1], source.dialect, tmp_path / "copy.parquet")
    assert pd.read_parquet(tmp_path / "copy.parquet").index.equals(pd.RangeIndex(1))
    assert pq.read_schema(tmp_path / "copy.parquet").names == ["a"]


def test_columns_may_be_left_out_of_the_written_table(tmp_path: Path) -> None:
    source = read(typed_frame(), tmp_path)
    write_table(source.frame[["zoned", "ordered"]], source.dialect, tmp_path / "copy.parquet")
    part = typed_frame()[["zoned", "ordered"]]
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "copy.parquet"), part)


def test_integer_column_names_come_back_as_integers(tmp_path: Path) -> None:
    source = read(pd.DataFrame({0: [1, 2], 1: [3, 4]}), tmp_path)
    assert source.frame.columns.equals(pd.Index([0, 1]))
    write_table(source.frame, source.dialect, tmp_path / "copy.parquet")
    assert pd.read_parquet(tmp_path / "copy.parquet").columns.equals(pd.Index([0, 1]))


@pytest.mark.parametrize("codec", ["snappy", "zstd", "gzip", "brotli", "lz4", "none"])
def test_the_compression_of_the_source_is_kept(tmp_path: Path, codec: str) -> None:
    source = read_table(pa.table({"a": [1, 2]}), tmp_path, compression=codec)
    write_table(source.frame, source.dialect, tmp_path / "copy.parquet")
    found = [pq.ParquetFile(tmp_path / f"{name}.parquet").metadata for name in ("table", "copy")]
    assert len({metadata.row_group(0).column(0).compression for metadata in found}) == 1


def test_attributes_of_the_frame_do_not_travel(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    frame.attrs["note"] = "Zaphod"
    source = read(frame, tmp_path)
    write_table(source.frame, source.dialect, tmp_path / "copy.parquet")
    assert source.frame.attrs == {}
    assert b"Zaphod" not in (tmp_path / "copy.parquet").read_bytes()


def test_a_dialect_is_plain_enough_for_json(tmp_path: Path) -> None:
    dialect = read(typed_frame(), tmp_path).dialect
    assert isinstance(dialect, ParquetDialect)
    assert ParquetDialect(**json.loads(json.dumps(asdict(dialect)))) == dialect
    assert suffix(dialect) == ".parquet"


def test_a_column_that_no_longer_fits_is_an_error_that_shows_no_cell(tmp_path: Path) -> None:
    source = read(pd.DataFrame({"a": [1, 2]}), tmp_path)
    with pytest.raises(ValueError, match="column 'a' no longer fits its type int64") as error:
        write_table(pd.DataFrame({"a": ["Zaphod", "x"]}), source.dialect, tmp_path / "copy.parquet")
    assert error.value.__suppress_context__


def test_a_column_that_the_source_does_not_have_is_an_error(tmp_path: Path) -> None:
    source = read(pd.DataFrame({"a": [1, 2]}), tmp_path)
    with pytest.raises(ValueError, match="columns that the source does not have: b"):
        write_table(source.frame.assign(b=1), source.dialect, tmp_path / "copy.parquet")


def test_nested_columns_are_refused_by_name(tmp_path: Path) -> None:
    table = pa.table({"a": [1], "list": [[1]], "structure": [{"x": 1}]})
    with pytest.raises(InputError, match=r"nested columns .*: list, structure;") as refusal:
        read_table(table, tmp_path)
    assert (refusal.value.code, refusal.value.columns) == ("UNSUPPORTED_FORMAT", ("list", "structure"))


def test_names_of_several_levels_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]))
    with pytest.raises(InputError, match="several levels") as refusal:
        read(frame, tmp_path)
    assert refusal.value.code == "UNSUPPORTED_FORMAT"


def test_duplicate_names_are_refused_with_their_positions(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "b", "a"])
    with pytest.raises(InputError, match="'a' at positions 1 and 3") as refusal:
        read_table(table, tmp_path)
    assert (refusal.value.code, refusal.value.columns) == ("DUPLICATE_COLUMNS", ("a",))


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": pd.Series([], dtype="int64")}), pd.DataFrame()])
def test_a_table_without_rows_is_empty(tmp_path: Path, frame: pd.DataFrame) -> None:
    with pytest.raises(InputError) as refusal:
        read(frame, tmp_path)
    assert refusal.value.code == "EMPTY_TABLE"


def test_a_table_of_an_index_alone_is_empty(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column besides its index") as refusal:
        read(pd.DataFrame(index=pd.Index(["x", "y"], name="a")), tmp_path)
    assert refusal.value.code == "EMPTY_TABLE"


def test_damaged_files_are_unreadable(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pd.DataFrame({"a": ["Zaphod"] * 50}).to_parquet(buffer)
    whole = buffer.getvalue()
    for content in (b"a,b\n1,2\n", whole[:-10], whole[: len(whole) // 2], b"PAR1" + whole[60:]):
        (tmp_path / "table.pq").write_bytes(content)
        with pytest.raises(InputError) as refusal:
            read_source(tmp_path / "table.pq")
        assert refusal.value.code == "UNREADABLE_SOURCE"
        assert refusal.value.__suppress_context__
