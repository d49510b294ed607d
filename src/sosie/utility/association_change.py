"""Whether pairs of columns hang together among avatars as they do among originals.

The difference of two association matrices: 0 where avatars keep a pair's strength, up to 2 where they reverse it.
Beside it the same for the holdout, which is what chance alone makes of it.
"""

from dataclasses import dataclass, replace

import numpy as np

from sosie.associations import COMPUTED, REASONS, AssociationMatrix, association_matrix
from sosie.columns import Category, Floats, Mask, Table
from sosie.estimates import Metric, NotComputed
from sosie.utility.cells import at_most
from sosie.utility.estimates import metric_of

MOST_COLUMNS = 300
MOST_ROWS = 100_000
MOST_PRODUCTS = 500_000_000  # rows times columns squared
MOST_SHOWN = 100
ONE_COLUMN = "a pair needs two variables"
NO_PAIR = "no pair of columns could be computed on both sides"
LOST = "computed among the originals, but not among the avatars"
BEYOND = "columns beyond those that were compared"

Matrix = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Uncounted:
    """How many pairs have no difference, and why."""

    reason: str
    pairs: int


@dataclass(frozen=True)
class Pair:
    """One pair of columns and its coefficients."""

    first: str
    second: str
    originals: float
    avatars: float


@dataclass(frozen=True)
class AssociationChange:
    """Mixed-type associations before and after.

    `mean_difference` and `max_difference` are of absolute differences over the `computed` pairs of all `pairs`, the
    holdout's as reference; `worst` is the pair of the largest. The matrices hold the columns `names` (those of the
    largest differences when there are many, in the table's order), rounded; None where `uncounted` says why. Of each
    table at most `rows` rows were used, drawn at random.
    """

    mean_difference: Metric
    max_difference: Metric
    worst: Pair
    pairs: int
    computed: int
    uncounted: tuple[Uncounted, ...]
    rows: int
    names: tuple[str, ...]
    originals: Matrix
    avatars: Matrix
    holdout: Matrix
    difference: Matrix


def association_change(
    originals: Table, avatars: Table, holdout: Table, rng: np.random.Generator
) -> AssociationChange | NotComputed:
    """The associations of the three tables held against each other; `rng` draws rows where there are very many."""
    m = len(originals.columns)
    if m < 2:
        return NotComputed(ONE_COLUMN)
    most = min(MOST_ROWS, max(1_000, MOST_PRODUCTS // min(m, MOST_COLUMNS) ** 2))
    tables = [_first_columns(at_most(table, most, rng)) for table in (originals, avatars, holdout)]
    before, after, apart = (association_matrix(table) for table in tables)
    upper = np.triu(np.ones(before.reasons.shape, dtype=bool), 1)
    both = before.computed & after.computed & upper
    all_pairs = m * (m - 1) // 2
    if not both.any():
        return NotComputed(NO_PAIR)
    difference = np.abs(after.coefficients - before.coefficients)
    chance = np.abs(apart.coefficients - before.coefficients)[both & apart.computed]
    names = [str(column.name) for column in tables[0].columns]
    shown = _shown(np.where(both | both.T, difference, -1.0))
    return AssociationChange(
        mean_difference=metric_of(float(difference[both].mean()), _chance(chance, largest=False)),
        max_difference=metric_of(float(difference[both].max()), _chance(chance, largest=True)),
        worst=_worst(names, before, after, np.where(both, difference, -1.0)),
        pairs=all_pairs,
        computed=int(both.sum()),
        uncounted=_uncounted(before, after, upper, all_pairs),
        rows=max(len(table) for table in tables),
        names=tuple(names[j] for j in shown),
        originals=_cells(before.coefficients, before.computed, shown),
        avatars=_cells(after.coefficients, after.computed, shown),
        holdout=_cells(apart.coefficients, apart.computed, shown),
        difference=_cells(after.coefficients - before.coefficients, before.computed & after.computed, shown),
    )


def _first_columns(table: Table) -> Table:
    """The table's first columns, no more than can be compared two by two."""
    kept = table.columns[:MOST_COLUMNS]
    codes = sum(isinstance(column, Category) for column in kept)
    numbers = len(kept) - codes
    return replace(
        table,
        columns=kept,
        numbers=table.numbers[:, :numbers],
        states=table.states[:, :numbers],
        codes=table.codes[:, :codes],
    )


def _chance(differences: Floats, largest: bool) -> float | NotComputed:
    if not len(differences):
        return NotComputed(NO_PAIR)
    return float(differences.max() if largest else differences.mean())


def _worst(names: list[str], before: AssociationMatrix, after: AssociationMatrix, difference: Floats) -> Pair:
    i, j = np.unravel_index(int(difference.argmax()), difference.shape)
    return Pair(names[i], names[j], _rounded(before.coefficients[i, j]), _rounded(after.coefficients[i, j]))


def _uncounted(
    before: AssociationMatrix, after: AssociationMatrix, upper: Mask, pairs: int
) -> tuple[Uncounted, ...]:
    counts = {
        reason: int((upper & (before.reasons == number)).sum())
        for number, reason in enumerate(REASONS)
        if number != COMPUTED
    }
    counts[LOST] = int((upper & before.computed & ~after.computed).sum())
    counts[BEYOND] = pairs - int(upper.sum())
    return tuple(Uncounted(reason, count) for reason, count in counts.items() if count)


def _shown(difference: Floats) -> list[int]:
    """Positions of the columns with the largest differences, in the table's order."""
    order = np.argsort(-difference.max(axis=1), kind="stable")[:MOST_SHOWN]
    return sorted(order.tolist())


def _cells(coefficients: Floats, computed: Mask, shown: list[int]) -> Matrix:
    return tuple(
        tuple(_rounded(coefficients[i, j]) if computed[i, j] else None for j in shown) for i in shown
    )


def _rounded(coefficient: float) -> float:
    return round(float(coefficient), 4) + 0.0  # no −0
