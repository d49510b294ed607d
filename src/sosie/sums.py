"""Sums over the rows of mixed data: all that principal axes need to know of a table, in one pass over its blocks.

Blocks are those of `sosie.blocks`, in row order; sums are rounded block by block, so that a table that is streamed
gives the same ones, to the last bit, as one in memory. Each block is centred on its own means and merged as Chan, Golub
and LeVeque do (*Am. Stat.* 37, 1983), so that no digit is lost where means are large.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sosie.blocks import blocks
from sosie.columns import Codes, Floats

_FEW_CATEGORIES = 32  # beyond it, indicators times indicators cost less than a count for each pair of columns
_INDICATORS_AT_ONCE = 2**22


class Sums:
    """Running sums over rows of p numbers and of categories with these level counts.

    `means` (p,), `deviations` (p,) and `products` (p, p), the squares and products about the means, are of numbers
    divided by `units`. `counts` (levels,) are rows, `by_level` (levels, p) sums about the means, `together` (levels,
    levels) rows with both. `least` and `most` (p,) are the ends. Without `pairs` there are no products, which grow with
    the square of the dimensions.
    """

    def __init__(self, numbers: int, level_counts: Sequence[int], pairs: bool = True) -> None:
        levels = int(sum(level_counts))
        self.rows = 0
        self.units = np.ones(numbers)
        self.means = np.zeros(numbers)
        self.deviations = np.zeros(numbers)
        self.least, self.most = np.full(numbers, np.inf), np.full(numbers, -np.inf)
        self.counts = np.zeros(levels)
        self.pairs = pairs
        self.products = np.zeros((numbers, numbers) if pairs else (0, 0))
        self.by_level = np.zeros((levels, numbers) if pairs else (0, 0))
        self.together = np.zeros((levels, levels) if pairs else (0, 0))
        self._sizes = tuple(int(count) for count in level_counts)

    def add(self, numbers: Floats, codes: Codes) -> None:
        """Take in the next block: (rows, p) numbers without gaps and (rows, q) codes, below 0 for no level."""
        rows = len(numbers)
        if not rows:
            return
        self._rescale(numbers)
        scaled = numbers / self.units
        means = scaled.mean(axis=0)
        scaled -= means
        step = means - self.means
        here, there = self.rows / (self.rows + rows), rows / (self.rows + rows)
        self.deviations += np.square(scaled).sum(axis=0) + step**2 * (self.rows * there)
        counts = np.concatenate([*_level_counts(codes, self._sizes), np.zeros(0)])
        if self.pairs:
            self.products += scaled.T @ scaled + np.outer(step, step) * (self.rows * there)
            self.by_level -= np.outer(self.counts, step * there)
            self.by_level += _indicators(codes, self._sizes).T @ scaled + np.outer(counts, step * here)
            self.together += _met(codes, self._sizes)
        self.means += step * there
        self.counts += counts
        self.rows += rows

    def _rescale(self, numbers: Floats) -> None:
        """Widen the units to this block's magnitudes: powers of two, which cost no digit."""
        columns = np.ascontiguousarray(numbers.T)  # along few columns numpy takes ten times as long
        self.least = np.minimum(self.least, columns.min(axis=1))
        self.most = np.maximum(self.most, columns.max(axis=1))
        units = units_of(np.maximum(np.abs(self.least), np.abs(self.most))[None])
        known = (self.means != 0) | (self.deviations > 0)  # nothing but zeros so far: nothing to bring along
        ratio = np.divide(self.units, units, out=np.zeros_like(units), where=known)
        self.means *= ratio
        self.deviations *= ratio**2
        if self.pairs:
            self.products *= np.outer(ratio, ratio)
            self.by_level *= ratio
        self.units = units


