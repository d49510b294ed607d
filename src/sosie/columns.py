"""Kinds of column: how each becomes numbers or codes, and comes back as it went in.

A table of n individuals becomes a `Table`: one float per numeric cell (NaN: missing) and one code per categorical cell
(−1: missing). The columns themselves (name, dtype, levels) travel with it, so that a frame of the same dtypes can be
written back.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.errors import InputError

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Dtype = np.dtype[Any] | pd.api.extensions.ExtensionDtype

MISSING = -1
UNSEEN = -2  # a level that the column does not have: present, but an all-zero indicator
_EXACT = 2**53  # beyond it a float64 no longer holds every integer
_FEW = 100
_EXACT_POWERS = 22  # 10^22 is the last power of ten that a float64 holds


@dataclass(frozen=True, eq=False)
class Number:
    """A column of integers or floats.

    Integers are stored as differences to `origin`, which is 0 unless the values pass 2⁵³. `marker` is what an object
    column holds where nothing is.
    """

    name: Hashable
    kind: Literal["integer", "float"]
    dtype: Dtype
    reason: str
    weight: float = 1.0
    round_to: float | None = None
    origin: int = 0
    marker: object = None

    def numbers(self, series: "pd.Series[Any]") -> Floats:
        """The column's cells as (n,) floats, NaN where missing."""
        if self.origin == 0:
            return series.to_numpy(dtype=np.float64, na_value=np.nan)
        present = series.notna().to_numpy()
        numbers = np.full(len(series), np.nan)
        numbers[present] = [_towards_zero(int(value) - self.origin) for value in series[present]]
        return numbers

    def cells(self, numbers: Floats) -> "pd.Series[Any]":
        """(n,) decoded floats as a series of the column's dtype."""
        missing = np.isnan(numbers)
        if self.dtype == np.dtype(object):
            held = np.array([self._object(value) for value in np.where(missing, 0, numbers)], dtype=object)
            return pd.Series(_with_marker(held, missing, self.marker), name=self.name)
        # also whole numbers declared integer: a gap stays one
        if isinstance(self.dtype, np.dtype) and self.dtype.kind == "f":
            return pd.Series(numbers.astype(self.dtype), name=self.name)
        if self.kind == "float":
            cells: Any = pd.array(numbers, dtype="Float64")
            return pd.Series(cells, name=self.name).astype(self.dtype)
        whole = np.zeros(len(numbers), dtype=_storage(self.dtype))
        present = numbers[~missing]
        exact = [self._object(value) for value in present] if self.origin else present.astype(whole.dtype)
        whole[~missing] = exact
        if isinstance(self.dtype, np.dtype):
            return pd.Series(whole.astype(self.dtype), name=self.name)
        return pd.Series(pd.arrays.IntegerArray(whole, missing), name=self.name).astype(self.dtype)

    def _object(self, value: float) -> int | float:
        return int(value) + self.origin if self.kind == "integer" else float(value)


@dataclass(frozen=True, eq=False)
class Category:
    """A column of levels: text, declared categories, booleans."""

    name: Hashable
    kind: Literal["category", "boolean"]
    dtype: Dtype
    reason: str
    levels: "pd.Index[Any]"
    weight: float = 1.0
    marker: object = None

    def codes(self, series: "pd.Series[Any]") -> Codes:
        """The column's cells as (n,) positions in `levels`, −1 where missing, −2 where the level is not one of them."""
        codes = self.levels.get_indexer(pd.Index(series.astype(object))).astype(np.int32)
        return np.where((codes < 0) & series.notna().to_numpy(), UNSEEN, codes).astype(np.int32)

    def cells(self, codes: Codes) -> "pd.Series[Any]":
        """(n,) codes as a series of the column's dtype."""
        missing = codes < 0
        held: NDArray[Any] = np.empty(len(codes), dtype=object)
        held[~missing] = self.levels.to_numpy(dtype=object)[codes[~missing]]
        if self.dtype == np.dtype(object):
            return pd.Series(_with_marker(held, missing, self.marker), name=self.name, dtype=object)
        if not missing.any():
            return pd.Series(held, name=self.name).astype(self.dtype)
        held[missing] = np.nan if isinstance(self.dtype, np.dtype) else None
        dtype: Any = self.dtype  # pandas' stubs know each dtype by name only
        return pd.Series(pd.array(held, dtype=dtype), name=self.name)


Column = Number | Category


