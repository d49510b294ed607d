"""The numbers that a decoded number may be: within a range, with so many decimals, multiples of a step."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sosie.columns.cells import Dtype, Floats

_FEW = 100
_EXACT_POWERS = 22  # 10^22 is the last power of ten that a float64 holds


@dataclass(frozen=True)
class Grid:
    """The values a decoded number may take: within [least, most], with so many decimals."""

    least: float
    most: float
    decimals: int


def decimals(numbers: Floats, dtype: Dtype) -> int:
    """The largest number of decimals among the present numbers, such that at most 15 significant digits remain.

    0 to 15 for magnitudes of at least 1; more for smaller ones; never negative.
    """
    present = numbers[~np.isnan(numbers)]
    largest = np.abs(present).max(initial=0.0)
    if largest == 0.0:
        return 0
    most = most_decimals(float(largest))
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


def most_decimals(largest: float) -> int:
    """How many decimals of numbers up to this magnitude (above 0) are within 15 significant digits."""
    return max(0, 14 - int(np.floor(np.log10(largest))))


def floating(dtype: Dtype) -> np.dtype[Any]:
    """The numpy dtype in which a column of floats holds its numbers; float64 for any other column."""
    kind = getattr(dtype, "numpy_dtype", dtype)
    return kind if isinstance(kind, np.dtype) and kind.kind == "f" else np.dtype(np.float64)


def rounded(numbers: Floats, digits: int) -> Floats:
    """The nearest floats with so many decimals, half to even; never −0."""
    if digits <= _EXACT_POWERS:
        return np.round(numbers, digits) + 0.0
    return np.array([float(f"{number:.{digits}f}") for number in numbers]) + 0.0


def multiples(values: Floats, step: float, origin: int, grid: Grid) -> Floats:
    """The multiples of `step` nearest to the values, within the grid's range; values are relative to `origin`."""
    # 0.3/0.1 is 2.999…: without the margin a multiple at the end of the range would be lost
    shift = origin % int(step) if origin else 0
    first = np.ceil((grid.least + shift) / step - 1e-9)
    last = np.floor((grid.most + shift) / step + 1e-9)
    steps = np.clip(np.rint((values + shift) / step), first, last)
    return np.round(steps * step, 12) - shift


def whole(values: Floats, truncate: bool) -> Floats:
    """The values rounded half to even, or cut off."""
    return (
        np.trunc(np.round(values, 9)) if truncate else np.rint(values)
    )  # 5 combined from fives may be 4.999…
