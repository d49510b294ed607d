"""The projection of a table that comes in blocks: the very one of the same table in memory, to the last bit."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sosie.blocks import Rows
from sosie.columns import MISSING, PRESENT, Category, Codes, Column, Floats, Table
from sosie.errors import InputError
from sosie.famd import Encoding, fit_blocks
from sosie.missing import (
    ConstantImputation,
    FastNeighbourImputation,
    Imputation,
    ImputationRule,
    commonest_levels,
    imputation_base,
    typical,
)
from sosie.ordered import Pieces
from sosie.projection import Projection, encoding_of, with_indicators
from sosie.relations import Relations
from sosie.space import Space, fit_space_in_pieces, fitted_on
from sosie.sums import PresentMeans, level_counts

Tables = Callable[[], Iterable[Table]]
Aside = Callable[[Iterable[Sequence[Floats]]], Sequence[Pieces]]


@dataclass
class Gaps:
    """What one pass over the blocks says of gaps, and of what fills them: means and commonest levels.

    `rows` are all rows; `states` and `missing` say, by numeric column and by category, whether any cell is no number
    and whether any is missing.
    """

    columns: tuple[Column, ...]
    rows: int = 0
    means: PresentMeans = field(init=False)
    counts: list[Floats] = field(init=False)
    states: Rows = field(init=False)
    missing: Rows = field(init=False)

    def __post_init__(self) -> None:
        categories = [column for column in self.columns if isinstance(column, Category)]
        numbers = len(self.columns) - len(categories)
        self.means = PresentMeans(numbers)
        self.counts = [np.zeros(len(column.levels)) for column in categories]
        self.states, self.missing = np.zeros(numbers, np.int64), np.zeros(len(categories), np.int64)

    def add(self, table: Table) -> None:
        """Take in the next block."""
        self.rows += len(table)
        self.means.add(table.numbers)
        self.states += (table.states != PRESENT).sum(axis=0)
        self.missing += (table.codes == MISSING).sum(axis=0)
        here = level_counts(table.codes, [*map(len, self.counts)])
        self.counts = [counts + more for counts, more in zip(self.counts, here, strict=True)]

    def filling(self) -> ConstantImputation:
        """The mean of each number and the most frequent level of each category."""
        return ConstantImputation(self.means.means, commonest_levels(self.counts))


def refuse_imputation(rule: ImputationRule) -> None:
    """InputError `BAD_CONFIG` for the imputation that needs all rows at once."""
    if rule == "knn":
        raise InputError(
            "BAD_CONFIG",
            "method.imputation knn needs the whole table in memory: choose fast_knn, mean, median or mode, or let the "
            "table be read whole (batches.streamed: never)",
        )


def fit_streamed(
    tables: Tables,
    take: Callable[[Rows], Table],
    columns: tuple[Column, ...],
    ncp: int,
    imputation: ImputationRule,
    relations: Relations,
    aside: Aside,
) -> Projection:
    """The projection of the table whose blocks of 65,536 rows `tables` gives, again at each call.

    `take` gives single rows of it; `aside` takes columns a block at a time, lays them aside and gives the pieces of
    each. Raises InputError `BAD_CONFIG` for an imputation that needs all rows at once, and as `fit_space` does.
    """
    refuse_imputation(imputation)
    space = _space(tables, relations, aside)
    inside = space.entering(columns)

    def entered() -> Iterator[Table]:
        return map(space.enter, tables())

    gaps = Gaps(inside)
    for table in entered():
        gaps.add(table)
    rough = _rough(gaps, entered, imputation, aside)
    fitted: Imputation = rough
    # a missing code leaves no number either
    if imputation == "fast_knn" and (gaps.states.any() or gaps.missing.any()):
        base = space.enter(take(imputation_base(gaps.rows)))
        fitted = _by_neighbours(rough, entered, base, encoding_of(inside), ncp)
    number_gaps = tuple(int(j) for j in np.flatnonzero(gaps.states))
    code_gaps = tuple(int(j) for j in np.flatnonzero(gaps.missing))

    def completed() -> Iterator[tuple[Floats, Codes]]:
        for table in entered():
            numbers, codes = fitted.complete(table)
            yield numbers, with_indicators(table, codes, number_gaps, code_gaps)

    axes = fit_blocks(completed, encoding_of(inside, number_gaps, code_gaps), ncp)
    return Projection(columns, space, fitted, axes, number_gaps, code_gaps)


def _space(tables: Tables, relations: Relations, aside: Aside) -> Space:
    if not (relations.transformed or relations.bounded):
        return fit_space_in_pieces(relations, ())
    return fit_space_in_pieces(relations, aside(fitted_on(relations, table.numbers) for table in tables()))


def _rough(gaps: Gaps, tables: Tables, rule: ImputationRule, aside: Aside) -> ConstantImputation:
    filling = gaps.filling()
    if not (rule == "median" or rule == "mode"):
        return filling
    columns = aside(list(table.numbers.T) for table in tables())
    return replace(filling, numbers=typical(columns, rule))


def _by_neighbours(
    rough: ConstantImputation, tables: Tables, base: Table, encoding: Encoding, ncp: int
) -> FastNeighbourImputation:
    axes = fit_blocks(lambda: (rough.complete(table) for table in tables()), encoding, ncp)
    return FastNeighbourImputation(rough, axes, base, axes.coordinates(*rough.complete(base)))
