"""Sums over the rows of mixed data: all that principal axes need to know of a table, in one pass over its blocks.

Blocks are those of `sosie.blocks`, in row order; sums are rounded block by block, so that a table that is streamed
gives the same ones, to the last bit, as one in memory. Each block is centred on its own means and merged as Chan, Golub
and LeVeque do (*Am. Stat.* 37, 1983), so that no digit is lost where means are large.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sosie import _rows
from sosie.blocks import blocks
from sosie.columns import Codes, Floats
from sosie.threads import AT_ONCE

_FEW_CATEGORIES = 32  # beyond it, indicators times indicators cost less than a count for each pair of them
_INDICATORS_AT_ONCE = 2**22


class Sums:
    """Running sums over rows of p numbers and of categories with these level counts.

    `means` (p,), `deviations` (p,) and `products` (p, p), the squares and products about the means, are of numbers
    divided by `units`. `counts` (levels,) are rows, `by_level` (levels, p) sums about the means. `least` and `most`
    (p,) are the ends. Without `pairs` there are no products, which grow with the square of the dimensions.
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
        self._met = np.zeros((levels, levels) if pairs else (0, 0))  # only the upper half counts
        self._sizes = np.array(level_counts, dtype=np.int64)

    @property
    def together(self) -> Floats:
        """(levels, levels) rows with both levels, on the diagonal those with one."""
        together = np.triu(self._met)
        together += np.triu(self._met, 1).T
        return together

    def add(self, numbers: Floats, codes: Codes, beside: Executor = AT_ONCE) -> None:
        """Take in the next block: (rows, p) numbers without gaps and (rows, q) codes, below 0 for no level.

        What no other sum hangs on is done `beside` the others.
        """
        rows = len(numbers)
        if not rows:
            return
        cells = np.ascontiguousarray(codes, dtype=np.int32)
        met = beside.submit(self._meet, cells)
        numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        self._rescale(numbers)
        means = _sums(numbers, self.units) / rows
        scaled, squares = np.empty_like(numbers), np.empty_like(means)
        _rows.centred(rows, numbers, self.units, means, scaled, squares)
        step = means - self.means
        here, there = self.rows / (self.rows + rows), rows / (self.rows + rows)
        self.deviations += squares + step**2 * (self.rows * there)
        summed = scaled if self.pairs else np.empty((rows, 0))
        squared = beside.submit(lambda: summed.T @ summed)
        counts, by_level = np.zeros_like(self.counts), np.zeros_like(self.by_level)
        _rows.by_level(rows, cells, self._sizes, summed, counts, by_level)
        if self.pairs:
            self.products += squared.result() + np.outer(step, step) * (self.rows * there)
            self.by_level -= np.outer(self.counts, step * there)
            self.by_level += by_level + np.outer(counts, step * here)
        self.means += step * there
        self.counts += counts
        self.rows += rows
        met.result()

    def _meet(self, codes: Codes) -> None:
        """Count the rows with both of two levels: whole numbers, the same however they are counted."""
        if not self.pairs:
            return
        if len(self._sizes) <= _FEW_CATEGORIES:
            _rows.together(len(codes), codes, self._sizes, self._met)
            return
        at_once = max(1, _INDICATORS_AT_ONCE // len(self._met))
        for start in range(0, len(codes), at_once):
            # counts below 2^24 are exact in float32
            part = _indicators(codes[start : start + at_once], self._sizes)
            self._met += part.T @ part

    def _rescale(self, numbers: Floats) -> None:
        """Widen the units to this block's magnitudes: powers of two, which cost no digit."""
        _rows.ends(len(numbers), numbers, self.least, self.most, np.empty_like(self.units))
        units = _powers(np.maximum(np.abs(self.least), np.abs(self.most)))
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
        if not len(numbers):
            return
        numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        least, most, counts = np.zeros_like(self.means), np.zeros_like(self.means), np.empty_like(self.means)
        _rows.ends(len(numbers), numbers, least, most, counts)
        units = _powers(np.maximum(np.maximum(most, -least), np.abs(self.means)))
        self.counts += counts
        mean = np.divide(_sums(numbers, units), counts, out=np.zeros_like(counts), where=counts > 0)
        share = np.divide(counts, self.counts, out=np.zeros_like(counts), where=counts > 0)
        before = self.means / units
        self.means = (before + (mean - before) * share) * units


def _sums(numbers: Floats, units: Floats) -> Floats:
    """(p,) sums of (n, p) numbers in units of their own, row after row; NaN adds nothing."""
    sums = np.empty_like(units)
    _rows.columns(len(numbers), numbers, units, sums)
    return sums


def blocks_of(numbers: Floats, codes: Codes) -> Iterator[tuple[Floats, Codes]]:
    """A table's rows in blocks, as `Sums` takes them."""
    for rows in blocks(len(numbers)):
        yield numbers[rows], codes[rows]


def level_counts(codes: Codes, sizes: Sequence[int]) -> list[Floats]:
    """Of each category with so many levels how many of (n, q) codes are each one."""
    counts = np.zeros(int(sum(sizes)))
    if len(codes):
        cells = np.ascontiguousarray(codes, dtype=np.int32)
        none = np.empty((len(codes), 0))
        _rows.by_level(len(codes), cells, np.array(sizes, dtype=np.int64), none, counts, none[:0])
    return [counts[start:stop] for start, stop in pairwise(np.cumsum([0, *sizes]))]


def units_of(numbers: Floats) -> Floats:
    """(p,) powers of two near the largest magnitude of each of (n, p) numbers.

    Dividing by one changes no digit, and then sums and squares of 1e200 do not overflow.
    """
    columns = np.ascontiguousarray(numbers.T)  # along few columns numpy takes ten times as long
    return _powers(np.maximum(columns.max(axis=1, initial=0.0), -columns.min(axis=1, initial=0.0)))


def _powers(largest: Floats) -> Floats:
    exponents = np.frexp(largest)[1]
    units: Floats = np.ldexp(1.0, exponents - 1)
    return units


def _indicators(codes: Codes, sizes: NDArray[np.int64]) -> NDArray[np.float32]:
    """(rows, levels) of 0 and 1, all categories side by side."""
    width = int(sizes.sum()) + 1  # the last for no level
    places = np.where(codes >= 0, codes + (sizes.cumsum() - sizes), width - 1)
    indicators = np.zeros((len(codes), width), dtype=np.float32)
    indicators.ravel()[places + width * np.arange(len(codes))[:, None]] = 1
    return indicators[:, :-1]
