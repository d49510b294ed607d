"""How strongly two columns hang together: one square matrix over mixed types, for one table.

    number – number      Pearson's r, −1 to 1
    number – category    correlation ratio η = √ε²,  ε² = 1 − (N−1)/(N−L) · SSW/SST   (Kelley, 1935)
    category – category  Cramér's V = √(φ̃² / min(k̃−1, r̃−1)),  φ̃² = χ²/N − (k−1)(r−1)/(N−1),
                         k̃ = k − (k−1)²/(N−1), r̃ likewise   (Bergsma, 2013)

η and V go from 0 (independent) to 1 (one decides the other), and are corrected for chance (negative squares become 0):
plain, columns of many levels hang together with anything, in originals and avatars alike, and a difference
between the two would look small. N are the rows where both columns are present, L, k and r the levels found there.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sosie.columns import Category, Codes, Floats, Mask, Table

Reasons = NDArray[np.int8]

COMPUTED, TOO_FEW, CONSTANT, SATURATED = range(4)
REASONS = (
    "",
    "too few rows have a value in both columns",
    "a column holds a single value where both are present",
    "nearly every row has a level of its own",
)
FEWEST_ROWS = 10  # below it, any coefficient is chance
_ROUNDING = 1e-10  # a variance below this share of the mean square is rounding, hence a constant


@dataclass(frozen=True, eq=False)
class AssociationMatrix:
    """(m, m) coefficients in the table's column order, symmetric; `reasons` holds positions in `REASONS`.

    A coefficient means something only where its reason is `COMPUTED`.
    """

    coefficients: Floats
    reasons: Reasons

    @property
    def computed(self) -> Mask:
        """Where there is a coefficient."""
        where: Mask = self.reasons == COMPUTED
        return where


def association_matrix(table: Table) -> AssociationMatrix:
    """The coefficients between every two columns, over the rows where both are present."""
    is_number = np.array([not isinstance(column, Category) for column in table.columns], dtype=bool)
    numbers, levels = np.flatnonzero(is_number), np.flatnonzero(~is_number)
    coefficients = np.zeros((len(table.columns), len(table.columns)))
    reasons = np.full(coefficients.shape, COMPUTED, dtype=np.int8)
    present = ~np.isnan(table.numbers)
    values = _standardised(table.numbers, present)
    indicators = _Indicators.of(table)
    blocks = (
        (numbers, numbers, _between_numbers(values, present)),
        (levels, numbers, _between_kinds(indicators, values, present)),
        (levels, levels, between_categories(table.codes)),
    )
    for rows, columns, (block, why) in blocks:
        coefficients[np.ix_(rows, columns)] = block
        coefficients[np.ix_(columns, rows)] = block.T
        reasons[np.ix_(rows, columns)] = why
        reasons[np.ix_(columns, rows)] = why.T
    return AssociationMatrix(coefficients, reasons)


@dataclass(frozen=True, eq=False)
class _Indicators:
    """All categories' levels side by side, (n, levels) of 0 and 1; each of the q categories begins at its `starts`."""

    matrix: sparse.csr_array
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table) -> "_Indicators":
        sizes = np.array([max(1, len(column.levels)) for column in table.category_columns], dtype=np.int64)
        starts = np.cumsum(sizes) - sizes
        held = table.codes >= 0
        places = (table.codes + starts)[held]
        rows = np.concatenate([[0], np.cumsum(held.sum(axis=1))])
        shape = (len(table), int(sizes.sum()))
        return cls(sparse.csr_array((np.ones(len(places)), places, rows), shape=shape), starts, sizes)

    def by_category(self, levels: Floats) -> Floats:
        """Sums over each category's levels of a (levels, …) array: (q, …)."""
        if not len(self.sizes):
            return np.zeros((0, *levels.shape[1:]))
        sums: Floats = np.add.reduceat(levels, self.starts, axis=0)
        return sums


def _standardised(numbers: Floats, present: Mask) -> Floats:
    """Numbers centred and scaled, 0 where missing: sums of squares lose no digits, and constants are exactly 0."""
    values = np.zeros(numbers.shape)
    for j, (cells, having) in enumerate(zip(numbers.T, present.T, strict=True)):
        held = cells[having]
        if len(held) and held.min() < held.max():
            held = held / np.abs(held).max()  # squares of the largest floats would overflow
            deviations = held - held.mean()
            values[having, j] = deviations / deviations.std()
    return values


