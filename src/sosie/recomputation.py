"""Derived columns computed: whether a table holds what expressions say, and avatars made to."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

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


def recomputed(derivations: Sequence[Derivation], avatars: Table, originals: Table) -> Table:
    """The avatars with every derived column computed from their other cells, rounded as the originals' column is.

    Raises InputError `BAD_CONFIG` when an expression gives an avatar nothing though no original lacked it, or what
    the column's type does not hold.
    """
    for derivation in derivations:
        found = computed(derivation.expression, avatars)
        column, position = _place(avatars, str(derivation.name))
        if isinstance(column, Category):
            codes = _codes(column, found, originals.codes[:, position])
            avatars = replace(avatars, codes=avatars.codes.copy())
            avatars.codes[:, position] = codes
        else:
            numbers = _cells(column, found, originals.numbers[:, position])
            avatars = replace(avatars, numbers=avatars.numbers.copy(), states=avatars.states.copy())
            avatars.numbers[:, position] = numbers
            avatars.states[:, position] = np.where(np.isnan(numbers), GAP, PRESENT)
    return avatars


def _cells(column: Numeric, found: Floats, originals: Floats) -> Floats:
    grid = Grid(-np.inf, np.inf, column.decimals(originals[~np.isnan(originals)]))
    missing = np.isnan(found)
    numbers = np.full(len(found), np.nan)
    numbers[~missing] = column.settled(from_amounts(column, found[~missing]), grid, False) + 0.0
    _refuse_gaps(column, int(missing.sum()), bool(np.isnan(originals).any()))
    if not _holds(column, numbers):
        raise InputError(
            "BAD_CONFIG",
            f"derived of {quoted([column.name])} gives avatars values that its type {column.dtype} does not hold: "
            "store it in a wider type",
            (column.name,),
        )
    return numbers


def _holds(column: Numeric, numbers: Floats) -> bool:
    """Whether the numbers come back from the column's own dtype."""
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            back = column.numbers(column.cells(numbers))
    except (pa.ArrowInvalid, OverflowError):
        return False
    return bool(np.array_equal(back, numbers, equal_nan=True))


def _codes(column: Category, found: Floats, originals: Codes) -> Codes:
    _refuse_gaps(column, int(np.isnan(found).sum()), bool((originals == MISSING).any()))
    truths = [bool(level) for level in column.levels]
    codes = np.full(len(found), MISSING, dtype=np.int32)
    for truth in (False, True):
        rows = ~np.isnan(found) & ((found != 0) == truth)
        if rows.any() and truth not in truths:
            raise InputError(
                "BAD_CONFIG",
                f"derived of {quoted([column.name])} gives {int(rows.sum())} avatar(s) a value that no row has",
                (column.name,),
            )
        codes[rows] = truths.index(truth) if rows.any() else MISSING
    return codes


def _refuse_gaps(column: Column, missing: int, allowed: bool) -> None:
    if missing and not allowed:
        raise InputError(
            "BAD_CONFIG",
            f"derived of {quoted([column.name])} gives {missing} avatar(s) nothing, though no row lacks it: say what "
            "it is there, as in where(b == 0, 0, a / b)",
            (column.name,),
        )
