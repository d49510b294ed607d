"""The two real tables of the judge, what their columns are, and their seeded halves."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

FEW = 10  # a column with at most as many values is a category in the paper


@dataclass(frozen=True, eq=False)
class RealTable:
    """A table, and how it is looked at.

    `categories` are the columns that the judge and the synthesizers take for categories; `made_as_categories` those of
    our avatars, as in the paper. `ncp` components; `target` is the column that is learnt.
    """

    name: str
    frame: pd.DataFrame
    categories: tuple[str, ...]
    made_as_categories: tuple[str, ...]
    ncp: int
    target: str


class Halves(NamedTuple):
    """Rows that are anonymised, and rows that took no part."""

    working: pd.DataFrame
    holdout: pd.DataFrame


def wbcd(path: Path) -> RealTable:
    """Wisconsin breast cancer: avatars of ten categories on 2 components, judged as nine scores and a class."""
    frame = pd.read_csv(path).drop(columns="Sample_code_number")
    return RealTable(path.name, frame, ("Class",), _with_few_values(frame), 2, "Class")


def aids(path: Path) -> RealTable:
    """ACTG 175: 17 categories and 9 numbers on 5 components, one of them with gaps."""
    frame = pd.read_csv(path, sep=";").drop(columns="pidnum")
    few = _with_few_values(frame)
    return RealTable(path.name, frame, few, few, 5, "cens")


def halves(frame: pd.DataFrame, seed: int) -> Halves:
    """A random half and the rest; an odd row is left out, so that both are as large."""
    order = np.random.default_rng(seed).permutation(len(frame))
    half = len(frame) // 2
    working, holdout = (
        frame.iloc[rows].reset_index(drop=True) for rows in (order[:half], order[half : 2 * half])
    )
    return Halves(working, holdout)


def _with_few_values(frame: pd.DataFrame) -> tuple[str, ...]:
    return tuple(str(name) for name in frame.columns if frame[name].nunique() <= FEW)