def _between_numbers(values: Floats, present: Mask) -> tuple[Floats, Reasons]:
    weights = present.astype(float)
    count = weights.T @ weights
    divisor = np.maximum(count, 1.0)
    mean = values.T @ weights / divisor  # of the row's column, where the column's column is present
    square = np.square(values).T @ weights / divisor
    variance = square - mean**2
    constant = variance <= _ROUNDING * square
    covariance = values.T @ values / divisor - mean * mean.T
    reasons = _reasons(count, constant | constant.T)
    spread = np.sqrt(np.where(reasons == COMPUTED, variance * variance.T, 1.0))
    return np.clip(covariance / spread, -1.0, 1.0), reasons


def _between_kinds(indicators: _Indicators, values: Floats, present: Mask) -> tuple[Floats, Reasons]:
    """(q, p) correlation ratios."""
    by_level = indicators.matrix.T.tocsr()
    weights = present.astype(float)
    level_count = by_level @ weights
    level_sum = by_level @ values
    count, total = indicators.by_category(level_count), indicators.by_category(level_sum)
    square = indicators.by_category(by_level @ np.square(values))
    between = indicators.by_category(level_sum**2 / np.maximum(level_count, 1.0))
    levels = indicators.by_category((level_count > 0).astype(float))
    all_deviations = square - total**2 / np.maximum(count, 1.0)
    reasons = _reasons(count, (all_deviations <= _ROUNDING * square) | (levels < 2), count <= levels)
    computed = reasons == COMPUTED
    within = (square - between) / np.where(computed, all_deviations, 1.0)
    corrected = 1 - within * (count - 1) / np.where(computed, count - levels, 1.0)
    return np.sqrt(np.clip(corrected, 0.0, 1.0)), reasons


def between_categories(codes: Codes) -> tuple[Floats, Reasons]:
    """(q, q) coefficients from the (n, q) codes; memory is that of the pairs of levels that occur."""
    q = codes.shape[1]
    phi, count, rows, columns = (np.zeros((q, q)) for _ in range(4))
    present = codes >= 0
    for i, j in zip(*np.triu_indices(q), strict=True):
        both = present[:, i] & present[:, j]
        met = _met(codes[both, i].astype(np.int64), codes[both, j].astype(np.int64))
        count[i, j] = count[j, i] = both.sum()
        phi[i, j] = phi[j, i] = met.phi
        rows[i, j], columns[i, j] = rows[j, i], columns[j, i] = met.rows, met.columns
    return _cramer(phi, count, rows, columns)


class _Met(NamedTuple):
    """A contingency table in short: χ²/N and how many levels it has on either side."""

    phi: float
    rows: int
    columns: int


def _met(here: NDArray[np.int64], there: NDArray[np.int64]) -> _Met:
    if not len(here):
        return _Met(0.0, 0, 0)
    size = int(there.max()) + 1
    cells = here * size + there
    if int(cells.max()) < 4 * len(cells):
        counts = np.bincount(cells)
        pairs = np.flatnonzero(counts)
        met = counts[pairs].astype(float)
    else:
        pairs, found = np.unique(cells, return_counts=True)
        met = found.astype(float)
    own, other = np.divmod(pairs, size)
    own_total, other_total = np.bincount(own, weights=met), np.bincount(other, weights=met)
    phi = float((met**2 / (own_total[own] * other_total[other])).sum()) - 1
    return _Met(phi, int(np.count_nonzero(own_total)), int(np.count_nonzero(other_total)))


def _cramer(phi: Floats, count: Floats, rows: Floats, columns: Floats) -> tuple[Floats, Reasons]:
    rest = np.maximum(count - 1, 1.0)
    corrected = np.maximum(0.0, phi - (rows - 1) * (columns - 1) / rest)
    degrees = np.minimum(rows - 1 - (rows - 1) ** 2 / rest, columns - 1 - (columns - 1) ** 2 / rest)
    reasons = _reasons(count, (rows < 2) | (columns < 2), degrees <= _ROUNDING)
    return np.sqrt(np.clip(corrected / np.where(reasons == COMPUTED, degrees, 1.0), 0.0, 1.0)), reasons


def _reasons(count: Floats, constant: Mask, saturated: Mask | bool = False) -> Reasons:
    chosen = np.select(
        [count < FEWEST_ROWS, constant, np.broadcast_to(saturated, count.shape)],
        [TOO_FEW, CONSTANT, SATURATED],
        COMPUTED,
    )
    return chosen.astype(np.int8)
