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
    """The different numbers in ascending order with how many cells hold each, NaN left out.

    At most `MANY` at a time, or as many as a piece has cells; all pieces are read again for those that follow.
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


def median_of(pieces: Pieces) -> float:
    """The median of the numbers that are there; 0 where none is."""
    count = sum(int((~np.isnan(piece)).sum()) for piece in pieces())
    ranks, middle, below = np.unique([max(0, count - 1) // 2, count // 2]), [0.0] * (not count), 0
    for values, counts in ordered(pieces):
        ends = below + counts.cumsum()
        here = ranks[(ranks >= below) & (ranks < ends[-1])]
        middle += values[np.searchsorted(ends, here, side="right")].tolist()
        below = int(ends[-1])
        if len(middle) == len(ranks):
            break
    return float(np.mean(middle))


def commonest_of(pieces: Pieces) -> float:
    """The number that most cells hold, the least of several; 0 where there is none."""
    commonest, most = 0.0, 0
    for values, counts in ordered(pieces):
        place = int(counts.argmax())
        if counts[place] > most:
            commonest, most = float(values[place]), int(counts[place])
    return commonest


@dataclass
class _Lowest:
    """The `most` lowest different numbers beyond `above` and up to `ceiling`, which comes down as more are found."""

    above: float
    ceiling: float = np.inf
    most: int = field(default_factory=lambda: MANY)
    held: list[tuple[Floats, Counts]] = field(default_factory=list)

    def add(self, piece: Floats) -> None:
        found = np.unique(piece[(piece > self.above) & (piece <= self.ceiling)], return_counts=True)
        self.held.append(found)
        self.most = max(self.most, len(piece))  # what is in memory anyway is not put in order twice
        if sum(len(values) for values, _ in self.held) > 2 * self.most:
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
        if self.held and len(self.held[0][0]) > self.most:
            values, counts = (self.held[0][0][: self.most], self.held[0][1][: self.most])
            self.held, self.ceiling = [(values, counts)], float(values[-1])
