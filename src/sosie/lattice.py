"""The numbers that a decoded cell may be: those of the column's grid, as its dtype holds them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sosie.columns import Fixed, Floats, Grid, Instant, Mask, Numeric, floating

_TRIES = 4


@dataclass(frozen=True, eq=False)
class Lattice:
    """A column's grid, and how it is reached; `truncate`: whole numbers are cut off, not rounded."""

    column: Numeric
    grid: Grid
    truncate: bool

    @property
    def most(self) -> float:
        """The highest of them."""
        return float(self.nearest(np.array([self.grid.most]))[0])

    def nearest(self, values: Floats) -> Floats:
        """Those next to the values; never −0."""
        return (
            np.clip(self.column.settled(values, self.grid, self.truncate), self.grid.least, self.grid.most)
            + 0.0
        )

    def at_least(self, limits: Floats, reach: Callable[[Floats], Mask]) -> Floats:
        """The lowest ones at or above the limits that `reach` says yes to; the highest of all where none does."""
        return self._moved(self.nearest(limits), reach, 1.0)

    def at_most(self, limits: Floats, reach: Callable[[Floats], Mask]) -> Floats:
        """The highest ones at or below the limits that `reach` says yes to; the lowest of all where none does."""
        return self._moved(self.nearest(limits), reach, -1.0)

    def _moved(self, cells: Floats, reach: Callable[[Floats], Mask], direction: float) -> Floats:
        for _ in range(_TRIES):
            short = ~reach(cells)
            if not short.any():
                break
            # a narrow float may hold fewer numbers than its decimals say
            narrow = np.spacing(np.abs(cells).astype(floating(self.column.dtype))).astype(np.float64)
            moved = self.nearest(cells + direction * np.maximum(self._step(), narrow))
            cells = np.where(short, moved, cells)
        return cells

    def _step(self) -> float:
        column = self.column
        if isinstance(column, Instant):
            return 1.0
        if isinstance(column, Fixed):
            return (column.round_to or 0.0) * 10**column.places or 1.0
        return column.round_to or (10.0**-self.grid.decimals if column.kind == "float" else 1.0)


def lattice_of(column: Numeric, numbers: Floats, truncate: bool) -> Lattice:
    """The lattice of a column's own (n,) numbers, NaN where missing."""
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return Lattice(column, Grid(0.0, 0.0, 0), truncate)
    return Lattice(
        column, Grid(float(present.min()), float(present.max()), column.decimals(present)), truncate
    )
