"""Dates and times written as text: read and written in one format, as the source wrote them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sosie.columns.arrow_texts import arrow_texts, held_by_arrow
from sosie.columns.cells import OBJECT, Dtype, Floats, Mask, Ticks, with_marker
from sosie.columns.clocks import in_days, instants, longest_unit

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_PADDED = "dmHI"  # directives that are written with or without a leading zero
Objects = NDArray[np.object_]

# What each directive writes, and of which part of an instant.
_WRITERS: dict[str, tuple[str, Callable[[int], str]]] = {
    "d": ("day", "{:02d}".format),
    "m": ("month", "{:02d}".format),
    "Y": ("year", "{:04d}".format),
    "y": ("year", lambda year: f"{year % 100:02d}"),
    "H": ("hour", "{:02d}".format),
    "I": ("hour", lambda hour: f"{(hour - 1) % 12 + 1:02d}"),
    "M": ("minute", "{:02d}".format),
    "S": ("second", "{:02d}".format),
    "p": ("hour", lambda hour: "AM" if hour < 12 else "PM"),
    "j": ("day of the year", "{:03d}".format),
    "b": ("month", lambda month: _MONTHS[month - 1][:3]),
    "B": ("month", lambda month: _MONTHS[month - 1]),
    "a": ("weekday", lambda weekday: _DAYS[weekday][:3]),
    "A": ("weekday", lambda weekday: _DAYS[weekday]),
    "%": ("year", lambda _: "%"),
}
DIRECTIVES = (*_WRITERS, "f", "z")
# From the finest directive of a format follows what it can tell apart.
_UNITS = (
    ("f", "us"),
    ("S", "s"),
    ("M", "m"),
    ("H", "h"),
    ("I", "h"),
    ("d", "D"),
    ("j", "D"),
    ("m", "M"),
    ("b", "M"),
)


@dataclass(frozen=True)
class Writing:
    """How a column's dates are written: `unpadded` directives without a leading zero, so many `fraction` digits.

    `offset` is the offset from UTC in minutes that every date is written with, as `offset_text` (empty: none).
    """

    format: str
    unpadded: str = ""
    fraction: int = 6
    offset: int = 0
    offset_text: str = ""

    def texts(self, ticks: Ticks, unit: str) -> Objects:
        """(n,) ticks of the writing's own wall clock as texts."""
        parts = _parts(ticks, unit)
        texts: Any = np.full(len(ticks), "", dtype=object)
        for literal, letter in re.findall("([^%]*)(?:%(.))?", self.format):
            if literal:
                texts = texts + literal
            if letter:
                texts = texts + self._written(letter, parts)
        held: Objects = texts
        return held

    def _written(self, letter: str, parts: dict[str, Ticks]) -> Any:
        if letter == "z":
            return self.offset_text
        if letter == "f":
            return _looked_up(parts["nanosecond"], lambda count: f"{count:09d}"[: self.fraction])
        part, write = _WRITERS[letter]
        if letter in self.unpadded:
            return _looked_up(parts[part], lambda value: write(value).removeprefix("0"))
        return _looked_up(parts[part], write)


