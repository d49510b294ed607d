"""Rows as 64-bit hashes: equal rows have equal ones, and others the same one once in 10^19."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.columns import Floats

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
