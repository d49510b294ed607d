"""Columns of dates, dates with times, durations, periods and times of day."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from sosie.columns.cells import OBJECT, Dtype, Floats, Mask, Ticks, quoted, relative
from sosie.columns.clocks import ArrowClock, NumpyClock, PeriodClock, ZonedClock
from sosie.columns.date_texts import TextClock
from sosie.columns.grid import Grid
from sosie.columns.object_clock import ObjectClock
from sosie.errors import InputError

Clock = NumpyClock | ZonedClock | ArrowClock | PeriodClock | ObjectClock | TextClock


@dataclass(frozen=True, eq=False)
class Instant:
    """A column of instants or durations, stored as ticks of its clock since `origin`, the smallest.

    `missing_codes` are the instants that stand for a reason why there is none, stored in the same way.
    """

    name: Hashable
    kind: Literal["date", "datetime", "duration"]
    dtype: Dtype
    reason: str
    clock: Clock
    origin: int
    weight: float = 1.0
    missing_codes: tuple[float, ...] = ()

    def numbers(self, series: "pd.Series[Any]") -> Floats:
        """The column's cells as (n,) floats, NaN where missing; InputError `BAD_DATE` for texts of another format."""
        ticks, missing = self.clock.ticks(series)
        unread = int((missing & series.notna().to_numpy()).sum())
        if unread:
            raise InputError(
                "BAD_DATE",
                f"column {quoted([self.name])} has {unread} value(s) that its format does not read: correct them, "
                "or declare another format",
                (self.name,),
            )
        return np.where(missing, np.nan, relative(ticks, self.origin))

    def cells(self, numbers: Floats) -> "pd.Series[Any]":
        """(n,) decoded floats as a series of the column's dtype."""
        ticks, missing = self._ticks(numbers)
        dtype: Any = OBJECT if self.dtype == OBJECT else None  # else pandas makes its own instants of objects
        cells: pd.Series[Any] = pd.Series(self.clock.cells(ticks, missing), name=self.name, dtype=dtype)
        return cells if cells.dtype == self.dtype else cells.astype(self.dtype)

    def axis(self, numbers: Floats) -> Floats:
        """The instants in days since 1970, durations in days: what distributions are laid on."""
        ticks, missing = self._ticks(numbers)
        return np.where(missing, np.nan, self.clock.days(ticks))

    def decimals(self, _numbers: Floats) -> int:
        """None: ticks are whole."""
        return 0

    def settled(self, values: Floats, _grid: Grid, _truncate: bool) -> Floats:
        """Combined values as whole ticks."""
        return np.rint(values)

    def _ticks(self, numbers: Floats) -> tuple[Ticks, Mask]:
        missing = np.isnan(numbers)
        return np.rint(np.where(missing, 0.0, numbers)).astype(np.int64) + self.origin, missing
