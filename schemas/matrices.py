"""What a matrix between two steps must look like: dtype, shape, finite cells, positions in range, rows that sum to 1.

A breach is a fault of this program, not of the input, so it is no InputError; its sentence names the matrix and counts.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Floats
from sosie.generation import Barycentres

_TOLERANCE = 1e-9  # of a row's sum; k sums of float64 stay far below


class BrokenMatrixError(RuntimeError):
    """A matrix that the next step must not be given."""


def check_coordinates(coordinates: Floats, rows: int, most_components: int) -> None:
    """BrokenMatrixError unless `coordinates` is (rows, at most `most_components`), float64 and finite."""
    _refuse_dtype("coordinates", coordinates, np.float64)
    _refuse_unless(
        coordinates.ndim == 2 and len(coordinates) == rows and 0 < coordinates.shape[1] <= most_components,
        f"coordinates have shape {coordinates.shape}, not ({rows}, 1 to {most_components})",
    )
    _refuse_infinite("coordinates", coordinates)


def check_barycentres(barycentres: Barycentres, rows: int, k: int) -> None:
    """BrokenMatrixError unless each of `rows` individuals has k neighbours, itself not among them, and weights of 1."""
    neighbours, weights = barycentres.neighbours, barycentres.weights
    _refuse_unless(neighbours.dtype.kind == "i", f"neighbours are {neighbours.dtype}, not whole numbers")
    _refuse_dtype("weights", weights, np.float64)
    for name, matrix in (("neighbours", neighbours), ("weights", weights)):
        _refuse_unless(matrix.shape == (rows, k), f"{name} have shape {matrix.shape}, not {(rows, k)}")
    outside = int(((neighbours < 0) | (neighbours >= rows)).sum())
    _refuse_unless(not outside, f"{outside} neighbours are no row of the table")
    own = int((neighbours == np.arange(rows)[:, np.newaxis]).any(axis=1).sum())
    _refuse_unless(not own, f"{own} rows are their own neighbour")
    _refuse_infinite("weights", weights)
    uneven = int((np.abs(weights.sum(axis=1) - 1) > _TOLERANCE).sum())
    _refuse_unless(not uneven, f"the weights of {uneven} rows do not sum to 1")
    if barycentres.law == "published":
        negative = int((weights < 0).sum())
        _refuse_unless(not negative, f"{negative} weights are negative")


def _refuse_dtype(name: str, matrix: NDArray[Any], dtype: type[np.generic]) -> None:
    _refuse_unless(matrix.dtype == dtype, f"{name} are {matrix.dtype}, not {np.dtype(dtype)}")


def _refuse_infinite(name: str, matrix: Floats) -> None:
    infinite = int((~np.isfinite(matrix)).sum())
    _refuse_unless(not infinite, f"{infinite} cells of {name} are not finite")


def _refuse_unless(held: bool, sentence: str) -> None:
    if not held:
        raise BrokenMatrixError(sentence)
