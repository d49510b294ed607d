"""Principal axes of mixed data: one code path for PCA, MCA and FAMD, on a complete table.

Encoding: numbers are standardised (population sd), indicators centred and divided by the root of their proportion,
(1[x=l] − p_l)/√p_l; a column of weight w is multiplied by √w. Axes are the eigenvectors of the encoded table's
cross-products (row weights 1/n), computed exactly: full or subset eigensolver, converged Lanczos for very many levels.
Pagès, *Analyse factorielle de données mixtes*, 2004.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from sosie.columns import Codes, Floats

_BLOCK = 65_536
_DENSE_DIMENSIONS = 3_000  # beyond it a dense cross-product matrix costs more than Lanczos
_NEGLIGIBLE = 1e-12  # eigenvalues below this share of the largest are rounding, not a component


@dataclass(frozen=True, eq=False)
class Axes:
    """Fitted axes: everything needed to project a row, so that a row's coordinates never depend on other rows.

    `slopes` is (p, ncp): what one unit of each number adds; `tables` holds for each category a (levels + 1, ncp) array:
    what each level adds, the last row for an unseen one (an all-zero indicator).
    """

    means: Floats
    slopes: Floats
    tables: tuple[Floats, ...]
    eigenvalues: Floats
    total_inertia: float

    @property
    def ncp(self) -> int:
        """How many components there are: what was asked, at most the rank."""
        return len(self.eigenvalues)

    @property
    def explained_variance_ratio(self) -> Floats:
        """(ncp,) shares of the total inertia, 0–1."""
        return self.eigenvalues / self.total_inertia if self.total_inertia > 0 else self.eigenvalues

    def coordinates(self, numbers: Floats, codes: Codes) -> Floats:
        """(n, ncp) coordinates of complete rows.

        Each row is summed in the same order whatever the others are, so equal rows get equal coordinates to the last
        bit: a distance of 0 stays 0.
        """
        coordinates = np.zeros((len(numbers), self.ncp))
        for rows in _blocks(len(numbers)):
            part = coordinates[rows]
            for j, (mean, slope) in enumerate(zip(self.means, self.slopes, strict=True)):
                part += (numbers[rows, j] - mean)[:, None] * slope
            for j, table in enumerate(self.tables):
                part += table[np.maximum(codes[rows, j], -1)]  # below 0: the last row, an unseen level
        return coordinates


def fit_axes(
    numbers: Floats,
    codes: Codes,
    level_counts: Sequence[int],
    number_weights: Sequence[float],
    category_weights: Sequence[float],
    ncp: int,
) -> Axes:
    """The first ncp principal axes (at most the rank, at least one) of a complete table: (n, p) numbers, (n, q) codes.

    Signs: the largest loading of an axis is positive. Constants and absent levels contribute nothing; where nothing
    varies, the one axis holds everybody at 0.
    """
    n = len(numbers)
    varies = numbers.min(axis=0) < numbers.max(axis=0) if n else np.zeros(numbers.shape[1], dtype=bool)
    units = units_of(numbers)
    means = (numbers / units).mean(axis=0) * units
    sds = np.where(varies, (numbers / units).std(axis=0) * units, 1.0)
    number_scale = np.where(varies, np.sqrt(number_weights) / sds, 0.0)
    proportions = [
        np.bincount(codes[codes[:, j] >= 0, j], minlength=count) / n for j, count in enumerate(level_counts)
    ]
    roots = np.sqrt(np.concatenate([*proportions, np.empty(0)]))
    spread = np.repeat(np.sqrt(np.asarray(category_weights, dtype=float)), level_counts)
    level_scale = np.divide(spread, roots, out=np.zeros_like(roots), where=roots > 0)
    # Levels that nobody has are left out, not zeros: they would move the last bits of everybody's coordinates.
    present = roots > 0
    offsets = np.cumsum([0, *level_counts])[:-1]
    encoded = _Encoded(
        numbers,
        codes,
        means,
        number_scale,
        offsets,
        np.cumsum(present) - 1,
        roots[present] ** 2,
        level_scale[present],
    )
    eigenvalues, loadings = _leading(encoded, ncp)
    loadings = _signed(loadings)
    p = len(means)
    level_loadings = np.zeros((len(roots), loadings.shape[1]))
    level_loadings[present] = encoded.level_scale[:, None] * loadings[p:]
    return Axes(
        means=means,
        slopes=number_scale[:, None] * loadings[:p],
        tables=_tables(level_loadings, roots, level_counts),
        eigenvalues=eigenvalues,
        # a standardised number has its weight as inertia
        total_inertia=float(np.asarray(number_weights, dtype=float)[varies].sum()) + encoded.level_inertia(),
    )


def _tables(loadings: Floats, roots: Floats, level_counts: Sequence[int]) -> tuple[Floats, ...]:
    """What each category's levels add, and last what an unseen one does: nothing but the centring."""
    centres = roots[:, None] ** 2 * loadings
    tables = []
    for start, stop in pairwise(np.cumsum([0, *level_counts])):
        centre = centres[start:stop].sum(axis=0)
        tables.append(np.vstack([loadings[start:stop] - centre, -centre]))
    return tuple(tables)


