"""Derived columns computed: whether a table holds what expressions say, and avatars made to."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from sosie.columns import (
    GAP,
    MISSING,
    PRESENT,
    Category,
    Codes,
    Column,
    Fixed,
    Floats,
    Grid,
    Instant,
    Mask,
    Numeric,
    Table,
    quoted,
)
from sosie.derivations import Derivation
from sosie.errors import InputError
from sosie.expressions import Expression
from sosie.extent import NumberExtent
from sosie.natural import amounts, from_amounts, moments
from sosie.whole import Whole

_SLACK = 1e-9  # relative: a sum of cents in another order


def margins_of(derivations: Sequence[Derivation], tables: Callable[[], Iterable[Table]]) -> list[float]:
    """Half of the last place of each derived column, as it is stored; 0 for a category. The table comes in blocks."""
    extents: dict[Hashable, NumberExtent] = {}
    for table in tables() if derivations else ():
        for derivation in derivations:
            column, position = _place(table, str(derivation.name))
            if not isinstance(column, Category):
                extent = extents.setdefault(derivation.name, NumberExtent(column))
                extent.add(table.numbers[:, position])
    found = (extents.get(derivation.name) for derivation in derivations)
    return [0.0 if extent is None else _half_place(extent.column, extent.grid.decimals) for extent in found]


def untrue_rows(derivation: Derivation, table: Table, margin: float) -> Mask:
    """(n,) the rows whose cell is off what the expression says by more than the margin, or where one is missing."""
    found = computed(derivation.expression, table)
    column, position = _place(table, str(derivation.name))
    if isinstance(column, Category):
        return ~_equal(found, _truth(column, table.codes[:, position]), 0.0)
    return ~_equal(from_amounts(column, found), table.numbers[:, position], margin)


def _equal(found: Floats, cells: Floats, margin: float) -> Mask:
    both_missing = np.isnan(found) & np.isnan(cells)
    # the margin itself is a tie that may have been rounded either way
    near = np.abs(found - cells) <= margin * (1 + _SLACK) + _SLACK * np.abs(cells)
    equal: Mask = both_missing | near
    return equal


def _half_place(column: Numeric, decimals: int) -> float:
    """Half of the column's last place, as it is stored."""
    if isinstance(column, Instant):
        return 0.5
    if isinstance(column, Fixed):
        return max(1.0, float((column.round_to or 0.0) * 10.0**column.places)) / 2
    last = float(10.0**-decimals)
    return max(last, float(column.round_to or 0.0)) / 2


def computed(expression: Expression, table: Table) -> Floats:
    """(n,) what the expression says of each row, in amounts (times in days); NaN where missing."""
    numbers, dates = {}, {}
    for name in expression.numbers:
        column, position = _place(table, name)
        if isinstance(column, Category):
            numbers[name] = _truth(column, table.codes[:, position])
        else:
            numbers[name] = amounts(column, table.numbers[:, position])
    for name in expression.dates:
        column, position = _place(table, name)
        if isinstance(column, Instant):
            dates[name] = moments(column, table.numbers[:, position])
    return expression.evaluate(numbers, dates)


def _place(table: Table, name: str) -> tuple[Column, int]:
    """A column by its name as text, and its position among its like."""
    for columns in (table.number_columns, table.category_columns):
        for position, column in enumerate(columns):
            if str(column.name) == name:
                return column, position
    raise InputError("UNKNOWN_COLUMN", f"the table has no column {quoted([name])}", (name,))


def _truth(column: Category, codes: Codes) -> Floats:
    """(n,) 1 where true, 0 where false, NaN where missing."""
    levels = np.array([*(float(bool(level)) for level in column.levels), np.nan, np.nan])
    return np.where(codes >= 0, levels[codes], np.nan)


Why = Literal["gaps", "type", "false", "true"]
_REASONS: tuple[Why, ...] = ("gaps", "type", "false", "true")  # in the order in which they are told


@dataclass(frozen=True)
class Wrong:
    """Avatars that the derivation at a place gives what its column does not hold, and how many there are.

    `gaps`: nothing, where no original lacks it; `type`: what the column's type does not hold; `false`, `true`: a truth
    that no original has.
    """

    place: int
    why: Why
    rows: int


