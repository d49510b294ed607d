"""Missing values: a temporary imputation for the projection, and the masks that avatars inherit.

Imputed values serve to place an individual among its neighbours and never reach an avatar. An imputation is
fitted once; completing rows alone equals completing them among others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie.arranged import Arranged, arranged
from sosie.blocks import Rows, blocks, draw_parts
from sosie.columns import MISSING, UNSEEN, Codes, Floats, Mask, Table
from sosie.famd import Axes, fit_axes
from sosie.neighbours import nearest
from sosie.ordered import Pieces, commonest_of, median_of, whole
from sosie.sums import PresentMeans, level_counts, units_of

ImputationRule = Literal["fast_knn", "knn", "mean", "median", "mode"]
_NEIGHBOURS = 5
_BASE = 2**18
_PAIRS_AT_ONCE = 2**22  # bounds the memory of the pairwise distances of `knn`


@dataclass(frozen=True, eq=False)
class ConstantImputation:
    """One value a column: a mean, median or most frequent value."""

    numbers: Floats
    codes: Codes

    def complete(self, table: Table) -> tuple[Floats, Codes]:
        """(n, p) numbers and (n, q) codes without gaps: the table's own where it has none."""
        no_number, no_level = masks(table)
        return (
            np.where(no_number, self.numbers, table.numbers) if no_number.any() else table.numbers,
            np.where(no_level, self.codes, table.codes) if no_level.any() else table.codes,
        )


@dataclass(frozen=True, eq=False)
class FastNeighbourImputation:
    """The 5 nearest individuals having the value, in the projected space of the mean-imputed table.

    Numbers take their mean, categories their most frequent level (the nearest's among equals). They are looked for
    among `base`: all rows, or a sample of 262,144.
    """

    rough: ConstantImputation
    axes: Axes
    base: Table
    base_coordinates: Floats
    _bases: dict[tuple[str, int], tuple[NDArray[np.int64], Arranged]] = field(
        default_factory=dict, init=False, repr=False
    )

    def complete(self, table: Table) -> tuple[Floats, Codes]:
        """(n, p) numbers and (n, q) codes without gaps."""
        numbers, codes = self.rough.complete(table)
        gaps = np.isnan(table.numbers), table.codes == MISSING
        if not (gaps[0].any() or gaps[1].any()):
            return numbers, codes
        coordinates = self.axes.coordinates(numbers, codes)
        for j in np.flatnonzero(gaps[0].any(axis=0)):
            having = ~np.isnan(self.base.numbers[:, j])
            if having.any():
                givers = self._nearest(coordinates[gaps[0][:, j]], "number", int(j), having)
                numbers[gaps[0][:, j], j] = self.base.numbers[givers, j].mean(axis=1)
        for j in np.flatnonzero(gaps[1].any(axis=0)):
            having = self.base.codes[:, j] != MISSING
            if having.any():
                givers = self._nearest(coordinates[gaps[1][:, j]], "category", int(j), having)
                codes[gaps[1][:, j], j] = _most_frequent(self.base.codes[givers, j])
        return numbers, codes

    def _nearest(self, coordinates: Floats, kind: str, j: int, having: Mask) -> NDArray[np.int64]:
        if (kind, j) not in self._bases:  # a table that comes in blocks asks the same base again and again
            present = np.flatnonzero(having)
            self._bases[kind, j] = present, arranged(self.base_coordinates[present], "base")
        present, base = self._bases[kind, j]
        return present[nearest(coordinates, base, min(_NEIGHBOURS, len(present)))[1]]