@dataclass(frozen=True)
class TextClock:
    """Instants as text, or as whole numbers such as 20210203; ticks are of the wall clock that the text shows."""

    unit: str
    dtype: Dtype
    writing: Writing
    marker: object

    def ticks(self, series: "pd.Series[Any]") -> tuple[Ticks, Mask]:
        """(n,) ticks, and where cells are missing or are no such dates."""
        codes, distinct = pd.factorize(as_texts(series))
        read = parsed(pd.Series(distinct, dtype=object), self.writing.format, self.writing.offset)
        ticks = np.where(np.isnat(read), 0, read.astype(f"M8[{self.unit}]").astype(np.int64))
        missing = (codes < 0) | np.append(np.isnat(read), True)[codes]
        return np.where(missing, 0, np.append(ticks, 0)[codes]), missing

    def cells(self, ticks: Ticks, missing: Mask) -> Any:
        """An array of texts, each distinct instant written once."""
        places, distinct = pd.factorize(ticks)
        written = self.writing.texts(distinct, self.unit)
        if held_by_arrow(self.dtype):
            return arrow_texts(written, places, missing, self.dtype)
        texts = written[places]
        if self.dtype == OBJECT:
            return with_marker(texts, missing, self.marker)
        if pd.api.types.is_numeric_dtype(self.dtype):
            whole = np.array([int(text) for text in np.where(missing, "0", texts)], dtype=np.int64)
            if isinstance(self.dtype, np.dtype):
                return (
                    np.where(missing, np.nan, whole) if self.dtype.kind == "f" else whole.astype(self.dtype)
                )
            return pd.Series(pd.arrays.IntegerArray(whole, missing)).astype(self.dtype).array
        texts[missing] = None
        dtype: Any = self.dtype  # pandas' stubs know each dtype by name only
        return pd.array(texts, dtype=dtype)

    def days(self, ticks: Ticks) -> Floats:
        """The ticks in days since 1970."""
        return in_days(ticks, "M", self.unit)


def as_texts(series: "pd.Series[Any]") -> "pd.Series[Any]":
    """The cells as texts; whole numbers without a decimal point, others as they are: no date."""
    if pd.api.types.is_numeric_dtype(series.dtype):
        return series.astype(object).map(
            lambda cell: str(int(cell) if float(cell).is_integer() else cell), na_action="ignore"
        )
    return series.astype(object)


def parsed(distinct: "pd.Series[Any]", format_: str, offset: int | None = 0) -> Any:
    """(n,) numpy instants that the texts are in this format, NaT where they are not.

    With an offset in the format they are of the wall clock at `offset` minutes from UTC.
    """
    if "%z" in format_:
        read = pd.to_datetime(distinct, format=format_, errors="coerce", utc=True)
        shifted = read + pd.Timedelta(minutes=offset or 0)
        return shifted.dt.tz_localize(None).to_numpy()
    return pd.to_datetime(distinct, format=format_, errors="coerce").to_numpy()


