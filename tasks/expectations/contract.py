"""What the originals let one expect of their avatars: written from aggregates, bounds rounded outwards.

No level rarer than `min_count` is named, and nothing is said of the numbers of a column that fewer hold. A bound is not
a cell: it lies on a grid of a tenth to a twenty-fifth of the width of what it bounds.
"""

from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np

from sosie.columns import Category, Codes, Floats, Instant, Mask, Numeric, Table
from sosie.schemas.expectations import RARE, Bound, Expectation, Expectations, Severity
from sosie.tasks.expectations.plain import axis_of, common_levels, level_text

_STEPS = 10  # at least so many steps of the grid in what is rounded
_SHARE = 0.01  # shares are rounded to whole percents
_WIDE = Context(prec=60)
_FINEST_DAYS = 1e-3  # finer than that, a date would be rounded to microseconds


@dataclass(frozen=True)
class Leeway:
    """How far aggregates may move: `means` in sds, `spreads` as a share of the sd, `gaps` as a share of the rows."""

    means: float
    spreads: float
    gaps: float


def leeway_of(wanted: Expectations) -> Leeway:
    """The leeway that a configuration gives."""
    return Leeway(wanted.means, wanted.spreads, wanted.gaps)


def contract(
    originals: Table, derived: Collection[Hashable], min_count: int, leeway: Leeway
) -> tuple[Expectation, ...]:
    """What avatars of these originals must keep (critical) and should keep (warning)."""
    names = [str(column.name) for column in originals.columns]
    found: list[Expectation] = []
    numbers, codes = iter(originals.numbers.T), iter(originals.codes.T)
    common = iter(common_levels(originals, min_count))
    for column in originals.columns:
        name = str(column.name)
        if isinstance(column, Category):
            held = next(codes)
            found += [*_gaps(name, held < 0, leeway), *_levels(name, column, held, next(common))]
        else:
            axis = axis_of(column, next(numbers))
            found += _gaps(name, np.isnan(axis), leeway)
            found += _numbers(column, axis, column.name in derived, min_count, leeway)
    for identifier in originals.identifiers:
        names.insert(identifier.position, str(identifier.name))
        found += [
            _expect("column_values_to_be_unique", "critical", column=str(identifier.name)),
            _expect("column_values_to_not_be_null", "critical", column=str(identifier.name)),
        ]
    whole = [
        _expect("table_columns_to_match_ordered_list", "critical", column_list=tuple(names)),
        _expect("table_row_count_to_equal", "critical", value=len(originals)),
    ]
    return (*whole, *found)


def _gaps(name: str, missing: Mask, leeway: Leeway) -> Iterator[Expectation]:
    if not missing.any():
        yield _expect("column_values_to_not_be_null", "critical", column=name)
        return
    present = 1 - float(missing.mean())
    yield _expect(
        "column_proportion_of_non_null_values_to_be_between",
        "warning",
        column=name,
        min_value=max(0.0, below(round(present - leeway.gaps, 9), _SHARE)),
        max_value=min(1.0, above(round(present + leeway.gaps, 9), _SHARE)),
    )


def _levels(name: str, column: Category, codes: Codes, common: Mask) -> Iterator[Expectation]:
    named = [level_text(level) for level, shown in zip(column.levels, common, strict=True) if shown]
    held = np.unique(codes[codes >= 0])
    rare = [RARE] if not common[held].all() else []
    if named or rare:
        yield _expect(
            "column_distinct_values_to_be_in_set", "critical", column=name, value_set=(*named, *rare)
        )


def _numbers(
    column: Numeric, axis: Floats, derived: bool, min_count: int, leeway: Leeway
) -> Iterator[Expectation]:
    name, present = str(column.name), axis[~np.isnan(axis)]
    if len(present) < max(min_count, 2):
        return
    least, most, mean, sd = (
        float(value) for value in (present.min(), present.max(), present.mean(), present.std(ddof=1))
    )
    step = step_of(most - least or abs(most) or 1.0)
    if not derived:  # a derived column is as large as its expression says
        lower, upper = below(least, step), above(most, step)
        yield _expect(
            "column_min_to_be_between", "critical", column=name, min_value=_bound(column, lower, step)
        )
        yield _expect(
            "column_max_to_be_between", "critical", column=name, max_value=_bound(column, upper, step)
        )
    if most == least:
        return
    step = step_of(sd)
    yield _expect(
        "column_mean_to_be_between",
        "warning",
        column=name,
        min_value=_bound(column, below(mean - leeway.means * sd, step), step),
        max_value=_bound(column, above(mean + leeway.means * sd, step), step),
    )
    yield _expect(
        "column_stdev_to_be_between",
        "warning",
        column=name,
        min_value=below((1 - leeway.spreads) * sd, step),
        max_value=above((1 + leeway.spreads) * sd, step),
    )


def step_of(width: float) -> float:
    """A power of ten, or twice or five times one: between a tenth and a twenty-fifth of the width."""
    power = 10.0 ** np.floor(np.log10(width / _STEPS))
    return float(max(factor * power for factor in (1, 2, 5) if factor * power * _STEPS <= width * (1 + 1e-9)))


def below(value: float, step: float) -> float:
    """The largest multiple of the step that is not above the value."""
    return _on_grid(value, step, ROUND_FLOOR)


def above(value: float, step: float) -> float:
    """The least multiple of the step that is not below the value."""
    return _on_grid(value, step, ROUND_CEILING)


def _on_grid(value: float, step: float, rounding: str) -> float:
    # in decimals, so that a bound is the short number that people read, and never on the wrong side of the value
    unit = Decimal(repr(step))
    steps = _WIDE.divide(Decimal(repr(value)), unit).to_integral_value(rounding)
    return float(steps * unit)


def _bound(column: Numeric, value: float, step: float) -> Bound:
    """The bound as it is read: a date for a column of dates."""
    if not isinstance(column, Instant) or column.kind == "duration" or step < _FINEST_DAYS:
        return value
    try:
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=value)
    except OverflowError:  # a year that no calendar date holds
        return value
    return date(at.year, at.month, at.day) if value.is_integer() else at


def _expect(kind: str, severity: Severity, **arguments: object) -> Expectation:
    return Expectation.model_validate({"type": f"expect_{kind}", "severity": severity, **arguments})
