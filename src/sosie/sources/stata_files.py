"""Stata files (.dta): storage types, labels and formats come back."""

import io
import re
import warnings
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from pandas.io import stata

from sosie.errors import InputError, Notice
from sosie.sources.calendars import Clock
from sosie.sources.damage import refusing_damage
from sosie.sources.extras import needed
from sosie.sources.variables import (
    Read,
    Variable,
    merged_reasons,
    numbers_read,
    selected,
    table_read,
    texts_read,
    values_of,
)

_EPOCH = "1960-01-01"
_STORAGE = {
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "float": "float32",
    "double": "float64",
    "string": "str",
}
_NO_TIME = datetime(1970, 1, 1)
_LABEL = 80  # characters that a label may have; other programs write more
_VERSION = re.compile(rb"<stata_dta><header><release>([0-9]{3})</release>")


@dataclass(frozen=True)
class StataDialect:
    """How one Stata file was written: its variables, the dtypes of their numbers, label and format version."""

    variables: tuple[Variable, ...]
    storage: tuple[str, ...]
    label: str
    version: int


def read_stata(raw: bytes, name: str) -> tuple[pd.DataFrame, StataDialect, tuple[Notice, ...]]:
    """The table in the bytes of a Stata file, how it was written, and what is lost.

    Numbers have Stata's own width (int8 to int32, float32, float64), nullable with gaps. A variable whose present
    values all have labels is a category of these labels; %td, %tc and %tC are datetime64; weeks, months, quarters,
    half-years and years are integers with their format. The extended missing values .a to .z are missing. Raises
    InputError UNREADABLE_SOURCE, EMPTY_TABLE, DUPLICATE_COLUMNS.
    """
    pyreadstat = needed("pyreadstat", "stata", f"{name}, a Stata file,")
    with refusing_damage(name, "a Stata file"):
        _, meta = pyreadstat.read_dta(io.BytesIO(raw), disable_datetime_conversion=True, user_missing=True)
        raw_frame, labels = _cells(raw)
        read = [
            _read(raw_frame.iloc[:, i], str(label), meta, labels) for i, label in enumerate(raw_frame.columns)
        ]
        frame = table_read(read, name)
        found = _VERSION.match(raw)
        dialect = StataDialect(
            variables=tuple(each.variable for each in read),
            storage=tuple(_STORAGE[meta.readstat_variable_types[each.variable.name]] for each in read),
            label=meta.file_label or "",
            version=int(found[1]) if found else raw[0],
        )
    return frame, dialect, merged_reasons([name for name, codes in meta.missing_user_values.items() if codes])


def write_stata(frame: pd.DataFrame, dialect: StataDialect, path: Path) -> None:
    """Write `frame`, whose columns are some or all of the source's with its types, to `path`.

    In the source's version of the format, 114 at least. The same frame gives the same bytes. Raises ValueError for a
    column, or a level, that the source does not have, InputError UNSUPPORTED_FORMAT for texts that the version cannot
    hold.
    """
    variables = selected(frame, dialect.variables)
    storage = dict(zip((each.name for each in dialect.variables), dialect.storage, strict=True))
    cells = {each.name: _stored(values_of(frame[each.name], each), storage[each.name]) for each in variables}
    try:
        with path.open("wb") as file:
            _write(file, pd.DataFrame(cells), variables, dialect)
    except UnicodeEncodeError:
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"the table has texts that version {dialect.version} of Stata's format cannot hold; save the source "
            "as version 118 or later",
        ) from None


def _write(file: IO[bytes], cells: pd.DataFrame, variables: list[Variable], dialect: StataDialect) -> None:
    # pandas would rename what Stata does not allow, but other programs write: so the names come last
    plain = [f"v{i}" for i in range(len(variables))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        writer = _writer(dialect.version)(
            file,
            cells.set_axis(plain, axis="columns"),
            write_index=False,
            time_stamp=_NO_TIME,
            data_label=dialect.label[:_LABEL] or None,
            variable_labels={name: each.label[:_LABEL] for name, each in zip(plain, variables, strict=True)},
            value_labels={
                name: each.value_labels() for name, each in zip(plain, variables, strict=True) if each.codes
            },
        )
        writer.varlist = [each.name for each in variables]
        for labels in writer._value_labels:
            labels.labname = writer.varlist[plain.index(labels.labname)]
        # pandas has no argument for display formats, which a date needs to be one
        writer.fmtlist = [
            each.format or default for each, default in zip(variables, writer.fmtlist, strict=True)
        ]
        writer.write_file()


def _cells(raw: bytes) -> tuple[pd.DataFrame, dict[str, dict[float, str]]]:
    opened: Any = stata.StataReader(io.BytesIO(raw), convert_dates=False, convert_categoricals=False)
    with opened as reader:
        frame = reader.read(preserve_dtypes=True)
        return frame, reader.value_labels()


def _read(column: "pd.Series[Any]", name: str, meta: Any, sets: dict[str, dict[float, str]]) -> Read:
    stata_format = meta.original_variable_types.get(name) or ""
    variable = Variable(name, meta.column_names_to_labels.get(name) or "", stata_format, _clock(stata_format))
    labels = sets.get(meta.variable_to_label.get(name, ""), {})
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return texts_read(column, variable, {}, ordered=False)
    read = numbers_read(column.to_numpy(), variable, labels, whole=False, ordered=False)
    narrow = _narrow(column, meta.readstat_variable_types.get(name, ""))
    if narrow is None or read.variable.is_labelled or read.variable.clock is not None:
        return read
    return Read(narrow, read.variable)


def _narrow(column: "pd.Series[Any]", kind: str) -> "pd.Series[Any] | None":
    """Integers with gaps, which pandas reads as floats, in their own width."""
    if kind in ("int8", "int16", "int32") and isinstance(column.dtype, np.dtype) and column.dtype.kind == "f":
        return _cast(column, kind.replace("i", "I"))
    return None


def _cast(column: "pd.Series[Any]", dtype: str) -> "pd.Series[Any]":
    cast: pd.Series[Any] = column.astype(pd.api.types.pandas_dtype(dtype))
    return cast


def _clock(stata_format: str) -> Clock | None:
    if re.match(r"%-?[0-9]*(td|d)", stata_format):
        return Clock("D", _EPOCH)
    return Clock("ms", _EPOCH) if re.match(r"%-?[0-9]*t[cC]", stata_format) else None


def _stored(values: "pd.Series[Any]", storage: str) -> "pd.Series[Any]":
    """The numbers in the width that the source stores them in."""
    if values.dtype == object:
        return values.where(values.notna(), "")
    if storage.startswith("int"):
        return _cast(values.round(), storage.replace("i", "I") if values.isna().any() else storage)
    return _cast(values, storage)


def _writer(version: int) -> Any:
    writers: Any = stata  # its stubs know the first writer only
    if version < 117:
        return writers.StataWriter
    return writers.StataWriter117 if version == 117 else writers.StataWriterUTF8
