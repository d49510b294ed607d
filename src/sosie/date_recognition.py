"""Which columns hold dates, times or durations, and the clock that reads and writes each."""

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from sosie.columns import quoted
from sosie.columns.cells import OBJECT, marker_of
from sosie.columns.clocks import (
    ArrowClock,
    NumpyClock,
    PeriodClock,
    ZonedClock,
    arrow_base,
    longest_unit,
    midnights,
)
from sosie.columns.date_texts import TextClock, as_texts, find_writing, is_text, offsets, parsed, unit_of
from sosie.columns.instant import Clock
from sosie.columns.object_clock import ObjectClock, base_of, held_by, read
from sosie.errors import InputError
from sosie.seen import Seen

Kind = Literal["date", "datetime", "duration"]

_TIME = (
    r"(?:(?P<between>[T ])\d{1,2}:\d\d(?P<seconds>:\d\d)?(?P<fraction>\.\d{1,9})?(?P<half> ?[AaPp][Mm])?"
    r"(?P<zone> ?(?:Z|[+-]\d\d:?\d\d))?)?"
)
_SHAPE = re.compile(r"(?P<a>\d{1,4})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{1,4})" + _TIME)
_NAMED = re.compile(
    r"(?:(?P<first>[A-Z][a-z]{2,8})(?P<mark>[ -])\d{1,2}|\d{1,2}(?P<mark2>[ -])[A-Z][a-z]{2,8})(?P<mark3>,? |-)\d{4}"
    + _TIME
)
_SOME = 50  # texts looked at before all are
_LONG = ("Y", "Q", "M", "W", "D", "B")  # periods of at least a day


@dataclass(frozen=True)
class Found:
    """A column taken for instants or durations."""

    kind: Kind
    clock: Clock
    reason: str
    mixed_offsets: bool = False


def find_dates(seen: Seen, declared: str | None, format_: str | None) -> Found | None:
    """What instants the column holds; None when it holds something else.

    `declared` is the type that the configuration gives. Raises InputError: `AMBIGUOUS_DATE` for texts whose day and
    month cannot be told apart, `BAD_DATE` for a declared date that the texts are not, `MIXED_TYPES` where some have a
    zone and others none.
    """
    series, dtype = seen.cells, seen.cells.dtype
    longest = "s" if declared == "datetime" else "D"
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _zoned(series, dtype, longest, "zoned datetime dtype")
    if isinstance(dtype, pd.PeriodDtype):
        long = str(dtype.freq.rule_code).split("-")[0].rstrip("ESD") or "D"
        return Found("date" if long in _LONG else "datetime", PeriodClock(dtype), "period dtype")
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        letter: Literal["m", "M"] = "m" if dtype.kind == "m" else "M"
        stored = np.datetime_data(series.to_numpy().dtype)[0]
        unit = longest_unit(series.to_numpy(), letter, stored, longest)
        reason = "duration dtype" if letter == "m" else "datetime dtype"
        return Found(_kind(letter, unit), NumpyClock(letter, unit, stored), reason)
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_temporal(dtype.pyarrow_dtype):
        return _arrow(series, dtype.pyarrow_dtype, longest)
    if dtype == OBJECT:
        return _objects(seen, longest) or _text(seen, declared, format_)
    if is_text(dtype) or (format_ is not None and pd.api.types.is_numeric_dtype(dtype)):
        return _text(seen, declared, format_)
    return None


def _kind(letter: str, unit: str) -> Kind:
    if letter == "m":
        return "duration"
    return "date" if unit in ("Y", "M", "D") else "datetime"


def _zoned(series: "pd.Series[Any]", dtype: pd.DatetimeTZDtype, longest: str, reason: str) -> Found:
    utc = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    wall = series.dt.tz_localize(None).dt.floor("D")
    known = series.notna()
    for first in (True, False) if longest == "D" else ():
        if (midnights(wall, dtype.tz, first) == series)[known].all():
            return Found("date", ZonedClock("D", dtype, True, first), reason)
    unit = longest_unit(utc, "M", dtype.unit, "s")
    return Found("datetime", ZonedClock(unit, dtype, False, True), reason)


