"""Arrow and Feather: pandas' types and Arrow's schema come back."""

import traceback
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

from sosie.columns import Fixed, encode
from sosie.errors import InputError
from sosie.recognition import recognise
from sosie.sources import ArrowDialect, read_source, suffix, write_table


def typed_frame() -> pd.DataFrame:
    dates = pd.to_datetime(["2020-01-01", "2021-06-01", "NaT"])
    columns: dict[str, Any] = {
        "Int64": pd.array([1, None, 2**60 + 1], dtype="Int64"),
        "float32": pd.array([1, None, 2.5], dtype="float32"),
        "boolean": pd.array([True, None, False], dtype="boolean"),
        "str": pd.array(["x", None, "é"], dtype="str"),
        "ordered": pd.Categorical(["b", "a", None], categories=["z", "b", "a"], ordered=True),
        "integer levels": pd.Categorical([3, 1, None], categories=[1, 2, 3]),
        "zoned": dates.tz_localize("Europe/Paris"),
        "milliseconds": dates.as_unit("ms"),
        "duration": pd.to_timedelta([1, 2, None], unit="s"),
    }
    return pd.DataFrame(columns)


@pytest.mark.parametrize("extension", [".feather", ".arrow"])
@pytest.mark.parametrize("codec", ["uncompressed", "lz4", "zstd"])
def test_types_and_compression_come_back(tmp_path: Path, extension: str, codec: Any) -> None:
    frame = pd.concat([typed_frame()] * 200, ignore_index=True)
    path = tmp_path / f"table{extension}"
    feather.write_feather(frame, path, compression=codec)
    source = read_source(path)
    pd.testing.assert_frame_equal(source.frame, frame)
    assert suffix(source.dialect) == extension
    write_table(source.frame, source.dialect, tmp_path / f"copy{extension}")
    again = read_source(tmp_path / f"copy{extension}")
    pd.testing.assert_frame_equal(again.frame, frame)
    assert again.dialect == source.dialect
    assert isinstance(again.dialect, ArrowDialect)
    assert again.dialect.compression == ("" if codec == "uncompressed" else codec)


@pytest.mark.parametrize("type_", [pa.decimal128(10, -3), pa.decimal256(40, -3)], ids=str)
def test_decimals_of_whole_thousands_are_computed_with_and_written_as_such(
    tmp_path: Path, type_: Any
) -> None:
    cells = pa.array([Decimal(place).scaleb(3) if place else None for place in range(12)], type_)
    feather.write_feather(pa.table({"pay": cells}), tmp_path / "table.arrow")
    source = read_source(tmp_path / "table.arrow")
    (pay,) = recognise(source.frame, {}).columns
    assert isinstance(pay, Fixed)
    assert pay.places == -3
    write_table(encode(source.frame, (pay,)).to_frame(), source.dialect, tmp_path / "copy.arrow")
    assert feather.read_table(tmp_path / "copy.arrow")["pay"].combine_chunks() == cells


def test_calendar_intervals_are_refused(tmp_path: Path) -> None:
    stays = pa.array([pa.scalar((1, 2, 3), pa.month_day_nano_interval())] * 3)
    feather.write_feather(pa.table({"stay": stays}), tmp_path / "table.feather", compression="uncompressed")
    with pytest.raises(InputError, match=r"table\.feather has columns of calendar intervals") as error:
        read_source(tmp_path / "table.feather")
    assert (error.value.code, error.value.columns) == ("UNSUPPORTED_FORMAT", ("stay",))


def test_a_stream_is_written_as_a_stream(tmp_path: Path) -> None:
    table = pa.table({"a": [1, None], "b": ["x", "y"]})
    with pa.ipc.new_stream(str(tmp_path / "table.arrow"), table.schema) as writer:
        writer.write_table(table)
    source = read_source(tmp_path / "table.arrow")
    write_table(source.frame, source.dialect, tmp_path / "copy.arrow")
    assert pa.ipc.open_stream((tmp_path / "copy.arrow").read_bytes()).read_all() == table


def test_the_first_version_of_feather_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.feather").write_bytes(b"FEA1" + bytes(50) + b"FEA1")
    with pytest.raises(InputError, match="write it as the second") as refusal:
        read_source(tmp_path / "a.feather")
    assert refusal.value.code == "UNSUPPORTED_FORMAT"


@pytest.mark.parametrize("as_levels", [False, True])
def test_nested_columns_are_refused_by_name(tmp_path: Path, as_levels: bool) -> None:
    lists = pa.array([[1]])
    cells = pa.DictionaryArray.from_arrays(pa.array([0]), lists) if as_levels else lists
    table = pa.table({"a": [1], "list": cells})
    with (
        pa.OSFile(str(tmp_path / "table.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    with pytest.raises(InputError, match=r"nested columns .*: list;") as refusal:
        read_source(tmp_path / "table.arrow")
    assert (refusal.value.code, refusal.value.columns) == ("UNSUPPORTED_FORMAT", ("list",))


def test_duplicate_names_are_refused_with_their_positions(tmp_path: Path) -> None:
    feather.write_feather(pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]), tmp_path / "t.feather")
    with pytest.raises(InputError, match="'a' at positions 1 and 2") as refusal:
        read_source(tmp_path / "t.feather")
    assert refusal.value.code == "DUPLICATE_COLUMNS"


def test_a_table_without_rows_is_empty(tmp_path: Path) -> None:
    feather.write_feather(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "t.feather")
    with pytest.raises(InputError, match="no row") as refusal:
        read_source(tmp_path / "t.feather")
    assert refusal.value.code == "EMPTY_TABLE"


def test_damaged_files_are_unreadable(tmp_path: Path) -> None:
    feather.write_feather(pd.DataFrame({"a": ["Zaphod"] * 50}), tmp_path / "t.feather", compression="lz4")
    whole = (tmp_path / "t.feather").read_bytes()
    for content in (b"a,b\n1,2\n", whole[:-10], whole[: len(whole) // 2], b"ARROW1" + whole[60:]):
        (tmp_path / "t.feather").write_bytes(content)
        with pytest.raises(InputError) as refusal:
            read_source(tmp_path / "t.feather")
        assert refusal.value.code == "UNREADABLE_SOURCE"
        assert "Zaphod" not in "".join(traceback.format_exception(refusal.value))