def _parts(ticks: Ticks, unit: str) -> dict[str, Ticks]:
    """The parts of instants that directives write."""
    whole = instants(ticks, np.zeros(len(ticks), dtype=bool), "M", unit)
    years, months, days, seconds = (whole.astype(f"M8[{letter}]").astype(np.int64) for letter in "YMDs")
    first = {letter: whole.astype(f"M8[{letter}]").astype("M8[D]").astype(np.int64) for letter in "YM"}
    within = seconds - days * 86_400
    finer = {"ms": 10**3, "us": 10**6, "ns": 10**9}.get(unit)
    return {
        "year": years + 1970,
        "month": months % 12 + 1,
        "day": days - first["M"] + 1,
        "day of the year": days - first["Y"] + 1,
        "weekday": (days + 3) % 7,
        "hour": within // 3600,
        "minute": within // 60 % 60,
        "second": within % 60,
        "nanosecond": (ticks - seconds * finer) * (10**9 // finer) if finer else np.zeros_like(ticks),
    }


def _looked_up(values: Ticks, write: Callable[[int], str]) -> Objects:
    """Each value written, equal ones once."""
    places, distinct = pd.factorize(values)
    return np.array([write(int(value)) for value in distinct], dtype=object)[places]


def spellings(texts: "pd.Series[Any]", format_: str, read: Any) -> NDArray[np.int64]:
    """(n,) whole numbers, equal for texts that are spelled alike: the same but for their figures.

    A leading zero tells two apart, and so do a part that is below ten, which touching figures hide, and the offset that
    a format reads. `read` is what `parsed` gives without an offset.
    """
    held = pc.replace_substring_regex(
        pa.array(texts.to_numpy(dtype=object), pa.string()), r"(^|\D)0(\d)", r"\1o\2"
    )
    told = pc.replace_substring_regex(held, r"\d", "9").dictionary_encode().indices
    shapes: NDArray[np.int64] = told.to_numpy().astype(np.int64)
    if "%z" not in format_:
        return shapes * 16 + _below_ten(read)
    places, different = pd.factorize(offsets(texts))
    minutes = np.array([*map(_minutes, different), 0], dtype="m8[m]")
    own = np.where(np.isnat(read), read, read + minutes[places])  # the wall clock that each text shows
    return (shapes * (len(different) + 1) + places) * 16 + _below_ten(own)


def _below_ten(read: Any) -> NDArray[np.int64]:
    """Which parts that may be written without a leading zero are below ten: day, month, hour, hour of twelve."""
    parts = _parts(np.where(np.isnat(read), 0, read.astype("M8[s]").astype(np.int64)), "s")
    padded = (parts["day"], parts["month"], parts["hour"], (parts["hour"] - 1) % 12 + 1)
    return np.asarray(sum((part < 10).astype(np.int64) << place for place, part in enumerate(padded)))


def find_writing(distinct: "pd.Series[Any]", rows: NDArray[np.int64], format_: str) -> Writing:
    """How texts that all fit a format are written: so that the most rows come back; (n,) `rows` hold each text."""
    offset, offset_text = _offset(distinct, rows) if "%z" in format_ else (0, "")
    fractions = (
        distinct.str.extract(r"[.,](\d+)\D*$", expand=False).dropna().str.len() if "%f" in format_ else None
    )
    fraction = 6 if fractions is None or fractions.empty else int(fractions.max())
    spelled = spellings(distinct, format_, parsed(distinct, format_))
    _, first, places = np.unique(spelled, return_index=True, return_inverse=True)
    stand_for, texts = np.bincount(places, rows), distinct.to_numpy(dtype=object)[first]
    instants_read = parsed(distinct.iloc[first], format_, offset)
    present = [letter for letter in _PADDED if f"%{letter}" in format_]
    best, most = Writing(format_, "", fraction, offset, offset_text), -1.0
    for flags in product((False, True), repeat=len(present)):
        unpadded = "".join(letter for letter, flag in zip(present, flags, strict=True) if flag)
        writing = Writing(format_, unpadded, fraction, offset, offset_text)
        unit = "ns" if fraction > 6 and "%f" in format_ else "us"
        ticks = instants_read.astype(f"M8[{unit}]").astype(np.int64)
        same = stand_for[writing.texts(ticks, unit) == texts].sum()
        if same > most:
            best, most = writing, same
    return best


def unit_of(distinct: "pd.Series[Any]", writing: Writing) -> str:
    """The longest unit that the texts are whole in and that their format can write."""
    finest = next((unit for letter, unit in _UNITS if f"%{letter}" in writing.format), "Y")
    if finest in ("Y", "M", "D"):
        return finest
    read = parsed(distinct, writing.format, writing.offset)
    if finest in ("m", "h"):
        midnight = (read.astype("M8[D]") == read).all()
        return "D" if midnight else finest
    stored = "us" if read.dtype == np.dtype("M8[us]") else str(np.datetime_data(read.dtype)[0])
    return longest_unit(read, "M", stored)


def offsets(distinct: "pd.Series[Any]") -> "pd.Series[Any]":
    """The offset that each text ends with, as written."""
    return distinct.str.extract(r"(Z|[+-]\d\d:?\d\d)$", expand=False)


def _offset(distinct: "pd.Series[Any]", rows: NDArray[np.int64]) -> tuple[int, str]:
    """The offset from UTC that most rows have: in minutes, and as written; of several the first in order."""
    text = str(pd.Series(rows).groupby(offsets(distinct).to_numpy()).sum().idxmax())
    return _minutes(text), text


def _minutes(offset: str) -> int:
    """An offset from UTC in minutes."""
    digits = offset[1:].replace(":", "") or "0000"
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return -minutes if offset[0] == "-" else minutes


def is_text(dtype: Dtype) -> bool:
    """Whether a column holds text, objects aside."""
    if not isinstance(dtype, pd.ArrowDtype):
        return isinstance(dtype, pd.StringDtype)
    return any(test(dtype.pyarrow_dtype) for test in (pa.types.is_string, pa.types.is_large_string))
