"""What can be expected of a table to release: Great Expectations' own kinds by name, and pandera's checks.

A chosen part of each, all of it declarative: numbers, dates, lists, regular expressions. Nothing here runs code or SQL,
and nothing here imports either library.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StrictBool,
    model_validator,
)

from sosie.schemas.sections import Section, named_by_text

Severity = Literal["critical", "warning"]
Side = Literal["input", "output", "both"]
Number = Annotated[float, Field(allow_inf_nan=False)]
Bound = Number | date | datetime
Level = StrictBool | int | float | str
Name = str | int


class Signature(NamedTuple):
    """What a kind of expectation takes: what must be given, and what may be."""

    needed: frozenset[str]
    allowed: frozenset[str]


def _signature(needed: str, allowed: str = "") -> Signature:
    must = frozenset(needed.split())
    return Signature(must, must | frozenset(allowed.split()))


RARE = "(any rarer level)"  # stands for levels that too few hold to be named

_BOUNDS = _signature("column", "min_value max_value strict_min strict_max")
_SET = _signature("column value_set", "mostly")
_REGEX = _signature("column regex", "mostly")
_EVERY = _signature("column", "mostly")

SIGNATURES: Mapping[str, Signature] = {
    "expect_column_distinct_values_to_be_in_set": _signature("column value_set"),
    "expect_column_distinct_values_to_contain_set": _signature("column value_set"),
    "expect_column_distinct_values_to_equal_set": _signature("column value_set"),
    "expect_column_max_to_be_between": _BOUNDS,
    "expect_column_mean_to_be_between": _BOUNDS,
    "expect_column_median_to_be_between": _BOUNDS,
    "expect_column_min_to_be_between": _BOUNDS,
    "expect_column_most_common_value_to_be_in_set": _signature("column value_set"),
    "expect_column_pair_values_a_to_be_greater_than_b": _signature("column_A column_B", "or_equal"),
    "expect_column_proportion_of_non_null_values_to_be_between": _BOUNDS,
    "expect_column_proportion_of_unique_values_to_be_between": _BOUNDS,
    "expect_column_stdev_to_be_between": _BOUNDS,
    "expect_column_sum_to_be_between": _BOUNDS,
    "expect_column_unique_value_count_to_be_between": _BOUNDS,
    "expect_column_value_lengths_to_be_between": _signature("column", "min_value max_value mostly"),
    "expect_column_values_to_be_between": _signature(
        "column", "min_value max_value strict_min strict_max mostly"
    ),
    "expect_column_values_to_be_in_set": _SET,
    "expect_column_values_to_be_null": _EVERY,
    "expect_column_values_to_be_unique": _EVERY,
    "expect_column_values_to_match_regex": _REGEX,
    "expect_column_values_to_not_be_in_set": _SET,
    "expect_column_values_to_not_be_null": _EVERY,
    "expect_column_values_to_not_match_regex": _REGEX,
    "expect_compound_columns_to_be_unique": _signature("column_list"),
    "expect_table_columns_to_match_ordered_list": _signature("column_list"),
    "expect_table_row_count_to_be_between": _signature("", "min_value max_value"),
    "expect_table_row_count_to_equal": _signature("value"),
}

# what is computed with numbers or dates, and what is compared as text
OF_NUMBERS = frozenset(
    f"expect_column_{what}"
    for what in (
        "max_to_be_between",
        "mean_to_be_between",
        "median_to_be_between",
        "min_to_be_between",
        "stdev_to_be_between",
        "sum_to_be_between",
        "values_to_be_between",
        "pair_values_a_to_be_greater_than_b",
    )
)
OF_TEXTS = frozenset(
    f"expect_column_{what}"
    for what in ("value_lengths_to_be_between", "values_to_match_regex", "values_to_not_match_regex")
)
# of these a bound is a place on the column's own axis, so it may be a date
ON_THE_AXIS = frozenset(
    f"expect_column_{what}_to_be_between" for what in ("max", "mean", "median", "min", "values")
)


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error:
        raise ValueError("not a regular expression") from None
    return pattern


def _is_known(kind: str) -> str:
    if kind not in SIGNATURES:
        raise ValueError(f"none of {', '.join(SIGNATURES)}")
    return kind


def _refuse_reversed(least: Bound | None, most: Bound | None) -> None:
    if least is None or most is None:
        return
    if isinstance(least, date) != isinstance(most, date):
        raise ValueError("one bound is a date, the other a number")
    if moment(least) > moment(most):
        raise ValueError("the least value is larger than the largest")


def moment(bound: Bound) -> float:
    """The bound as a number: a date in days since 1970, as a column of dates lies on its axis."""
    if not isinstance(bound, date):
        return bound
    at = bound if isinstance(bound, datetime) else datetime(bound.year, bound.month, bound.day, tzinfo=UTC)
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return (at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() / 86_400


Regex = Annotated[str, AfterValidator(_compiles)]


class Expectation(Section):
    """One expectation of Great Expectations, by its own name and arguments."""

    type: Annotated[str, AfterValidator(_is_known)] = Field(
        description="Great Expectations' name: expect_column_mean_to_be_between"
    )
    severity: Severity = Field(
        default="warning", description="critical: a table that misses it is not released; warning: reported"
    )
    column: Name | None = Field(default=None, description="the column")
    # Great Expectations' own spelling
    column_A: Name | None = Field(default=None, description="the column that is greater")  # noqa: N815
    column_B: Name | None = Field(default=None, description="the column that it is greater than")  # noqa: N815
    column_list: tuple[Name, ...] | None = Field(default=None, description="several columns", min_length=1)
    min_value: Bound | None = Field(default=None, description="least value; a date for a column of dates")
    max_value: Bound | None = Field(default=None, description="largest value; a date for a column of dates")
    strict_min: bool | None = Field(default=None, description="the least value itself is too small")
    strict_max: bool | None = Field(default=None, description="the largest value itself is too large")
    mostly: float | None = Field(default=None, ge=0, le=1, description="share of cells that is enough")
    value: int | None = Field(default=None, ge=0, description="the number of rows")
    value_set: tuple[Level, ...] | None = Field(default=None, description="levels", min_length=1)
    regex: Regex | None = Field(default=None, description="regular expression that a text holds")
    or_equal: bool | None = Field(default=None, description="equal values are allowed")

    @model_validator(mode="after")
    def _takes_these_arguments(self) -> Self:
        signature = SIGNATURES[self.type]
        given = self.given()
        lacking, idle = sorted(signature.needed - given), sorted(given - signature.allowed)
        if lacking:
            raise ValueError(f"{self.type} needs {', '.join(lacking)}")
        if idle:
            raise ValueError(f"{self.type} takes no {', '.join(idle)}")
        if "min_value" in signature.allowed and not given & {"min_value", "max_value"}:
            raise ValueError(f"{self.type} needs min_value or max_value")
        _refuse_reversed(self.min_value, self.max_value)
        return self

    def given(self) -> frozenset[str]:
        """The names of the arguments that are set."""
        names = set(type(self).model_fields) - {"type", "severity"}
        return frozenset(name for name in names if getattr(self, name) is not None)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is about, none for the table as a whole."""
        several = self.column_list or () if self.type != "expect_table_columns_to_match_ordered_list" else ()
        named = (self.column, self.column_A, self.column_B, *several)
        return tuple(str(name) for name in named if name is not None)


