"""How instants of every storage become whole ticks, and come back.

A clock's `unit` is numpy's letter for the length of a tick (Y M D h m s ms us ns), the longest that every value of the
column is a whole number of. Ticks count from 1970 for instants, from 0 for durations and times of day. Every clock
gives (n,) ticks and where cells are missing (their ticks are 0), cells as an array of the column's dtype, and ticks in
days.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from sosie.columns.cells import Floats, Mask, Ticks

_NOTHING = np.iinfo(np.int64).min  # numpy's NaT
_DAY_IN_MICROSECONDS = 86_400e6
_COARSE = ("D", "s", "ms", "us")


@dataclass(frozen=True)
class NumpyClock:
    """Instants (letter M) or durations (m) of numpy, of any unit; `stored` is the column's own unit."""

    letter: Literal["M", "m"]
    unit: str
    stored: str

    def ticks(self, series: "pd.Series[Any]") -> tuple[Ticks, Mask]:
        """(n,) ticks, and where cells are missing."""
        return _counted(series.to_numpy(), self.letter, self.unit)

    def cells(self, ticks: Ticks, missing: Mask) -> Any:
        """An array of the stored unit."""
        return instants(ticks, missing, self.letter, self.unit).astype(f"{self.letter}8[{self.stored}]")

    def days(self, ticks: Ticks) -> Floats:
        """The ticks in days."""
        return in_days(ticks, self.letter, self.unit)


@dataclass(frozen=True)
class ZonedClock:
    """Instants in a zone. `wall`: days of the local calendar, each at its first instant; else ticks of UTC.

    `first` tells which midnight is meant where the clocks went back over it.
    """

    unit: str
    dtype: pd.DatetimeTZDtype
    wall: bool
    first: bool

    def ticks(self, series: "pd.Series[Any]") -> tuple[Ticks, Mask]:
        """(n,) ticks, and where cells are missing."""
        if self.wall:
            return _counted(series.dt.tz_localize(None).to_numpy(), "M", "D")
        return _counted(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), "M", self.unit)

    def cells(self, ticks: Ticks, missing: Mask) -> Any:
        """An array of the zone's dtype."""
        stored = f"M8[{self.dtype.unit}]"
        naive = pd.Series(instants(ticks, missing, "M", self.unit).astype(stored))
        if self.wall:
            return midnights(naive, self.dtype.tz, self.first).astype(self.dtype).array
        return naive.dt.tz_localize("UTC").dt.tz_convert(self.dtype.tz).astype(self.dtype).array

    def days(self, ticks: Ticks) -> Floats:
        """The ticks in days."""
        return in_days(ticks, "M", self.unit)


@dataclass(frozen=True)
class ArrowClock:
    """Arrow's timestamps, dates, durations and times of day; `base` is the unit that Arrow counts in."""

    letter: Literal["M", "m"]
    unit: str
    base: str
    type: Any

    def ticks(self, series: "pd.Series[Any]") -> tuple[Ticks, Mask]:
        """(n,) ticks, and where cells are missing."""
        cells = pa.array(series, from_pandas=True)
        if isinstance(cells, pa.ChunkedArray):
            cells = cells.combine_chunks()
        width = pa.int32() if self.type.bit_width == 32 else pa.int64()
        missing = np.asarray(cells.is_null())
        counts = np.asarray(cells.cast(width).cast(pa.int64()).fill_null(0))
        return counts.astype(f"{self.letter}8[{self.base}]").astype(f"{self.letter}8[{self.unit}]").astype(
            np.int64
        ), missing

    def cells(self, ticks: Ticks, missing: Mask) -> Any:
        """An Arrow array of the column's type."""
        counts = ticks.astype(f"{self.letter}8[{self.unit}]").astype(f"{self.letter}8[{self.base}]")
        width = pa.int32() if self.type.bit_width == 32 else pa.int64()
        held = pa.array(counts.astype(np.int64), mask=missing, type=pa.int64()).cast(width)
        return pd.arrays.ArrowExtensionArray(held.cast(self.type))

    def days(self, ticks: Ticks) -> Floats:
        """The ticks in days."""
        return in_days(ticks, self.letter, self.unit)


