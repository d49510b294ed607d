"""Barycentres: for each individual, random weights on its nearest neighbours.

Guillaudeux et al., npj Digit. Med. 6, 37 (2023).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie import _draws
from sosie.blocks import blocks, pieces
from sosie.columns import Floats
from sosie.neighbours import Positions, nearest_others
from sosie.streams import stream
from sosie.threads import beside, each, threads_of

WeightLaw = Literal["published", "gaussian"]
ZeroDistance = Literal["floor", "limit"]
_ROWS_AT_ONCE = 1_024
_FEW_DRAWS = 2**21  # 16 MiB of them


@dataclass(frozen=True, eq=False)
class Barycentres:
    """Where each avatar lies: (n, k) positions of the neighbours and (n, k) weights, rows summing to 1.

    `batch` (n,) is the number of each individual's batch; empty where all are in batch 0.
    """

    neighbours: Positions
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

    def blocks(self) -> Iterator[tuple[int, int, NDArray[np.int64] | slice]]:
        """Each batch's number, a block's number inside it, and the block's rows."""
        for number, members in self.members():
            for block, within in enumerate(blocks(len(members))):
                yield number, block, members[within] if len(self.batch) else within


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
    batch = np.empty(len(coordinates) if len(batches) > 1 or first else 0, dtype=np.int64)
    if len(batches) == 1 and np.array_equal(batches[0], np.arange(len(coordinates))):
        batch[:] = first
        found = _barycentres_of_batch(coordinates, k, law, zero_distance, seed, first, workers)
        return Barycentres(*found, law, batch)
    neighbours, weights = np.empty((len(coordinates), k), dtype=np.int32), np.empty((len(coordinates), k))
    for number, rows in enumerate(batches, start=first):
        near, weight = _barycentres_of_batch(coordinates[rows], k, law, zero_distance, seed, number, workers)
        neighbours[rows], weights[rows] = rows[near], weight
        if len(batch):
            batch[rows] = number
    return Barycentres(neighbours, weights, law, batch)


def _barycentres_of_batch(
    coordinates: Floats,
    k: int,
    law: WeightLaw,
    zero_distance: ZeroDistance,
    seed: int,
    number: int,
    workers: int,
) -> tuple[Positions, Floats]:
    """The (n, k) neighbours inside one batch, and their weights."""
    n = len(coordinates)
    # weights of fewer rows are drawn before a thread is there; more draws would take memory
    beside_search = n > _ROWS_AT_ONCE and n * k <= _FEW_DRAWS and threads_of(workers) > 1
    if beside_search and law == "published" and 2 <= k < n:
        return _drawn_beside(coordinates, k, zero_distance, seed, number, workers)
    found = nearest_others(coordinates, k, workers=workers)
    weights = found.distances  # which give way block by block: no second copy

    def weigh(place: tuple[int, slice]) -> None:
        block, rows = place
        rng = stream(seed, "weights", number, block)
        weights[rows] = (
            published_weights(weights[rows], rng, zero_distance)
            if law == "published"
            else gaussian_weights(len(weights[rows]), k, rng)
        )

    each(weigh, enumerate(blocks(n)), workers)
    return found.indices, weights


def _drawn_beside(
    coordinates: Floats, k: int, zero_distance: ZeroDistance, seed: int, number: int, workers: int
) -> tuple[Positions, Floats]:
    """The same under the published law, of so few draws that all may be held.

    What weights owe to chance is drawn beside the search, which begins in one thread, and combined in smaller pieces.
    """
    n = len(coordinates)
    exponentials, halvings = np.empty((n, k)), np.empty((n, k))

    def draw(block: int, rows: slice) -> None:
        rng = stream(seed, "weights", number, block)
        rng.standard_exponential(out=exponentials[rows])
        for some in pieces(rows.stop - rows.start):
            _halve(halvings[rows][some], rng)

    with beside(workers) as executor:
        drawn = [executor.submit(draw, *place) for place in enumerate(blocks(n))]
        found = nearest_others(coordinates, k, workers=workers)
        for each_block in drawn:
            each_block.result()
    weights = found.distances

    def combine(rows: slice) -> None:
        weights[rows] = combined_weights(weights[rows], exponentials[rows], halvings[rows], zero_distance)

    each(combine, pieces(n), workers)
    return found.indices, weights


def published_weights(distances: Floats, rng: np.random.Generator, zero_distance: ZeroDistance) -> Floats:
    """(n, k) weights W = P/ΣP, P_j = (1/D_j)·R_j·C_j, rows summing to 1.

    R_j ~ Exp(1), C_j = (1/2)^σ(j), σ a fresh permutation of 1..k for each individual. `floor`: a distance of 0
    counts as the smallest positive one of that individual; `limit`: neighbours at distance 0 share all the weight.
    """
    n, k = distances.shape
    exponentials = rng.standard_exponential((n, k))
    weights = exponentials  # which give way some rows at a time: they stay in a core's own cache
    for start in range(0, n, _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        halvings = halvings_of(len(weights[some]), k, rng)
        weights[some] = combined_weights(distances[some], exponentials[some], halvings, zero_distance)
    return weights


def halvings_of(n: int, k: int, rng: np.random.Generator) -> Floats:
    """(n, k) halvings 1/2, 1/4, … of the published law, each row in an order of its own."""
    halvings = np.empty((n, k))
    _halve(halvings, rng)
    return halvings


def _halve(halvings: Floats, rng: np.random.Generator) -> None:
    halvings[:] = 0.5 ** np.arange(1, halvings.shape[1] + 1)
    bits = rng.bit_generator
    with bits.lock:
        _draws.shuffle(bits.capsule, halvings.shape[1], halvings)  # as `rng.permuted` does, in half the time


def combined_weights(
    distances: Floats, exponentials: Floats, halvings: Floats, zero_distance: ZeroDistance
) -> Floats:
    """The weights of `published_weights` for given draws: (n, k) distances, R and C."""
    weights, k = np.empty(distances.shape), distances.shape[1]
    distances, exponentials, halvings = (
        np.require(given, np.float64, ["C", "A"]) for given in (distances, exponentials, halvings)
    )
    _draws.weights(distances, exponentials, halvings, k, zero_distance == "limit", weights)
    return weights


def gaussian_weights(n: int, k: int, rng: np.random.Generator) -> Floats:
    """(n, k) affine weights 1/k + (g_j − ḡ)/√(k−1), g_j ~ N(0, 1): rows sum to 1, some weights are negative.

    What they combine has the mean and the covariance of the neighbourhood (divisor k − 1); distances play no part.
    """
    draws = rng.standard_normal((n, k))
    weights: Floats = 1 / k + (draws - draws.mean(axis=1, keepdims=True)) / np.sqrt(k - 1)
    return weights
