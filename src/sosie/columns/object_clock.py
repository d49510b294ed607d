"""Instants, durations and times of day held as Python's or pandas' own objects."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, Literal

import numpy as np
import pandas as pd

from sosie.columns.cells import Floats, Mask, Ticks, with_marker
from sosie.columns.clocks import in_days

Held = Literal["date", "datetime", "Timestamp", "timedelta", "Timedelta", "time"]

_EPOCH, _ZERO_DAY = datetime(1970, 1, 1), date(1970, 1, 1).toordinal()
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class ObjectClock:
    """Objects of one type, counted in `base`; `zone` is that of the cells, None where they have none."""

    held: Held
    unit: str
    base: str
    zone: tzinfo | None
    marker: object

    @property
    def letter(self) -> Literal["M", "m"]:
        """M for instants, m for durations and times of day."""
        return "M" if self.held in ("date", "datetime", "Timestamp") else "m"

    def ticks(self, series: "pd.Series[Any]") -> tuple[Ticks, Mask]:
        """(n,) ticks, and where cells are missing."""
        missing = series.isna().to_numpy()
        counts = np.zeros(len(series), dtype=np.int64)
        counts[~missing] = [read(cell, self.base) for cell in series[~missing]]
        lengths = counts.astype(f"{self.letter}8[{self.base}]").astype(f"{self.letter}8[{self.unit}]")
        return lengths.astype(np.int64), missing

    def cells(self, ticks: Ticks, missing: Mask) -> Any:
        """An array of such objects, the marker where nothing is."""
        counts = ticks.astype(f"{self.letter}8[{self.unit}]").astype(f"{self.letter}8[{self.base}]")
        written = _WRITERS[self.held]
        held = np.empty(len(ticks), dtype=object)
        for place, count in enumerate(counts.astype(np.int64).tolist()):
            held[place] = written(count, self.base, self.zone)
        return with_marker(held, missing, self.marker)

    def days(self, ticks: Ticks) -> Floats:
        """The ticks in days."""
        return in_days(ticks, self.letter, self.unit)


def held_by(cell: object) -> Held | None:
    """The type that a cell is of, if it is one of these."""
    types: tuple[tuple[type, Held], ...] = (
        (pd.Timestamp, "Timestamp"),
        (datetime, "datetime"),
        (date, "date"),
        (pd.Timedelta, "Timedelta"),
        (timedelta, "timedelta"),
        (time, "time"),
    )
    return next((name for type_, name in types if isinstance(cell, type_)), None)


def base_of(held: Held, cells: "pd.Series[Any]") -> str:
    """What objects of a type are counted in."""
    if held == "date":
        return "D"
    # only pandas' own objects have nanoseconds, and with them fewer years
    finest = {"Timestamp": "nanosecond", "Timedelta": "nanoseconds"}.get(held)
    has_nanoseconds = finest is not None and any(getattr(cell, finest) for cell in cells)
    return "ns" if has_nanoseconds else "us"


def read(cell: Any, base: str) -> int:
    """The cell counted in `base`: instants from 1970 (UTC where they have a zone), times of day from midnight."""
    if isinstance(cell, pd.Timestamp | pd.Timedelta) and base == "ns":
        return int(cell.as_unit("ns").value)
    if isinstance(cell, datetime):
        naive = cell.to_pydatetime(warn=False) if isinstance(cell, pd.Timestamp) else cell
        since = naive.replace(tzinfo=None) - (cell.utcoffset() or timedelta()) - _EPOCH
        return since // _MICROSECOND
    if isinstance(cell, date):
        return cell.toordinal() - _ZERO_DAY
    if isinstance(cell, time):
        return ((cell.hour * 60 + cell.minute) * 60 + cell.second) * 10**6 + cell.microsecond
    count: int = cell // _MICROSECOND
    return count


def _datetime(count: int, _base: str, zone: tzinfo | None) -> datetime:
    instant = _EPOCH + timedelta(microseconds=count)
    return instant if zone is None else pd.Timestamp(instant, tz="UTC").tz_convert(zone).to_pydatetime()


def _timestamp(count: int, base: str, zone: tzinfo | None) -> pd.Timestamp:
    unit: Any = base
    instant = pd.Timestamp(np.datetime64(count, unit))
    return instant if zone is None else instant.tz_localize("UTC").tz_convert(zone)


def _timedelta(count: int, base: str, _zone: tzinfo | None) -> pd.Timedelta:
    unit: Any = base
    return pd.Timedelta(np.timedelta64(count, unit))


_WRITERS: dict[Held, Callable[[int, str, tzinfo | None], Any]] = {
    "date": lambda count, _, __: date.fromordinal(count + _ZERO_DAY),
    "datetime": _datetime,
    "Timestamp": _timestamp,
    "timedelta": lambda count, _, __: timedelta(microseconds=count),
    "Timedelta": _timedelta,
    "time": lambda count, _, zone: (_EPOCH + timedelta(microseconds=count)).time().replace(tzinfo=zone),
}
