"""SPSS files (.sav, .zsav): values, labels, formats and measures come back."""

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sosie.errors import Notice
from sosie.sources.calendars import Clock
from sosie.sources.damage import refusing_damage
from sosie.sources.extras import needed
from sosie.sources.variables import (
    Variable,
    merged_reasons,
    numbers_read,
    selected,
    table_read,
    texts_read,
    values_of,
)

_EPOCH = "1582-10-14"
_DATE = re.compile(r"(DATE|ADATE|EDATE|JDATE|SDATE|QYR|MOYR|WKYR|DATETIME|YMDHMS)[0-9.]*$")
_SPAN = re.compile(r"(TIME|DTIME|MTIME)[0-9.]*$")
_SHOWS_DECIMALS = re.compile(r"\.[1-9]")
_CLOCK = slice(92, 109)  # where the header notes the day and the time of writing
_NO_TIME = b"01 Jan 7000:00:00"

Range = tuple[float | str, float | str]


@dataclass(frozen=True)
class SpssDialect:
    """How one SPSS file was written.

    `missing` are the ranges of values that each variable declares missing (both ends included), `measures` and `widths`
    what SPSS calls measure and columns; `compression` is 0 (none), 1 (bytes) or 2 (zlib, .zsav).
    """

    variables: tuple[Variable, ...]
    missing: tuple[tuple[Range, ...], ...]
    measures: tuple[str, ...]
    widths: tuple[int, ...]
    label: str
    notes: tuple[str, ...]
    compression: int


def read_spss(raw: bytes, name: str) -> tuple[pd.DataFrame, SpssDialect, tuple[Notice, ...]]:
    """The table in the bytes of an SPSS file, how it was written, and what is lost.

    A variable whose present values all have labels is a category of these labels, ordered if its measure is ordinal;
    dates and times are datetime64 and timedelta64; whole numbers shown without decimals are integers. Values declared
    missing are missing. Raises InputError UNREADABLE_SOURCE, EMPTY_TABLE, DUPLICATE_COLUMNS.
    """
    pyreadstat = needed("pyreadstat", "spss", f"{name}, an SPSS file,")
    with refusing_damage(name, "an SPSS file"):
        raw_frame, meta = pyreadstat.read_sav(io.BytesIO(raw), disable_datetime_conversion=True)
        declared = _declared_missing(pyreadstat, raw)
        reasons = _reasons(pyreadstat, raw, list(declared), raw_frame)
        read = [_read(raw_frame.iloc[:, i], label, meta) for i, label in enumerate(meta.column_names)]
        frame = table_read(read, name)
        dialect = SpssDialect(
            variables=tuple(each.variable for each in read),
            missing=tuple(declared.get(label, ()) for label in meta.column_names),
            measures=tuple(meta.variable_measure.get(label) or "unknown" for label in meta.column_names),
            widths=tuple(int(meta.variable_display_width.get(label) or 8) for label in meta.column_names),
            label=meta.file_label or "",
            notes=tuple(meta.notes or ()),
            compression=2 if raw.startswith(b"$FL3") else raw[72],
        )
    return frame, dialect, merged_reasons(reasons)


def write_spss(frame: pd.DataFrame, dialect: SpssDialect, path: Path) -> None:
    """Write `frame`, whose columns are some or all of the source's with its types, to `path`.

    The same frame gives the same bytes. Raises ValueError for a column, or a level, that the source does not have.
    """
    pyreadstat = needed("pyreadstat", "spss", "an SPSS file")
    variables = selected(frame, dialect.variables)
    values = {each.name: values_of(frame[each.name], each) for each in variables}
    kept = [i for i, each in enumerate(dialect.variables) if each.name in values]
    names = [each.name for each in dialect.variables]
    pyreadstat.write_sav(
        pd.DataFrame(values),
        str(path),
        file_label=dialect.label,
        column_labels={each.name: each.label for each in variables if each.label},
        variable_value_labels={each.name: each.value_labels() for each in variables if each.codes},
        variable_format={each.name: each.format for each in variables if each.format},
        missing_ranges={
            names[i]: [_as_written(ends) for ends in dialect.missing[i]] for i in kept if dialect.missing[i]
        },
        variable_measure={names[i]: dialect.measures[i] for i in kept},
        variable_display_width={names[i]: dialect.widths[i] for i in kept},
        note=list(dialect.notes) or None,
        compress=dialect.compression == 2,
        row_compress=dialect.compression == 1,
    )
    content = bytearray(path.read_bytes())
    content[_CLOCK] = _NO_TIME
    path.write_bytes(content)


def _read(column: "pd.Series[Any]", name: str, meta: Any) -> Any:
    spss_format = meta.original_variable_types.get(name) or ""
    variable = Variable(name, meta.column_names_to_labels.get(name) or "", spss_format, _clock(spss_format))
    labels = meta.variable_value_labels.get(name, {})
    ordered = meta.variable_measure.get(name) == "ordinal"
    if meta.readstat_variable_types.get(name) == "string":
        return texts_read(column, variable, labels, ordered=ordered)
    whole = not _SHOWS_DECIMALS.search(spss_format)
    return numbers_read(column.to_numpy(float), variable, labels, whole=whole, ordered=ordered)


def _clock(spss_format: str) -> Clock | None:
    if _DATE.match(spss_format):
        return Clock("s", _EPOCH)
    return Clock("s") if _SPAN.match(spss_format) else None


def _declared_missing(pyreadstat: Any, raw: bytes) -> dict[str, tuple[Range, ...]]:
    """The ranges of values that each variable declares missing, where there are any."""
    _, meta = pyreadstat.read_sav(io.BytesIO(raw), user_missing=True, metadataonly=True)
    return {
        name: tuple((ends["lo"], ends["hi"]) for ends in ranges)
        for name, ranges in meta.missing_ranges.items()
    }


def _reasons(pyreadstat: Any, raw: bytes, names: list[str], frame: pd.DataFrame) -> list[str]:
    """The variables among `names` with cells whose value is declared missing."""
    if not names:
        return []
    kept, _ = pyreadstat.read_sav(
        io.BytesIO(raw), user_missing=True, disable_datetime_conversion=True, usecols=names
    )
    return [name for name in names if kept[name].notna().sum() > frame[name].notna().sum()]


def _as_written(ends: Range) -> float | str | dict[str, float | str]:
    low, high = ends
    return low if low == high else {"lo": low, "hi": high}
