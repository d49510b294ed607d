"""Columns of decimal numbers: exact to their last place."""

from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd

from sosie.columns.cells import OBJECT, Dtype, Floats, with_marker
from sosie.columns.grid import Grid, multiples
from sosie.columns.number import origin_between, towards_zero

EXACT = Context(prec=200)  # more digits than any database keeps


@dataclass(frozen=True, eq=False)
class Fixed:
    """A column of `decimal.Decimal`: whole numbers of 10^−`places`, stored as differences to `origin`.

    `places` are below 0 where all are whole tens, hundreds … that are written so, as 1E+3 is.

    `marker` is what an object column holds where nothing is; `missing_codes` are the numbers that stand for a reason
    why there is none, stored in the same way.
    """

    name: Hashable
    dtype: Dtype
    reason: str
    places: int
    weight: float = 1.0
    round_to: float | None = None
    origin: int = 0
    marker: object = None
    missing_codes: tuple[float, ...] = ()
    kind: Literal["float"] = "float"

    def numbers(self, series: "pd.Series[Any]") -> Floats:
        """The column's cells as (n,) floats, NaN where missing."""
        present = series.notna().to_numpy()
        numbers = np.full(len(series), np.nan)
        numbers[present] = [
            towards_zero(units(value, self.places) - self.origin) for value in series[present]
        ]
        return numbers

    def cells(self, numbers: Floats) -> "pd.Series[Any]":
        """(n,) decoded floats as a series of the column's dtype, every cell with all its places."""
        missing = np.isnan(numbers)
        held = np.empty(len(numbers), dtype=object)
        held[~missing] = [
            Decimal(int(value) + self.origin).scaleb(-self.places, EXACT) for value in numbers[~missing]
        ]
        if self.dtype == OBJECT:
            return pd.Series(with_marker(held, missing, self.marker), name=self.name, dtype=object)
        held[missing] = None
        dtype: Any = self.dtype  # pandas' stubs know each dtype by name only
        return pd.Series(pd.array(held, dtype=dtype), name=self.name)

    def axis(self, numbers: Floats) -> Floats:
        """The decimal numbers as floats."""
        whole = numbers + self.origin
        return whole * 10.0**-self.places if self.places < 0 else whole / 10.0**self.places

    def decimals(self, _numbers: Floats) -> int:
        """None: the numbers are whole."""
        return 0

    def settled(self, values: Floats, grid: Grid, _truncate: bool) -> Floats:
        """Combined values as whole numbers of the last place, or multiples of `round_to`."""
        if self.round_to is not None:
            return multiples(values, float(np.rint(self.round_to * 10.0**self.places)), self.origin, grid)
        return np.rint(values)


def fixed_places(values: "pd.Series[Any]", dtype: Dtype) -> int:
    """How many decimals a column of finite decimals shows, or its Arrow type says; below 0 as in `Fixed`."""
    if isinstance(dtype, pd.ArrowDtype):
        return int(dtype.pyarrow_dtype.scale)
    shown = ((value, int(value.as_tuple().exponent)) for value in values.dropna())
    # a 0 is a whole number of whatever is not smaller than 1
    return -min((exponent for value, exponent in shown if value or exponent < 0), default=0)


def fixed_origin(values: "pd.Series[Any]", places: int) -> int:
    """What the whole numbers are stored relative to."""
    whole = [units(value, places) for value in values.dropna()]
    return origin_between(min(whole), max(whole)) if whole else 0


def units(value: Decimal, places: int) -> int:
    """The decimal as a whole number of 10^−places."""
    return int(Decimal(value).scaleb(places, EXACT).to_integral_value(context=EXACT))
