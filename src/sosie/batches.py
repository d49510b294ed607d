"""How a large table is cut into batches, inside which neighbours are found.

Rows are put in order by a cell (a part of the projected space, or a number drawn at random), and batches are equal
stretches of that order: their sizes are exact whatever the cells hold, and a block of rows can be dealt by itself.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sosie.blocks import BLOCK, Rows, blocks, draw_parts
from sosie.columns import Floats
from sosie.kd_cuts import find_cuts
from sosie.streams import stream

By = Literal["local", "random"]

_SAMPLE_ROWS = 2**18  # at least, that cuts are found on; part of what a seed means
_SAMPLE_OF_BATCH = 256
_CELLS_OF_BATCH = 64  # of a random deal


def batch_count(n: int, rows: int | None, k: int) -> int:
    """How many batches n rows make: `rows` at most in each (None: one batch), but at least max(k + 1, rows/2)."""
    if rows is None or n <= rows:
        return 1
    return max(1, min(-(-n // rows), n // max(k + 1, -(-rows // 2))))


def sample_size(n: int, batches: int) -> int:
    """How many rows the cuts for so many batches are found on."""
    return min(n, max(_SAMPLE_ROWS, _SAMPLE_OF_BATCH * batches))


@dataclass(frozen=True, eq=False)
class Drawn:
    """Cells drawn at random, a row at a time."""

    n: int
    cells: int
    seed: int = field(repr=False)

    def of_block(self, number: int) -> Rows:
        """The cell of each row of one block."""
        rows = min(BLOCK, self.n - number * BLOCK)
        return stream(self.seed, "deal", 0, number).integers(0, self.cells, rows)


@dataclass(frozen=True, eq=False)
class Deal:
    """Batches as stretches of the rows ordered by cell.

    `bounds` (batches + 1,) are their ends, `starts` where each cell begins. Inside a cell rows follow one another by
    number; where a random deal cuts a cell in two, in the order of `turned`, its rows' places (from `turns` on).
    """

    bounds: Rows
    starts: Rows
    turns: Rows
    turned: Rows

    def batches_of(self, cells: Rows, before: Rows) -> Rows:
        """The batch of each row of a block, from its cell; `before` counts the rows of each cell in earlier blocks."""
        inside = before[cells] + _ranks(cells)
        turn = self.turns[cells]
        if len(self.turned):
            inside = np.where(
                turn >= 0, self.turned[np.maximum(turn, 0) + np.where(turn >= 0, inside, 0)], inside
            )
        return np.searchsorted(self.bounds, self.starts[cells] + inside, side="right") - 1


def lay_out(counts: Rows, batches: int, by: By, seed: int) -> Deal:
    """The deal into so many batches of cells that hold `counts` rows each."""
    n, ends = int(counts.sum()), counts.cumsum()
    starts = ends - counts
    bounds = np.arange(batches + 1) * n // batches
    turns, turned = np.full(len(counts), -1), [np.empty(0, dtype=np.int64)]
    if by == "random":  # which rows of a cell that is cut fall on which side is drawn too
        for cell in np.unique(np.searchsorted(ends, bounds[1:-1], side="right")):
            turns[cell] = sum(map(len, turned))
            turned.append(stream(seed, "deal", 1, int(cell)).permutation(counts[cell]))
    return Deal(bounds, starts, turns, np.concatenate(turned))


def deal(coordinates: Floats, rows: int | None, by: By, k: int, seed: int) -> list[Rows]:
    """Positions of each batch's individuals; each individual is in one batch.

    `rows` is the most individuals in a batch (None: one batch). No batch has fewer than max(k + 1, rows/2), even where
    that makes it larger than `rows`. `local` cuts the widest component of the cloud, again and again; `random` deals
    at random.
    """
    n = len(coordinates)
    batches = batch_count(n, rows, k)
    if batches == 1:
        return [np.arange(n)]
    if by == "random":
        drawn = random_cells(n, batches, seed)
        cells, count = np.concatenate([drawn.of_block(b) for b, _ in enumerate(blocks(n))]), drawn.cells
    else:
        (sample,) = draw_parts(n, (sample_size(n, batches),), seed, "deal").rows()
        cuts = find_cuts(coordinates[sample], batches)
        cells, count = cuts.cells_of(coordinates), cuts.cells
    counts = np.bincount(cells, minlength=count)
    batch = lay_out(counts, batches, by, seed).batches_of(cells, np.zeros(count, dtype=np.int64))
    order = np.argsort(batch, kind="stable")
    return np.split(order, np.bincount(batch, minlength=batches).cumsum()[:-1])


def random_cells(n: int, batches: int, seed: int) -> Drawn:
    """The cells of a random deal."""
    return Drawn(n, _CELLS_OF_BATCH * batches, seed)


def _ranks(cells: Rows) -> Rows:
    """How many earlier rows of the block share each row's cell."""
    order = np.argsort(cells, kind="stable")
    starts = np.concatenate([[0], np.flatnonzero(np.diff(cells[order])) + 1])
    ranks = np.empty(len(cells), dtype=np.int64)
    ranks[order] = np.arange(len(cells)) - np.repeat(starts, np.diff(starts, append=len(cells)))
    return ranks
