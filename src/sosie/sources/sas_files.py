"""SAS files: transport files (.xpt) come back as they were; tables (.sas7bdat) come back as transport files."""

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sosie.sources.calendars import Clock
from sosie.sources.damage import refusing_damage
from sosie.sources.extras import needed
from sosie.sources.variables import Read, Variable, numbers_read, selected, table_read, texts_read, values_of

_EPOCH = "1960-01-01"
_DATETIME = re.compile(r"(DATETIME|DATEAMPM|MDYAMPM|(IS8601|E8601|B8601)(DT|DN|DZ)|DTDATE)", re.IGNORECASE)
_DATE = re.compile(
    r"(DATE|DAY|(MM|DD|YY)(MM|DD|YY)(MM|DD|YY)|YYMM|MMYY|MONYY|YYMON|JULIAN|WEEKDAT|WORDDAT|EUR|NLDATE|(IS8601|E8601|B8601)DA)",
    re.IGNORECASE,
)
_SPAN = re.compile(r"(TIME|HHMM|TOD|MMSS|(IS8601|E8601|B8601)TM)", re.IGNORECASE)
_DECIMALS = re.compile(r"\.[1-9]")
_MOMENT = re.compile(rb"[0-9]{2}[A-Z]{3}[0-9]{2}:[0-9]{2}:[0-9]{2}:[0-9]{2}")
_NO_TIME = b"01JAN70:00:00:00"
_HEADER = 80 * 8  # the records that note when the file was written


@dataclass(frozen=True)
class SasDialect:
    """How one SAS file was written: its variables, label, the table's name, and the transport version (5 or 8)."""

    variables: tuple[Variable, ...]
    label: str
    table: str
    version: int


def read_sas(raw: bytes, name: str, extension: str) -> tuple[pd.DataFrame, SasDialect]:
    """The table in the bytes of a SAS transport file, or of a .sas7bdat table.

    Formats tell dates, datetimes and times from numbers; value labels lie outside these files, in catalogues. Special
    missing values (.A to .Z) are missing. Raises InputError UNREADABLE_SOURCE, EMPTY_TABLE, DUPLICATE_COLUMNS.
    """
    pyreadstat = needed("pyreadstat", "sas", f"{name}, a SAS file,")
    parse = pyreadstat.read_xport if extension == ".xpt" else pyreadstat.read_sas7bdat
    with refusing_damage(name, "a SAS file"):
        raw_frame, meta = parse(io.BytesIO(raw), disable_datetime_conversion=True)
        read = [_read(raw_frame.iloc[:, i], label, meta) for i, label in enumerate(meta.column_names)]
        frame = table_read(read, name)
        dialect = SasDialect(
            variables=tuple(each.variable for each in read),
            label=meta.file_label or "",
            table=meta.table_name or "",
            version=5 if extension == ".xpt" and b"LIBV8" not in raw[:80] else 8,
        )
    return frame, dialect


def write_sas(frame: pd.DataFrame, dialect: SasDialect, path: Path) -> None:
    """Write `frame`, whose columns are some or all of the source's with its types, to `path`: a transport file.

    No open library writes .sas7bdat; SAS reads transport files (by its XPORT engine). The same frame gives the same
    bytes. Raises ValueError for a column that the source does not have.
    """
    pyreadstat = needed("pyreadstat", "sas", "a SAS file")
    variables = selected(frame, dialect.variables)
    pyreadstat.write_xport(
        pd.DataFrame({each.name: values_of(frame[each.name], each) for each in variables}),
        str(path),
        file_label=dialect.label,
        column_labels={each.name: each.label for each in variables if each.label},
        table_name=dialect.table or None,
        file_format_version=dialect.version,
        variable_format={each.name: each.format for each in variables if each.format},
    )
    content = path.read_bytes()
    path.write_bytes(_MOMENT.sub(_NO_TIME, content[:_HEADER]) + content[_HEADER:])


def _read(column: "pd.Series[Any]", name: str, meta: Any) -> Read:
    sas_format = meta.original_variable_types.get(name) or ""
    variable = Variable(name, meta.column_names_to_labels.get(name) or "", sas_format, _clock(sas_format))
    if meta.readstat_variable_types.get(name) == "string":
        return texts_read(column, variable, {}, ordered=False)
    whole = not _DECIMALS.search(sas_format)
    return numbers_read(column.to_numpy(float), variable, {}, whole=whole, ordered=False)


def _clock(sas_format: str) -> Clock | None:
    if _DATETIME.match(sas_format):
        return Clock("s", _EPOCH)
    if _SPAN.match(sas_format):
        return Clock("s")
    return Clock("D", _EPOCH) if _DATE.match(sas_format) else None
