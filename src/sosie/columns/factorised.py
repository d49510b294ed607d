"""Columns told apart once, for all who ask which cells there are and which row holds which."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from sosie.columns.arrow_texts import held_by_arrow
from sosie.columns.cells import Codes


@dataclass(frozen=True, eq=False)
class Factorised:
    """The different cells of a column, as they came first, a missing one among them; `places` (n,) is each row's."""

    cells: "pd.Series[Any]"
    places: Codes


def factorised(series: "pd.Series[Any]") -> Factorised:
    """A column told apart."""
    if held_by_arrow(series.dtype):
        return _of_arrow(series)
    # of the array: a series gives an index, which holds no float16
    places, cells = pd.factorize(series.array, use_na_sentinel=False)
    return Factorised(pd.Series(cells, dtype=series.dtype, name=series.name), places.astype(np.int32))


def _of_arrow(series: "pd.Series[Any]") -> Factorised:
    """The same with places that stay Arrow's: the C library would keep much of what threads free of its own."""
    held, dtype = pa.array(series), cast(Any, series.dtype)
    chunks = held if isinstance(held, pa.ChunkedArray) else pa.chunked_array([held])
    told = chunks.dictionary_encode(null_encoding="encode").combine_chunks()
    cells = pd.Series(dtype.__from_arrow__(told.dictionary), name=series.name)
    return Factorised(cells, told.indices.to_numpy())
