"""What each column is taken for, and why; what is refused before anything is computed."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pandas.api import types

from sosie.columns import Category, Column, Number, origin_of, quoted
from sosie.errors import InputError, Notice

Type = Literal["integer", "float", "category", "boolean"]

_FEWEST_FOR_IDENTIFIER = 20  # all values distinct among fewer rows says little
_MANY_LEVELS = 100


@dataclass(frozen=True)
class Declaration:
    """What the configuration says of a column: only what differs from what would be found."""

    # read by pydantic when a configuration file is checked; nothing of pydantic is needed here
    __pydantic_config__: ClassVar[dict[str, object]] = {
        "extra": "forbid",
        "use_attribute_docstrings": True,
        "hide_input_in_errors": True,
    }

    type: Type | None = None
    """what the column is, when it should not be inferred"""
    role: Literal["keep", "drop"] = "keep"
    """drop: absent from the output"""
    weight: float = 1.0
    """multiplies the column's squared contribution to the projection; above 0"""
    round_to: float | None = None
    """decoded numbers are multiples of this; above 0"""

    def __post_init__(self) -> None:
        if not (self.weight > 0 and np.isfinite(self.weight)):
            raise ValueError("weight must be above 0")
        if self.round_to is not None and not (self.round_to > 0 and np.isfinite(self.round_to)):
            raise ValueError("round_to must be above 0")


@dataclass(frozen=True)
class Recognised:
    """The columns kept, the names dropped, those kept that look like identifiers, and what the user should know."""

    columns: tuple[Column, ...]
    dropped: tuple[Hashable, ...]
    identifiers: tuple[Hashable, ...]
    notices: tuple[Notice, ...]


def recognise(frame: pd.DataFrame, declarations: Mapping[Any, Declaration]) -> Recognised:
    """The frame's columns, each taken for a number or a category.

    Raises InputError: `DUPLICATE_COLUMNS`, `EMPTY_TABLE`, `UNKNOWN_COLUMN` (declared but absent), `MIXED_TYPES`,
    `NON_FINITE`, `BAD_CONFIG` (a declaration that the values do not allow), `UNSUPPORTED_FORMAT`.
    """
    _refuse_shape(frame, declarations)
    dropped = tuple(name for name in frame.columns if _declared(declarations, name).role == "drop")
    kept = [name for name in frame.columns if name not in dropped]
    if not kept:
        raise InputError("EMPTY_TABLE", "every column is dropped: keep at least one")
    columns = tuple(_column(frame[name], _declared(declarations, name)) for name in kept)
    return Recognised(columns, dropped, _identifiers(frame, columns), tuple(_notices(frame, columns)))


def refuse_identifiers(recognised: Recognised) -> None:
    """InputError `IDENTIFIER_COLUMN` when a kept column looks like an identifier."""
    if recognised.identifiers:
        raise InputError(
            "IDENTIFIER_COLUMN",
            f"column(s) {quoted(recognised.identifiers)} hold a different value in every row, as identifiers do: "
            "declare role: drop for them",
            recognised.identifiers,
        )


def _declared(declarations: Mapping[Any, Declaration], name: Hashable) -> Declaration:
    # a YAML key may be the text of an integer column name
    return declarations.get(name) or declarations.get(str(name)) or Declaration()


def _refuse_shape(frame: pd.DataFrame, declarations: Mapping[Any, Declaration]) -> None:
    names = list(frame.columns)
    twice = list(dict.fromkeys(name for name in names if names.count(name) > 1))
    if twice:
        places = ", ".join(
            f'"{name}" at positions {" and ".join(str(i + 1) for i, other in enumerate(names) if other == name)}'
            for name in twice
        )
        raise InputError("DUPLICATE_COLUMNS", f"columns share a name: {places}; rename them", tuple(twice))
    if not len(frame) or not names:
        raise InputError("EMPTY_TABLE", f"the table has {len(frame)} rows and {len(names)} columns")
    unknown = [name for name in declarations if name not in names and name not in map(str, names)]
    if unknown:
        raise InputError(
            "UNKNOWN_COLUMN",
            f"the configuration names column(s) {quoted(unknown)} that the table lacks",
            tuple(unknown),
        )


def _column(series: "pd.Series[Any]", declared: Declaration) -> Column:
    # what is declared a category may hold anything: only numbers and the undeclared are looked into
    found, reason = (declared.type, "") if declared.type in ("category", "boolean") else _inferred(series)
    kind = declared.type or found
    if declared.type is not None:
        reason = "declared"
    if kind in ("category", "boolean"):
        if declared.round_to is not None:
            raise InputError(
                "BAD_CONFIG", f'round_to is for numbers: "{series.name}" is a {kind}', (series.name,)
            )
        return _category(series, "category" if kind == "category" else "boolean", reason, declared.weight)
    if found not in ("integer", "float"):
        raise InputError(
            "BAD_CONFIG",
            f'"{series.name}" is declared {kind} but does not hold numbers: change its type',
            (series.name,),
        )
    if kind == "integer" and found == "float":
        _refuse_fractions(series)
    if declared.round_to is not None:
        _refuse_step(series, declared.round_to, found)
    # whole numbers declared float come back in their own dtype, which holds whole numbers only
    number_kind: Literal["integer", "float"] = "integer" if "integer" in (kind, found) else "float"
    return Number(
        name=series.name,
        kind=number_kind,
        dtype=series.dtype,
        reason=reason,
        weight=declared.weight,
        round_to=declared.round_to,
        origin=origin_of(series) if found == "integer" else 0,
        marker=_marker(series),
    )


