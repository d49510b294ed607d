"""Derived columns: left out of the method, and computed from an avatar's own cells once they are decoded.

A derived cell is thus exactly what its expression says of the row it stands in. A column may only be derived when its
expression is true of every row of the table, to half of the last place that the column shows.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

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
    Number,
    Numeric,
    Table,
    quoted,
)
from sosie.errors import InputError
from sosie.expressions import Expression, parse_expression
from sosie.natural import amounts, from_amounts, measure_of, moments, reading_of

_SLACK = 1e-9  # relative: a sum of cents in another order


@dataclass(frozen=True)
class Derivation:
    """A column and the expression it is computed by."""

    name: Hashable
    expression: Expression


def read_derivations(texts: Mapping[Hashable, str], columns: Sequence[Column]) -> tuple[Derivation, ...]:
    """The derivations of these columns, each after those it needs.

    Raises InputError `BAD_CONFIG` for an expression or a column that does not allow it, or columns derived of each
    other in a circle; `UNKNOWN_COLUMN` for a name that the table lacks.
    """
    held = {str(column.name): column for column in columns}
    parsed = {str(name): Derivation(name, parse_expression(text, name)) for name, text in texts.items()}
    for name, derivation in parsed.items():
        _refuse_target(held[name])
        _refuse_sources(derivation, held)
    needs = {
        name: [source for source in (*found.expression.numbers, *found.expression.dates) if source in parsed]
        for name, found in parsed.items()
    }
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        circle = tuple(dict.fromkeys(error.args[1]))
        raise InputError(
            "BAD_CONFIG",
            f"the columns {quoted(circle)} are derived of each other: leave one as it is",
            circle,
        ) from None
    return tuple(parsed[name] for name in order)


def _refuse_target(column: Column) -> None:
    if isinstance(column, Category):
        if not _is_boolean(column):
            raise InputError(
                "BAD_CONFIG",
                f"{quoted([column.name])} is a {column.kind}: numbers, durations and booleans can be derived",
                (column.name,),
            )
        return
    if reading_of(column) != "number":
        raise InputError(
            "BAD_CONFIG",
            f"{quoted([column.name])} is a {column.kind}: numbers, durations and booleans can be derived",
            (column.name,),
        )
    if column.missing_codes or (isinstance(column, Number | Fixed) and column.origin):
        reason = "has missing codes" if column.missing_codes else "holds integers beyond 2^53"
        raise InputError(
            "BAD_CONFIG", f"{quoted([column.name])} {reason}, so it cannot be derived", (column.name,)
        )


def _refuse_sources(derivation: Derivation, held: Mapping[str, Column]) -> None:
    expression, of = derivation.expression, derivation.name
    unknown = [name for name in (*expression.numbers, *expression.dates) if name not in held]
    if unknown:
        raise InputError(
            "UNKNOWN_COLUMN",
            f"derived of {quoted([of])} names column(s) {quoted(unknown)} that the table lacks, drops or regenerates",
            tuple(unknown),
        )
    for names, wanted, remedy in (
        (expression.numbers, "number", "dates are read by days(a, b) and years(a, b)"),
        (expression.dates, "date", "days and years are between two date columns"),
    ):
        wrong = [name for name in names if _reading(held[name]) != wanted]
        if wrong:
            raise InputError(
                "BAD_CONFIG",
                f"derived of {quoted([of])} cannot read {quoted(wrong)} as a {wanted}: {remedy}",
                tuple(wrong),
            )
    large = [name for name in expression.numbers if isinstance(held[name], Number) and _origin(held[name])]
    if large:
        raise InputError(
            "BAD_CONFIG",
            f"derived of {quoted([of])} reads integers beyond 2^53 in {quoted(large)}",
            tuple(large),
        )
    for span in expression.spans:
        if (
            len({measure_of(column, 0).nature for name in span if isinstance(column := held[name], Instant)})
            > 1
        ):
            raise InputError(
                "BAD_CONFIG",
                f"derived of {quoted([of])} counts days between {quoted(span)}, of which only one has a zone",
                span,
            )


def _origin(column: Column) -> int:
    return 0 if isinstance(column, Category) else column.origin


def _reading(column: Column) -> str:
    if isinstance(column, Category):
        return "number" if _is_boolean(column) else "neither"
    return reading_of(column)


def _is_boolean(column: Category) -> bool:
    return column.kind == "boolean" and all(isinstance(level, bool | np.bool_) for level in column.levels)


def untrue_rows(derivation: Derivation, table: Table) -> Mask:
    """(n,) the rows whose cell is not what the expression says, or where one of the two is missing."""
    found = computed(derivation.expression, table)
    column, position = _place(table, str(derivation.name))
    if isinstance(column, Category):
        return ~_equal(found, _truth(column, table.codes[:, position]), 0.0)
    cells = table.numbers[:, position]
    return ~_equal(from_amounts(column, found), cells, _half_place(column, cells))


def _equal(found: Floats, cells: Floats, margin: float) -> Mask:
    both_missing = np.isnan(found) & np.isnan(cells)
    # the margin itself is a tie that may have been rounded either way
    near = np.abs(found - cells) <= margin * (1 + _SLACK) + _SLACK * np.abs(cells)
    equal: Mask = both_missing | near
    return equal


def _half_place(column: Numeric, cells: Floats) -> float:
    """Half of the column's last place, as it is stored."""
    if isinstance(column, Instant):
        return 0.5
    if isinstance(column, Fixed):
        return max(1.0, (column.round_to or 0.0) * 10**column.places) / 2
    last = float(10.0 ** -column.decimals(cells))
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
