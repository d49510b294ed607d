"""Reading Excel workbooks (.xlsx): the typed frame of one sheet and how its columns were formatted."""

import datetime
import io
import zipfile
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from sosie.errors import InputError
from sosie.sources.csv_spellings import SPELLINGS, missing_among_texts
from sosie.sources.damage import refusing_damage
from sosie.sources.extras import needed
from sosie.sources.names import refuse_duplicates

Moment = Literal["", "time", "duration"]


@dataclass(frozen=True)
class ExcelColumn:
    """How one column stands in a sheet.

    `heading` is the cell above it, `number_format` the commonest Excel format of its cells, `missing` what a cell
    without a value holds (nothing, or a spelling such as NA), `moment` tells times of day from durations.
    """

    heading: str | float | None
    number_format: str = "General"
    missing: str = ""
    moment: Moment = ""


@dataclass(frozen=True)
class ExcelDialect:
    """The sheet's name, its columns, and whether the workbook counts days from 1904."""

    sheet: str
    columns: tuple[ExcelColumn, ...]
    from_1904: bool = False

    def named(self) -> dict[str, ExcelColumn]:
        """The columns by their names in the frame."""
        return {_name(column.heading): column for column in self.columns}


def read_excel(raw: bytes, name: str, sheet: str | None) -> tuple[pd.DataFrame, ExcelDialect]:
    """The table in one sheet of a workbook: the first, or the one called `sheet`.

    The first row with a value holds the names; rows without any value are left out. Formulas count as the values that
    were saved with them. Raises InputError UNREADABLE_SOURCE for a damaged or encrypted workbook, a sheet that is not
    there, formulas without saved values and error cells other than #N/A, which is missing; UNSUPPORTED_FORMAT for
    merged cells; EMPTY_TABLE; DUPLICATE_COLUMNS.
    """
    openpyxl = needed("openpyxl", "excel", f"{name}, an Excel workbook,")
    with refusing_damage(name, "an Excel workbook (.xlsx)"):
        book = openpyxl.load_workbook(io.BytesIO(raw), data_only=True)
        page = _page(book, sheet, name)
        rows = [row for row in page.iter_rows() if any(cell.value is not None for cell in row)]
        merged = [str(area) for area in page.merged_cells.ranges]
        unsaved = _unsaved_formulas(openpyxl, raw, page, rows)
    if merged:
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"sheet {page.title!r} of {name} has {len(merged)} merged area(s), the first {merged[0]}; "
            "unmerge them, with one row of names above one row for each individual",
        )
    if len(rows) < 2:
        raise InputError("EMPTY_TABLE", f"sheet {page.title!r} of {name} has no row under a row of names")
    used = [i for i in range(len(rows[0])) if any(row[i].value is not None for row in rows)]
    headings = [_heading(rows[0][i].value) for i in used]
    names = [_name(heading) for heading in headings]
    refuse_duplicates(names, name)
    if unsaved:
        columns = tuple(_name(rows[0][i].value) for i in sorted(unsaved))
        raise InputError(
            "UNREADABLE_SOURCE",
            f"{name} has formulas whose results were never saved, in {', '.join(columns)}; "
            "open it in a spreadsheet program and save it",
            columns,
        )
    read = [
        _column([row[i] for row in rows[1:]], heading, name)
        for i, heading in zip(used, headings, strict=True)
    ]
    frame = pd.DataFrame({label: cells for label, (cells, _) in zip(names, read, strict=True)})
    from_1904 = book.epoch == openpyxl.utils.datetime.CALENDAR_MAC_1904
    return frame, ExcelDialect(page.title, tuple(column for _, column in read), from_1904)


def _page(book: Any, sheet: str | None, name: str) -> Any:
    pages = {page.title: page for page in book.worksheets}
    if not pages:
        raise InputError("EMPTY_TABLE", f"{name} has no sheet with cells")
    if sheet is not None and sheet not in pages:
        raise InputError(
            "UNREADABLE_SOURCE",
            f"{name} has no sheet of that name; its sheets: {', '.join(map(repr, pages))}",
        )
    return pages[sheet] if sheet is not None else book.worksheets[0]