def _inferred(series: "pd.Series[Any]") -> tuple[Type, str]:
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "category", "categorical dtype"
    if types.is_bool_dtype(dtype):
        return "boolean", "boolean dtype"
    if types.is_integer_dtype(dtype):
        return "integer", "integer dtype"
    if types.is_float_dtype(dtype):
        _refuse_infinities(series)
        return "float", "floating-point dtype"
    if types.is_string_dtype(dtype) and dtype != np.dtype(object):
        return "category", "text"
    if dtype == np.dtype(object):
        return _inferred_from_objects(series)
    raise InputError(
        "UNSUPPORTED_FORMAT",
        f'column "{series.name}" has dtype {dtype}, which is not supported: convert it, or declare role: drop',
        (series.name,),
    )


def _inferred_from_objects(series: "pd.Series[Any]") -> tuple[Type, str]:
    held = types.infer_dtype(series, skipna=True)
    match held:
        case "empty":
            return "category", "nothing but missing values"
        case "boolean":
            return "boolean", "True and False objects"
        case "string":
            return "category", "text objects"
        case "integer":
            return "integer", "integer objects"
        case "floating" | "mixed-integer-float":
            _refuse_infinities(series)
            return "float", "number objects"
    raise InputError(
        "MIXED_TYPES",
        f'column "{series.name}" mixes values of several types: make them one type, or declare type: category',
        (series.name,),
    )


def _refuse_infinities(series: "pd.Series[Any]") -> None:
    infinite = int(np.isinf(series.to_numpy(dtype=np.float64, na_value=np.nan)).sum())
    if infinite:
        raise InputError(
            "NON_FINITE",
            f'column "{series.name}" has {infinite} infinite value(s): replace them by numbers or leave them missing',
            (series.name,),
        )


def _refuse_fractions(series: "pd.Series[Any]") -> None:
    numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
    fractions = int((np.mod(numbers[~np.isnan(numbers)], 1) != 0).sum())
    if fractions:
        raise InputError(
            "BAD_CONFIG",
            f'"{series.name}" is declared integer but has {fractions} value(s) with decimals',
            (series.name,),
        )


def _refuse_step(series: "pd.Series[Any]", step: float, found: str) -> None:
    numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
    present = numbers[~np.isnan(numbers)]
    if found == "integer" and step % 1:
        raise InputError(
            "BAD_CONFIG", f'round_to of "{series.name}" must be whole: it holds integers', (series.name,)
        )
    if len(present) and np.floor(present.max() / step + 1e-9) < np.ceil(present.min() / step - 1e-9):
        raise InputError(
            "BAD_CONFIG",
            f'round_to of "{series.name}" has no multiple within its values: choose a smaller one',
            (series.name,),
        )


def _category(
    series: "pd.Series[Any]", kind: Literal["category", "boolean"], reason: str, weight: float
) -> Category:
    present = series.dropna()
    objects = series.dtype == np.dtype(object)
    unhashable = sum(not isinstance(cell, Hashable) for cell in present) if objects else 0
    if unhashable:
        raise InputError(
            "MIXED_TYPES",
            f'column "{series.name}" has {unhashable} cell(s) that hold lists or tables, not values: '
            "split them into columns, or declare role: drop",
            (series.name,),
        )
    levels = (
        [level for level in series.cat.categories if level in set(present.unique())]
        if isinstance(series.dtype, pd.CategoricalDtype)
        else _sorted(list(present.astype(object).unique()))
    )
    return Category(
        name=series.name,
        kind=kind,
        dtype=series.dtype,
        reason=reason,
        levels=pd.Index(levels, dtype=object),
        weight=weight,
        marker=_marker(series),
    )


def _sorted(levels: list[Any]) -> list[Any]:
    return sorted(levels, key=lambda level: (type(level).__name__, level))


def _marker(series: "pd.Series[Any]") -> object:
    if series.dtype != np.dtype(object):
        return None
    missing = series[series.isna()]
    return missing.iloc[0] if len(missing) else None


def _identifiers(frame: pd.DataFrame, columns: tuple[Column, ...]) -> tuple[Hashable, ...]:
    return tuple(
        column.name
        for column in columns
        if isinstance(column, Category)
        and len(column.levels) >= _FEWEST_FOR_IDENTIFIER
        and len(column.levels) == frame[column.name].count()
    )


def _notices(frame: pd.DataFrame, columns: tuple[Column, ...]) -> list[Notice]:
    notices = []
    for column in columns:
        present = frame[column.name].dropna()
        distinct = present.nunique()
        if not len(present):
            notices.append(Notice("ALL_MISSING", column.name, "no value at all: comes back empty"))
        elif distinct == 1:
            notices.append(Notice("CONSTANT_COLUMN", column.name, "one value only: comes back unchanged"))
        if isinstance(column, Number) and column.origin:
            notices.append(
                Notice(
                    "LARGE_INTEGER", column.name, "integers beyond 2^53: kept exact, relative to the smallest"
                )
            )
        if isinstance(column, Category) and distinct > _MANY_LEVELS:
            notices.append(
                Notice(
                    "HIGH_CARDINALITY", column.name, f"{distinct} levels: consider grouping or dropping it"
                )
            )
    return notices
