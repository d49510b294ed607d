"""What generation draws: its faces give the arrays their shapes, `native/draws/draws.h` says what is in them."""

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_Positions = npt.NDArray[np.int32]

def shuffle(bits: object, k: int, values: _Floats, /) -> None: ...
def weights(
    distances: _Floats, exponentials: _Floats, halvings: _Floats, k: int, limit: bool, weights: _Floats, /
) -> None: ...
def positions(
    masses: _Floats, uniforms: _Floats, names: _Positions | None, k: int, positions: _Positions, /
) -> None: ...
