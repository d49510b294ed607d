"""Pandera's checks that a configuration names: of the table that is read, and of the one to release."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

import pandas as pd
import pandera.pandas as pa
from pandera.errors import SchemaErrors

from sosie.columns import Table, quoted
from sosie.errors import InputError
from sosie.schemas.examination import Check, Outcome
from sosie.schemas.expectations import Bound, ColumnChecks, Level, moment
from sosie.tasks.expectations.plain import level_text, plain_frame


def refuse_input(table: Table, checks: Mapping[str, ColumnChecks]) -> None:
    """InputError `SCHEMA_MISMATCH` naming every check of the input that its columns break, with counts."""
    asked = {name: wanted for name, wanted in checks.items() if wanted.table != "output"}
    if not asked:
        return
    frame = plain_frame(table)
    # fresh identifiers are no input
    held = {str(column.name) for column in table.columns}
    broken = [
        (check, count)
        for name, wanted in asked.items()
        if name in held
        for check, count in _broken(frame, name, wanted)
        if count
    ]
    if broken:
        told = "; ".join(f"{quoted([check.column])}: {check.rule} ({count})" for check, count in broken)
        columns = tuple(dict.fromkeys(check.column for check, _ in broken))
        raise InputError(
            "SCHEMA_MISMATCH",
            f"the table breaks checks of the configuration, rows in brackets: {told}; correct the table, or "
            "expectations.checks",
            columns,
        )


def check_output(frame: pd.DataFrame, checks: Mapping[str, ColumnChecks]) -> tuple[Outcome, ...]:
    """What came of each check of the plain frame to release."""
    return tuple(
        Outcome(origin="check", asked=check, fate="missed" if count else "met")
        for name, wanted in checks.items()
        if wanted.table != "input"
        for check, count in _broken(frame, name, wanted)
    )


def _broken(frame: pd.DataFrame, name: str, wanted: ColumnChecks) -> Iterator[tuple[Check, int]]:
    """Each check of a column with the number of rows that break it."""
    series = frame[name]
    for rule in wanted.rules():
        value = getattr(wanted, rule)
        arguments = () if value is True else value if isinstance(value, tuple) else (value,)
        check = Check(column=name, rule=rule, severity=wanted.severity, arguments=arguments)
        yield check, _breaches(series, check)


def _breaches(series: "pd.Series[Any]", check: Check) -> int:
    if check.rule == "not_null":
        return int(series.isna().sum())
    if check.rule == "unique":
        return int(series.dropna().duplicated(keep=False).sum())
    try:
        pa.SeriesSchema(checks=[_of_pandera(series, check)], nullable=True).validate(series, lazy=True)
    except SchemaErrors as errors:
        return len(errors.failure_cases)
    return 0


def _of_pandera(series: "pd.Series[Any]", check: Check) -> pa.Check:
    """The check with its arguments as the plain frame has its cells: dates in days, levels as texts."""
    made: Callable[..., pa.Check] = getattr(pa.Check, check.rule)
    if check.rule in ("isin", "notin"):
        numeric = pd.api.types.is_numeric_dtype(series.dtype)
        return made([_number(level) if numeric else level_text(level) for level in check.arguments])
    return made(*(moment(bound) if isinstance(bound, date) else bound for bound in check.arguments))


def _number(level: Bound | Level) -> float:
    return moment(level) if isinstance(level, date) else float(level)
