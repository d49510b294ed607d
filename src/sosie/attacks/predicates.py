"""Predicates: conditions on columns, as an attacker reads them off the avatars and asks them of the originals.

"age is 93 or more", "ward is north and kg is 41.5 or less and income is missing". A gap satisfies only "is missing".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie.attacks.cells import Cells
from sosie.columns import PRESENT, Floats

Mask = NDArray[np.bool_]
Operator = Literal["=", "≠", "≤", "≥", "<", ">", "missing", "present"]

_COMPARISONS = {
    "=": np.equal,
    "≠": np.not_equal,
    "≤": np.less_equal,
    "≥": np.greater_equal,
    "<": np.less,
    ">": np.greater,
}
_FIRST_LOOKS = (1_000, 10_000, 100_000)  # most predicates match several rows long before the last one


@dataclass(frozen=True)
class Clause:
    """A condition on one column, by its position in `Cells`.

    `value` is a number or a category's code; for "missing" the state of the cell, a gap or a missing code.
    """

    column: int
    operator: Operator
    value: float = 0.0

    def holds(self, cells: Cells, rows: int) -> Mask:
        """Which of the first rows satisfy it."""
        column, states = cells.columns[self.column][:rows], cells.states[self.column][:rows]
        if self.operator in ("missing", "present"):
            return np.equal(states, PRESENT if self.operator == "present" else self.value)
        held: Mask = _COMPARISONS[self.operator](column, self.value)
        # a gap differs from every value, but nobody knows by how much
        return held & (states == PRESENT) if self.operator == "≠" else held


Predicate = tuple[Clause, ...]


def matching_rows(predicate: Predicate, cells: Cells) -> NDArray[np.int64]:
    """The rows that satisfy every clause."""
    return np.flatnonzero(_holds(predicate, cells, len(cells)))


def is_unique(predicate: Predicate, cells: Cells) -> bool:
    """Whether exactly one row satisfies it."""
    for rows in _FIRST_LOOKS:
        if rows < len(cells) and np.count_nonzero(_holds(predicate, cells, rows)) > 1:
            return False
    return int(np.count_nonzero(_holds(predicate, cells, len(cells)))) == 1


def extreme_and_rare(cells: Cells) -> Iterator[Predicate]:
    """Every condition on one column that fits exactly one avatar: an extreme, a value held once, the only gap."""
    for j, column in enumerate(cells.columns):
        present = column[~np.isnan(column)]
        reasons, times = np.unique(cells.states[j], return_counts=True)
        yield from (
            (Clause(j, "missing", float(state)),) for state in reasons[(times == 1) & (reasons != PRESENT)]
        )
        values, counts = np.unique(present, return_counts=True)
        once = values[counts == 1]
        yield from ((Clause(j, "=", float(value)),) for value in once)
        if cells.numeric[j] and len(values):
            if counts[0] == 1:
                yield (Clause(j, "≤", float(values[0])),)
            if counts[-1] == 1:
                yield (Clause(j, "≥", float(values[-1])),)


def describing_row(
    cells: Cells, medians: Floats, row: int, columns: NDArray[np.int64], rng: np.random.Generator
) -> Predicate:
    """What one avatar is in these columns: its category, its gap, or a number at least (most) as far from the median.

    A number on the median itself goes either way.
    """
    clauses = []
    for j in np.sort(columns):
        value = float(cells.columns[j][row])
        if np.isnan(value):
            clauses.append(Clause(int(j), "missing", float(cells.states[j][row])))
        elif cells.numeric[j]:
            above = value > medians[j] or (value == medians[j] and rng.random() < 0.5)
            clauses.append(Clause(int(j), "≥" if above else "≤", value))
        else:
            clauses.append(Clause(int(j), "=", value))
    return tuple(clauses)


def random_predicate(
    cells: Cells, values: tuple[Floats, ...], columns: NDArray[np.int64], rng: np.random.Generator
) -> Predicate:
    """A condition on these columns picked without looking at rows: any operator, any of the column's `values`."""
    clauses = []
    for j in np.sort(columns):
        value = float(rng.choice(values[j]))
        if np.isnan(value):
            state = float(rng.choice(cells.states[j][cells.states[j] != PRESENT]))
            clauses.append(Clause(int(j), _one_of(("missing", "present"), rng), state))
        elif cells.numeric[j]:
            clauses.append(Clause(int(j), _one_of(("=", "≠", "≤", "≥", "<", ">"), rng), value))
        else:
            clauses.append(Clause(int(j), _one_of(("=", "≠"), rng), value))
    return tuple(clauses)


def _one_of(operators: tuple[Operator, ...], rng: np.random.Generator) -> Operator:
    return operators[int(rng.integers(len(operators)))]


def _holds(predicate: Predicate, cells: Cells, rows: int) -> Mask:
    held = np.ones(rows, dtype=bool)
    for clause in predicate:
        held &= clause.holds(cells, rows)
    return held