class ColumnChecks(Section):
    """Checks of pandera for one column, by pandera's own names; a gap breaks none but `not_null`."""

    greater_than: Bound | None = None
    greater_than_or_equal_to: Bound | None = None
    less_than: Bound | None = None
    less_than_or_equal_to: Bound | None = None
    in_range: tuple[Bound, Bound] | None = Field(default=None, description="[least, largest], both allowed")
    equal_to: Bound | None = None
    not_equal_to: Bound | None = None
    isin: tuple[Level, ...] | None = Field(default=None, min_length=1)
    notin: tuple[Level, ...] | None = Field(default=None, min_length=1)
    str_matches: Regex | None = None
    str_contains: Regex | None = None
    str_startswith: str | None = None
    str_endswith: str | None = None
    str_length: tuple[int, int] | None = Field(
        default=None, description="[least, largest] number of characters"
    )
    unique: Literal[True] | None = Field(default=None, description="no value twice")
    not_null: Literal[True] | None = Field(default=None, description="no gap")
    table: Side = Field(default="both", description="the table that is read, the one to release, or both")
    severity: Severity = Field(
        default="critical",
        description="of the output: critical releases nothing, warning reports; an input that breaks one is refused",
    )

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.rules():
            raise ValueError("no check is named")
        for name in ("in_range", "str_length"):
            ends = getattr(self, name)
            if ends is not None:
                _refuse_reversed(*ends)
        return self

    def rules(self) -> tuple[str, ...]:
        """The names of the checks that are asked for."""
        names = [name for name in type(self).model_fields if name not in ("table", "severity")]
        return tuple(name for name in names if getattr(self, name) is not None)


CHECKS_OF_NUMBERS = frozenset(
    {
        "greater_than",
        "greater_than_or_equal_to",
        "less_than",
        "less_than_or_equal_to",
        "in_range",
        "equal_to",
        "not_equal_to",
    }
)
CHECKS_OF_TEXTS = frozenset(
    {"isin", "notin", "str_matches", "str_contains", "str_startswith", "str_endswith", "str_length"}
)


class Expectations(Section):
    """What is expected of the table to release, beyond its contract."""

    run: Literal["auto"] | StrictBool = Field(
        default="auto",
        description="examine the table with Great Expectations before it is released; auto: where Prefect runs, or own "
        "expectations are named, since it takes seconds to load",
    )
    means: float = Field(
        default=0.25, gt=0, description="how far a mean may move, in standard deviations of the original"
    )
    spreads: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="how far a standard deviation may move, as a share of the original's",
    )
    gaps: float = Field(default=0.05, gt=0, le=1, description="how far a share of missing values may move")
    own: tuple[Expectation, ...] = Field(default=(), description="expectations of your own")
    checks: Annotated[Mapping[str, ColumnChecks], BeforeValidator(named_by_text)] = Field(
        default_factory=dict, description="pandera's checks by column, on input, output or both"
    )

    @model_validator(mode="after")
    def _own_expectations_are_examined(self) -> Self:
        if self.run is False and self.own:
            raise ValueError("run: false would leave the expectations of own unexamined: remove one of them")
        return self

    def wants_examination(self, in_flow: bool) -> bool:
        """Whether Great Expectations examines the table; `in_flow`: Prefect runs the steps."""
        return self.run is True or (self.run == "auto" and (in_flow or bool(self.own)))
