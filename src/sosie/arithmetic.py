"""The arithmetic of expressions: three kinds of node, and what they give on whole columns.

A result is missing where anything that it needs is missing, and where it is no finite number.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Floats

Dates = NDArray[np.datetime64]


@dataclass(frozen=True, eq=False)
class Moments:
    """A date column of n cells, NaT where missing: `elapsed` on one clock for all, `local` by the cell's calendar."""

    elapsed: Dates
    local: Dates


OF_DATES = ("days", "years")
_MICROSECONDS_IN_A_DAY = 86_400 * 10**6


@dataclass(frozen=True)
class Literal:
    """A number written in the expression."""

    value: float


@dataclass(frozen=True)
class Reference:
    """A column."""

    name: str


@dataclass(frozen=True)
class Applied:
    """An operation or a function, and what it is applied to."""

    operation: str
    arguments: "tuple[Node, ...]"


Node = Literal | Reference | Applied


def evaluated(node: Node, numbers: Mapping[str, Floats], dates: Mapping[str, Moments]) -> Floats:
    """What a node gives for columns of n cells: (n,), or () where it reads none; NaN where missing."""
    if isinstance(node, Literal):
        return np.asarray(node.value)
    if isinstance(node, Reference):
        return numbers[node.name]
    if node.operation in OF_DATES:
        first, last = (dates[argument.name] for argument in node.arguments if isinstance(argument, Reference))
        if node.operation == "days":
            return days(first.elapsed, last.elapsed)
        return years(first.local, last.local)
    arguments = [evaluated(argument, numbers, dates) for argument in node.arguments]
    result = np.asarray(_OPERATIONS[node.operation](*arguments), dtype=np.float64)
    if node.operation == "where":  # the branch that is not taken may be missing
        arguments = arguments[:1]
    # numpy holds that nan ** 0 is 1, and that a comparison with nan is false
    missing = np.logical_or.reduce([np.isnan(argument) for argument in np.broadcast_arrays(*arguments)])
    return np.where(missing | ~np.isfinite(result), np.nan, result)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "**": np.power,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "round": lambda values, digits=0: np.round(values, int(digits)) + 0.0,
    "floor": np.floor,
    "ceil": np.ceil,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "log": np.log,
    "exp": np.exp,
    "min": lambda *values: np.minimum.reduce(np.broadcast_arrays(*values)),
    "max": lambda *values: np.maximum.reduce(np.broadcast_arrays(*values)),
    "where": lambda condition, yes, no: np.where(condition != 0, yes, no),
}


def days(first: Dates, last: Dates) -> Floats:
    """(n,) days from the first instants to the last, with fractions, below 0 where the last come first; NaN for NaT."""
    passed = last.astype("datetime64[us]") - first.astype("datetime64[us]")
    numbers = passed.astype(np.int64) / _MICROSECONDS_IN_A_DAY
    return np.where(np.isnat(passed), np.nan, numbers)


def years(first: Dates, last: Dates) -> Floats:
    """(n,) whole years passed from the first instants to the last, by the calendar: an age; NaN for NaT.

    Who was born on 29 February is a year older on 1 March of a year without that day.
    """
    spans = [instants.astype("datetime64[Y]") for instants in (first, last)]
    months = [instants.astype("datetime64[M]") for instants in (first, last)]
    # within the year: the month, then what passed since the month began
    month = [(m - y.astype("datetime64[M]")).astype(np.int64) for m, y in zip(months, spans, strict=True)]
    rest = [
        (instants.astype("datetime64[us]") - m.astype("datetime64[us]")).astype(np.int64)
        for instants, m in zip((first, last), months, strict=True)
    ]
    early = (month[1] < month[0]) | ((month[1] == month[0]) & (rest[1] < rest[0]))
    passed = (spans[1] - spans[0]).astype(np.int64) - early
    return np.where(np.isnat(first) | np.isnat(last), np.nan, passed.astype(np.float64))
