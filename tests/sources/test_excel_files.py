"""Excel: one sheet comes back with its types, formats, names and spellings."""

import datetime
import io
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from sosie.errors import InputError
from sosie.sources import ExcelDialect, Source, read_source, suffix, write_table

DAY = datetime.date(2020, 1, 1)
WHOLE_DAYS = [DAY + datetime.timedelta(days=i) for i in range(30)]


def saved(path: Path, rows: list[list[Any]], change: Callable[[Any], None] = lambda page: None) -> Path:
    book = openpyxl.Workbook()
    page: Any = book.active
    page.title = "Visits é"
    for row in rows:
        page.append(row)
    change(page)
    book.save(path)
    return path


def visits(tmp_path: Path) -> Source:
    """30 rows of every kind of cell, with gaps of several spellings."""
    names = ["id", "kg", "seen", "stamp", "ok", "at", "name", "count", "gone", 2020, "span", "maybe"]
    rows: list[list[Any]] = [names]
    for i, day in enumerate(WHOLE_DAYS):
        rows.append(
            [
                i,
                60.5 + i if i % 3 else None,
                day,
                datetime.datetime(2020, 1, 1, 3, 4, i),
                bool(i % 2),
                datetime.time(3, i),
                ["=x", "é", None][i % 3],
                i if i % 4 else "NA",
                None,
                1.5 * i,
                datetime.timedelta(hours=30 + i),
                [True, False, None][i % 3],
            ]
        )

    def change(page: Any) -> None:
        for row in page.iter_rows(min_row=2):
            row[1].number_format = "0.00"
            row[2].number_format = "dd/mm/yyyy"
            if row[6].value == "=x":
                row[6].data_type = "s"

    return read_source(saved(tmp_path / "visits.xlsx", rows, change))


def again(source: Source, tmp_path: Path) -> Source:
    write_table(source.frame, source.dialect, tmp_path / "copy.xlsx")
    return read_source(tmp_path / "copy.xlsx")


def refusal(path: Path | str) -> InputError:
    with pytest.raises(InputError) as caught:
        read_source(path)
    assert "Zaphod" not in "".join(traceback.format_exception(caught.value))
    return caught.value


def test_each_column_has_its_type(tmp_path: Path) -> None:
    assert visits(tmp_path).frame.dtypes.astype(str).to_dict() == {
        "id": "int64",
        "kg": "float64",
        "seen": "datetime64[s]",
        "stamp": "datetime64[s]",
        "ok": "bool",
        "at": "timedelta64[s]",
        "name": "str",
        "count": "Int64",
        "gone": "float64",
        "2020": "float64",
        "span": "timedelta64[s]",
        "maybe": "boolean",
    }


def test_what_is_written_is_read_as_the_same_table(tmp_path: Path) -> None:
    source = visits(tmp_path)
    copy = again(source, tmp_path)
    pd.testing.assert_frame_equal(copy.frame, source.frame)
    assert copy.dialect == source.dialect
    assert suffix(source.dialect) == ".xlsx"


def test_cells_stand_in_the_sheet_as_in_the_source(tmp_path: Path) -> None:
    again(visits(tmp_path), tmp_path)
    pages = [openpyxl.load_workbook(tmp_path / name)["Visits é"] for name in ("visits.xlsx", "copy.xlsx")]
    found = [
        [
            (cell.value, cell.number_format, cell.data_type)
            for row in page.iter_rows(min_row=2)
            for cell in row
            if cell.value
        ]
        for page in pages
    ]
    assert found[0] == found[1]
    assert [[cell.value for cell in page[1]] for page in pages][1][9] == 2020