@dataclass(frozen=True, eq=False)
class Table:
    """n individuals as numbers and codes.

    `numbers` is (n, p) for the p numeric columns, `codes` (n, q) for the q categorical ones, both in the order of
    `columns`.
    """

    columns: tuple[Column, ...]
    numbers: Floats
    codes: Codes

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def number_columns(self) -> tuple[Number, ...]:
        """The p numeric columns."""
        return tuple(column for column in self.columns if isinstance(column, Number))

    @property
    def category_columns(self) -> tuple[Category, ...]:
        """The q categorical columns."""
        return tuple(column for column in self.columns if isinstance(column, Category))

    def take(self, rows: NDArray[np.int64]) -> "Table":
        """The individuals at these positions, in this order."""
        return replace(self, numbers=self.numbers[rows], codes=self.codes[rows])

    def to_frame(self) -> pd.DataFrame:
        """The table with its own dtypes, columns in order, index 0…n−1."""
        numbers = iter(self.numbers.T)
        codes = iter(self.codes.T)
        series = [
            column.cells(next(numbers)) if isinstance(column, Number) else column.cells(next(codes))
            for column in self.columns
        ]
        return pd.concat(series, axis="columns")


def encode(frame: pd.DataFrame, columns: tuple[Column, ...]) -> Table:
    """The frame as a `Table` of these columns; others are left out.

    Raises InputError `UNKNOWN_COLUMN` when the frame lacks one.
    """
    absent = [column.name for column in columns if column.name not in frame.columns]
    if absent:
        raise InputError("UNKNOWN_COLUMN", f"the table has no column {quoted(absent)}", tuple(absent))
    numbers = [column.numbers(frame[column.name]) for column in columns if isinstance(column, Number)]
    codes = [column.codes(frame[column.name]) for column in columns if isinstance(column, Category)]
    n = len(frame)
    return Table(
        columns=columns,
        numbers=np.stack(numbers, axis=1) if numbers else np.empty((n, 0)),
        codes=np.stack(codes, axis=1) if codes else np.empty((n, 0), dtype=np.int32),
    )


def decimals(numbers: Floats, dtype: Dtype) -> int:
    """The largest number of decimals among the present numbers, such that at most 15 significant digits remain.

    0 to 15 for magnitudes of at least 1; more for smaller ones; never negative.
    """
    present = np.unique(numbers[~np.isnan(numbers)])
    largest = np.abs(present).max(initial=0.0)
    if largest == 0.0:
        return 0
    most = max(0, 14 - int(np.floor(np.log10(largest))))
    stored = floating(dtype)
    held = present.astype(stored)
    for digits in range(most):
        if (rounded(present[:_FEW], digits).astype(stored) != held[:_FEW]).any():
            continue  # spares rounding all of them when a few already show more
        exact = rounded(present, digits).astype(stored) == held
        if exact.all():
            return digits
        present, held = present[~exact], held[~exact]
    return most


def floating(dtype: Dtype) -> np.dtype[Any]:
    """The numpy dtype in which a column of floats holds its numbers; float64 for any other column."""
    kind = getattr(dtype, "numpy_dtype", dtype)
    return kind if isinstance(kind, np.dtype) and kind.kind == "f" else np.dtype(np.float64)


def rounded(numbers: Floats, digits: int) -> Floats:
    """The nearest floats with so many decimals, half to even; never −0."""
    if digits <= _EXACT_POWERS:
        return np.round(numbers, digits) + 0.0
    return np.array([float(f"{number:.{digits}f}") for number in numbers]) + 0.0


def origin_of(values: "pd.Series[Any]") -> int:
    """What integers are stored relative to: 0, or the least value (1 in place of 0) when some pass 2⁵³."""
    present = values.dropna()
    if present.empty:
        return 0
    least, most = int(present.min()), int(present.max())
    return (least or 1) if max(abs(least), abs(most)) > _EXACT else 0


def quoted(names: "list[Any] | tuple[Any, ...]", most: int = 8) -> str:
    """Column names for a sentence: quoted, the first few, and how many more."""
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def with_levels_of(columns: tuple[Column, ...], frames: Mapping[str, pd.DataFrame]) -> tuple[Column, ...]:
    """The same columns, each category with the levels of all these frames too."""
    return tuple(
        column
        if isinstance(column, Number)
        else replace(column, levels=_union(column.levels, [frame[column.name] for frame in frames.values()]))
        for column in columns
    )


def _union(levels: "pd.Index[Any]", others: "list[pd.Series[Any]]") -> "pd.Index[Any]":
    new: dict[object, None] = dict.fromkeys(levels)
    for series in others:
        new.update(dict.fromkeys(series.dropna().astype(object).unique()))
    return pd.Index(list(new), dtype=object)


def _towards_zero(difference: int) -> float:
    """The difference as a float no farther from 0: no decoded integer passes the largest of the input."""
    nearest = float(difference)
    return float(np.nextafter(nearest, 0.0)) if abs(int(nearest)) > abs(difference) else nearest


def _storage(dtype: Dtype) -> np.dtype[Any]:
    kind = getattr(dtype, "numpy_dtype", dtype)
    return kind if isinstance(kind, np.dtype) and kind.kind in "iu" else np.dtype(np.int64)


def _with_marker(values: Any, missing: Mask, marker: object) -> NDArray[Any]:
    held = np.asarray(values, dtype=object).copy()
    held[missing] = marker
    return held