def recomputed(
    derivations: Sequence[Derivation], avatars: Table, whole: Whole
) -> tuple[Table, tuple[Wrong, ...]]:
    """The avatars with every derived column computed from their other cells, rounded as the originals' column is.

    `whole` is that of the originals. Where the first derivation gives what its column does not hold, those that follow
    are not computed.
    """
    for place, derivation in enumerate(derivations):
        found = computed(derivation.expression, avatars)
        column, position = _place(avatars, str(derivation.name))
        if isinstance(column, Category):
            codes, wrong = _codes(column, found, whole.code_gaps[position])
            avatars = replace(avatars, codes=avatars.codes.copy())
            avatars.codes[:, position] = codes
        else:
            decimals = whole.lattices[position].grid.decimals
            numbers, wrong = _cells(column, found, decimals, whole.number_gaps[position])
            avatars = replace(avatars, numbers=avatars.numbers.copy(), states=avatars.states.copy())
            avatars.numbers[:, position] = numbers
            avatars.states[:, position] = np.where(np.isnan(numbers), GAP, PRESENT)
        if wrong:
            return avatars, tuple(Wrong(place, why, rows) for why, rows in wrong.items())
    return avatars, ()


def refuse_wrong(
    found: Sequence[Wrong], derivations: Sequence[Derivation], columns: Sequence[Column]
) -> None:
    """InputError `BAD_CONFIG` for the first derivation of which something is wrong; rows are counted together."""
    if not found:
        return
    place, reason = min((wrong.place, _REASONS.index(wrong.why)) for wrong in found)
    rows = sum(wrong.rows for wrong in found if (wrong.place, wrong.why) == (place, _REASONS[reason]))
    name = derivations[place].name
    (column,) = (column for column in columns if column.name == name)
    told = {
        "gaps": f"{rows} avatar(s) nothing, though no row lacks it: say what it is there, as in "
        "where(b == 0, 0, a / b)",
        "type": f"avatars values that its type {column.dtype} does not hold: store it in a wider type",
        "false": f"{rows} avatar(s) a value that no row has",
        "true": f"{rows} avatar(s) a value that no row has",
    }
    raise InputError("BAD_CONFIG", f"derived of {quoted([name])} gives {told[_REASONS[reason]]}", (name,))


def _cells(column: Numeric, found: Floats, decimals: int, gaps: bool) -> tuple[Floats, dict[Why, int]]:
    """(n,) cells for what an expression says, and what is wrong in how many rows; `gaps`: any may be missing."""
    missing = np.isnan(found)
    numbers = np.full(len(found), np.nan)
    grid = Grid(-np.inf, np.inf, decimals)
    numbers[~missing] = column.settled(from_amounts(column, found[~missing]), grid, False) + 0.0
    wrong: dict[Why, int] = {}
    if missing.any() and not gaps:
        wrong["gaps"] = int(missing.sum())
    elif not _holds(column, numbers):
        wrong["type"] = len(found)
    return numbers, wrong


def _holds(column: Numeric, numbers: Floats) -> bool:
    """Whether the numbers come back from the column's own dtype."""
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            back = column.numbers(column.cells(numbers))
    except (pa.ArrowInvalid, OverflowError):
        return False
    return bool(np.array_equal(back, numbers, equal_nan=True))


def _codes(column: Category, found: Floats, gaps: bool) -> tuple[Codes, dict[Why, int]]:
    """The same of a boolean column: (n,) codes."""
    missing = np.isnan(found)
    codes = np.full(len(found), MISSING, dtype=np.int32)
    wrong: dict[Why, int] = {}
    if missing.any() and not gaps:
        wrong["gaps"] = int(missing.sum())
    truths = [bool(level) for level in column.levels]
    for truth, why in ((False, _REASONS[2]), (True, _REASONS[3])):
        rows = ~missing & ((found != 0) == truth)
        if rows.any() and truth not in truths:
            wrong[why] = int(rows.sum())
        elif rows.any():
            codes[rows] = truths.index(truth)
    return codes, wrong
