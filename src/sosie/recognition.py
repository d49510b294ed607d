"""What each column is taken for, and why; what is refused before anything is computed."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api import types

from sosie.columns import Category, Column, Fixed, Identifier, Instant, Number, quoted
from sosie.columns.category import is_dictionary, texts, with_plain_levels
from sosie.columns.cells import OBJECT, Dtype, marker_of
from sosie.columns.date_texts import is_text
from sosie.columns.factorised import Factorised, factorised
from sosie.columns.identifier import identifier_of
from sosie.date_recognition import Found, code_number, find_dates, refuse_kind
from sosie.declarations import Declaration, Type, declared_of
from sosie.errors import InputError, Notice
from sosie.identifiers import why_identifier
from sosie.number_recognition import recognise_number, refuse_beyond_floats, refuse_infinities
from sosie.rare_levels import KEPT, Rare, merged
from sosie.seen import Counts, Seen, seen_told, seen_whole
from sosie.sentinels import SENTENCE, suspected
from sosie.threads import each

__all__ = [
    "Declaration",
    "Recognised",
    "Type",
    "notices_of",
    "recognise",
    "recognise_column",
    "refuse_identifiers",
    "refuse_unknown",
]

_MANY_LEVELS = 100


@dataclass(frozen=True)
class Recognised:
    """The columns kept, those to write anew, the names dropped, and what the user should know.

    `identifiers` are the kept columns that look like identifiers, each with the reason; `told` the columns of text
    among them, told apart.
    """

    columns: tuple[Column, ...]
    regenerated: tuple[Identifier, ...]
    dropped: tuple[Hashable, ...]
    identifiers: Mapping[Hashable, str]
    notices: tuple[Notice, ...]
    told: Mapping[Hashable, Factorised]


def recognise(
    frame: pd.DataFrame, declarations: Mapping[Any, Declaration], rare: Rare = KEPT, workers: int = -1
) -> Recognised:
    """The frame's columns, each taken for a number, an instant or a category.

    Raises InputError: `DUPLICATE_COLUMNS`, `EMPTY_TABLE`, `UNKNOWN_COLUMN` (declared but absent), `MIXED_TYPES`,
    `NON_FINITE`, `AMBIGUOUS_DATE`, `BAD_DATE`, `BAD_CONFIG` (a declaration that the values do not allow),
    `UNSUPPORTED_FORMAT`.
    """
    refuse_shape(list(frame.columns), len(frame), declarations)
    declared = {name: declared_of(declarations, name) for name in frame.columns}
    dropped = tuple(name for name in frame.columns if declared[name].role == "drop")
    kept = [name for name in frame.columns if declared[name].role != "drop"]
    modelled = [name for name in kept if declared[name].role == "keep"]
    if not modelled:
        raise InputError("EMPTY_TABLE", "every column is dropped or regenerated: keep at least one")
    for name in kept:
        if frame[name].dtype == OBJECT:
            refuse_beyond_floats(frame[name])
    columns: list[Column] = []
    notices: list[Notice] = []
    identifiers: dict[Hashable, str] = {}
    written = [frame[name] for name in modelled if is_text(frame[name].dtype)]
    # what comes after looks at each text, and at few of them
    told = {column.cells.name: column for column in each(factorised, written, workers)}
    for name in modelled:
        seen = seen_told(told[name]) if name in told else seen_whole(with_plain_levels(frame[name]))
        column, noticed = recognise_column(seen, declared[name], rare)
        columns.append(column)
        notices += [*notices_of(seen, column, suspected(seen, column)), *noticed]
        why = why_identifier(seen, column, declared[name].type is not None, frame[name].nunique)
        if why is not None:
            identifiers[name] = why
    regenerated = tuple(
        identifier_of(with_plain_levels(frame[name]), position)
        for position, name in enumerate(kept)
        if declared[name].role != "keep"
    )
    return Recognised(tuple(columns), regenerated, dropped, identifiers, tuple(notices), told)


def refuse_identifiers(recognised: Recognised) -> None:
    """InputError `IDENTIFIER_COLUMN` when a kept column looks like an identifier."""
    if not recognised.identifiers:
        return
    reasons: dict[str, list[Hashable]] = {}
    for name, why in recognised.identifiers.items():
        reasons.setdefault(why, []).append(name)
    found = "; ".join(f"column(s) {quoted(names)} hold {why}" for why, names in reasons.items())
    raise InputError(
        "IDENTIFIER_COLUMN",
        f"{found}: declare role: drop or role: regenerate for them",
        tuple(recognised.identifiers),
    )


def refuse_shape(names: Sequence[Any], rows: int, declarations: Mapping[Any, Declaration]) -> None:
    """InputError for a table without rows, with names that repeat, or without a column that is declared."""
    positions: dict[Hashable, list[str]] = {}
    for position, name in enumerate(names, start=1):
        positions.setdefault(name, []).append(str(position))
    twice = [name for name, found in positions.items() if len(found) > 1]
    if twice:
        places = ", ".join(f"{quoted([name])} at positions {' and '.join(positions[name])}" for name in twice)
        raise InputError("DUPLICATE_COLUMNS", f"columns share a name: {places}; rename them", tuple(twice))
    unnamed = [
        str(position)
        for position, name in enumerate(names, start=1)
        if pd.api.types.is_scalar(name) and pd.isna(name)
    ]
    if unnamed:
        raise InputError(
            "UNKNOWN_COLUMN", f"column(s) at position {' and '.join(unnamed)} have no name: name them"
        )
    if not rows or not names:
        raise InputError("EMPTY_TABLE", f"the table has {rows} rows and {len(names)} columns")
    refuse_unknown([name for name in declarations if name not in names and name not in map(str, names)])


def refuse_unknown(unknown: Sequence[Hashable]) -> None:
    """InputError `UNKNOWN_COLUMN` when the configuration names columns that the table lacks."""
    if unknown:
        raise InputError(
            "UNKNOWN_COLUMN",
            f"the configuration names column(s) {quoted(unknown)} that the table lacks",
            tuple(unknown),
        )


def recognise_column(seen: Seen, declared: Declaration, rare: Rare) -> tuple[Column, list[Notice]]:
    """What the cells are taken for, and what was noticed on the way; InputError as `recognise`."""
    series = seen.cells
    if (
        isinstance(series.dtype, pd.ArrowDtype) and not _known_to_pandas(series.dtype)
    ) or series.dtype.kind == "c":
        raise _unsupported(series)
    # what is declared a category may hold anything: only numbers, dates and the undeclared are looked into
    if declared.type in ("category", "boolean"):
        kind: Literal["category", "boolean"] = "category" if declared.type == "category" else "boolean"
        return _category(seen, kind, "declared", declared, rare), []
    asked = declared.type or ("date" if declared.format else None)
    asks_number = asked in ("integer", "float")
    found = None if asks_number else find_dates(seen, asked, declared.format)
    if found is not None:
        return _instant(series, found, declared)
    if asks_number and series.dtype.kind in "mM":
        raise _contradicted(series, str(asked), "numbers")
    kind_found, reason = _inferred(seen)
    if kind_found in ("category", "boolean") and asked is None:
        return _category(seen, kind_found, reason, declared, rare), []
    if not asks_number and asked is not None:
        raise _contradicted(series, asked, "dates" if asked != "duration" else "durations")
    if kind_found in ("category", "boolean"):
        raise _contradicted(series, str(asked), "numbers")
    return recognise_number(seen, kind_found, reason if asked is None else "declared", declared), []


def _known_to_pandas(dtype: pd.ArrowDtype) -> bool:
    try:
        return dtype.type is not None
    except NotImplementedError:  # views of texts, calendar intervals
        return False


def _unsupported(series: "pd.Series[Any]") -> InputError:
    what = "holds complex numbers" if series.dtype == OBJECT else f"has dtype {series.dtype}"
    return InputError(
        "UNSUPPORTED_FORMAT",
        f"column {quoted([series.name])} {what}, which is not supported: convert it, or declare role: drop",
        (series.name,),
    )


def _contradicted(series: "pd.Series[Any]", declared: str, what: str) -> InputError:
    return InputError(
        "BAD_CONFIG",
        f"{quoted([series.name])} is declared {declared} but does not hold {what}: change its type",
        (series.name,),
    )


def _instant(series: "pd.Series[Any]", found: Found, declared: Declaration) -> tuple[Instant, list[Notice]]:
    if declared.type is not None:
        refuse_kind(series, declared.type, found)
    _refuse_options(series, declared, found.kind, "round_to")
    kind = "datetime" if declared.type == "datetime" else found.kind
    reason = found.reason if declared.type is None else "declared"
    codes = [code_number(found.clock, code, series) for code in declared.missing_codes]
    ticks, missing = found.clock.ticks(series)
    present = ticks[~missing & ~np.isin(ticks, codes)]
    origin = int(present.min()) if len(present) else 0
    encoded = tuple(float(code - origin) for code in codes)
    column = Instant(series.name, kind, series.dtype, reason, found.clock, origin, declared.weight, encoded)
    if not found.mixed_offsets:
        return column, []
    message = (
        "its values have different offsets from UTC: avatars are all written with the commonest one, "
        "the same instants in another spelling"
    )
    return column, [Notice("MIXED_OFFSETS", series.name, message)]


def _inferred(
    seen: Seen,
) -> tuple[Literal["category", "boolean", "integer", "float", "decimal"], str]:
    dtype = seen.cells.dtype
    if isinstance(dtype, pd.CategoricalDtype) or is_dictionary(dtype):
        return "category", "categorical dtype"
    if isinstance(dtype, pd.ArrowDtype) and str(dtype) == "null[pyarrow]":
        return "category", "nothing but missing values"
    if isinstance(dtype, pd.IntervalDtype):
        return "category", "interval dtype"
    if types.is_bool_dtype(dtype):
        return "boolean", "boolean dtype"
    if types.is_integer_dtype(dtype):
        return "integer", "integer dtype"
    if types.is_float_dtype(dtype):
        refuse_infinities(seen)
        return "float", "floating-point dtype"
    if is_text(dtype):
        return "category", "text"
    if isinstance(dtype, pd.ArrowDtype) and types.is_numeric_dtype(dtype):
        return "decimal", "decimal dtype"
    if dtype == OBJECT:
        return _inferred_from_objects(seen)
    raise _unsupported(seen.cells)


def _inferred_from_objects(
    seen: Seen,
) -> tuple[Literal["category", "boolean", "integer", "float", "decimal"], str]:
    held = types.infer_dtype(seen.present.cells)  # NaT among floats would be of another type
    match held:
        case "empty":
            return "category", "nothing but missing values"
        case "boolean":
            return "boolean", "True and False objects"
        case "string":
            return "category", "text objects"
        case "interval":
            return "category", "interval objects"
        case "integer":
            return "integer", "integer objects"
        case "floating" | "mixed-integer-float":
            refuse_infinities(seen)
            return "float", "number objects"
        case "decimal":
            refuse_infinities(seen)
            return "decimal", "decimal objects"
    raise _mixed(seen.cells, ", or declare type: category")


def _mixed(series: "pd.Series[Any]", otherwise: str = "") -> InputError:
    return InputError(
        "MIXED_TYPES",
        f"column {quoted([series.name])} mixes values of several types: make them one type{otherwise}",
        (series.name,),
    )


def _refuse_options(series: "pd.Series[Any]", declared: Declaration, kind: str, *options: str) -> None:
    given = [option for option in options if getattr(declared, option)]
    if given:
        raise InputError(
            "BAD_CONFIG", f"{given[0]} is for numbers: {quoted([series.name])} is a {kind}", (series.name,)
        )


def _category(
    seen: Seen,
    kind: Literal["category", "boolean"],
    reason: str,
    declared: Declaration,
    rare: Rare,
) -> Category:
    series, present = seen.cells, seen.present.cells
    _refuse_options(series, declared, kind, "round_to", "missing_codes")
    objects = series.dtype == OBJECT
    unhashable = _unhashable(seen.present) if objects else 0
    if unhashable:
        raise InputError(
            "MIXED_TYPES",
            f"column {quoted([series.name])} has {unhashable} cell(s) that hold lists or tables, not values: "
            "split them into columns, or declare role: drop",
            (series.name,),
        )
    held = types.infer_dtype(present) if objects else ""
    if held == "complex" or not _holds_levels(series.dtype):
        raise _unsupported(series)
    as_text = held in ("mixed", "mixed-integer")
    counts = _rows_of_levels(texts(present) if as_text else present, seen.present.counts)
    if isinstance(series.dtype, pd.CategoricalDtype):
        levels = [level for level in series.cat.categories if level in counts.index]
    else:
        try:
            levels = _sorted(counts.index.tolist())
        except TypeError:  # times with and without a zone have no order
            raise _mixed(series) from None
    if not pd.Index(levels, dtype=object).is_unique:  # equal numbers of two types
        raise _mixed(series)
    column = Category(
        name=series.name,
        kind=kind,
        dtype=series.dtype,
        reason=reason,
        levels=pd.Index(levels, dtype=object),
        weight=declared.weight,
        marker=marker_of(series),
        as_text=as_text,
    )
    if rare.label is None or kind == "boolean":
        return column
    return merged(column, counts, rare.min_count, rare.label)


def _unhashable(present: Seen) -> int:
    return int(present.counts[[not isinstance(cell, Hashable) for cell in present.cells]].sum())


def _holds_levels(dtype: Dtype) -> bool:
    """Whether pandas tells the cells of a column apart, and they have an order."""
    if isinstance(dtype, pd.ArrowDtype):
        return _can_be_encoded(dtype.pyarrow_dtype)
    return not isinstance(dtype, np.dtype) or (dtype.isnative and dtype.kind != "c")


_NOT_ENCODED = (
    pa.types.is_nested,
    pa.types.is_dictionary,
    pa.types.is_interval,
    pa.types.is_decimal32,
    pa.types.is_decimal64,
    pa.types.is_string_view,
    pa.types.is_binary_view,
)


def _can_be_encoded(type_: pa.DataType) -> bool:
    """Whether Arrow makes a dictionary of it, or has one whose levels it tells apart."""
    held = type_.value_type if pa.types.is_dictionary(type_) else type_
    return not (isinstance(held, pa.BaseExtensionType) or any(test(held) for test in _NOT_ENCODED))


def _rows_of_levels(present: "pd.Series[Any]", counts: Counts) -> "pd.Series[int]":
    """How many rows hold each level."""
    places, levels = present.factorize()
    index = pd.Index(levels.astype(object), dtype=object)
    return pd.Series(np.bincount(places, counts, len(levels)).astype(np.int64), index=index)


def _sorted(levels: list[Any]) -> list[Any]:
    return sorted(levels, key=lambda level: (type(level).__name__, level))


def notices_of(seen: Seen, column: Column, suspects: int) -> list[Notice]:
    """What the user should know of a column; `suspects` rows hold what looks like a code for missing."""
    notices = []
    present = seen.present.cells
    if not len(present):
        notices.append(Notice("ALL_MISSING", column.name, "no value at all: comes back empty"))
    elif len(column.levels) == 1 if isinstance(column, Category) else (present == present.iloc[0]).all():
        notices.append(Notice("CONSTANT_COLUMN", column.name, "one value only: comes back unchanged"))
    if isinstance(column, Number | Fixed) and column.origin:
        notices.append(
            Notice("LARGE_INTEGER", column.name, "integers beyond 2^53: kept exact, relative to the smallest")
        )
    if isinstance(column, Category) and len(column.levels) > _MANY_LEVELS:
        levels = len(column.levels)
        notices.append(
            Notice("HIGH_CARDINALITY", column.name, f"{levels} levels: consider grouping or dropping it")
        )
    if suspects:
        notices.append(Notice("SENTINEL_SUSPECTED", column.name, SENTENCE.format(count=suspects)))
    return notices
