"""Columns told apart once, for all who ask which cells there are and which row holds which."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sosie.columns.cells import Codes


@dataclass(frozen=True, eq=False)
class Factorised:
    """The different cells of a column, as they came first, a missing one among them; `places` (n,) is each row's."""

    cells: "pd.Series[Any]"
    places: Codes


def factorised(series: "pd.Series[Any]") -> Factorised:
    """A column told apart."""
    places, cells = series.factorize(use_na_sentinel=False)
    return Factorised(pd.Series(cells, dtype=series.dtype, name=series.name), places.astype(np.int32))
