"""Searches in trees: `sosie.trees` gives the arrays their shapes, `native/trees/tree.h` says what is in them."""

import numpy as np
import numpy.typing as npt

class _Tree: ...

_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]
_Positions = npt.NDArray[np.int32]

def order(points: _Floats, components: int, two_threads: bool, order: _Positions, /) -> None: ...
def tree(points: _Floats, components: int, weights: _Integers | None, /) -> _Tree: ...
def kinds() -> int: ...
def nearest(
    tree: _Tree, queries: _Floats, count: int, positions: _Positions, distances: _Floats, kind: int = -1, /
) -> None: ...
def inside(
    tree: _Tree, centres: _Floats, squares: _Floats, most: int, found: _Integers, kind: int = -1, /
) -> None: ...
