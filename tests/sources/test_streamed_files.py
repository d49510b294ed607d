"""A file read in pieces gives the table and the dialect that it gives whole; what it lays aside is its user's alone."""

import datetime as dt
import os
import stat
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sosie.errors import InputError
from sosie.sources import read_source
from sosie.sources.parquet_files import plain_parquet, write_parquet
from sosie.sources.streamed import local_file, open_columns, write_pieces
from sosie.sources.streamed_csv import open_csv

SMALL = 5  # rows of a piece


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sosie.blocks.BLOCK", SMALL)
    monkeypatch.setattr("sosie.sources.streamed_parquet.BLOCK", SMALL)
    monkeypatch.setattr("sosie.sources.streamed_csv.BLOCK", 64)  # bytes


def assert_same(path: Path, aside: Path) -> None:
    """Every column in small pieces of one dtype is the column read whole, and so is how the file was written."""
    whole, streamed = read_source(path), open_columns(path, path.name, aside)
    assert streamed.names == tuple(whole.frame.columns)
    assert streamed.rows == len(whole.frame)
    for name in streamed.names:
        pieces = list(streamed.pieces(name))
        assert max(map(len, pieces)) <= SMALL
        assert {str(piece.dtype) for piece in pieces} == {str(whole.frame[name].dtype)}
        pd.testing.assert_series_equal(pd.concat(pieces, ignore_index=True), whole.frame[name])
    assert streamed.dialect == whole.dialect


def spread(*rare: str, common: str, n: int = 60) -> list[str]:
    """Mostly the same text; the rare ones come late and far from each other."""
    cells = [common] * n
    for place, text in enumerate(rare):
        cells[n - 1 - 7 * place] = text
    return cells


COLUMNS: dict[str, list[str]] = {
    "integers": [str(place * 37 - 100) for place in range(60)],
    "integers and gaps": spread("", "NA", "7", common="12"),
    "an integer with a leading zero at the end": spread("012", common="12"),
    "minus zero": spread("-0", common="12"),
    "the largest integer": spread(
        "9223372036854775807", "-9223372036854775808", common="1234567890123456789"
    ),
    "one more": spread("9223372036854775808", common="1234567890123456789"),
    "one less": spread("-9223372036854775809", common="-1234567890123456789"),
    "fixed decimals": [f"{place / 8:.3f}" for place in range(60)],
    "decimals": [str(place / 8) for place in range(60)],
    "a decimal at the end": spread("0.5", common="12"),
    "no leading zero": spread(".5", "12", common=".25"),
    "exponents": [f"{place + 0.5:.2e}" for place in range(60)],
    "large exponents": spread("1E+300", "2e5", common="1.5"),
    "infinite": spread("inf", "-Infinity", common="1.5"),
    "groups": [f"{place * 999:,}".replace(",", " ") for place in range(60)],
    "groups that are too large": spread("9 223 372 036 854 775 808", "12", common="1 234"),
    "groups and decimals": spread("1'234'567.5", "999.25", common="1'234.5"),
    "groups in doubt": ["732 829 320"] * 60,
    "booleans": spread("False", common="True"),
    "booleans and gaps": spread("", "FALSE", common="TRUE"),
    "booleans of two spellings": spread("true", common="True"),
    "texts": [f"text {place}" for place in range(60)],
    "texts and gaps": spread("", "NA", "n/a", "NA", common="text"),
    "numbers and a text": spread("about 5", common="12"),
    "countries": spread("NA", "FR", "DE", "", common="GB"),
    "two letters and NA": spread("NA", "FR", common="GB"),
    "gaps among few numbers": spread("3", "4", common="-"),
    "dots": spread("3", "?", common="."),
    "a dash among texts": spread("-", "None", common="mild"),
    "nothing": [""] * 60,
    "nothing in several spellings": spread("NA", "null", common=""),
    "dashes alone": ["-"] * 60,
    "telephone numbers": [f"+3361{place:07d}" for place in range(60)],
    "days": [f"2021-02-{place % 28 + 1:02d}" for place in range(60)],
    "accents": spread("été", "日本", common="naïve"),
}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_of_text_reads_in_pieces_as_it_reads_whole(
    column: str, delimiter: str, tmp_path: Path
) -> None:
    source = tmp_path / "table.csv"
    lines = [f"a{delimiter}b", *(f"{cell}{delimiter}x" for cell in COLUMNS[column])]
    source.write_text("\n".join(lines) + "\n", "utf-8")
    assert_same(source, tmp_path)


