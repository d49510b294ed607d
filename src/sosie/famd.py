"""Principal axes of mixed data: one code path for PCA, MCA and FAMD, on a complete table.

Encoding: numbers are standardised (population sd), indicators centred and divided by the root of their proportion,
(1[x=l] − p_l)/√p_l; a column of weight w is multiplied by √w. Axes are the eigenvectors of the encoded table's
cross-products (row weights 1/n), computed exactly: full or subset eigensolver, converged Lanczos for very many levels.
Pagès, *Analyse factorielle de données mixtes*, 2004.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sosie import _rows
from sosie.blocks import blocks as row_blocks
from sosie.columns import Codes, Floats, Mask
from sosie.sums import Sums, blocks_of
from sosie.threads import beside, one_thread_a_product

_DENSE_DIMENSIONS = 3_000  # beyond it a dense cross-product matrix costs more than Lanczos
_SMALL = 300  # dimensions whose axes are all found as fast as some
_FEW_VECTORS, _MANY_VECTORS = 20, 1_000  # that Lanczos keeps
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
        coordinates = np.empty((len(numbers), self.ncp))
        sizes = np.array([len(table) - 1 for table in self.tables], dtype=np.int64)
        tables = np.concatenate([*self.tables, np.empty((0, self.ncp))])
        means, slopes = np.ascontiguousarray(self.means), np.ascontiguousarray(self.slopes)
        for rows in row_blocks(len(numbers)):
            part = np.ascontiguousarray(numbers[rows], dtype=np.float64)
            cells = np.ascontiguousarray(codes[rows], dtype=np.int32)
            _rows.coordinates(len(part), part, means, slopes, cells, sizes, tables, coordinates[rows])
        return coordinates


@dataclass(frozen=True)
class Encoding:
    """What columns there are: the level counts and the weights of the categories, the weights of the numbers."""

    level_counts: Sequence[int]
    number_weights: Sequence[float]
    category_weights: Sequence[float]

    @property
    def dimensions(self) -> int:
        """Encoded columns: one a number, one a level."""
        return len(self.number_weights) + int(sum(self.level_counts))

    def sums(self) -> Sums:
        """Sums to feed with the rows, for `axes_of`."""
        return Sums(len(self.number_weights), self.level_counts, self.dimensions <= _DENSE_DIMENSIONS)


Blocks = Callable[[], Iterable[tuple[Floats, Codes]]]


def fit_axes(
    numbers: Floats,
    codes: Codes,
    level_counts: Sequence[int],
    number_weights: Sequence[float],
    category_weights: Sequence[float],
    ncp: int,
    workers: int = 1,
) -> Axes:
    """The first ncp principal axes (at most the rank, at least one) of a complete table: (n, p) numbers, (n, q) codes.

    Signs: the largest loading of an axis is positive. Constants and absent levels contribute nothing; where nothing
    varies, the one axis holds everybody at 0.
    """
    encoding = Encoding(level_counts, number_weights, category_weights)
    return fit_blocks(lambda: blocks_of(numbers, codes), encoding, ncp, workers)


def fit_blocks(blocks: Blocks, encoding: Encoding, ncp: int, workers: int = 1) -> Axes:
    """The same of a table that comes in blocks, as `Sums` takes them: the same axes, to the last bit.

    `blocks` is called once, or once for each step of Lanczos where there are very many levels.
    """
    sums = encoding.sums()
    with beside(workers) as executor:
        for numbers, codes in blocks():
            sums.add(numbers, codes, executor)
        return axes_of(sums, encoding, ncp, blocks)


def axes_of(sums: Sums, encoding: Encoding, ncp: int, blocks: Blocks) -> Axes:
    """The axes of summed rows; `blocks` are read again only where their products were too many to sum."""
    encoded = _encoded(sums, encoding)
    eigenvalues, loadings = _leading(encoded, ncp, blocks)
    loadings = _signed(loadings)
    p, levels = len(sums.means), len(sums.counts)
    level_loadings = np.zeros((levels, loadings.shape[1]))
    level_loadings[encoded.present] = encoded.level_scale[:, None] * loadings[p:]
    return Axes(
        means=encoded.means,
        slopes=encoded.number_scale[:, None] * loadings[:p],
        tables=_tables(level_loadings, sums.counts / max(1, sums.rows), encoding.level_counts),
        eigenvalues=eigenvalues,
        total_inertia=encoded.inertia,
    )


def _tables(loadings: Floats, proportions: Floats, level_counts: Sequence[int]) -> tuple[Floats, ...]:
    """What each category's levels add, and last what an unseen one does: nothing but the centring."""
    centres = proportions[:, None] * loadings
    tables = []
    for start, stop in pairwise(np.cumsum([0, *level_counts])):
        centre = centres[start:stop].sum(axis=0)
        tables.append(np.vstack([loadings[start:stop] - centre, -centre]))
    return tuple(tables)