def test_a_text_that_looks_like_a_formula_stays_a_text(tmp_path: Path) -> None:
    again(visits(tmp_path), tmp_path)
    cell = openpyxl.load_workbook(tmp_path / "copy.xlsx")["Visits é"]["G2"]
    assert (cell.value, cell.data_type) == ("=x", "s")


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    source = visits(tmp_path)
    for name in ("a.xlsx", "b.xlsx"):
        write_table(source.frame, source.dialect, tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        assert b"dcterms" not in archive.read("docProps/core.xml").split(b"xmlns:dcterms", 1)[-1][40:]


def test_the_first_sheet_is_read_unless_another_is_named(tmp_path: Path) -> None:
    path = tmp_path / "two.xlsx"
    book = openpyxl.Workbook()
    for name, value in (("first", 1), ("the second", 2)):
        page = book.create_sheet(name)
        page.append(["a"])
        page.append([value])
    del book["Sheet"]
    book.save(path)
    assert read_source(path).frame["a"].to_list() == [1]
    source = read_source(f"{path}?sheet=the%20second")
    assert source.frame["a"].to_list() == [2]
    assert source.name == "two.xlsx"
    assert isinstance(source.dialect, ExcelDialect)
    assert source.dialect.sheet == "the second"
    error = refusal(f"{path}?sheet=third")
    assert error.code == "UNREADABLE_SOURCE"
    assert "'first', 'the second'" in error.message


def test_a_sheet_of_a_file_without_sheets_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    assert refusal(f"{tmp_path / 'a.csv'}?sheet=x").code == "BAD_CONFIG"


def test_a_workbook_that_counts_from_1904_comes_back_so(tmp_path: Path) -> None:
    def change(page: Any) -> None:
        page.parent.epoch = CALENDAR_MAC_1904

    source = read_source(saved(tmp_path / "a.xlsx", [["d"], [DAY], [DAY]], change))
    assert source.frame["d"].to_list() == [pd.Timestamp(DAY)] * 2
    assert again(source, tmp_path).frame.equals(source.frame)
    assert openpyxl.load_workbook(tmp_path / "copy.xlsx").epoch == CALENDAR_MAC_1904


def test_blank_rows_and_columns_are_left_out(tmp_path: Path) -> None:
    source = read_source(saved(tmp_path / "a.xlsx", [[], [None, "a", None, "b"], [], [None, 1, None, 2], []]))
    assert source.frame.to_dict("list") == {"a": [1], "b": [2]}


def test_merged_cells_are_refused(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["Zaphod", None], ["a", "b"], [1, 2]]
    error = refusal(saved(tmp_path / "a.xlsx", rows, lambda page: page.merge_cells("A1:B1")))
    assert (error.code, "A1:B1" in error.message) == ("UNSUPPORTED_FORMAT", True)


def test_formulas_count_as_their_saved_values(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.xlsx", [["a", "twice"], [1, "=A2*2"], [2, "=A3*2"]])
    error = refusal(path)
    assert (error.code, error.columns) == ("UNREADABLE_SOURCE", ("twice",))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = (
        parts[sheet]
        .replace(b"<v></v>", b"<v>7</v>")
        .replace(b"<v/>", b"<v>7</v>")
        .replace(b"<v />", b"<v>7</v>")
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert read_source(path).frame["twice"].to_list() == [7, 7]


def test_errors_are_refused_and_not_available_is_missing(tmp_path: Path) -> None:
    source = read_source(saved(tmp_path / "a.xlsx", [["a"], [1], ["#N/A"], [3]]))
    assert source.frame["a"].isna().to_list() == [False, True, False]
    write_table(source.frame, source.dialect, tmp_path / "copy.xlsx")
    assert openpyxl.load_workbook(tmp_path / "copy.xlsx")["Visits é"]["A3"].data_type == "e"
    error = refusal(saved(tmp_path / "a.xlsx", [["a"], [1], ["#DIV/0!"]]))
    assert (error.code, error.columns) == ("UNREADABLE_SOURCE", ("a",))
    assert "1 cell(s)" in error.message


@pytest.mark.parametrize("rows", [[], [["a", "b"]]])
def test_a_sheet_without_rows_is_empty(tmp_path: Path, rows: list[list[Any]]) -> None:
    assert refusal(saved(tmp_path / "a.xlsx", rows)).code == "EMPTY_TABLE"


def test_duplicate_names_are_refused_with_their_positions(tmp_path: Path) -> None:
    error = refusal(saved(tmp_path / "a.xlsx", [["a", "b", "a"], [1, 2, 3]]))
    assert (error.code, error.columns) == ("DUPLICATE_COLUMNS", ("a",))


def test_damaged_workbooks_are_unreadable(tmp_path: Path) -> None:
    whole = saved(tmp_path / "a.xlsx", [["a"], *[["Zaphod"]] * 50]).read_bytes()
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("hello", "Zaphod")
    encrypted = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    for content in (b"a,b\n1,2\n", whole[:-10], whole[: len(whole) // 2], other.getvalue(), encrypted):
        (tmp_path / "a.xlsx").write_bytes(content)
        assert refusal(tmp_path / "a.xlsx").code == "UNREADABLE_SOURCE"


@pytest.mark.parametrize("name", ["a.xls", "a.xlsb", "a.xlsm", "a.ods"])
def test_spreadsheets_that_cannot_be_written_back_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    error = refusal(tmp_path / name)
    assert error.code == "UNSUPPORTED_FORMAT"
    assert "save it as .xlsx" in error.message


def test_a_column_that_the_source_does_not_have_is_an_error(tmp_path: Path) -> None:
    source = visits(tmp_path)
    with pytest.raises(ValueError, match="columns that the source does not have: new"):
        write_table(source.frame.assign(new=1), source.dialect, tmp_path / "copy.xlsx")
