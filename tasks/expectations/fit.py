"""Whether the columns of a table allow what a configuration expects of them; asked before anything is computed."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Literal

from sosie.columns import Category, Instant, Table, quoted
from sosie.errors import InputError
from sosie.schemas.expectations import (
    CHECKS_OF_NUMBERS,
    CHECKS_OF_TEXTS,
    OF_NUMBERS,
    OF_TEXTS,
    ON_THE_AXIS,
    ColumnChecks,
    Expectation,
    Expectations,
)
from sosie.tasks.expectations.checks import refuse_input
from sosie.tasks.steps import Checked

Kind = Literal["numbers", "dates", "levels", "identifiers"]


def check_expected(checked: Checked, wanted: Expectations) -> None:
    """Refuse what the columns do not allow one to expect, and rows that break a check of the input."""
    refuse_unfit(wanted, checked.table)
    refuse_input(checked.table, wanted.checks)


def refuse_streamed(wanted: Expectations) -> None:
    """InputError `BAD_CONFIG` when a table that is never in memory is to be examined: nobody would."""
    if wanted.run is True or wanted.own or wanted.checks:
        raise InputError(
            "BAD_CONFIG",
            "expectations: a table that is streamed is not examined: leave out run: true, own and checks, or hold the "
            "table in memory with batches.streamed: never",
        )


def refuse_unfit(wanted: Expectations, table: Table) -> None:
    """InputError `UNKNOWN_COLUMN` or `BAD_CONFIG` naming each key of `expectations` that the columns do not allow."""
    kinds: dict[str, Kind] = {str(column.name): _kind(column) for column in table.columns}
    kinds.update({str(identifier.name): "identifiers" for identifier in table.identifiers})
    named = [*(name for own in wanted.own for name in own.columns), *wanted.checks]
    unknown = [name for name in dict.fromkeys(named) if name not in kinds]
    if unknown:
        raise InputError(
            "UNKNOWN_COLUMN",
            f"expectations name column(s) {quoted(unknown)} that the avatars lack: correct the configuration",
            tuple(unknown),
        )
    problems = [
        *(
            f"expectations.own.{place}: {problem}"
            for place, own in enumerate(wanted.own)
            for problem in _of_expectation(own, kinds)
        ),
        *(
            f"expectations.checks.{name}: {problem}"
            for name, checks in wanted.checks.items()
            for problem in _of_checks(checks, kinds[name])
        ),
    ]
    if problems:
        raise InputError(
            "BAD_CONFIG", f"the configuration has {len(problems)} problem(s): {'; '.join(problems)}"
        )


def _kind(column: object) -> Kind:
    if isinstance(column, Category):
        return "levels"
    # a duration is a number of days
    return "dates" if isinstance(column, Instant) and column.kind != "duration" else "numbers"


def _of_expectation(own: Expectation, kinds: dict[str, Kind]) -> Iterator[str]:
    found = {kinds[name] for name in own.columns}
    if own.type in OF_NUMBERS and found & {"levels", "identifiers"}:
        yield f"{own.type} needs a column of numbers or dates"
    if own.type in OF_TEXTS and found & {"numbers", "dates"}:
        yield f"{own.type} needs a column of texts"
    bounds = [bound for bound in (own.min_value, own.max_value) if bound is not None]
    if bounds and own.type in ON_THE_AXIS:
        yield from _of_bounds(bounds, found)
    elif any(isinstance(bound, date) for bound in bounds):
        yield f"the bounds of {own.type} are numbers"
    if own.value_set is not None:
        yield from _of_set(own.value_set, found)


def _of_checks(checks: ColumnChecks, kind: Kind) -> Iterator[str]:
    rules = set(checks.rules())
    if kind == "identifiers" and checks.table == "input":
        yield "identifiers are written anew, so that only table: output can be checked"
    if rules & CHECKS_OF_NUMBERS and kind in ("levels", "identifiers"):
        yield f"{', '.join(sorted(rules & CHECKS_OF_NUMBERS))} needs a column of numbers or dates"
    texts = {rule for rule in rules & CHECKS_OF_TEXTS if rule.startswith("str_")}
    if texts and kind in ("numbers", "dates"):
        yield f"{', '.join(sorted(texts))} needs a column of texts"
    for rule in sorted(rules & CHECKS_OF_NUMBERS):
        value = getattr(checks, rule)
        yield from _of_bounds(value if isinstance(value, tuple) else (value,), {kind})
    for levels in (checks.isin, checks.notin):
        if levels is not None:
            yield from _of_set(levels, {kind})


def _of_bounds(bounds: Iterable[object], found: set[Kind]) -> Iterator[str]:
    dated = {isinstance(bound, date) for bound in bounds}
    if found == {"dates"} and False in dated:
        yield "the bounds of a column of dates are dates, as 2024-12-31"
    if found == {"numbers"} and True in dated:
        yield "the bounds of a column of numbers are numbers"


def _of_set(levels: Iterable[object], found: set[Kind]) -> Iterator[str]:
    if found == {"dates"}:
        yield "a set of dates cannot be expected: give bounds"
    if found == {"numbers"} and any(isinstance(level, str | bool) for level in levels):
        yield "the set of a column of numbers holds numbers"
