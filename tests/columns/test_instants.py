"""Dates, times, durations and decimals come back as they went in, to the last digit that their storage has."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sosie.columns import Fixed, Instant, encode
from sosie.columns.clocks import PeriodClock
from sosie.recognition import Declaration, recognise


def objects(*cells: object) -> "pd.Series[Any]":
    return pd.Series(list(cells), dtype=object)


def moments(*texts: str | None, unit: str = "us") -> "pd.Series[Any]":
    return pd.Series(np.array([text or "NaT" for text in texts], dtype=f"M8[{unit}]"))


def arrow(type_: Any, *cells: object) -> "pd.Series[Any]":
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(list(cells)).cast(type_)))


PARIS, HAVANA = "Europe/Paris", "America/Havana"
EAST = dt.timezone(dt.timedelta(hours=2))
DAYS = dt.date(2021, 1, 31), None, dt.date(1, 1, 1)

# The unit that the column's numbers count in, and the column.
SERIES: dict[str, tuple[str, "pd.Series[Any]"]] = {
    "days in s": ("D", moments("2021-01-03", "1021-01-03", None, unit="s")),
    "seconds in ms": ("s", moments("2021-01-03T10:00", "1921-01-03", None, unit="ms")),
    "milliseconds in ns": ("ms", moments("2021-01-03T10:00:00.123", None, unit="ns")),
    "us": ("us", moments("2021-01-03T10:00:00.123456", "0021-01-03", None)),
    "ns": ("ns", moments("2021-01-03T10:00:00.123456789", "2021-01-03T10", None, unit="ns")),
    "no instant at all": ("D", moments(None, None)),
    "zone": (
        "s",
        moments("2021-03-28T01:30", "2021-10-31T01:00", None).dt.tz_localize("UTC").dt.tz_convert(PARIS),
    ),
    "zone, both sides of an hour that is twice there": (
        "s",
        moments("2021-10-31T00:30", "2021-10-31T01:30", None).dt.tz_localize("UTC").dt.tz_convert(PARIS),
    ),
    "midnights of a zone": ("D", moments("2021-03-27", "2021-10-31", None).dt.tz_localize(PARIS)),
    "a midnight that does not exist": (
        "D",
        moments("2018-03-10", "2018-03-11", None).dt.tz_localize(HAVANA, nonexistent="shift_forward"),
    ),
    "a midnight that is twice there": (
        "D",
        moments("2018-11-04", "2018-03-11", None).dt.tz_localize(
            HAVANA, nonexistent="shift_forward", ambiguous=np.array([False, True, True])
        ),
    ),
    "fixed offset": ("s", moments("2021-01-03T10:00", None).dt.tz_localize(EAST)),
    "durations": ("s", pd.Series(pd.to_timedelta([1, None, 90], unit="min"))),
    "durations in ns": ("ns", pd.Series(np.array([5, 10**15, "NaT"], dtype="m8[ns]"))),
    "object dates": ("D", objects(*DAYS)),
    "object dates with nan": ("D", objects(dt.date(2021, 1, 31), np.nan)),
    "object datetimes": ("us", objects(dt.datetime(2021, 1, 1), pd.NaT, dt.datetime(2099, 1, 1, 3, 4, 5, 6))),
    "object datetimes in a zone": ("s", objects(dt.datetime(2021, 1, 1, tzinfo=EAST), None)),
    "object Timestamps": ("s", objects(pd.Timestamp("2021-01-01T10:00"), None)),
    "object Timestamps in ns": ("ns", objects(pd.Timestamp("2021-01-01T10:00:00.123456789"), pd.NA)),
    "object Timestamps in a zone": ("s", objects(pd.Timestamp("2021-07-01", tz=PARIS), None)),
    "object durations": ("s", objects(dt.timedelta(1, 3), None)),
    "object Timedeltas": ("ns", objects(pd.Timedelta(3, "ns"), None)),
    "object times": ("us", objects(dt.time(23, 59, 59, 5), None)),
    "Arrow timestamps": ("ms", arrow(pa.timestamp("ns"), dt.datetime(2021, 1, 1, 0, 0, 0, 5000), None)),
    "Arrow timestamps in a zone": (
        "s",
        arrow(pa.timestamp("ms", tz=PARIS), dt.datetime(2021, 1, 1), dt.datetime(2021, 7, 1), None),
    ),
    "Arrow midnights of a zone": (
        "D",
        moments("2021-03-27", "2021-10-31", None)
        .dt.tz_localize(PARIS)
        .astype(pd.ArrowDtype(pa.timestamp("us", PARIS))),
    ),
    "Arrow date32": ("D", arrow(pa.date32(), *DAYS)),
    "Arrow date64": ("D", arrow(pa.date64(), *DAYS)),
    "Arrow durations": ("s", arrow(pa.duration("ms"), dt.timedelta(seconds=61), None)),
    "Arrow time32": ("s", arrow(pa.time32("s"), dt.time(23, 59, 59), None)),
    "Arrow time64": ("us", arrow(pa.time64("us"), dt.time(23, 59, 59, 5), None)),
}
TEXTS: dict[str, tuple[str, "pd.Series[Any]"]] = {
    "%Y-%m-%d": ("D", pd.Series(["2021-01-03", None, "0999-12-31"])),
    "%Y/%m/%d": ("D", pd.Series(["2021/01/03", None, "1999/12/31"])),
    "%d/%m/%Y": ("D", pd.Series(["03/02/2021", None, "31/12/1999"])),
    "%m/%d/%Y": ("D", pd.Series(["02/03/2021", None, "12/31/1999"])),
    "%d.%m.%Y": ("D", pd.Series(["03.02.2021", None, "01.12.1999"], dtype="string")),
    "%d-%m-%Y": ("D", pd.Series(["03-02-2021", None, "31-12-1999"], dtype=pd.ArrowDtype(pa.string()))),
    "%d/%m/%Y %H:%M": ("m", objects("3/2/2021 08:05", None, "31/12/1999 18:05")),
    "%m/%d/%Y %I:%M %p": ("m", pd.Series(["12/31/2021 11:05 PM", None, "02/01/1999 12:00 AM"])),
    "%Y-%m-%d %H:%M:%S": ("D", pd.Series(["2021-01-03 00:00:00", None, "1999-12-31 00:00:00"])),
    "%Y-%m-%dT%H:%M:%S": ("s", pd.Series(["2021-01-03T10:00:00", None, "1999-12-31T00:00:01"])),
    "%Y-%m-%d %H:%M:%S.%f": ("ms", pd.Series(["2021-01-03 10:00:00.120", None, "1999-12-31 10:00:00.500"])),
    "%Y-%m-%dT%H:%M:%S.%f%z": (
        "us",
        pd.Series(["2021-01-03T10:00:00.123456Z", None, "2021-01-03T10:00:00.000000Z"]),
    ),
    "%Y-%m-%dT%H:%M:%S%z": ("s", pd.Series(["2021-01-03T10:00:00+01:00", None, "1999-12-31T00:00:01+01:00"])),
    "%Y-%m-%d %H:%M %z": ("m", pd.Series(["2021-01-03 10:00 -0330", None, "1999-12-31 00:01 -0330"])),
}


def round_trip(series: "pd.Series[Any]", **declared: Any) -> Instant:
    frame = pd.DataFrame({"x": series})
    before = frame.copy(deep=True)
    columns = recognise(frame, {"x": Declaration(**declared)}).columns
    back = encode(frame, columns).to_frame()
    pd.testing.assert_frame_equal(back, before)
    pd.testing.assert_frame_equal(frame, before)
    kinds = [[type(cell) for cell in some["x"].astype(object)] for some in (back, before)]
    assert kinds[0] == kinds[1]
    (column,) = columns
    assert isinstance(column, Instant)
    return column


def unit_of_ticks(column: Instant) -> str:
    assert not isinstance(column.clock, PeriodClock)
    return column.clock.unit


@pytest.mark.parametrize("name", SERIES)
def test_an_instant_comes_back_as_it_went_in(name: str) -> None:
    unit, series = SERIES[name]
    assert unit_of_ticks(round_trip(series)) == unit


@pytest.mark.parametrize("freq", ["Y", "Q", "Q-MAR", "M", "W", "W-WED", "D", "h", "min", "s", "ms"])
def test_a_period_comes_back_as_it_went_in(freq: str) -> None:
    cells: Any = [pd.Period("2021-03-01", freq), pd.NaT, pd.Period("2019-01-08", freq)]
    column = round_trip(pd.Series(pd.PeriodIndex(cells)))
    assert column.kind == ("datetime" if freq in ("h", "min", "s", "ms") else "date")


@pytest.mark.parametrize("format_", TEXTS)
def test_a_date_as_text_comes_back_as_it_was_written(format_: str) -> None:
    unit, series = TEXTS[format_]
    column = round_trip(series)
    assert format_ in column.reason
    assert column.kind == ("datetime" if "M" in format_.replace("%m", "") else "date")
    assert unit_of_ticks(column) == unit


@pytest.mark.parametrize(
    ("cells", "format_"),
    [
        (["03/02/21", "31/12/99", None], "%d/%m/%y"),
        (["3 Feb 2021", "31 Dec 1999"], "%d %b %Y"),
        (["February 3, 2021", "December 31, 1999"], "%B %d, %Y"),
        (["2021-034", "1999-365"], "%Y-%j"),
        (["02/2021", "12/1999"], "%m/%Y"),
        (["2021", "1999"], "%Y"),
        (["week of Wed 03/02/2021", "week of Fri 31/12/1999"], "week of %a %d/%m/%Y"),
        (["3/02/2021", "13/12/1999"], "%d/%m/%Y"),
    ],
)
def test_a_declared_format_is_read_and_written(cells: list[str | None], format_: str) -> None:
    round_trip(pd.Series(cells), format=format_)
    round_trip(pd.Series(cells, dtype=object), type="date", format=format_)


@pytest.mark.parametrize("dtype", ["int64", "int32", "Int64", "float64"])
def test_whole_numbers_may_be_declared_dates(dtype: str) -> None:
    round_trip(pd.Series([20210203, 19991231, 20210204], dtype=dtype), type="date", format="%Y%m%d")


@pytest.mark.parametrize(
    ("series", "days"),
    [
        (moments("2021-01-02T12:00", "1970-01-01"), [18629.5, 0.0]),
        (moments("2021-01-02", "1970-01-01", unit="s"), [18629.0, 0.0]),
        (moments("2021-01-02").dt.tz_localize(PARIS), [18629.0]),
        (moments("2021-01-02T01:00").dt.tz_localize(PARIS), [18629.0]),
        (objects(dt.date(2021, 1, 2)), [18629.0]),
        (pd.Series(["02.01.2021"]), [18629.0]),
        (pd.Series(pd.PeriodIndex(["2021-01"], freq="M")), [18628.0]),
        (pd.Series(pd.to_timedelta([36], unit="h")), [1.5]),
        (objects(dt.time(18)), [0.75]),
    ],
)
def test_distributions_are_laid_on_days(series: "pd.Series[Any]", days: list[float]) -> None:
    frame = pd.DataFrame({"x": series})
    table = encode(frame, recognise(frame, {}).columns)
    assert table.number_columns[0].axis(table.numbers[:, 0]).tolist() == days


def test_numbers_of_an_instant_are_whole_and_start_at_0() -> None:
    frame = pd.DataFrame({"x": moments("2021-01-05", "2021-01-02", None)})
    numbers = encode(frame, recognise(frame, {}).columns).numbers[:, 0]
    np.testing.assert_array_equal(numbers, [3.0, 0.0, np.nan])


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        ([Decimal("1.50"), None, Decimal("-2.25")], object),
        ([Decimal("12345678901234567890123.50"), None, Decimal("12345678901234567890123.25")], object),
        ([Decimal("1.50"), None, Decimal("-2.25")], pd.ArrowDtype(pa.decimal128(12, 2))),
        ([Decimal(15), None, Decimal(-2)], pd.ArrowDtype(pa.decimal128(12, 0))),
    ],
)
def test_decimals_come_back_to_their_last_place(cells: list[Decimal | None], dtype: Any) -> None:
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=dtype)})
    columns = recognise(frame, {}).columns
    back = encode(frame, columns).to_frame()
    assert isinstance(columns[0], Fixed)
    pd.testing.assert_frame_equal(back, frame)
    assert [str(cell) for cell in back["x"]] == [str(cell) for cell in frame["x"]]


@pytest.mark.parametrize(
    ("format_", "odd"), [("%d%m%Y", "1512020"), ("%Y%m%d", "2020115"), ("%d/%m/%Y %H:%M", "5/1/2020 09:00")]
)
def test_one_text_that_lacks_a_zero_does_not_take_those_of_the_others(format_: str, odd: str) -> None:
    days = pd.date_range("2020-11-15 07:00", periods=1000, freq="29h")
    series = pd.Series([*days.strftime(format_), odd], dtype="str", name="x")
    (column,) = recognise(series.to_frame(), {"x": Declaration(format=format_)}).columns
    assert isinstance(column, Instant)
    assert (column.cells(column.numbers(series)) == series).sum() == 1000