@dataclass(frozen=True, eq=False)
class CompleteSpaceImputation:
    """The 5 nearest individuals having the value, in the complete encoded space.

    The distance is that of scikit-learn's `KNNImputer`, the mean squared difference over what both have; but each
    pair's is summed in the same order whatever the other rows are, and among equals the first row is taken. Exact,
    and quadratic in the rows.
    """

    rough: ConstantImputation
    number_scale: Floats
    level_scales: tuple[Floats, ...]
    base: Table

    def complete(self, table: Table) -> tuple[Floats, Codes]:
        """(n, p) numbers and (n, q) codes without gaps."""
        numbers, codes = self.rough.complete(table)
        gaps, code_gaps = masks(table)
        having, having_codes = (~mask for mask in masks(self.base))
        lacking = np.flatnonzero(gaps.any(axis=1) | code_gaps.any(axis=1))
        at_once = max(1, _PAIRS_AT_ONCE // len(self.base))
        for start in range(0, len(lacking), at_once):
            rows = lacking[start : start + at_once]
            distances = self._distances(table.take(rows))
            for j in np.flatnonzero(gaps[rows].any(axis=0) & having.any(axis=0)):
                nearest, near = _nearest_having(distances[gaps[rows, j]], having[:, j])
                filled = np.flatnonzero(near.any(axis=1))
                totals = np.where(near, self.base.numbers[nearest, j], 0.0).sum(axis=1)
                numbers[rows[gaps[rows, j]][filled], j] = totals[filled] / near.sum(axis=1)[filled]
            for j in np.flatnonzero(code_gaps[rows].any(axis=0) & having_codes.any(axis=0)):
                nearest, near = _nearest_having(distances[code_gaps[rows, j]], having_codes[:, j])
                filled = np.flatnonzero(near.any(axis=1))
                chosen = _most_frequent(self.base.codes[nearest[filled], j], near[filled])
                codes[rows[code_gaps[rows, j]][filled], j] = chosen
        return numbers, codes

    def _distances(self, table: Table) -> Floats:
        """(rows, base rows) mean squared differences over the encoded columns both have; infinite where none."""
        totals = np.zeros((len(table), len(self.base)))
        for j, scale in enumerate(self.number_scale):
            differences = (table.numbers[:, j, None] - self.base.numbers[:, j]) * scale
            np.add(totals, differences**2, out=totals, where=~np.isnan(differences))
        for j, level_scale in enumerate(self.level_scales):
            squares = np.append(level_scale**2, [0.0, 0.0])  # the last two: an unseen level, a missing one
            here, there = table.codes[:, j, None], self.base.codes[:, j]
            apart = (here != there) & (here != MISSING) & (there != MISSING)
            np.add(totals, squares[here] + squares[there], out=totals, where=apart)
        held = [1] * len(self.number_scale), [np.count_nonzero(scale) for scale in self.level_scales]
        shared = np.zeros_like(totals)
        for count, here_missing, there_missing in zip(held, masks(table), masks(self.base), strict=True):
            shared += (~here_missing * np.asarray(count, dtype=np.float64)) @ (~there_missing).T.astype(
                np.float64
            )
        return np.divide(totals, shared, out=np.full_like(totals, np.inf), where=shared > 0)


Imputation = ConstantImputation | FastNeighbourImputation | CompleteSpaceImputation


def fit_imputation(table: Table, rule: ImputationRule, ncp: int) -> Imputation:
    """The imputation of a table under a rule; `ncp` components serve `fast_knn`."""
    rough = _constant(table, rule)
    complete = not (np.isnan(table.numbers).any() or (table.codes == MISSING).any())
    if complete or rule in ("mean", "median", "mode"):
        return rough
    if rule == "knn":
        return _fit_complete_space(table, rough)
    numbers, codes = rough.complete(table)
    axes = fit_axes(
        numbers,
        codes,
        [len(column.levels) for column in table.category_columns],
        [column.weight for column in table.number_columns],
        [column.weight for column in table.category_columns],
        ncp,
    )
    base = imputation_base(len(table))
    coordinates = axes.coordinates(numbers[base], codes[base])
    return FastNeighbourImputation(rough, axes, table.take(base), coordinates)


def imputation_base(n: int) -> Rows:
    """The rows among which `fast_knn` looks for neighbours: all up to 262,144, else a sample of so many.

    The same sample whatever the seed: imputed values serve for the projection only and tell nobody anything.
    """
    (rows,) = draw_parts(n, (min(n, _BASE),), 0, "imputation").rows()
    return rows


def masks(table: Table) -> tuple[Mask, Mask]:
    """Where the (n, p) numbers and the (n, q) codes are missing."""
    return np.isnan(table.numbers), table.codes == MISSING


def _constant(table: Table, rule: ImputationRule) -> ConstantImputation:
    """Medians or most frequent numbers under those rules, else means; the most frequent levels."""
    codes = commonest_levels(level_counts(table.codes, [len(of.levels) for of in table.category_columns]))
    if rule == "median" or rule == "mode":
        numbers = typical([whole(column) for column in table.numbers.T], rule)
    else:
        means = PresentMeans(table.numbers.shape[1])
        for rows in blocks(len(table)):
            means.add(table.numbers[rows])
        numbers = means.means
    return ConstantImputation(numbers, codes)


def commonest_levels(counts: Sequence[Floats]) -> Codes:
    """Of each category the level that most rows hold, the first of several; `UNSEEN` where none has any."""
    commonest = [int(of.argmax()) if of.any() else UNSEEN for of in counts]
    return np.array(commonest, dtype=np.int32)


def typical(columns: Sequence[Pieces], rule: Literal["median", "mode"]) -> Floats:
    """(p,) medians of p columns, or their most frequent numbers, the least of several; 0 where there is none."""
    summary = median_of if rule == "median" else commonest_of
    return np.array([summary(pieces) for pieces in columns], dtype=np.float64)


def _nearest_having(distances: Floats, having: Mask) -> tuple[NDArray[np.int64], Mask]:
    """(m, at most 5) base rows having the value, nearest first, and which of them share any column with the asked."""
    present = np.flatnonzero(having)
    order = np.argsort(distances[:, present], axis=1, kind="stable")[:, :_NEIGHBOURS]
    return present[order], np.isfinite(np.take_along_axis(distances[:, present], order, axis=1))


def _most_frequent(neighbours: Codes, near: Mask | None = None) -> Codes:
    """Of each row's codes (nearest first) the most frequent, the nearest's among equals; only `near` ones count."""
    same = neighbours[:, :, None] == neighbours[:, None, :]
    votes = same.sum(axis=2) if near is None else (same & near[:, None, :]).sum(axis=2) * near
    elected: Codes = neighbours[np.arange(len(neighbours)), votes.argmax(axis=1)]
    return elected


def _fit_complete_space(table: Table, rough: ConstantImputation) -> CompleteSpaceImputation:
    held = np.where(np.isnan(table.numbers), rough.numbers, table.numbers)
    units = units_of(held)  # else squares of 1e200 overflow
    sds = (held / units).std(axis=0) * units
    roots = np.sqrt([column.weight for column in table.number_columns])
    number_scale = np.divide(roots, sds, out=np.zeros_like(sds), where=sds > 0)
    scales = []
    for j, column in enumerate(table.category_columns):
        present = table.codes[table.codes[:, j] >= 0, j]
        shares = np.bincount(present, minlength=len(column.levels)) / max(1, len(present))
        root = np.sqrt(column.weight)
        scales.append(np.divide(root, np.sqrt(shares), out=np.zeros_like(shares), where=shares > 0))
    return CompleteSpaceImputation(rough, number_scale, tuple(scales), table)
