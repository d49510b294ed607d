"""Relations that `inspect` proposes, because every row of the table keeps them: columns to derive, and constraints."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Column, Fixed, Floats, Number, Table
from sosie.computable import Computable, find_computable, reference
from sosie.constraints import bounded_columns, read_constraints
from sosie.errors import InputError
from sosie.natural import amounts, measure_of

_SCREENED = 2_000  # rows that pairs are looked for in
_MOST_COLUMNS = 120
_MOST_CANDIDATES, _MOST_CONSTRAINTS = 200, 10
# A pair that unrelated columns would keep anyway says nothing: of 500 rows they would have to break it in one.
_FEWEST_BROKEN_SHARE = 0.002
_FEWEST_BROKEN_ROWS = 5


@dataclass(frozen=True)
class Proposals:
    """Columns that others make superfluous, and constraints as a configuration writes them, most telling first."""

    computable: tuple[Computable, ...]
    constraints: tuple[str, ...]


def propose(table: Table) -> Proposals:
    """What may be declared of the table: every row keeps each of these, and they can be declared together."""
    computable = find_computable(table)
    derived = {found.name for found in computable}
    return Proposals(computable, _constraints(table, derived))


def _constraints(table: Table, derived: set[Hashable]) -> tuple[str, ...]:
    """Constraints a ≤ b that unrelated columns of the same values would break often, without those that follow."""
    kept = [(lower, upper) for lower, upper in _pairs(table, derived) if _holds(table, lower, upper)]
    above: dict[Hashable, set[Hashable]] = {}
    for lower, upper in kept:
        above.setdefault(lower.name, set()).add(upper.name)
    direct = [
        (lower, upper)
        for lower, upper in kept
        if not any(upper.name in above.get(middle, ()) for middle in above[lower.name])
    ]
    return tuple(_text(lower, upper) for lower, upper in direct[:_MOST_CONSTRAINTS])


def _text(lower: Column, upper: Column) -> str:
    return f"{_plain(lower)} <= {_plain(upper)}"


def _plain(column: Column) -> str:
    # a name that holds an operator or ends in blanks would be read otherwise
    text = str(column.name)
    return reference(text) if set(text) & set("<>") or text != text.strip() else text


def _pairs(table: Table, derived: set[Hashable]) -> list[tuple[Column, Column]]:
    """Candidates, the most telling first: pairs in order in every screened row that has both."""
    rows = np.unique(np.linspace(0, len(table) - 1, min(len(table), _SCREENED)).astype(np.int64))
    screened = table.take(rows)
    groups: dict[str, list[tuple[Column, Floats]]] = {}
    for column, cells in zip(screened.number_columns, screened.numbers.T, strict=True):
        if column.name not in derived and not _large(column):
            groups.setdefault(measure_of(column, 0).nature, []).append((column, amounts(column, cells)))
    found = []
    for group in groups.values():
        columns = [column for column, _ in group[:_MOST_COLUMNS]]
        values = np.stack([values for _, values in group[:_MOST_COLUMNS]], axis=1)
        shares = _telling(values, len(table) / len(rows))
        found += [(float(shares[i, j]), columns[i], columns[j]) for i, j in np.argwhere(shares > 0)]
    found.sort(key=lambda candidate: -candidate[0])
    return [(lower, upper) for _, lower, upper in found[:_MOST_CANDIDATES]]


def _large(column: Column) -> bool:
    return isinstance(column, Number | Fixed) and column.origin != 0


def _telling(values: Floats, times: float) -> Floats:
    """(c, c) shares of rows that would break i ≤ j were the columns unrelated; 0 where it is broken or says little."""
    n, count = values.shape
    shares = np.zeros((count, count))
    shifts = [n // 2, n // 3, n // 5 + 1]  # each row held against another one
    for i in range(count):
        lower = values[:, [i]]
        both: NDArray[np.bool_] = ~(np.isnan(lower) | np.isnan(values))
        kept = ~(lower > values).any(axis=0) & (lower < values).any(axis=0)
        chance = np.mean([(lower > np.roll(values, shift, axis=0)).mean(axis=0) for shift in shifts], axis=0)
        telling = kept & (chance >= _FEWEST_BROKEN_SHARE) & (chance * n * times >= _FEWEST_BROKEN_ROWS)
        shares[i] = np.where(telling & both.any(axis=0), chance, 0.0)
    return shares


def _holds(table: Table, lower: Column, upper: Column) -> bool:
    try:
        (bounded,) = bounded_columns(read_constraints([_text(lower, upper)], table.columns), table.columns)
    except InputError:  # names that cannot be told apart in a constraint
        return False
    return not bounded.breaks(table.numbers, bounded.lowers[0]).any()
