"""Numbers that come in pieces: their ends, and their different values in order, in memory that is bounded."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Floats

Pieces = Callable[[], Iterable[Floats]]
Counts = NDArray[np.int64]

MANY = 2**20  # different numbers that are held at once


def whole(numbers: Floats) -> Pieces:
    """(n,) numbers in memory as one piece."""
    return lambda: (numbers,)


@dataclass
class Ends:
    """Of all numbers seen (NaN left out) the least, the most and the least above 0, and how many are below 0."""

    least: float = np.inf
    most: float = -np.inf
    positive: float = np.inf
    below: int = 0

    def add(self, numbers: Floats) -> None:
        """Take in the next piece."""
        self.least = float(np.fmin.reduce(numbers, initial=self.least))
        self.most = float(np.fmax.reduce(numbers, initial=self.most))
        self.positive = float(np.min(numbers, initial=self.positive, where=numbers > 0))
        self.below += int((numbers < 0).sum())


def ends_of(pieces: Pieces) -> Ends:
    """The ends of all pieces together."""
    ends = Ends()
    for piece in pieces():
        ends.add(piece)
    return ends


def ordered(pieces: Pieces) -> Iterator[tuple[Floats, Counts]]:
    """The different numbers in ascending order with how many cells hold each, at most `MANY` at a time; NaN left out.

    All pieces are read once for each `MANY` different numbers.
    """
    above = -np.inf
    while True:
        lowest = _Lowest(above)
        for piece in pieces():
            lowest.add(piece)
        values, counts = lowest.settled()
        if len(values):
            yield values, counts
        if np.isinf(lowest.ceiling):
            return
        above = lowest.ceiling


@dataclass
class _Lowest:
    """The `MANY` lowest different numbers beyond `above` and up to `ceiling`, which comes down as more are found."""

    above: float
    ceiling: float = np.inf
    held: list[tuple[Floats, Counts]] = field(default_factory=list)

    def add(self, piece: Floats) -> None:
        found = np.unique(piece[(piece > self.above) & (piece <= self.ceiling)], return_counts=True)
        self.held.append(found)
        if sum(len(values) for values, _ in self.held) > 2 * MANY:
            self._settle()

    def settled(self) -> tuple[Floats, Counts]:
        """All of them in ascending order."""
        self._settle()
        return self.held[0] if self.held else (np.empty(0), np.empty(0, dtype=np.int64))

    def _settle(self) -> None:
        if len(self.held) > 1:
            values, places = np.unique(np.concatenate([held for held, _ in self.held]), return_inverse=True)
            rows = np.concatenate([counts for _, counts in self.held])
            self.held = [(values, np.bincount(places, rows, len(values)).astype(np.int64))]
        if self.held and len(self.held[0][0]) > MANY:
            values, counts = self.held[0]
            self.held, self.ceiling = [(values[:MANY], counts[:MANY])], float(values[MANY - 1])
