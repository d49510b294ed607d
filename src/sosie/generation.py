"""Barycentres: for each individual, random weights on its nearest neighbours.

Guillaudeux et al., npj Digit. Med. 6, 37 (2023).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie.blocks import blocks
from sosie.columns import Floats
from sosie.neighbours import nearest_others
from sosie.streams import stream

WeightLaw = Literal["published", "gaussian"]
ZeroDistance = Literal["floor", "limit"]


@dataclass(frozen=True, eq=False)
class Barycentres:
    """Where each avatar lies: (n, k) positions of the neighbours and (n, k) weights, rows summing to 1.

    `batch` (n,) is the number of each individual's batch; empty where all are in batch 0.
    """

    neighbours: NDArray[np.int64]
    weights: Floats
    law: WeightLaw
    batch: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def of(self, rows: NDArray[np.int64] | slice) -> "Barycentres":
        """Those of some individuals, as of one batch; the positions of their neighbours stay those of all."""
        return Barycentres(self.neighbours[rows], self.weights[rows], self.law)

    def members(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Each batch's number and the rows in it, ascending."""
        if not len(self.batch):
            yield 0, np.arange(len(self.neighbours))
        for number in np.unique(self.batch).tolist():
            yield number, np.flatnonzero(self.batch == number)


def draw_barycentres(
    coordinates: Floats,
    batches: list[NDArray[np.int64]],
    k: int,
    law: WeightLaw,
    zero_distance: ZeroDistance,
    seed: int,
    workers: int = -1,
    first: int = 0,
) -> Barycentres:
    """One barycentre for each of the n individuals, its neighbours found inside its batch.

    `coordinates` is (n, ncp); `batches` are positions that together name each row once, numbered from `first`. Raises
    ValueError unless 2 ≤ k ≤ rows of the smallest batch − 1.
    """
    whole = len(batches) == 1 and np.array_equal(batches[0], np.arange(len(coordinates)))
    neighbours = np.empty((0 if whole else len(coordinates), k), dtype=np.int64)
    weights = np.empty(neighbours.shape)
    batch = np.empty(len(coordinates) if len(batches) > 1 or first else 0, dtype=np.int64)
    for number, rows in enumerate(batches, start=first):
        if len(batch):
            batch[rows] = number
        found = nearest_others(coordinates[rows], k, workers=workers)
        if whole:  # no second copy: distances give way to weights, block by block
            neighbours, weights = found.indices, found.distances
        else:
            neighbours[rows] = rows[found.indices]
        for block, within in enumerate(blocks(len(rows))):
            distances = found.distances[within]
            rng = stream(seed, "weights", number, block)
            weights[rows[within]] = (
                published_weights(distances, rng, zero_distance)
                if law == "published"
                else gaussian_weights(len(distances), k, rng)
            )
    return Barycentres(neighbours, weights, law, batch)


def published_weights(distances: Floats, rng: np.random.Generator, zero_distance: ZeroDistance) -> Floats:
    """(n, k) weights W = P/ΣP, P_j = (1/D_j)·R_j·C_j, rows summing to 1.

    R_j ~ Exp(1), C_j = (1/2)^σ(j), σ a fresh permutation of 1..k for each individual. `floor`: a distance of 0
    counts as the smallest positive one of that individual; `limit`: neighbours at distance 0 share all the weight.
    """
    n, k = distances.shape
    exponentials = rng.standard_exponential((n, k))
    halvings = rng.permuted(np.broadcast_to(0.5 ** np.arange(1, k + 1), (n, k)), axis=1)
    return combined_weights(distances, exponentials, halvings, zero_distance)


def combined_weights(
    distances: Floats, exponentials: Floats, halvings: Floats, zero_distance: ZeroDistance
) -> Floats:
    """The weights of `published_weights` for given draws: (n, k) distances, R and C."""
    zero = distances == 0
    positive = np.where(zero, np.inf, distances)
    # Relative to the smallest distance, so that nothing overflows; all at 0: equal distances.
    with np.errstate(invalid="ignore"):
        mass: Floats = positive.min(axis=1, keepdims=True) / positive
    mass[zero] = 1.0
    if zero_distance == "limit":
        mass[zero.any(axis=1, keepdims=True) & ~zero] = 0.0
    mass *= exponentials
    mass *= halvings
    mass /= mass.sum(axis=1, keepdims=True)
    return mass


def gaussian_weights(n: int, k: int, rng: np.random.Generator) -> Floats:
    """(n, k) affine weights 1/k + (g_j − ḡ)/√(k−1), g_j ~ N(0, 1): rows sum to 1, some weights are negative.

    What they combine has the mean and the covariance of the neighbourhood (divisor k − 1); distances play no part.
    """
    draws = rng.standard_normal((n, k))
    weights: Floats = 1 / k + (draws - draws.mean(axis=1, keepdims=True)) / np.sqrt(k - 1)
    return weights
