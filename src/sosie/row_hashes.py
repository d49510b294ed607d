"""Rows and cells as 64-bit hashes: equal ones have equal hashes, and others the same one once in 10^19."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from sosie.columns import Floats
from sosie.columns.fixed import EXACT

_ODD = np.uint64(0x9E3779B97F4A7C15)


def row_hashes(
    *parts: Floats | NDArray[np.int64] | NDArray[np.int32] | NDArray[np.int8],
) -> NDArray[np.uint64]:
    """(n,) hashes of the rows of (n, …) arrays side by side; -0 is 0, and nan equals nan."""
    mixed = np.zeros(len(parts[0]), dtype=np.uint64)
    for part in parts:
        cells = np.where(np.isnan(part), np.inf, part) + 0.0 if part.dtype.kind == "f" else part
        for column in cells.T:
            mixed = mixed * _ODD + pd.util.hash_array(np.ascontiguousarray(column))
    return mixed


def number_hashes(present: "pd.Series[Any]") -> NDArray[np.uint64]:
    """(n,) hashes of numbers, whatever they are stored as; different integers and floats never have the same one."""
    dtype = present.dtype
    if types.is_integer_dtype(dtype):
        whole: type[Any] = np.uint64 if types.is_unsigned_integer_dtype(dtype) else np.int64
        return pd.util.hash_array(present.to_numpy(dtype=whole))
    if types.is_float_dtype(dtype):
        return pd.util.hash_array(present.to_numpy(dtype=np.float64) + 0.0)
    texts = [f"{Decimal(cell).normalize(EXACT):f}" for cell in present]
    return pd.util.hash_array(np.array(texts, dtype=object))
