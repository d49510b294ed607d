"""The projection of individuals: the space in which neighbours are found and distances measured.

A fitted projection holds all its state (imputation, means, sds, proportions, axes), so that projecting rows alone
equals projecting them among others.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sosie.columns import FIRST_CODE, MISSING, PRESENT, Category, Codes, Column, Floats, Mask, Table, encode
from sosie.famd import Axes, Encoding, fit_axes
from sosie.missing import Imputation, ImputationRule, fit_imputation
from sosie.relations import NO_RELATIONS, Relations
from sosie.space import Space, fit_space


@dataclass(frozen=True, eq=False)
class Projection:
    """A fitted projection on ncp principal components.

    A column with missing values in the fitted table also contributes an indicator of them, with the column's weight:
    `number_gaps` and `code_gaps` are the positions of those columns in the space. The indicator has a level for each
    missing code too.
    """

    columns: tuple[Column, ...]
    space: Space
    imputation: Imputation
    axes: Axes
    number_gaps: tuple[int, ...]
    code_gaps: tuple[int, ...]

    @property
    def ncp(self) -> int:
        """Components: what was asked, at most the rank."""
        return self.axes.ncp

    @property
    def explained_variance_ratio(self) -> Floats:
        """(ncp,) shares of the total inertia, 0–1."""
        return self.axes.explained_variance_ratio

    def project(self, frame: pd.DataFrame) -> Floats:
        """(n, ncp) coordinates of the frame's rows; levels unseen when fitting contribute an all-zero indicator.

        Raises InputError `UNKNOWN_COLUMN` when a column is absent.
        """
        return self.coordinates(encode(frame, self.columns))

    def coordinates(self, table: Table) -> Floats:
        """(n, ncp) coordinates of the table's rows."""
        return self.axes.coordinates(*self.complete(table))

    def complete(self, table: Table) -> tuple[Floats, Codes]:
        """The table's numbers and codes as the axes take them: in the space, gaps imputed, indicators of gaps last."""
        inside = self.space.enter(table)
        numbers, codes = self.imputation.complete(inside)
        return numbers, with_indicators(inside, codes, self.number_gaps, self.code_gaps)


def fit_projection(
    table: Table,
    ncp: int,
    imputation: ImputationRule = "fast_knn",
    relations: Relations = NO_RELATIONS,
    workers: int = -1,
) -> Projection:
    """The projection fitted on a table: transforms, imputation, then FAMD on at most `ncp` components.

    A table that varies nowhere is projected on one component where everybody is at 0. Raises InputError `BAD_CONFIG`
    when the values do not allow a transform.
    """
    space = fit_space(table, relations)
    columns, table = table.columns, space.enter(table)
    fitted = fit_imputation(table, imputation, ncp)
    numbers, codes = fitted.complete(table)
    number_gaps, code_gaps = (_columns_of(gaps) for gaps in (table.states != PRESENT, table.codes == MISSING))
    encoding = encoding_of(table.columns, number_gaps, code_gaps)
    axes = fit_axes(
        numbers,
        with_indicators(table, codes, number_gaps, code_gaps),
        encoding.level_counts,
        encoding.number_weights,
        encoding.category_weights,
        ncp,
        workers,
    )
    return Projection(columns, space, fitted, axes, number_gaps, code_gaps)


def _columns_of(gaps: Mask) -> tuple[int, ...]:
    """The columns of a mask that have any."""
    return tuple(j for j, column in enumerate(gaps.T) if column.any()) if gaps.any() else ()


def encoding_of(
    columns: tuple[Column, ...], number_gaps: tuple[int, ...] = (), code_gaps: tuple[int, ...] = ()
) -> Encoding:
    """What the axes are told of the columns, and of the indicators of gaps that `with_indicators` sets beside them."""
    numeric = [column for column in columns if not isinstance(column, Category)]
    categories = [column for column in columns if isinstance(column, Category)]
    weights = [column.weight for column in categories]
    gap_weights = [numeric[j].weight for j in number_gaps] + [weights[j] for j in code_gaps]
    gap_levels = [FIRST_CODE + len(numeric[j].missing_codes) for j in number_gaps] + [2] * len(code_gaps)
    return Encoding(
        [len(column.levels) for column in categories] + gap_levels,
        [column.weight for column in numeric],
        weights + gap_weights,
    )


def with_indicators(
    table: Table, codes: Codes, number_gaps: tuple[int, ...], code_gaps: tuple[int, ...]
) -> Codes:
    """The codes of completed categories, and beside them the indicators of gaps."""
    if not (number_gaps or code_gaps):
        return codes
    indicators = [table.states[:, number_gaps], (table.codes == MISSING)[:, code_gaps]]
    return np.hstack([codes, *(indicator.astype(np.int32) for indicator in indicators)])
