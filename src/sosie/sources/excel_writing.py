"""Writing a frame as an Excel workbook, formatted as its source."""

import datetime
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd

from sosie.errors import InputError
from sosie.sources.excel_files import ExcelColumn, ExcelDialect
from sosie.sources.extras import needed

_ROWS = 1 << 14
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip archive can hold
_CLOCK = re.compile(rb"<dcterms:(created|modified)[^>]*>[^<]*</dcterms:\1>")


def write_excel(frame: pd.DataFrame, dialect: ExcelDialect, path: Path) -> None:
    """Write `frame`, whose columns are some or all of the source's with its types, to `path`.

    One sheet, called as the source's; cells have their column's number format. The same frame gives the same
    bytes. Raises ValueError for a column that the source does not have, InputError UNSUPPORTED_FORMAT for more rows
    than a sheet holds.
    """
    openpyxl = needed("openpyxl", "excel", "an Excel workbook")
    columns = dialect.named()
    unknown = [str(name) for name in frame.columns if name not in columns]
    if unknown:
        raise ValueError(f"columns that the source does not have: {', '.join(unknown)}")
    if len(frame) >= 2**20:
        raise InputError(
            "UNSUPPORTED_FORMAT", f"a sheet has no room for {len(frame)} rows; use CSV or Parquet"
        )
    book = openpyxl.Workbook(write_only=True)
    if dialect.from_1904:
        book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    page = book.create_sheet(dialect.sheet)
    written = [columns[name] for name in frame.columns]
    page.append([_cell(openpyxl, page, column.heading, "General") for column in written])
    for start in range(0, len(frame), _ROWS):
        rows = frame.iloc[start : start + _ROWS]
        cells = [
            [_cell(openpyxl, page, value, column.number_format) for value in _values(rows.iloc[:, i], column)]
            for i, column in enumerate(written)
        ]
        for row in zip(*cells, strict=True):
            page.append(row)
    content = io.BytesIO()
    book.save(content)
    path.write_bytes(_timeless(content))


def _values(series: "pd.Series[Any]", column: ExcelColumn) -> list[Any]:
    """The cells as Excel's own kinds of value; a missing one as the source spells it."""
    missing = column.missing or None
    cells = series.astype(object).to_list()
    gaps = series.isna().to_list()
    return [missing if gap else _value(cell, column) for cell, gap in zip(cells, gaps, strict=True)]


def _value(cell: Any, column: ExcelColumn) -> Any:
    if isinstance(cell, pd.Timestamp):
        return cell.to_pydatetime(warn=False)
    if isinstance(cell, pd.Timedelta):
        span = cell.to_pytimedelta()
        return (datetime.datetime.min + span).time() if column.moment == "time" else span
    return cell.item() if hasattr(cell, "item") else cell


def _cell(openpyxl: Any, page: Any, value: Any, number_format: str) -> Any:
    if value is None:
        return None
    cell = openpyxl.cell.WriteOnlyCell(page, value)
    if isinstance(value, str):
        # a text that looks like a formula is still a text; #N/A is Excel's own missing value
        cell.data_type = "e" if value == "#N/A" else "s"
    if number_format != "General":
        cell.number_format = number_format
    return cell


def _timeless(content: io.BytesIO) -> bytes:
    """The archive without the time of writing, which openpyxl and zip note."""
    result = io.BytesIO()
    with zipfile.ZipFile(content) as before, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as after:
        for part in before.namelist():
            entry = zipfile.ZipInfo(part, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            held = before.read(part)
            after.writestr(entry, _CLOCK.sub(b"", held) if part == "docProps/core.xml" else held)
    return result.getvalue()
