"""Columns of integers and floats."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from sosie.columns.cells import OBJECT, Dtype, Floats, with_marker
from sosie.columns.grid import Grid, decimals, floating, multiples, rounded, whole

EXACT = 2**53  # beyond it a float64 no longer holds every integer


@dataclass(frozen=True, eq=False)
class Number:
    """A column of integers or floats.

    Integers are stored as differences to `origin`, which is 0 unless the values pass 2⁵³. `marker` is what an object
    column holds where nothing is; `missing_codes` are the numbers that stand for a reason why there is none, stored in
    the same way.
    """

    name: Hashable
    kind: Literal["integer", "float"]
    dtype: Dtype
    reason: str
    weight: float = 1.0
    round_to: float | None = None
    origin: int = 0
    marker: object = None
    missing_codes: tuple[float, ...] = ()

    def numbers(self, series: "pd.Series[Any]") -> Floats:
        """The column's cells as (n,) floats, NaN where missing."""
        if self.origin == 0:
            return series.to_numpy(dtype=np.float64, na_value=np.nan)
        present = series.notna().to_numpy()
        numbers = np.full(len(series), np.nan)
        numbers[present] = [towards_zero(int(value) - self.origin) for value in series[present]]
        return numbers

    def cells(self, numbers: Floats) -> "pd.Series[Any]":
        """(n,) decoded floats as a series of the column's dtype."""
        missing = np.isnan(numbers)
        if self.dtype == OBJECT:
            held = np.array([self._object(value) for value in np.where(missing, 0, numbers)], dtype=object)
            return pd.Series(with_marker(held, missing, self.marker), name=self.name, dtype=object)
        # also whole numbers declared integer: a gap stays one
        if isinstance(self.dtype, np.dtype) and self.dtype.kind == "f":
            return pd.Series(numbers.astype(self.dtype), name=self.name, copy=False)
        if pd.api.types.is_float_dtype(self.dtype):
            cells: Any = pd.array(numbers, dtype="Float64")
            return pd.Series(cells, name=self.name).astype(self.dtype)
        if self.origin:
            held_whole = np.zeros(len(numbers), dtype=_storage(self.dtype))
            held_whole[~missing] = [self._object(value) for value in numbers[~missing]]
        else:
            held_whole = np.where(missing, 0.0, numbers).astype(_storage(self.dtype))
        if isinstance(self.dtype, np.dtype):
            return pd.Series(held_whole.astype(self.dtype, copy=False), name=self.name, copy=False)
        return pd.Series(pd.arrays.IntegerArray(held_whole, missing), name=self.name).astype(self.dtype)

    def axis(self, numbers: Floats) -> Floats:
        """The numbers themselves: what distributions are laid on."""
        return numbers

    def decimals(self, numbers: Floats) -> int:
        """How many decimals these numbers of the column show."""
        return decimals(numbers, self.dtype) if self.kind == "float" else 0

    def settled(self, values: Floats, grid: Grid, truncate: bool) -> Floats:
        """Combined values as numbers that the column may hold: on its grid, as its dtype holds them."""
        if self.round_to is not None:
            values = multiples(values, self.round_to, self.origin, grid)
        elif self.kind == "float":
            values = rounded(values, grid.decimals)
        else:
            values = whole(values, truncate)
        # As the column holds them, so that what is measured is what is written.
        return values.astype(floating(self.dtype), copy=False).astype(np.float64, copy=False)

    def _object(self, value: float) -> int | float:
        return int(value) + self.origin if self.kind == "integer" else float(value)


def origin_of(values: "pd.Series[Any]") -> int:
    """What integers are stored relative to: 0, or the least value (1 in place of 0) when some pass 2⁵³."""
    present = values.dropna()
    if present.empty:
        return 0
    return origin_between(int(present.min()), int(present.max()))


def origin_between(least: int, most: int) -> int:
    """What integers from `least` to `most` are stored relative to."""
    return (least or 1) if max(abs(least), abs(most)) > EXACT else 0


def towards_zero(difference: int) -> float:
    """The difference as a float no farther from 0: no decoded integer passes the largest of the input."""
    nearest = float(difference)
    return float(np.nextafter(nearest, 0.0)) if abs(int(nearest)) > abs(difference) else nearest


def _storage(dtype: Dtype) -> np.dtype[Any]:
    kind = getattr(dtype, "numpy_dtype", dtype)
    return kind if isinstance(kind, np.dtype) and kind.kind in "iu" else np.dtype(np.int64)
