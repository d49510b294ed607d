"""Which rows are anonymised and measured, and which are set apart as real rows that never took part."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie.errors import InputError

HoldoutMode = Literal["real", "approximate"]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """Two random halves of equal size, by row position (one row stays out of both when n is odd).

    `anonymised` are the rows that the measured avatars are made from: the working half (real) or every row
    (approximate, where the other half did influence the avatars, so that comparisons lean towards "safe").
    """

    mode: HoldoutMode
    working: Rows
    holdout: Rows
    anonymised: Rows


def split(
    n: int,
    mode: Literal["auto", "real", "approximate"],
    min_rows: int,
    rng: np.random.Generator,
) -> Split:
    """A random half split of n rows; `auto` is real from `min_rows` rows on.

    Raises InputError `TOO_FEW_ROWS` below 4 rows.
    """
    if n < 4:
        raise InputError("TOO_FEW_ROWS", f"the table has {n} row(s): measuring needs at least 4")
    order = rng.permutation(n)
    half = n // 2
    working, holdout = np.sort(order[:half]), np.sort(order[half : 2 * half])
    if mode == "real" or (mode == "auto" and n >= min_rows):
        return Split("real", working, holdout, working)
    return Split("approximate", working, holdout, np.arange(n))
