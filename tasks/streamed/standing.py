"""What stands out of a table that is seen a block at a time: rare levels, missing patterns of one person, twins."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sosie.blocks import BLOCK
from sosie.columns import MISSING, Category, Column, Table
from sosie.errors import Notice
from sosie.extent import Extent
from sosie.row_hashes import row_hashes
from sosie.standouts import duplicate_notices, rare_level_notices, unique_pattern_notices
from sosie.tasks.streamed.shelf import Shelf

HASHES = "hashes"

_AT_ONCE = 2**24  # hashes compared at once


@dataclass
class Standing:
    """Counts so far; `repeated` rows equal an earlier one (by 64-bit hashes, known at the end)."""

    columns: tuple[Column, ...]
    repeated: int = 0
    extent: Extent = field(init=False)
    patterns: Counter[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.extent, self.patterns = Extent(self.columns), Counter()

    def add(self, table: Table) -> NDArray[np.uint64]:
        """Take in the next block; the hashes of its rows."""
        self.extent.add(table)
        patterns = np.hstack([table.states, table.codes == MISSING]).astype(np.uint8)
        first, counts = _kinds(patterns)
        for row, count in zip(first, counts, strict=True):
            self.patterns[patterns[row].tobytes()] += int(count)
        return row_hashes(table.numbers, table.states, table.codes)

    def notices(self, min_count: int) -> list[Notice]:
        """The warnings of all blocks together."""
        categories = [column for column in self.columns if isinstance(column, Category)]
        alone = sum(count == 1 for count in self.patterns.values())
        nothing_missing = len(self.patterns) == 1 and not any(next(iter(self.patterns)))
        return [
            *rare_level_notices(categories, self.extent.counts, min_count),
            *unique_pattern_notices(0 if nothing_missing else alone),
            *duplicate_notices(self.repeated),
        ]


def _kinds(patterns: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A row of each different pattern, and how many rows have it."""
    if (
        patterns.shape[1] <= 64 and patterns.max(initial=0) <= 1
    ):  # whole numbers are sorted much faster than rows
        packed = np.zeros((len(patterns), 8), dtype=np.uint8)
        bits = np.packbits(patterns, axis=1)
        packed[:, : bits.shape[1]] = bits
        _, first, counts = np.unique(packed.view(np.uint64)[:, 0], return_index=True, return_counts=True)
    else:
        _, first, counts = np.unique(patterns, axis=0, return_index=True, return_counts=True)
    return first, counts


def repeated_rows(shelf: Shelf, n: int) -> int:
    """How many rows have the hash of an earlier one."""
    return n - different_hashes(shelf, HASHES, n)


def different_hashes(shelf: Shelf, name: str, n: int) -> int:
    """How many of the n hashes in a file are different; it is read once for each 16 million, then taken away."""
    passes, distinct = -(-n // _AT_ONCE), 0
    for number in range(passes):
        found = [np.empty(0, dtype=np.uint64)]
        with shelf.reading(name) as file:
            while content := file.read(BLOCK * 8):
                hashes = np.frombuffer(content, dtype=np.uint64)
                found.append(hashes[hashes % np.uint64(passes) == number])
        ordered = np.sort(np.concatenate(found))
        distinct += int((ordered[1:] != ordered[:-1]).sum()) + bool(len(ordered))
    shelf.remove(name)
    return distinct