class PresentMeans:
    """Running means of p numbers that have gaps (NaN): `counts` (p,) present ones, `means` (p,), 0 where none is."""

    def __init__(self, numbers: int) -> None:
        self.counts = np.zeros(numbers)
        self.means = np.zeros(numbers)

    def add(self, numbers: Floats) -> None:
        """Take in the next block of (rows, p) numbers."""
        held = ~np.isnan(numbers)
        filled = np.where(held, numbers, 0.0)
        units = units_of(np.concatenate([filled, self.means[None]]))
        counts = np.array([np.count_nonzero(column) for column in held.T], dtype=np.int64)
        self.counts += counts
        mean = np.divide((filled / units).sum(axis=0), counts, out=np.zeros(len(counts)), where=counts > 0)
        share = np.divide(counts, self.counts, out=np.zeros(len(counts)), where=counts > 0)
        before = self.means / units
        self.means = (before + (mean - before) * share) * units


def blocks_of(numbers: Floats, codes: Codes) -> Iterator[tuple[Floats, Codes]]:
    """A table's rows in blocks, as `Sums` takes them."""
    for rows in blocks(len(numbers)):
        yield numbers[rows], codes[rows]


def units_of(numbers: Floats) -> Floats:
    """(p,) powers of two near the largest magnitude of each of (n, p) numbers.

    Dividing by one changes no digit, and then sums and squares of 1e200 do not overflow.
    """
    columns = np.ascontiguousarray(numbers.T)
    largest = np.maximum(columns.max(axis=1, initial=0.0), -columns.min(axis=1, initial=0.0))
    exponents = np.frexp(largest)[1]
    units: Floats = np.ldexp(1.0, exponents - 1)
    return units


def _level_counts(codes: Codes, sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    """How many rows have each level, category by category."""
    return [
        np.bincount(np.maximum(held, -1) + 1, minlength=size + 1)[1:]
        for held, size in zip(codes.T, sizes, strict=True)
    ]


def _indicators(codes: Codes, sizes: Sequence[int]) -> sparse.csr_array:
    """(rows, levels) of 0 and 1, all categories side by side."""
    offsets = np.cumsum([0, *sizes])[:-1].astype(np.int32)
    held, places = codes >= 0, codes + offsets
    if held.all():
        places, starts = places.ravel(), np.arange(len(codes) + 1, dtype=np.int32) * len(sizes)
    else:
        places, starts = places[held], np.concatenate([[0], np.cumsum(held.sum(axis=1))])
    return sparse.csr_array((np.ones(len(places)), places, starts), shape=(len(codes), sum(sizes)))


def _met(codes: Codes, sizes: Sequence[int]) -> Floats:
    """(levels, levels) rows that have both: whole numbers, the same however they are counted."""
    return _met_by_pairs(codes, sizes) if len(sizes) <= _FEW_CATEGORIES else _met_by_products(codes, sizes)


def _met_by_pairs(codes: Codes, sizes: Sequence[int]) -> Floats:
    offsets = np.cumsum([0, *sizes])
    met = np.zeros((offsets[-1], offsets[-1]))
    shifted = [np.maximum(held, -1).astype(np.int64) + 1 for held in codes.T]
    for j, counts in enumerate(_level_counts(codes, sizes)):
        place = np.arange(offsets[j], offsets[j + 1])
        met[place, place] = counts
    for i, j in combinations(range(len(sizes)), 2):
        width = sizes[j] + 1
        cells = np.bincount(shifted[i] * width + shifted[j], minlength=(sizes[i] + 1) * width)
        block = cells.reshape(-1, width)[1:, 1:]
        met[offsets[i] : offsets[i + 1], offsets[j] : offsets[j + 1]] = block
        met[offsets[j] : offsets[j + 1], offsets[i] : offsets[i + 1]] = block.T
    return met


def _met_by_products(codes: Codes, sizes: Sequence[int]) -> Floats:
    levels = sum(sizes)
    met = np.zeros((levels, levels))
    at_once = max(1, _INDICATORS_AT_ONCE // levels)
    for start in range(0, len(codes), at_once):
        # counts below 2^24 are exact in float32
        part = _indicators(codes[start : start + at_once], sizes).astype(np.float32).toarray()
        met += part.T @ part
    return met
