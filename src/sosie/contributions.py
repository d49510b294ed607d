"""What each column contributes to the components: the squares of its loadings, its missing values included.

An axis is a unit vector in the encoded table, so the shares of all columns on one component sum to 1.
"""

import numpy as np

from sosie.columns import Codes, Floats, Table
from sosie.evaluation import Contribution
from sosie.projection import Projection
from sosie.sums import units_of


def contributions(projection: Projection, table: Table) -> tuple[Contribution, ...]:
    """Each column's share (0–1) of each component, for the table that the projection was fitted on."""
    inside = projection.space.enter(table)
    numbers, codes = projection.complete(table)
    axes = projection.axes
    if axes.total_inertia == 0:
        return ()
    numeric, categories = inside.number_columns, inside.category_columns
    shares = {column.name: np.zeros(axes.ncp) for column in inside.columns}
    units = units_of(numbers)
    spreads = (numbers / units).std(axis=0) * units
    for number, slope, spread in zip(numeric, axes.slopes, spreads, strict=True):
        shares[number.name] += (slope * spread) ** 2 / number.weight
    gaps = [*(numeric[j] for j in projection.number_gaps), *(categories[j] for j in projection.code_gaps)]
    for column, added, held in zip([*categories, *gaps], axes.tables, codes.T, strict=True):
        shares[column.name] += _of_levels(added, held, len(codes)) / column.weight
    return tuple(
        Contribution(str(column.name), tuple(round(float(share), 4) for share in shares[column.name]))
        for column in inside.columns
    )


def _of_levels(added: Floats, codes: Codes, rows: int) -> Floats:
    """Σ p_l (what level l adds, beyond what an unseen one does)²."""
    proportions = np.bincount(codes[codes >= 0], minlength=len(added) - 1) / rows
    shares: Floats = proportions @ (added[:-1] - added[-1]) ** 2
    return shares
