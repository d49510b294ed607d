"""What is fitted on rows on a shelf: the projection, and the extent of every column."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from sosie.blocks import BLOCK, Rows
from sosie.columns import Floats, Table
from sosie.extent import Extent
from sosie.missing import ImputationRule
from sosie.ordered import Pieces
from sosie.projection import Projection
from sosie.streamed_projection import fit_streamed
from sosie.tasks.streamed.encoding import Halves
from sosie.tasks.streamed.records import StoredRows, put, table_of
from sosie.tasks.streamed.shelf import Digested, Shelf

_ASIDE = "aside"


@dataclass(frozen=True, eq=False)
class Fitted:
    """Rows to anonymise, the projection fitted on them, and what is known of their columns as a whole."""

    rows: StoredRows
    projection: Projection
    extent: Extent


def fit(
    halves: Halves,
    which: Literal["working", "everyone"],
    weights: Mapping[str, float],
    ncp: int,
    imputation: ImputationRule,
) -> Fitted:
    """Fit on every row of the working half or of all, a block at a time; `weights` by column, others weigh 1."""
    rows, columns = halves.working if which == "working" else halves.everyone, halves.columns
    weighed = tuple(replace(column, weight=weights.get(str(column.name), 1.0)) for column in columns)

    def take(chosen: Rows) -> Table:
        return table_of(rows.take(chosen), weighed)

    aside = partial(_laid_aside, rows.shelf)
    projection = fit_streamed(
        lambda: rows.tables(weighed), take, weighed, ncp, imputation, halves.relations, aside
    )
    rows.shelf.remove(_ASIDE)
    extent = Extent(columns)
    for table in rows.tables(columns):
        extent.add(table)
    return Fitted(rows, projection, extent)


def _laid_aside(shelf: Shelf, blocks: Iterable[Sequence[Floats]]) -> list[Pieces]:
    """Columns of numbers, each in a file of its own: pieces of it, a block at a time, again at each call."""
    sinks: list[Digested] = []
    with ExitStack() as files:
        for block in blocks:
            for j in range(len(sinks), len(block)):
                sinks.append(files.enter_context(shelf.writing(f"{_ASIDE}/{j}", "", {})))
            for sink, numbers in zip(sinks, block, strict=True):
                put(sink, numbers.astype("<f8", copy=False))
    return [partial(_pieces, shelf, f"{_ASIDE}/{j}") for j in range(len(sinks))]


def _pieces(shelf: Shelf, name: str) -> Iterator[Floats]:
    with shelf.reading(name) as file:
        while content := file.read(8 * BLOCK):
            yield np.frombuffer(content, dtype="<f8")
