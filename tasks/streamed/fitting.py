"""What is fitted on rows on a shelf: the projection, and the extent of every column."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from sosie.blocks import Rows
from sosie.columns import Table
from sosie.extent import Extent
from sosie.missing import ImputationRule
from sosie.projection import Projection
from sosie.streamed_projection import fit_streamed
from sosie.tasks.streamed.encoding import Halves
from sosie.tasks.streamed.records import StoredRows, table_of


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

    projection = fit_streamed(lambda: rows.tables(weighed), take, weighed, ncp, imputation)
    extent = Extent(columns)
    for table in rows.tables(columns):
        extent.add(table)
    return Fitted(rows, projection, extent)