@dataclass(frozen=True)
class PeriodClock:
    """Periods of any frequency, counted as pandas does."""

    dtype: pd.PeriodDtype

    def ticks(self, series: "pd.Series[Any]") -> tuple[Ticks, Mask]:
        """(n,) ordinals, and where cells are missing."""
        missing = series.isna().to_numpy()
        return np.where(missing, 0, series.astype("int64").to_numpy()), missing

    def cells(self, ticks: Ticks, missing: Mask) -> Any:
        """An array of periods."""
        return _periods(np.where(missing, _NOTHING, ticks), self.dtype).array

    def days(self, ticks: Ticks) -> Floats:
        """The days on which the periods start."""
        starts = _periods(ticks, self.dtype).to_timestamp().to_numpy()
        return np.asarray(starts.astype("M8[us]").astype(np.int64) / _DAY_IN_MICROSECONDS)


def instants(ticks: Ticks, missing: Mask, letter: str, unit: str) -> Any:
    """Ticks as numpy instants or durations, NaT where missing."""
    return np.where(missing, _NOTHING, ticks).astype(f"{letter}8[{unit}]")


def in_days(ticks: Ticks, letter: str, unit: str) -> Floats:
    """Ticks in days, since 1970 for instants."""
    # Microseconds hold every unit's range; nanoseconds end in 2262.
    exact = ticks.astype(f"{letter}8[{unit}]").astype(f"{letter}8[us]").astype(np.int64)
    return np.asarray(exact / _DAY_IN_MICROSECONDS)


def arrow_base(type_: Any) -> tuple[Literal["m", "M"], str]:
    """Whether one of Arrow's temporal types holds instants (M) or lengths (m), and the unit that it counts in."""
    letter: Literal["m", "M"] = "M" if pa.types.is_timestamp(type_) or pa.types.is_date(type_) else "m"
    base = "D" if pa.types.is_date32(type_) else "ms" if pa.types.is_date64(type_) else str(type_.unit)
    return letter, base


def fineness(cells: Any) -> Ticks:
    """(n,) how many of the units D, s, ms and us each present instant or duration is no whole number of."""
    letter, (stored, _) = cells.dtype.kind, np.datetime_data(cells.dtype)
    coarser = _COARSE[: _COARSE.index(stored)] if stored in _COARSE else _COARSE
    finer = np.zeros(len(cells), dtype=np.int64)
    for unit in coarser:
        finer += cells.astype(f"{letter}8[{unit}]").astype(cells.dtype) != cells
    return finer


def longest_unit(cells: Any, letter: str, stored: str, longest: str = "D") -> str:
    """The longest of D, s, ms, us and the stored unit that every present cell is a whole number of."""
    present = cells[~np.isnat(cells)]
    for unit in _COARSE[_COARSE.index(longest) :]:
        if unit == stored or (present.astype(f"{letter}8[{unit}]").astype(present.dtype) == present).all():
            return unit
    return stored


def midnights(days: "pd.Series[Any]", zone: Any, first: bool) -> "pd.Series[Any]":
    """The first instants of these days of a zone's calendar; where there are two midnights, the first or the second."""
    starts: pd.Series[Any] = days.dt.tz_localize(
        zone, ambiguous=np.full(len(days), first), nonexistent="shift_forward"
    )
    return starts


def _periods(ordinals: Ticks, dtype: pd.PeriodDtype) -> Any:
    index: Any = pd.PeriodIndex  # the stubs do not know this constructor
    return index.from_ordinals(ordinals, freq=dtype.freq)


def _counted(cells: Any, letter: str, unit: str) -> tuple[Ticks, Mask]:
    missing = np.isnat(cells)
    counts = cells.astype(f"{letter}8[{unit}]").astype(np.int64)
    return np.where(missing, 0, counts), missing