def _arrow(series: "pd.Series[Any]", arrow: Any, longest: str) -> Found:
    reason = f"Arrow's {arrow}"
    if pa.types.is_timestamp(arrow) and arrow.tz is not None:
        dtype = pd.DatetimeTZDtype(arrow.unit, arrow.tz)
        return _zoned(series.astype(dtype), dtype, longest, reason)
    letter, base = arrow_base(arrow)
    if base == "D":
        return Found("date", ArrowClock(letter, "D", base, arrow), reason)
    ticks, missing = ArrowClock(letter, base, base, arrow).ticks(series)
    cells = ticks[~missing].astype(f"{letter}8[{base}]")
    unit = longest_unit(cells, letter, base, "s" if pa.types.is_time(arrow) else longest)
    return Found(_kind(letter, unit), ArrowClock(letter, unit, base, arrow), reason)


def _objects(seen: Seen, longest: str) -> Found | None:
    series, present = seen.cells, seen.present.cells
    kinds = {held_by(cell) for cell in present}
    if kinds in ({"Timestamp", "datetime"}, {"Timedelta", "timedelta"}):
        kinds = kinds & {"Timestamp", "Timedelta"}  # pandas' own can hold both
    held = kinds.pop() if len(kinds) == 1 else None
    if held is None:
        return None
    marker = marker_of(series)
    reason = f"{held} objects"
    if held == "date":
        return Found("date", ObjectClock("date", "D", "D", None, marker), reason)
    zones = [getattr(cell, "tzinfo", None) for cell in present]
    if any(zone is None for zone in zones) and any(zone is not None for zone in zones):
        raise InputError(
            "MIXED_TYPES",
            f"column {quoted([series.name])} mixes times with and without a zone: give all of them one",
            (series.name,),
        )
    times: Counter[Any] = Counter()
    for zone, count in zip(zones, seen.present.counts.tolist(), strict=True):
        times[zone] += count
    zone = max(times, key=times.__getitem__)
    base = base_of(held, present)
    letter = "m" if held in ("timedelta", "Timedelta", "time") else "M"
    cells = np.array([read(cell, base) for cell in present], dtype=np.int64).astype(f"{letter}8[{base}]")
    # a midnight in a zone is none in UTC: only days without a zone are dates
    unit = longest_unit(cells, letter, base, "s" if held == "time" or zone is not None else longest)
    clock = ObjectClock(held, unit, base, zone, marker)
    return Found(_kind(letter, unit), clock, reason, mixed_offsets=len(times) > 1)


def _text(seen: Seen, declared: str | None, format_: str | None) -> Found | None:
    series, first = seen.cells, next(iter(seen.present.cells), None)
    if not (declared or format_ or (isinstance(first, str) and any(_shapes(first)))):
        return None  # all must look like the first; spares most columns the rest
    texts = as_texts(seen.present.cells)
    if texts.empty or pd.api.types.infer_dtype(texts) != "string":
        return None
    places, different = pd.factorize(texts)
    distinct, rows = pd.Series(different, dtype=object), np.bincount(places, seen.present.counts)
    found = format_ or _format(distinct, series.name)
    if found is None:
        if declared is not None:
            raise InputError(
                "BAD_DATE",
                f"column {quoted([series.name])} is declared {declared}, but how it is written is not known: declare "
                'its format too, as {type: date, format: "%d/%m/%Y"}',
                (series.name,),
            )
        return None
    unread = int(rows[np.isnat(parsed(distinct, found))].sum()) if format_ else 0
    if unread:
        raise InputError(
            "BAD_DATE",
            f"column {quoted([series.name])} has {unread} of {int(rows.sum())} values that are not dates of the format "
            f"{found}: correct them, leave them missing, or declare another format",
            (series.name,),
        )
    zones = offsets(distinct) if "%z" in found else pd.Series(dtype=object)
    if zones.isna().any():
        raise InputError(
            "BAD_DATE",
            f"column {quoted([series.name])} does not end with its offset from UTC: write it last, as Z, +02:00 or "
            "+0200",
            (series.name,),
        )
    writing = find_writing(distinct, rows.astype(np.int64), found)
    unit = unit_of(distinct, writing)
    clock = TextClock(unit, series.dtype, writing, marker_of(series))
    reason = "declared" if format_ else f"text that reads as {found}"
    # a time that is written makes it a date with a time, also where all are midnight
    kind: Kind = "datetime" if re.search("%[HI]", found) else "date"
    return Found(kind, clock, reason, mixed_offsets=len(zones.unique()) > 1)


def formats_like(text: str) -> list[str]:
    """The formats that a column whose first text is this one may have."""
    shape, named = _shapes(text)
    if named is not None:
        return _named_formats(named)
    return [order + _time(shape) for order in _orders(shape)] if shape is not None else []