def test_all_columns_of_text_read_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sosie.sources.streamed_csv.BLOCK", 1024)  # a line has to fit
    pd.DataFrame(COLUMNS).to_csv(tmp_path / "table.csv", index=False, sep=";")
    assert_same(tmp_path / "table.csv", tmp_path)


@pytest.mark.parametrize("decimal", [".", ","])
def test_the_decimal_mark_of_the_file_decides_what_one_column_leaves_open(
    decimal: str, tmp_path: Path
) -> None:
    lines = ["a;b", *(f"{place},{place:03d};{place}{decimal}5" for place in range(1, 60))]
    (tmp_path / "table.csv").write_text("\n".join(lines), "utf-8")
    assert_same(tmp_path / "table.csv", tmp_path)


@pytest.mark.parametrize(
    "cells", [['"NA"', "NA", "x"], ['"NA"', '""', "x"], ['""', '"5"', '"7"'], ["NA", '"NA"', "5"]]
)
def test_quotes_tell_a_text_from_a_gap(cells: list[str], tmp_path: Path) -> None:
    lines = ["a,b", *(f'{cells[place * place % 3]},"line {place}\nand ""more"""' for place in range(50))]
    (tmp_path / "table.csv").write_text("\n".join(lines), "utf-8")
    assert_same(tmp_path / "table.csv", tmp_path)


def test_padding_and_another_encoding(tmp_path: Path) -> None:
    lines = ["a, b, c", *(f"{place}, {place / 4}, été" for place in range(60))]
    (tmp_path / "table.csv").write_bytes("\r\n".join(lines).encode("latin-1"))
    assert_same(tmp_path / "table.csv", tmp_path)


def parquet_columns() -> dict[str, Any]:
    place = np.arange(60)
    late = place == 55
    return {
        "integers": place,
        "integers and a gap": pa.array(
            [None if gap else int(at) for at, gap in zip(place, late, strict=True)]
        ),
        "a gap among booleans": pa.array(
            [None if gap else bool(at % 2) for at, gap in zip(place, late, strict=True)]
        ),
        "floats and a gap": np.where(late, np.nan, place / 8),
        "texts": [f"text {at % 4}" for at in place],
        "decimals": [Decimal(int(at)).scaleb(-2) for at in place],
        "days": [dt.date(2021, 1, 1) + dt.timedelta(days=int(at)) for at in place],
        "moments": pa.array(place, pa.timestamp("ms", tz="Europe/Paris")),
        "times": [dt.time(int(at) // 10, int(at) % 10) for at in place],
        "durations": pa.array(place, pa.duration("s")),
        "nothing": pa.nulls(60),
        "uuids and a gap": pa.array(
            [None if gap else bytes([at % 7] * 16) for at, gap in zip(place, late, strict=True)],
            pa.binary(16),
        ).cast(pa.uuid()),
    }


def test_a_parquet_file_reads_in_pieces_as_it_reads_whole(tmp_path: Path) -> None:
    pq.write_table(pa.table(parquet_columns()), tmp_path / "table.parquet", row_group_size=23)
    assert_same(tmp_path / "table.parquet", tmp_path)


def test_so_does_one_that_says_nothing_of_its_gaps(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table(parquet_columns()), path, row_group_size=23, write_statistics=False)
    assert_same(path, tmp_path)


def test_the_types_that_pandas_noted_are_those_of_each_piece(tmp_path: Path) -> None:
    place = np.arange(60)
    frame = pd.DataFrame(
        {
            "levels": pd.Categorical(np.array(list("abc"))[place % 3], ["z", "c", "b", "a"], ordered=True),
            "levels of integers": pd.Categorical(place // 20, [2, 9, 1, 0]),
            "objects": pd.Series([None if at == 50 else bool(at % 2) for at in place], dtype=object),
            "nullable": pd.Series(place, dtype="Int16").mask(place == 57),
            "months": pd.period_range("2020-01", periods=60, freq="M"),
            "Arrow moments": pd.Series(pd.Timestamp("2021-01-01"), place, dtype="timestamp[us][pyarrow]"),
            "index": place,
        }
    ).set_index("index")
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=23)
    assert_same(tmp_path / "table.parquet", tmp_path)


def test_an_index_that_pandas_stored_is_no_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(60), "y": ["text"] * 60}).drop(index=7)
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=23)
    assert_same(tmp_path / "table.parquet", tmp_path)


def test_a_name_that_pandas_noted_as_a_number_is_the_text_that_the_file_holds(tmp_path: Path) -> None:
    pd.DataFrame({0: np.arange(60), 1: ["text"] * 60}).to_parquet(tmp_path / "table.parquet")
    streamed = open_columns(tmp_path / "table.parquet", "table.parquet", tmp_path)
    assert streamed.names == ("0", "1")
    assert [piece.name for name in streamed.names for piece in streamed.pieces(name)] == ["0"] * 12 + [
        "1"
    ] * 12


