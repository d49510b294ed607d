"""What decoding and checking need to know of a table that is seen a block at a time: ends, decimals, levels, gaps."""

from dataclasses import dataclass, field

import numpy as np

from sosie.blocks import Rows
from sosie.columns import GAP, MISSING, PRESENT, Category, Column, Fixed, Floats, Grid, Number, Numeric, Table
from sosie.columns.grid import most_decimals
from sosie.lattice import Lattice
from sosie.whole import Whole


@dataclass
class NumberExtent:
    """The ends of a numeric column, its decimals and the states of its cells, so far."""

    column: Numeric
    least: float = np.inf
    most: float = -np.inf
    decimals: int = 0
    states: set[int] = field(default_factory=set)

    def add(self, numbers: Floats) -> None:
        """Take in the next cells, NaN where missing."""
        present = numbers[~np.isnan(numbers)]
        if len(present):
            self.least = min(self.least, float(present.min()))
            self.most = max(self.most, float(present.max()))
            if isinstance(self.column, Number | Fixed) and self.column.kind == "float":
                self.decimals = max(self.decimals, self.column.decimals(present))

    @property
    def grid(self) -> Grid:
        """The grid of all cells seen: what `lattice_of` says of them together."""
        if self.least > self.most:
            return Grid(0.0, 0.0, 0)
        largest = max(abs(self.least), abs(self.most))
        # a block of small numbers shows more decimals than 15 digits of the largest leave room for
        decimals = min(self.decimals, most_decimals(largest)) if largest else 0
        return Grid(self.least, self.most, decimals)


@dataclass
class Extent:
    """The same of every column of a table; `counts` are the rows of each level, `gaps` those without one."""

    columns: tuple[Column, ...]
    rows: int = 0
    numbers: list[NumberExtent] = field(init=False)
    counts: list[Rows] = field(init=False)
    gaps: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = [NumberExtent(column) for column in self.columns if not isinstance(column, Category)]
        categories = [column for column in self.columns if isinstance(column, Category)]
        self.counts = [np.zeros(len(column.levels), dtype=np.int64) for column in categories]
        self.gaps = [0] * len(categories)

    def add(self, table: Table) -> None:
        """Take in the next block."""
        self.rows += len(table)
        for extent, cells, states in zip(self.numbers, table.numbers.T, table.states.T, strict=True):
            extent.states.update(np.unique(states).tolist())
            extent.add(cells)
        for j, codes in enumerate(table.codes.T):
            self.counts[j] += np.bincount(codes[codes >= 0], minlength=len(self.counts[j]))
            self.gaps[j] += int((codes < 0).sum())

    def whole(self, truncate: bool) -> Whole:
        """What `whole_of` says of all rows together."""
        return Whole(
            tuple(Lattice(extent.column, extent.grid, truncate) for extent in self.numbers),
            tuple(bool(extent.states - {PRESENT}) for extent in self.numbers),
            tuple(gaps > 0 for gaps in self.gaps),
        )

    def witness(self) -> Table:
        """A small table with the ends, the states and the levels of the whole: what any row may be held against."""
        levels = [
            ([MISSING] if gaps else []) + np.flatnonzero(counts).tolist()
            for gaps, counts in zip(self.gaps, self.counts, strict=True)
        ]
        most = max([2, *(len(e.states) + 2 for e in self.numbers), *(len(held) for held in levels)])
        numbers, states = np.empty((most, len(self.numbers))), np.zeros((most, len(self.numbers)), np.int8)
        for j, extent in enumerate(self.numbers):
            ends = [extent.least, extent.most] if extent.least <= extent.most else []
            reasons = sorted(extent.states - {0})
            fill = [ends[0]] if ends else [np.nan]
            numbers[:, j] = (ends + [np.nan] * len(reasons) + fill * most)[:most]
            states[:, j] = ([0] * len(ends) + reasons + [0 if ends else GAP] * most)[:most]
        codes = np.full((most, len(levels)), MISSING, dtype=np.int32)
        for j, held in enumerate(levels):
            codes[:, j] = (held + held[-1:] * most)[:most]
        return Table(self.columns, numbers, states, codes, (), np.empty((most, 0), dtype=object))