@dataclass(frozen=True, eq=False)
class _Encoded:
    """The encoded table, never held: its sums, and what makes them those of standardised numbers and indicators.

    `present` marks the levels that somebody has; `proportions` and `level_scale` are theirs. Levels that nobody has are
    left out, not zeros: they would move the last bits of everybody's coordinates.
    """

    sums: Sums
    sizes: Sequence[int]
    means: Floats
    number_scale: Floats
    present: Mask
    proportions: Floats
    level_scale: Floats
    inertia: float

    @property
    def dimensions(self) -> int:
        return len(self.means) + len(self.proportions)

    def cross_products(self) -> Floats:
        """The (m, m) matrix of the encoded columns' mean products."""
        p, m, sums, present = len(self.means), self.dimensions, self.sums, self.present
        scale = self.number_scale * sums.units
        products = np.empty((m, m))
        products[:p, :p] = sums.products * np.outer(scale, scale) / sums.rows
        products[p:, :p] = sums.by_level[present] * np.outer(self.level_scale, scale) / sums.rows
        products[:p, p:] = products[p:, :p].T
        products[p:, p:] = sums.together[np.ix_(present, present)] / sums.rows
        products[p:, p:] -= np.outer(self.proportions, self.proportions)
        products[p:, p:] *= np.outer(self.level_scale, self.level_scale)
        return products

    def times(self, vector: Floats, blocks: Blocks) -> Floats:
        """The cross-products times a vector, without forming them: one pass over the rows."""
        p = len(self.means)
        held = np.zeros(len(self.present))
        held[self.present] = self.level_scale * vector[p:]
        centre = (self.level_scale * self.proportions) @ vector[p:]
        by_category = [np.append(part, 0.0) for part in np.split(held, np.cumsum(self.sizes)[:-1])]
        of_numbers, of_levels, total = np.zeros(p), [np.zeros(size + 1) for size in self.sizes], 0.0
        for numbers, codes in blocks():
            standard = (numbers - self.means) * self.number_scale
            seen = np.maximum(codes, -1)  # below 0: the last place, where no level is
            scores = standard @ vector[:p] - centre
            for values, cells in zip(by_category, seen.T, strict=True):
                scores += values[cells]
            of_numbers += standard.T @ scores
            for sums, cells in zip(of_levels, seen.T, strict=True):
                sums += np.bincount(cells + 1, weights=scores, minlength=len(sums))
            total += float(scores.sum())
        summed = np.concatenate([*(sums[1:] for sums in of_levels), np.empty(0)])[self.present]
        result = np.concatenate([of_numbers, self.level_scale * (summed - self.proportions * total)])
        return result / self.sums.rows


def _encoded(sums: Sums, encoding: Encoding) -> _Encoded:
    weights = np.asarray(encoding.number_weights, dtype=float)
    rows = max(1, sums.rows)
    sds = np.sqrt(sums.deviations / rows) * sums.units
    varies = (sums.least < sums.most) & (sds > 0)
    present = sums.counts > 0
    proportions = sums.counts[present] / rows
    spread = np.repeat(np.asarray(encoding.category_weights, dtype=float), encoding.level_counts)[present]
    return _Encoded(
        sums=sums,
        sizes=encoding.level_counts,
        means=sums.means * sums.units,
        number_scale=np.divide(np.sqrt(weights), sds, out=np.zeros_like(sds), where=varies),
        present=present,
        proportions=proportions,
        level_scale=np.sqrt(spread / proportions),
        # a standardised number has its weight as inertia, a level of weight w and proportion p has w (1 − p)
        inertia=float(weights[varies].sum()) + float((spread * (1 - proportions)).sum()),
    )


def _leading(encoded: _Encoded, ncp: int, blocks: Blocks) -> tuple[Floats, Floats]:
    m = encoded.dimensions
    if m == 0:
        return np.zeros(1), np.empty((0, 1))
    count = min(ncp, m)
    if encoded.sums.pairs:
        values, vectors = _largest(encoded.cross_products(), count)
    else:
        values, vectors = _by_lanczos(m, count, lambda v: encoded.times(v, blocks))
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
    if m > _SMALL and count <= m // 4:
        from scipy import linalg  # 17 MiB that most tables do not need

        with one_thread_a_product():  # of scipy's, which may have just been loaded
            values, vectors = linalg.eigh(products, subset_by_index=(m - count, m - 1), driver="evx")
        if len(values) == count:
            return values, vectors
    values, vectors = np.linalg.eigh(products)
    return values[-count:], vectors[:, -count:]


def _by_lanczos(m: int, count: int, times: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """The same of m rows and columns that are known by what they make of a vector."""
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh  # 20 MiB that most tables do not need

    # any start converges to the same axes
    start = np.random.Generator(np.random.Philox(0)).standard_normal(m)
    operator = LinearOperator((m, m), matvec=lambda v: times(v.ravel()), dtype=np.float64)
    vectors = max(_FEW_VECTORS, 2 * count + 1)
    while True:
        try:
            with one_thread_a_product():
                return eigsh(operator, k=count, which="LA", tol=0, v0=start, ncv=min(vectors, m))
        except ArpackError:
            # where very many axes are as long as each other, it may run out of directions before it has enough vectors
            if vectors >= min(_MANY_VECTORS, m):
                raise
            vectors *= 2


def _signed(loadings: Floats) -> Floats:
    """Each axis with its largest loading positive; among loadings equal to rounding, the first decides."""
    if not loadings.size:
        return loadings
    size = np.abs(loadings)
    leader = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    signs = np.sign(loadings[leader, np.arange(loadings.shape[1])])
    return loadings * np.where(signs == 0, 1.0, signs)
