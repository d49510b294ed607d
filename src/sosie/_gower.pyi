"""Searches by Gower distances: `sosie.attacks.gower_search` shapes the arrays, `native/gower/` says what is in them."""

import numpy as np
import numpy.typing as npt

class _Leaves: ...

_Grid = npt.NDArray[np.int32]
_Flags = npt.NDArray[np.bool_]
_Places = npt.NDArray[np.int64]

def leaves(grid: _Grid, numeric: _Flags, unit: int, /) -> _Leaves: ...
def nearest(leaves: _Leaves, targets: _Grid, left_out: _Grid, count: int, places: _Places, /) -> None: ...
