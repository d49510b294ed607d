"""What a streamed run measures: on all rows what merges, on a stated sample what needs neighbours."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sosie.blocks import Rows, draw_parts
from sosie.columns import Column, Floats, Table
from sosie.evaluation import Measures
from sosie.generation import WeightLaw
from sosie.measure import Comparison
from sosie.streamed_measure import Everyone, measure_streamed
from sosie.streams import stream
from sosie.tasks.measuring import Compared
from sosie.tasks.streamed.encoding import Halves
from sosie.tasks.streamed.fitting import Fitted
from sosie.tasks.streamed.records import StoredRows, table_of
from sosie.tasks.streamed.shuffling import Linked
from sosie.utility import WeightEvidence, weights_summed_up

SAMPLE_ROWS = 50_000  # of each half
_CHUNK_ROWS = 2**18


@dataclass(frozen=True, eq=False)
class Sampled:
    """A sample of individuals with their avatars, and of strangers; `rows` are the individuals' numbers."""

    compared: Compared
    rows: Rows
    weights: Floats


def sample(halves: Halves, fitted: Fitted, linked: Linked, seed: int) -> Sampled:
    """The same share of the working half, with its avatars, and of the holdout; all rows where there are few."""
    columns = fitted.projection.columns
    size = min(SAMPLE_ROWS, halves.working.n, halves.holdout.n)
    (rows,) = draw_parts(halves.working.n, (size,), seed, "sample").rows()
    (strangers,) = draw_parts(halves.holdout.n, (size,), seed, "sample", 1).rows()
    (some,) = draw_parts(
        halves.everyone.n, (min(2 * SAMPLE_ROWS, halves.everyone.n),), seed, "sample", 2
    ).rows()
    found = np.concatenate([batch[np.isin(batch["row"], rows)] for batch in linked.batches()])
    found = found[np.argsort(found["row"])]
    originals, avatars = table_of(halves.working.take(rows), columns), table_of(found, columns)
    holdout = table_of(halves.holdout.take(strangers), columns)
    comparison = Comparison("real", True, originals, avatars, originals, avatars, holdout)
    everyone: Table = table_of(halves.everyone.take(some), columns)
    return Sampled(
        Compared(comparison, fitted.projection, everyone), rows, np.ascontiguousarray(found["coordinates"])
    )


def measure(
    halves: Halves, linked: Linked, sampled: Sampled, min_count: int, seed: int, workers: int
) -> Measures:
    """The metrics of the method's pages: counts of all rows, distances of the sample to all."""
    columns = sampled.compared.projection.columns
    everyone = Everyone(
        working=lambda: _chunks(halves.working, columns),
        avatars=lambda: (table_of(records, columns) for records in linked.batches()),
        holdout=lambda: _chunks(halves.holdout, columns),
        rows=halves.working.n,
    )
    rng = stream(seed, "attack base")
    compared = sampled.compared
    return measure_streamed(compared.comparison, everyone, compared.projection, min_count, rng, workers)


def _chunks(rows: StoredRows, columns: tuple[Column, ...]) -> Iterator[Table]:
    """The rows in chunks as large as a batch, so that few trees are built."""
    return (table_of(records, columns) for records in rows.blocks(_CHUNK_ROWS))


def compared_of(sampled: Sampled) -> Compared:
    """The tables that are compared."""
    return sampled.compared


def weigh(sampled: Sampled, law: WeightLaw, k: int) -> WeightEvidence:
    """How much of an avatar comes from one neighbour, over the sample."""
    heaviest, effective = sampled.weights.T
    return weights_summed_up(heaviest, effective, law, k)
