"""Predicates: conditions on columns, as an attacker reads them off the avatars and asks them of the originals.

"age is 93 or more", "ward is north and kg is 41.5 or less and income is missing". A gap satisfies only "is missing".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.attacks.cells import Cells, distinct
from sosie.columns import PRESENT, Floats

Mask = NDArray[np.bool_]
Operator = Literal["=", "≠", "≤", "≥", "<", ">", "missing", "present"]

_COMPARISONS: Mapping[Operator, np.ufunc] = {
    "=": np.equal,
    "≠": np.not_equal,
    "≤": np.less_equal,
    "≥": np.greater_equal,
    "<": np.less,
    ">": np.greater,
    "missing": np.equal,
}
_DESCRIBING: tuple[Operator, ...] = ("=", "≥", "≤", "missing")
_RARE_AMONG = 1_000
_FIRST_LOOKS = (4_000, 16_000, 64_000, 256_000)  # most predicates match several rows long before the last one


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


_NO_ROWS = np.zeros(0, dtype=np.int64)


def matching_rows(predicate: Predicate, cells: Cells) -> NDArray[np.int64]:
    """The rows that satisfy every clause."""
    return np.flatnonzero(_holds(predicate, cells, len(cells)))


def matching_rows_of_each(predicates: Sequence[Predicate], cells: Cells) -> list[NDArray[np.int64]]:
    """The same of many: values of one column are looked up all at once."""
    found: list[NDArray[np.int64]] = [_NO_ROWS] * len(predicates)
    values: dict[int, dict[int, float]] = {}
    for place, predicate in enumerate(predicates):
        if len(predicate) == 1 and predicate[0].operator == "=":
            values.setdefault(predicate[0].column, {})[place] = predicate[0].value
        else:
            found[place] = matching_rows(predicate, cells)
    for column, wanted in values.items():
        which = pd.Index(list(wanted.values())).get_indexer(pd.Index(cells.columns[column]))
        rows = np.flatnonzero(which >= 0)
        rows = rows[np.argsort(which[rows], kind="stable")]
        ends = np.cumsum(np.bincount(which[which >= 0], minlength=len(wanted)))[:-1]
        for place, matching in zip(wanted, np.split(rows, ends), strict=True):
            found[place] = matching
    return found


def is_unique(predicate: Predicate, cells: Cells) -> bool:
    """Whether exactly one row satisfies it."""
    return _once(lambda rows: _holds(predicate, cells, rows), len(cells))


def _once(holds: Callable[[int], Mask], rows: int) -> bool:
    """Whether exactly one row holds, where `holds` looks at so many first ones."""
    for few in _FIRST_LOOKS:
        if few < rows and np.count_nonzero(holds(few)) > 1:
            return False
    return int(np.count_nonzero(holds(rows))) == 1


def extreme_and_rare(cells: Cells) -> Iterator[Predicate]:
    """Every condition on one column that fits exactly one avatar: an extreme, a value held once, the only gap."""
    for j, column in enumerate(cells.columns):
        reasons, times = distinct(cells.states[j])
        yield from (
            (Clause(j, "missing", float(state)),) for state in reasons[(times == 1) & (reasons != PRESENT)]
        )
        values, counts = distinct(column)
        once = values[counts == 1]
        yield from ((Clause(j, "=", float(value)),) for value in once)
        if cells.numeric[j] and len(values):
            if counts[0] == 1:
                yield (Clause(j, "≤", float(values[0])),)
            if counts[-1] == 1:
                yield (Clause(j, "≥", float(values[-1])),)


@dataclass(frozen=True, eq=False)
class Descriptions:
    """m predicates that describe a row each: (m, clauses) columns in order, operators, values.

    `ties` (m,) are how many of a predicate's operators were drawn.
    """

    columns: NDArray[np.int64]
    operators: NDArray[np.int8]
    values: Floats
    ties: NDArray[np.int64]

    def predicate(self, place: int) -> Predicate:
        """One of them."""
        parts = zip(self.columns[place], self.operators[place], self.values[place], strict=True)
        return tuple(Clause(int(j), _DESCRIBING[operator], float(value)) for j, operator, value in parts)

    def fits_once(self, place: int, cells: Cells) -> bool:
        """Whether one of them fits exactly one row."""
        parts = [
            (_COMPARISONS[name], (cells.states if name == "missing" else cells.columns)[j], value)
            for j, name, value in zip(
                self.columns[place].tolist(),
                [_DESCRIBING[operator] for operator in self.operators[place].tolist()],
                self.values[place].tolist(),
                strict=True,
            )
        ]

        def holds(rows: int) -> Mask:
            held: Mask = np.ones(rows, dtype=bool)
            for compare, column, value in parts:
                held &= compare(column[:rows], value)
            return held

        return _once(holds, len(cells))

    def rare(self, cells: Cells) -> Mask:
        """Which of them (m,) fit at most one of the first thousand rows."""
        rows = min(len(cells), _RARE_AMONG)
        held = np.ones((len(self.columns), rows), dtype=bool)
        for j in range(len(cells.columns)):
            for operator, name in enumerate(_DESCRIBING):
                place, clause = np.nonzero((self.columns == j) & (self.operators == operator))
                column = (cells.states if name == "missing" else cells.columns)[j][:rows]
                held[place] &= _COMPARISONS[name](column, self.values[place, clause, None])
        return np.asarray(np.count_nonzero(held, axis=1) <= 1)


def describing_rows(
    cells: Cells,
    medians: Floats,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    rng: np.random.Generator,
) -> Descriptions:
    """What avatars are in (m, clauses) columns: category, gap, or a number at least (most) as far from the median.

    A number on the median itself goes either way.
    """
    columns = np.sort(columns, axis=1)
    values, states = np.empty(columns.shape), np.empty(columns.shape)
    for j in range(len(cells.columns)):
        place, clause = np.nonzero(columns == j)
        values[place, clause], states[place, clause] = (
            cells.columns[j][rows[place]],
            cells.states[j][rows[place]],
        )
    numeric, middle, missing = np.array(cells.numeric)[columns], medians[columns], np.isnan(values)
    above, tied = values > middle, numeric & (values == middle)
    above[tied] = rng.random(int(tied.sum())) < 0.5
    operators = np.where(missing, 3, np.where(numeric, np.where(above, 1, 2), 0)).astype(np.int8)
    return Descriptions(columns, operators, np.where(missing, states, values), tied.sum(axis=1))


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