def units_of(numbers: Floats) -> Floats:
    """(p,) powers of two near the largest magnitude of each of (n, p) numbers.

    Dividing by one changes no digit, and then sums and squares of 1e200 do not overflow.
    """
    exponents = np.frexp(np.abs(numbers).max(axis=0, initial=0.0))[1]
    units: Floats = np.ldexp(1.0, exponents - 1)
    return units


@dataclass(frozen=True, eq=False)
class _Encoded:
    """The encoded table, never held whole: products with it are summed over blocks of rows.

    `offsets` is where each category's levels start, `places` where each level that somebody has is among those.
    """

    numbers: Floats
    codes: Codes
    means: Floats
    number_scale: Floats
    offsets: NDArray[np.int64]
    places: NDArray[np.int64]
    proportions: Floats
    level_scale: Floats

    @property
    def dimensions(self) -> int:
        return len(self.means) + len(self.proportions)

    def level_inertia(self) -> float:
        return float((self.level_scale**2 * self.proportions * (1 - self.proportions)).sum())

    def blocks(self) -> Iterator[tuple[Floats, sparse.csr_array]]:
        """Standardised numbers and scaled, uncentred indicators, block by block."""
        for rows in _blocks(len(self.numbers)):
            codes = self.codes[rows]
            held = codes >= 0
            columns = self.places[(codes + self.offsets)[held]]
            indicators = sparse.csr_array(
                (self.level_scale[columns], columns, np.concatenate([[0], np.cumsum(held.sum(axis=1))])),
                shape=(len(codes), len(self.proportions)),
            )
            yield (self.numbers[rows] - self.means) * self.number_scale, indicators

    def cross_products(self) -> Floats:
        """The (m, m) matrix of the encoded columns' mean products."""
        p, m = len(self.means), self.dimensions
        products = np.zeros((m, m))
        for numbers, indicators in self.blocks():
            products[:p, :p] += numbers.T @ numbers
            products[p:, :p] += indicators.T @ numbers
            products[p:, p:] += (indicators.T @ indicators).toarray()
        products /= len(self.numbers)
        products[:p, p:] = products[p:, :p].T
        centre = self.level_scale * self.proportions
        products[p:, p:] -= np.outer(centre, centre)
        return products

    def times(self, vector: Floats) -> Floats:
        """The cross-products times a vector, without forming them."""
        p = len(self.means)
        centre = self.level_scale * self.proportions
        result = np.zeros(self.dimensions)
        for numbers, indicators in self.blocks():
            scores = numbers @ vector[:p] + indicators @ vector[p:] - centre @ vector[p:]
            result[:p] += numbers.T @ scores
            result[p:] += indicators.T @ scores - centre * scores.sum()
        return result / len(self.numbers)


def _leading(encoded: _Encoded, ncp: int) -> tuple[Floats, Floats]:
    m = encoded.dimensions
    if m == 0:
        return np.zeros(1), np.empty((0, 1))
    count = min(ncp, m)
    if m <= _DENSE_DIMENSIONS:
        values, vectors = _largest(encoded.cross_products(), count)
    else:
        operator = LinearOperator((m, m), matvec=lambda v: encoded.times(v.ravel()), dtype=np.float64)
        # any start converges to the same axes
        start = np.random.Generator(np.random.Philox(0)).standard_normal(m)
        values, vectors = eigsh(operator, k=count, which="LA", tol=0, v0=start)
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    kept = values > _NEGLIGIBLE * values[0]
    kept[0] = True
    return values[kept], vectors[:, kept]


def _largest(products: Floats, count: int) -> tuple[Floats, Floats]:
    """The largest eigenvalues and their vectors.

    LAPACK's default subset solver (`evr`) silently returns fewer than asked where eigenvalues repeat: the levels
    of one category often share the eigenvalue 1. Bisection (`evx`) and divide and conquer (`evd`) do not.
    """
    m = len(products)
    if count <= m // 4:
        values, vectors = linalg.eigh(products, subset_by_index=(m - count, m - 1), driver="evx")
        if len(values) == count:
            return values, vectors
    values, vectors = linalg.eigh(products, driver="evd")
    return values[-count:], vectors[:, -count:]


def _signed(loadings: Floats) -> Floats:
    """Each axis with its largest loading positive; among loadings equal to rounding, the first decides."""
    if not loadings.size:
        return loadings
    size = np.abs(loadings)
    leader = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    signs = np.sign(loadings[leader, np.arange(loadings.shape[1])])
    return loadings * np.where(signs == 0, 1.0, signs)


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))
