"""Which rows are anonymised and measured, and which are set apart as real rows that never took part."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sosie.blocks import Parts, Rows, draw_parts
from sosie.errors import InputError

HoldoutMode = Literal["real", "approximate"]


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


def split(n: int, mode: Literal["auto", "real", "approximate"], min_rows: int, seed: int) -> Split:
    """A random half split of n rows; `auto` is real from `min_rows` rows on.

    Raises InputError `TOO_FEW_ROWS` below 4 rows.
    """
    working, holdout = draw_halves(n, seed).rows()
    if holdout_mode(n, mode, min_rows) == "real":
        return Split("real", working, holdout, working)
    return Split("approximate", working, holdout, np.arange(n))


def draw_halves(n: int, seed: int) -> Parts:
    """The working half and the holdout, block by block; InputError `TOO_FEW_ROWS` below 4 rows."""
    if n < 4:
        raise InputError("TOO_FEW_ROWS", f"the table has {n} row(s): measuring needs at least 4")
    return draw_parts(n, (n // 2, n // 2), seed, "holdout")


def holdout_mode(n: int, mode: Literal["auto", "real", "approximate"], min_rows: int) -> HoldoutMode:
    """What the holdout of n rows is: `auto` is real from `min_rows` rows on."""
    return "real" if mode == "real" or (mode == "auto" and n >= min_rows) else "approximate"
