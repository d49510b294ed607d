"""What cells are stored as, and what an object column holds where nothing is."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
States = NDArray[np.int8]
Ticks = NDArray[np.int64]
Mask = NDArray[np.bool_]
Dtype = np.dtype[Any] | pd.api.extensions.ExtensionDtype

MISSING = -1
UNSEEN = -2  # a level that the column does not have: present, but an all-zero indicator
OBJECT = np.dtype(object)
_UNPRINTABLE = {code: f"\\x{code:02x}" for code in (*range(32), 127)}


def with_marker(values: Any, missing: Mask, marker: object) -> NDArray[Any]:
    """The values as objects, the marker where they are missing."""
    held = np.asarray(values, dtype=object).copy()
    held[missing] = marker
    return held


def marker_of(series: "pd.Series[Any]") -> object:
    """What an object column holds where nothing is (its first such cell); None for any other column."""
    if series.dtype != OBJECT:
        return None
    missing = series[series.isna()]
    return missing.iloc[0] if len(missing) else None


def relative(ticks: Ticks, origin: int) -> Floats:
    """Whole numbers as differences to `origin`, never farther from 0 than they are.

    Beyond 2⁵³ a float64 skips whole numbers: rounding towards 0 keeps what is decoded from passing the largest.
    """
    differences = ticks - origin
    floats = differences.astype(np.float64)
    # the limit 2^63 itself has no int64
    back = np.where(np.abs(floats) < 2.0**63, floats, 0.0).astype(np.int64)
    passed = (np.abs(floats) >= 2.0**63) | (np.abs(back) > np.abs(differences))
    return np.where(passed, np.nextafter(floats, 0.0), floats)


def quoted(names: Sequence[Any], most: int = 8) -> str:
    """Column names for a sentence: quoted, on one line, the first few, and how many more."""
    shown = ", ".join(f'"{str(name).translate(_UNPRINTABLE)}"' for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
