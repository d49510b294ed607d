"""Blocks of rows: what is summed, drawn and read at once, whether the table lies in memory or not.

Whatever is random about single rows is drawn block by block, from streams of their own, so that a table read in pieces
gives the very bytes of one held whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sosie.streams import Purpose, stream

BLOCK = 65_536  # part of what a seed means: never change it
_PIECE = 8_192

Rows = NDArray[np.int64]


def blocks(n: int) -> Iterator[slice]:
    """The blocks of n rows, in order; the last one may be shorter."""
    return (slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK))


def pieces(n: int) -> Iterator[slice]:
    """Smaller blocks of n rows, for what depends on each row alone: they stay in a core's own cache."""
    return (slice(start, min(start + _PIECE, n)) for start in range(0, n, _PIECE))


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a table drawn at random, of exact sizes: `counts` (blocks, parts) is what each block gives."""

    n: int
    counts: Rows
    purpose: Purpose
    place: tuple[int, ...]
    seed: int = field(repr=False)

    def of_block(self, number: int) -> tuple[Rows, ...]:
        """For each part its rows inside one block, ascending, counted from the block's first."""
        rows = min(BLOCK, self.n - number * BLOCK)
        order = stream(self.seed, self.purpose, *self.place, number).permutation(rows)
        return tuple(np.sort(part) for part in np.split(order, self.counts[number].cumsum()))[:-1]

    def rows(self) -> tuple[Rows, ...]:
        """For each part its rows, ascending, counted from the table's first."""
        found = [
            [part + number * BLOCK for part in self.of_block(number)] for number in range(len(self.counts))
        ]
        return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


def draw_parts(n: int, sizes: tuple[int, ...], seed: int, purpose: Purpose, *place: int) -> Parts:
    """Disjoint parts of n rows, of these sizes, every choice of them equally likely.

    How many rows a block gives to each part is hypergeometric; which ones is uniform. Rows may be left over. ValueError
    when the sizes pass n.
    """
    if sum(sizes) > n:
        raise ValueError(f"parts of {sum(sizes)} rows cannot be drawn from {n}")
    rng = stream(seed, purpose, *place)
    left, counts = [*sizes, n - sum(sizes)], []
    for block in blocks(n):
        drawn = _split(left, block.stop - block.start, rng)
        left = [had - took for had, took in zip(left, drawn, strict=True)]
        counts.append(drawn[:-1])
    return Parts(n, np.array(counts, dtype=np.int64).reshape(-1, len(sizes)), purpose, place, seed)


def _split(left: list[int], rows: int, rng: np.random.Generator) -> list[int]:
    """How many of so many rows fall in each part: a multivariate hypergeometric, one part after the other."""
    drawn, pool = [], sum(left)
    for size in left:
        pool -= size
        took = int(rng.hypergeometric(size, pool, rows)) if rows else 0
        drawn.append(took)
        rows -= took
    return drawn
