"""Dates, times and durations that a file holds as numbers counted from an epoch."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_MICROSECONDS = {"D": 86_400_000_000, "s": 1_000_000, "ms": 1_000}


@dataclass(frozen=True)
class Clock:
    """What a number counts: days, seconds or milliseconds, from an epoch or, without one, as a duration."""

    unit: Literal["D", "s", "ms"]
    epoch: str = ""

    def read(self, numbers: NDArray[np.float64]) -> "pd.Series[Any] | None":
        """(n,) numbers as datetime64 or timedelta64 of the coarsest unit from seconds on that holds them all.

        NaN is NaT, fractions are rounded to microseconds. None where numbers are too large for a calendar.
        """
        present = ~np.isnan(numbers)
        per = _MICROSECONDS[self.unit]
        if (np.abs(numbers[present]) > 2**60 / per).any():
            return None
        whole = np.floor(numbers[present])
        since = whole.astype(np.int64) * per + np.rint((numbers[present] - whole) * per).astype(np.int64)
        unit = next((name for name, size in (("s", 10**6), ("ms", 10**3)) if not (since % size).any()), "us")
        spans = np.full(len(numbers), np.timedelta64("NaT", "us"))
        spans[present] = since.astype("timedelta64[us]")
        if not self.epoch:
            return pd.Series(spans.astype(f"timedelta64[{unit}]"))
        return pd.Series((np.datetime64(self.epoch, "us") + spans).astype(f"datetime64[{unit}]"))

    def write(self, series: "pd.Series[Any]") -> NDArray[np.float64]:
        """The (n,) numbers that stand for these instants or durations, NaN for NaT."""
        values = series.to_numpy()
        spans = values.astype("datetime64[us]") - np.datetime64(self.epoch, "us") if self.epoch else values
        missing = np.isnat(spans)
        whole, rest = np.divmod(spans.astype("timedelta64[us]").astype(np.int64), _MICROSECONDS[self.unit])
        return np.where(missing, np.nan, whole + rest / _MICROSECONDS[self.unit])
