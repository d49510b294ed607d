"""Texts that Arrow holds, each different one written once: none becomes an object on the way."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from sosie.columns.cells import Dtype, Mask


def held_by_arrow(dtype: Dtype) -> bool:
    """Whether the cells of a column of text are Arrow's."""
    return isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow"


def arrow_texts(texts: NDArray[np.object_], places: NDArray[Any], missing: Mask, dtype: Any) -> Any:
    """(n,) cells of a dtype that Arrow holds: each the text at its place, or missing."""
    indices = pa.array(places, mask=missing if missing.any() else None)
    cells = pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.large_string()))
    return dtype.__from_arrow__(cells.dictionary_decode())