def test_a_column_that_is_stored_as_two_does_not_shift_the_gaps_of_the_next(tmp_path: Path) -> None:
    spans = pd.DataFrame({"span": pd.IntervalIndex.from_breaks(np.arange(61))})
    table = pa.Table.from_pandas(spans).append_column("few", pa.array(range(60)))
    gappy = table.append_column("count", pa.array([None if at == 57 else at for at in range(60)]))
    pq.write_table(gappy, tmp_path / "table.parquet", row_group_size=23)
    assert_same(tmp_path / "table.parquet", tmp_path)


def test_levels_that_differ_from_group_to_group_are_those_of_the_whole(tmp_path: Path) -> None:
    schema = pa.schema([("ward", pa.dictionary(pa.int32(), pa.string()))])
    with pq.ParquetWriter(tmp_path / "table.parquet", schema) as file:
        for levels in (["x", "y"], ["z", "x"], ["w"]):
            file.write_table(pa.table({"ward": pa.array(levels * 4).dictionary_encode()}))
    assert_same(tmp_path / "table.parquet", tmp_path)


def test_a_damaged_piece_is_refused_without_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(
        pa.table({"x": [f"SECRET {at}" for at in range(60)]}), path, compression="none", use_dictionary=False
    )
    content = path.read_bytes()
    path.write_bytes(content[:8] + b"\xff" * 200 + content[208:])
    with pytest.raises(InputError, match="is not a Parquet file or is damaged") as caught:
        list(open_columns(path, path.name, tmp_path).pieces("x"))
    assert "SECRET" not in caught.value.message


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_files_laid_aside_are_for_their_owner_alone_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    (tmp_path / "aside").mkdir()
    source = tmp_path / "latin.csv"
    source.write_bytes("name,age\nJos\xe9,31\nAnna,40\n".encode("latin-1"))
    before = os.umask(umask)
    try:
        open_csv(source, source.name, ".csv", tmp_path / "aside")
    finally:
        os.umask(before)
    modes = {path.suffix: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "aside").iterdir()}
    assert modes == {".parquet": 0o600, ".txt": 0o600}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoted", [False, True])
def test_a_cut_never_falls_inside_of_a_record(end: str, quoted: bool, tmp_path: Path) -> None:
    note = '"a ""note"",' + end + ',of lines"' if quoted else 'a 5" note'
    lines = ["a;b;c", *(f'{place};{note if place % 3 else ""};6" x {place}' for place in range(60))]
    (tmp_path / "table.csv").write_bytes((end.join(lines) + end * 3).encode())
    assert_same(tmp_path / "table.csv", tmp_path)


def test_blank_lines_are_gaps_of_an_only_column_and_nothing_elsewhere(tmp_path: Path) -> None:
    for header, line in (("a", "1"), ("a,b", "1,2")):
        (tmp_path / "table.csv").write_text(
            header + "\n" + f"{line}\n" * 9 + "\n" * 300 + f"{line}\n", "utf-8"
        )
        assert_same(tmp_path / "table.csv", tmp_path)


def test_pieces_cut_elsewhere_than_row_groups_make_the_very_bytes(tmp_path: Path) -> None:
    rng, lengths = np.random.default_rng(0), [200_000, 200_001, 7, 262_144, 1]
    rows = sum(lengths)
    frame = pd.DataFrame(
        {"x": rng.normal(size=rows), "c": np.array(["a", "b", None])[rng.integers(0, 3, rows)]}
    )
    dialect = plain_parquet(frame)
    write_parquet(frame, dialect, tmp_path / "whole.parquet")
    ends = np.cumsum([0, *lengths])
    pieces = (frame.iloc[start:stop].reset_index(drop=True) for start, stop in pairwise(ends))
    write_pieces(pieces, rows, dialect, tmp_path / "pieces.parquet")
    assert (tmp_path / "pieces.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    metadata = pq.read_metadata(tmp_path / "pieces.parquet")
    groups = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    assert groups == [262_144, 262_144, 137_865]


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_a_file_that_may_not_be_read_is_unreadable(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(*_: object, **__: object) -> None:
        raise PermissionError  # root, who may run the tests, may read everything

    (tmp_path / name).touch()
    monkeypatch.setattr(Path, "open", forbid)
    with pytest.raises(InputError, match="ask for the right to read it") as error:
        local_file(str(tmp_path / name), tmp_path)
    assert error.value.code == "UNREADABLE_SOURCE"
