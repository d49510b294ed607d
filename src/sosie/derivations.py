"""Derived columns: left out of the method, and computed from an avatar's own cells once they are decoded.

A derived cell is thus exactly what its expression says of the row it stands in. A column may only be derived when its
expression is true of every row of the table, to half of the last place that the column shows.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np

from sosie.columns import Category, Column, Fixed, Instant, Number, quoted
from sosie.errors import InputError
from sosie.expressions import Expression, parse_expression
from sosie.natural import measure_of, reading_of


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
        if not is_boolean(column):
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
        return "number" if is_boolean(column) else "neither"
    return reading_of(column)


def is_boolean(column: Category) -> bool:
    """Whether the levels of a category are no other than True and False."""
    return column.kind == "boolean" and all(isinstance(level, bool | np.bool_) for level in column.levels)
