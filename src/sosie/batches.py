"""How a large table is cut into batches, inside which neighbours are found."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Floats

Rows = NDArray[np.int64]


def deal(
    coordinates: Floats, rows: int | None, by: Literal["local", "random"], k: int, rng: np.random.Generator
) -> list[Rows]:
    """Positions of each batch's individuals; each individual is in one batch.

    `rows` is the most individuals in a batch (None: one batch). No batch has fewer than max(k + 1, rows/2), even where
    that makes it larger than `rows`. `local` halves the cloud at the median of its widest component, again and
    again; `random` deals at random.
    """
    n = len(coordinates)
    if rows is None or n <= rows:
        return [np.arange(n)]
    fewest = max(k + 1, -(-rows // 2))
    if by == "random":
        count = max(1, min(-(-n // rows), n // fewest))
        return [np.sort(part) for part in np.array_split(rng.permutation(n), count)]
    return _halved(coordinates, np.arange(n), rows, fewest)


def _halved(coordinates: Floats, members: Rows, rows: int, fewest: int) -> list[Rows]:
    half = len(members) // 2
    if len(members) <= rows or half < fewest:
        return [members]
    cloud = coordinates[members]
    widest = int(np.argmax(cloud.var(axis=0))) if cloud.shape[1] else 0
    along = cloud[:, widest] if cloud.shape[1] else np.zeros(len(members))
    order = np.argsort(along, kind="stable")
    return [
        *_halved(coordinates, np.sort(members[order[:half]]), rows, fewest),
        *_halved(coordinates, np.sort(members[order[half:]]), rows, fewest),
    ]