def _format(distinct: "pd.Series[Any]", name: Hashable) -> str | None:
    """The one format that all the texts fit; InputError `AMBIGUOUS_DATE` when day and month could change places."""
    fitting = [format_ for format_ in formats_like(distinct.iloc[0]) if _fits(distinct, format_)]
    if len(fitting) > 1 and "%m" in fitting[0]:  # short and long names of months may both be May
        raise InputError(
            "AMBIGUOUS_DATE",
            f"column {quoted([name])} holds dates whose day and month cannot be told apart: declare which comes first, "
            f'{{type: date, format: "{fitting[0]}"}} or "{fitting[1]}"',
            (name,),
        )
    return fitting[0] if fitting else None


def _shapes(text: str) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """The parts of a date in figures, and of one with a month's name."""
    return _SHAPE.fullmatch(text), _NAMED.fullmatch(text)


def _fits(distinct: "pd.Series[Any]", format_: str) -> bool:
    some = parsed(distinct[:_SOME], format_)
    return not np.isnat(some).any() and not np.isnat(parsed(distinct, format_)).any()


def _named_formats(shape: re.Match[str]) -> list[str]:
    """The formats of texts with English months, short or long: Jan 1 2000, 1 January 2000."""
    orders = [
        f"{month}{shape['mark']}%d" if shape["first"] else f"%d{shape['mark2']}{month}"
        for month in ("%b", "%B")
    ]
    return [f"{order}{shape['mark3']}%Y{_time(shape)}" for order in orders]


def _orders(shape: re.Match[str]) -> list[str]:
    mark = shape["mark"]
    if len(shape["a"]) == 4 and len(shape["c"]) <= 2:
        return [f"%Y{mark}%m{mark}%d"]
    if len(shape["c"]) == 4 and len(shape["a"]) <= 2:
        day_first = f"%d{mark}%m{mark}%Y"
        # nobody puts the month first between dots
        return [day_first] if mark == "." else [day_first, f"%m{mark}%d{mark}%Y"]
    return []  # two digits of a year could be a day too: only when declared


def _time(shape: re.Match[str]) -> str:
    if not shape["between"]:
        return ""
    parts = [
        shape["between"],
        "%I:%M" if shape["half"] else "%H:%M",
        ":%S" if shape["seconds"] else "",
        ".%f" if shape["fraction"] else "",
    ]
    if shape["half"]:
        parts.append(" %p" if shape["half"].startswith(" ") else "%p")
    if shape["zone"]:
        parts.append(" %z" if shape["zone"].startswith(" ") else "%z")
    return "".join(parts)


def refuse_kind(series: "pd.Series[Any]", declared: str, found: Found) -> None:
    """InputError `BAD_CONFIG` when a column is declared another kind of instant than it holds."""
    if declared == found.kind or (declared == "datetime" and found.kind == "date"):
        return
    raise InputError(
        "BAD_CONFIG",
        f"column {quoted([series.name])} is declared {declared} but holds a {found.kind}: change its type",
        (series.name,),
    )


def code_number(clock: Clock, code: Any, series: "pd.Series[Any]") -> int:
    """The tick of a missing code; InputError `BAD_CONFIG` when it is no instant that the column could hold."""
    try:
        if isinstance(clock, TextClock) and isinstance(code, str):
            read_code = parsed(pd.Series([code], dtype=object), clock.writing.format, clock.writing.offset)[0]
            if not np.isnat(read_code):
                return int(read_code.astype(f"M8[{clock.unit}]").astype(np.int64))
        if isinstance(clock, PeriodClock):
            freq: Any = clock.dtype.freq
            return int(pd.Period(code, freq=freq).ordinal)
        if not isinstance(clock, ZonedClock | TextClock) and clock.letter == "m":
            return int(pd.Timedelta(code).to_timedelta64().astype(f"m8[{clock.unit}]").astype(np.int64))
        instant = pd.Timestamp(code)
    except (ValueError, TypeError):
        raise InputError(
            "BAD_CONFIG",
            f"missing_codes of {quoted([series.name])} must be dates like those of the column",
            (series.name,),
        ) from None
    if isinstance(clock, ZonedClock) and not clock.wall:
        instant = instant.tz_localize(clock.dtype.tz) if instant.tzinfo is None else instant
        instant = instant.tz_convert("UTC")
    return int(np.datetime64(instant.tz_localize(None)).astype(f"M8[{clock.unit}]").astype(np.int64))
