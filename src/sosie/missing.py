"""Missing values: a temporary imputation for the projection, and the masks that avatars inherit.

Imputed values serve to place an individual among its neighbours and never reach an avatar. An imputation is fitted once;
completing rows alone equals completing them among others.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from sklearn.impute import KNNImputer

from sosie.columns import MISSING, UNSEEN, Codes, Floats, Mask, Table
from sosie.famd import Axes, fit_axes

ImputationRule = Literal["fast_knn", "knn", "mean", "median", "mode"]
_NEIGHBOURS = 5


@dataclass(frozen=True, eq=False)
class ConstantImputation:
    """One value a column: a mean, median or most frequent value."""

    numbers: Floats
    codes: Codes

    def complete(self, table: Table) -> tuple[Floats, Codes]:
        """(n, p) numbers and (n, q) codes without gaps."""
        numbers = np.where(np.isnan(table.numbers), self.numbers, table.numbers)
        return numbers, np.where(table.codes == MISSING, self.codes, table.codes).astype(np.int32)


@dataclass(frozen=True, eq=False)
class FastNeighbourImputation:
    """The 5 nearest individuals having the value, in the projected space of the mean-imputed table.

    Numbers take their mean, categories their most frequent level (the nearest's among equals).
    """

    rough: ConstantImputation
    axes: Axes
    base: Table
    base_coordinates: Floats

    def complete(self, table: Table) -> tuple[Floats, Codes]:
        """(n, p) numbers and (n, q) codes without gaps."""
        numbers, codes = self.rough.complete(table)
        gaps = np.isnan(table.numbers), table.codes == MISSING
        if not (gaps[0].any() or gaps[1].any()):
            return numbers, codes
        coordinates = self.axes.coordinates(numbers, codes)
        for j in np.flatnonzero(gaps[0].any(axis=0)):
            present = np.flatnonzero(~np.isnan(self.base.numbers[:, j]))
            if len(present):
                nearest = self._nearest(coordinates[gaps[0][:, j]], present)
                numbers[gaps[0][:, j], j] = self.base.numbers[nearest, j].mean(axis=1)
        for j in np.flatnonzero(gaps[1].any(axis=0)):
            present = np.flatnonzero(self.base.codes[:, j] != MISSING)
            if len(present):
                nearest = self._nearest(coordinates[gaps[1][:, j]], present)
                codes[gaps[1][:, j], j] = _most_frequent(self.base.codes[nearest, j])
        return numbers, codes

    def _nearest(self, coordinates: Floats, present: NDArray[np.int64]) -> NDArray[np.int64]:
        count = min(_NEIGHBOURS, len(present))
        _, found = KDTree(self.base_coordinates[present]).query(coordinates, np.arange(1, count + 1), workers=-1)
        return present[found]


@dataclass(frozen=True, eq=False)
class CompleteSpaceImputation:
    """The 5 nearest individuals having the value, by the distance of what both have in the complete encoded space.

    scikit-learn's `KNNImputer` on standardised numbers and scaled indicators: exact, and quadratic in the rows.
    """

    rough: ConstantImputation
    means: Floats
    sds: Floats
    level_scales: tuple[Floats, ...]
    imputer: KNNImputer

    def complete(self, table: Table) -> tuple[Floats, Codes]:
        """(n, p) numbers and (n, q) codes without gaps."""
        numbers, codes = self.rough.complete(table)
        if not (np.isnan(table.numbers).any() or (table.codes == MISSING).any()):
            return numbers, codes
        encoded = self.imputer.transform(_encoded(table, self.means, self.sds, self.level_scales))
        p = len(self.means)
        filled = encoded[:, :p] * self.sds + self.means
        numbers = np.where(np.isnan(table.numbers), filled, table.numbers)
        start = p
        for j, scale in enumerate(self.level_scales):
            masses = encoded[:, start : start + len(scale)] / np.where(scale > 0, scale, 1.0)
            gaps = table.codes[:, j] == MISSING
            if len(scale):
                codes[gaps, j] = masses[gaps].argmax(axis=1)
            start += len(scale)
        return numbers, codes


Imputation = ConstantImputation | FastNeighbourImputation | CompleteSpaceImputation


def fit_imputation(table: Table, rule: ImputationRule, ncp: int) -> Imputation:
    """The imputation of a table under a rule; `ncp` components serve `fast_knn`."""
    rough = _constant(table, rule if rule in ("median", "mode") else "mean")
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
    return FastNeighbourImputation(rough, axes, table, axes.coordinates(numbers, codes))


def masks(table: Table) -> tuple[Mask, Mask]:
    """Where the (n, p) numbers and the (n, q) codes are missing."""
    return np.isnan(table.numbers), table.codes == MISSING


def _constant(table: Table, rule: str) -> ConstantImputation:
    summary = {"mean": np.mean, "median": np.median, "mode": _commonest}[rule]
    numbers = [float(summary(column[~np.isnan(column)])) if not np.isnan(column).all() else 0.0 for column in table.numbers.T]
    codes = [_commonest(column[column >= 0]) if (column >= 0).any() else UNSEEN for column in table.codes.T]
    return ConstantImputation(np.array(numbers), np.array(codes, dtype=np.int32))


def _commonest(values: NDArray[np.generic]) -> float:
    distinct, counts = np.unique(values, return_counts=True)
    return float(distinct[counts.argmax()])


def _most_frequent(neighbours: Codes) -> Codes:
    """Of each row's codes (nearest first) the most frequent, the nearest's among equals."""
    votes = (neighbours[:, :, None] == neighbours[:, None, :]).sum(axis=2)
    return neighbours[np.arange(len(neighbours)), votes.argmax(axis=1)]


def _fit_complete_space(table: Table, rough: ConstantImputation) -> CompleteSpaceImputation:
    means = rough.numbers
    sds = np.nanstd(np.where(np.isnan(table.numbers), means, table.numbers), axis=0)
    sds = np.where(sds > 0, sds, 1.0)
    scales = []
    for j, column in enumerate(table.category_columns):
        present = table.codes[table.codes[:, j] >= 0, j]
        shares = np.bincount(present, minlength=len(column.levels)) / max(1, len(present))
        scales.append(np.divide(1.0, np.sqrt(shares), out=np.zeros_like(shares), where=shares > 0))
    imputer = KNNImputer(n_neighbors=_NEIGHBOURS, keep_empty_features=True)
    imputer.fit(_encoded(table, means, sds, tuple(scales)))
    return CompleteSpaceImputation(rough, means, sds, tuple(scales), imputer)


def _encoded(table: Table, means: Floats, sds: Floats, level_scales: tuple[Floats, ...]) -> Floats:
    blocks = [(table.numbers - means) / sds]
    for j, scale in enumerate(level_scales):
        codes = table.codes[:, j]
        indicators = (codes[:, None] == np.arange(len(scale))) * scale
        indicators[codes == MISSING] = np.nan
        blocks.append(indicators)
    return np.hstack(blocks)
