"""What a column's stored numbers measure: on which exact scale, and as the amounts and dates of expressions."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import pandas as pd

from sosie.arithmetic import Dates, Moments
from sosie.columns import Fixed, Floats, Instant, Number, Numeric
from sosie.columns.clocks import ArrowClock, NumpyClock, PeriodClock, ZonedClock
from sosie.columns.object_clock import ObjectClock

Nature = str
_SECONDS = {
    "D": Fraction(86_400),
    "h": Fraction(3_600),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
}
_DAY_IN_MICROSECONDS = 86_400e6


@dataclass(frozen=True)
class Measure:
    """A stored number x stands for (x + origin)·step: of 1 for numbers, of a second for instants and durations.

    Only columns of one nature can be compared: `number`, `duration`, `date` (without zone), `zoned`, or one of a kind
    of its own. `unit` is what one is in an expression, where times are days.
    """

    position: int
    nature: Nature
    step: Fraction
    origin: int
    unit: Fraction


def measure_of(column: Numeric, position: int) -> Measure:
    """What the numbers of a column measure; `position` is its place among the numeric columns."""
    if isinstance(column, Number):
        return Measure(position, "number", Fraction(1), column.origin, Fraction(1))
    if isinstance(column, Fixed):
        return Measure(position, "number", Fraction(10) ** -column.places, column.origin, Fraction(1))
    nature, length = _nature(column), getattr(column.clock, "unit", "")
    if length not in _SECONDS:  # months and years have no fixed length
        return Measure(position, f"{nature} by {length}", Fraction(1), column.origin, Fraction(1))
    return Measure(position, nature, _SECONDS[length], column.origin, Fraction(1, 86_400))


def _nature(column: Instant) -> Nature:
    clock = column.clock
    match clock:
        case NumpyClock() | ArrowClock() if clock.letter == "m":
            return "duration"
        case ObjectClock() if clock.letter == "m":
            return "time of day" if clock.held == "time" else "duration"
        case ArrowClock():
            return "zoned" if getattr(clock.type, "tz", None) else "date"
        case ObjectClock():
            return "date" if clock.zone is None else "zoned"
        case ZonedClock():
            return f"day of {clock.dtype.tz}" if clock.wall else "zoned"
        case PeriodClock():
            return f"period of {clock.dtype.freq}"
    return "date"


Reading = Literal["number", "date", "neither"]


def reading_of(column: Numeric) -> Reading:
    """What an expression may read the column as."""
    if not isinstance(column, Instant):
        return "number"
    nature = _nature(column)
    if nature == "duration":
        return "number"
    return "date" if nature in ("date", "zoned") or nature.startswith("day of") else "neither"


def amounts(column: Numeric, numbers: Floats) -> Floats:
    """(n,) stored numbers as people and expressions read them: numbers, durations in days, dates in days since 1970."""
    return numbers + column.origin if isinstance(column, Number) else column.axis(numbers)


def from_amounts(column: Numeric, found: Floats) -> Floats:
    """(n,) amounts as the column would store them, not yet rounded."""
    measure = measure_of(column, 0)
    stored: Floats = found / float(measure.step * measure.unit) - measure.origin
    return stored


def moments(column: Instant, numbers: Floats) -> Moments:
    """(n,) stored instants as an expression reads them."""
    days = column.axis(numbers)
    missing = np.isnan(days)
    counted = np.rint(np.where(missing, 0.0, days) * _DAY_IN_MICROSECONDS).astype(np.int64)
    elapsed: Dates = np.where(missing, np.datetime64("NaT", "us"), counted.astype("datetime64[us]"))
    zone = _zone(column)
    if zone is None:
        return Moments(elapsed, elapsed)
    local = pd.Series(elapsed).dt.tz_localize("UTC").dt.tz_convert(zone).dt.tz_localize(None)
    return Moments(elapsed, np.asarray(local.to_numpy(), dtype="datetime64[us]"))


def _zone(column: Instant) -> object | None:
    """The zone whose calendar tells the local date; None where the ticks already are of the calendar."""
    clock = column.clock
    match clock:
        case ZonedClock(wall=False):
            return clock.dtype.tz
        case ArrowClock():
            return getattr(clock.type, "tz", None)
        case ObjectClock():
            return clock.zone
    return None
