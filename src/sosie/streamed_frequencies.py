"""How often the working half, the avatars and the holdout fall into the classes of each column, a block at a time."""

from dataclasses import dataclass

import numpy as np

from sosie.blocks import Rows
from sosie.columns import GAP, MISSING, PRESENT, Category, Column, Floats, Table
from sosie.evaluation import Missing
from sosie.metrics.frequencies import bin_edges
from sosie.metrics.hellinger import hellinger_distance, hellinger_score


@dataclass
class Frequencies:
    """Counts by column: `counts` hold (3, classes), `absent` (3,) the cells without a value, `rows` (3,) all rows.

    `inner` are the borders between the bins of each numeric column, whose end bins are open.
    """

    columns: tuple[Column, ...]
    inner: list[Floats]
    counts: list[Rows]
    absent: list[Rows]
    rows: Rows

    @classmethod
    def laid_on(cls, working: Table, holdout: Table) -> "Frequencies":
        """Nothing counted yet, in bins laid on these originals."""
        inner, counts = [], []
        numbers = iter(np.concatenate([working.numbers, holdout.numbers]).T)
        for column in working.columns:
            if isinstance(column, Category):
                classes = len(column.levels) + 1
            else:
                cells = column.axis(next(numbers))
                inner.append(bin_edges(cells[~np.isnan(cells)])[1:-1])
                # the bins, then a gap and each missing code
                classes = len(inner[-1]) + 2 + len(column.missing_codes)
            counts.append(np.zeros((3, classes), dtype=np.int64))
        absent = [np.zeros(3, dtype=np.int64) for _ in counts]
        return cls(working.columns, inner, counts, absent, np.zeros(3, dtype=np.int64))

    def add(self, side: int, table: Table) -> None:
        """Take in a block of the working half (0), the avatars (1) or the holdout (2)."""
        self.rows[side] += len(table)
        numbers, states, codes = iter(table.numbers.T), iter(table.states.T), iter(table.codes.T)
        inner = iter(self.inner)
        for column, counts, absent in zip(self.columns, self.counts, self.absent, strict=True):
            if isinstance(column, Category):
                held = next(codes)
                classes = held.astype(np.int64) + 1
                absent[side] += int((held == MISSING).sum())
            else:
                cells, why, borders = column.axis(next(numbers)), next(states), next(inner)
                classes = np.searchsorted(borders, cells, side="right")
                gone = why != PRESENT
                classes[gone] = len(borders) + 1 + (why[gone].astype(np.int64) - GAP)
                absent[side] += int(gone.sum())
            counts[side] += np.bincount(classes, minlength=counts.shape[1])

    def scores(self) -> list[float]:
        """The Hellinger score of each column."""
        found = []
        for counts in self.counts:
            working, avatars, holdout = counts / self.rows[:, None]
            found.append(
                hellinger_score(hellinger_distance(avatars, holdout), hellinger_distance(working, holdout))
            )
        return found

    def missing(self) -> list[Missing]:
        """The shares of cells without a value, by column."""
        return [Missing(*(float(share) for share in absent / self.rows)) for absent in self.absent]