def _unsaved_formulas(openpyxl: Any, raw: bytes, page: Any, rows: list[Any]) -> set[int]:
    """The positions of columns with formulas that have no saved result."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        sheets = [part for part in archive.namelist() if part.startswith("xl/worksheets/")]
        if not any(mark in archive.read(part) for part in sheets for mark in (b"<f>", b"<f ")):
            return set()
    found = set()
    for row in openpyxl.load_workbook(io.BytesIO(raw))[page.title].iter_rows():
        for position, cell in enumerate(row):
            if cell.data_type == "f" and page.cell(cell.row, cell.column).value is None:
                found.add(position)
    return found if rows else set()


def _heading(value: object) -> str | float | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float, type(None))):
        return str(value)
    return value


def _name(heading: object) -> str:
    return "" if heading is None else str(heading)


def _column(cells: list[Any], heading: str | float | None, name: str) -> tuple["pd.Series[Any]", ExcelColumn]:
    errors = [cell for cell in cells if cell.data_type == "e" and cell.value != "#N/A"]
    if errors:
        raise InputError(
            "UNREADABLE_SOURCE",
            f"column {_name(heading)!r} of {name} has {len(errors)} cell(s) with an error such as a division by zero; "
            "correct or empty them",
            (_name(heading),),
        )
    values = [cell.value for cell in cells]
    missing = _missing([value for value in values if value is not None])
    spelled = Counter(value for value in values if isinstance(value, str) and value in missing)
    present = [
        None if value is None or (isinstance(value, str) and value in missing) else value for value in values
    ]
    formats = Counter(
        cell.number_format for cell, value in zip(cells, present, strict=True) if value is not None
    )
    blank = sum(value is None for value in values)
    commonest = spelled.most_common(1)[0] if spelled else ("", 0)
    return _typed(present), ExcelColumn(
        heading,
        formats.most_common(1)[0][0] if formats else "General",
        commonest[0] if commonest[1] > blank else "",
        _moment(present),
    )


def _missing(values: list[Any]) -> set[str]:
    """The texts that mean missing: among numbers more words do than among texts, as in delimited files."""
    texts = list({value for value in values if isinstance(value, str)})
    if any(not isinstance(value, str) for value in values):
        return {text for text in texts if text in SPELLINGS} if set(texts) <= set(SPELLINGS) else {"", "#N/A"}
    found = missing_among_texts(pa.array(texts, pa.string()))
    return {text for text, is_missing in zip(texts, found.to_pylist(), strict=True) if is_missing}


def _moment(present: list[Any]) -> Moment:
    kinds = {type(value) for value in present} - {type(None)}
    if kinds == {datetime.time}:
        return "time"
    return "duration" if kinds == {datetime.timedelta} else ""


def _typed(values: list[Any]) -> "pd.Series[Any]":
    """The cells as bool, int64, float64, datetime64, timedelta64 or str, nullable with gaps; mixed ones as object."""
    kinds = {type(value) for value in values} - {type(None)}
    gaps = any(value is None for value in values)
    if not kinds:
        return pd.Series(np.full(len(values), np.nan))
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean" if gaps else "bool")
    if kinds == {int} and all(value is None or abs(value) < 2**63 for value in values):
        return pd.Series(values, dtype="Int64" if gaps else "int64")
    if kinds <= {int, float}:
        return pd.Series([np.nan if value is None else float(value) for value in values], dtype="float64")
    if kinds == {str}:
        return pd.Series(values, dtype="str")
    if kinds == {datetime.datetime}:
        whole = all(value is None or not value.microsecond for value in values)
        return pd.Series(np.array(values, dtype=f"datetime64[{'s' if whole else 'us'}]"))
    if _moment(values):
        spans = [_since_midnight(value) if isinstance(value, datetime.time) else value for value in values]
        whole = all(value is None or not value.microseconds for value in spans)
        return pd.Series(np.array(spans, dtype=f"timedelta64[{'s' if whole else 'us'}]"))
    return pd.Series(values, dtype=object)


def _since_midnight(time: datetime.time) -> datetime.timedelta:
    return datetime.timedelta(
        hours=time.hour, minutes=time.minute, seconds=time.second, microseconds=time.microsecond
    )
