"""Sums over rows of mixed data, as `native/rows/rows.h` says: contiguous arrays, the last ones written."""

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_Sizes = npt.NDArray[np.int64]
_Codes = npt.NDArray[np.int32]

def coordinates(
    rows: int,
    numbers: _Floats,
    means: _Floats,
    slopes: _Floats,
    codes: _Codes,
    sizes: _Sizes,
    tables: _Floats,
    coordinates: _Floats,
    /,
) -> None: ...
def by_level(
    rows: int, codes: _Codes, sizes: _Sizes, numbers: _Floats, counts: _Floats, sums: _Floats, /
) -> None: ...
def together(rows: int, codes: _Codes, sizes: _Sizes, met: _Floats, /) -> None: ...
def ends(rows: int, numbers: _Floats, least: _Floats, most: _Floats, counts: _Floats, /) -> None: ...
def columns(rows: int, numbers: _Floats, units: _Floats, sums: _Floats, /) -> None: ...
def centred(
    rows: int, numbers: _Floats, units: _Floats, means: _Floats, centred: _Floats, squares: _Floats, /
) -> None: ...
def weighed(
    rows: int, neighbours: _Codes, weights: _Floats, held: int, numbers: _Floats, sums: _Floats, /
) -> None: ...
