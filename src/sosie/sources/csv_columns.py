"""The typed column that a column of texts holds, and how its cells were spelled."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sosie.sources.csv_dialect import ColumnStyle
from sosie.sources.csv_numbers import Numbers, decimals, grouped, integers
from sosie.sources.csv_spellings import missing_among_numbers, missing_among_texts

BOOLEANS = (("True", "False"), ("TRUE", "FALSE"), ("true", "false"))
NULLABLE: dict[Any, Any] = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
TEXT: dict[Any, Any] = {pa.string(): pd.StringDtype(na_value=np.nan)}
HEAD = 1000


@dataclass(frozen=True)
class TextColumn:
    """A column of texts as its distinct values and, for each row, the position of its value among them.

    `bare` gives, when asked, the rows (bool, one a row) whose cell is a missing spelling that stands in no
    quotes.
    """

    distinct: pa.Array
    codes: pa.Array
    bare: Callable[[], npt.NDArray[np.bool_]]


def decimal_mark(columns: list[TextColumn], delimiter: str) -> str:
    """The decimal mark that the file's columns show: the empty text when they show none, or both.

    A column shows one if its numbers have decimals with that mark and cannot be grouped integers: `61,4`
    shows a comma, `1,234` alone shows nothing. Between commas a comma is no decimal mark. Judged on 1,000
    distinct values of each column.
    """
    shown = {mark for mark in _marks(delimiter) for column in columns if _shows(column.distinct[:HEAD], mark)}
    return shown.pop() if len(shown) == 1 else ""


def typed(
    column: TextColumn, style: ColumnStyle, shown: str, delimiter: str
) -> tuple[pd.Series, ColumnStyle]:
    """The column as int64, Int64, float64, bool, boolean or str, and its style completed.

    `shown` is the decimal mark that the file shows. Numbers and booleans are what all present cells must be;
    all else is text, and so are whole numbers beyond int64, with leading zeros or with a plus sign. A column
    without any present cell is float64, as pandas reads it.
    """
    missing = missing_among_numbers(column.distinct)
    present = column.distinct.filter(pc.invert(missing))
    for true, false in BOOLEANS:
        if 0 < len(present) < 3 and pc.all(pc.is_in(present, pa.array([true, false]))).as_py():
            found = replace(style, true=true, false=false)
            return _built(column, missing, pc.equal(present, true)), _with_missing(column, missing, found)
    numbers = _numbers(present, shown, delimiter)
    if numbers is not None:
        found = replace(style, numbers=numbers.style)
        return _built(column, missing, numbers.values), _with_missing(column, missing, found)
    return _texts(column, style)


def _marks(delimiter: str) -> tuple[str, ...]:
    return (".",) if delimiter == "," else (".", ",")


def _shows(distinct: pa.Array, mark: str) -> bool:
    present = distinct.filter(pc.invert(missing_among_numbers(distinct)))
    if not len(present) or not pc.any(pc.match_substring(present, mark)).as_py():
        return False
    if grouped(present, mark) is not None:
        return True
    like_groups = pc.match_substring_regex(present, rf"^-?[1-9][0-9]{{0,2}}([{mark}][0-9]{{3}})*$")
    return decimals(present, mark) is not None and not pc.all(like_groups).as_py()


def _numbers(present: pa.Array, shown: str, delimiter: str) -> Numbers | None:
    """The numbers that the texts are, the mark that the file shows first, decimals before groups."""
    found = integers(present)
    marks = _marks(delimiter)
    if shown:
        readings = [(read, mark) for mark in sorted(marks, key=shown.__ne__) for read in (decimals, grouped)]
    else:
        readings = [(read, mark) for read in (decimals, grouped) for mark in marks]
    for read, mark in readings:
        if found is None:
            found = read(present, mark)
    return found


def _texts(column: TextColumn, style: ColumnStyle) -> tuple[pd.Series, ColumnStyle]:
    """The column as text: `"NA"` in quotes is a text where a bare NA or another bare spelling is missing."""
    missing = missing_among_texts(column.distinct)
    if pc.all(missing).as_py():
        return pd.Series(np.full(len(column.codes), np.nan)), _with_missing(column, missing, style)
    rows = np.asarray(missing)[np.asarray(column.codes)]
    bare = rows & column.bare() if rows.any() else rows
    rows = bare if bare.any() else rows
    texts = pc.if_else(pa.array(rows), pa.scalar(None, pa.string()), column.distinct.take(column.codes))
    spelled = pc.if_else(pa.array(rows), column.codes, pa.scalar(None, column.codes.type))
    return texts.to_pandas(types_mapper=TEXT.get), _spelling(column, spelled, style)


def _built(column: TextColumn, missing: pa.Array, values: pa.Array) -> pd.Series:
    """One value a row from the values of the distinct texts that are not missing, in their order."""
    positions = pc.subtract(pc.cumulative_sum(pc.cast(pc.invert(missing), pa.int64())), 1)
    positions = pc.if_else(missing, pa.scalar(None, pa.int64()), positions)
    rows = values.take(positions.take(column.codes))
    series: pd.Series = rows.to_pandas(types_mapper=NULLABLE.get if rows.null_count else None)
    return series


def _with_missing(column: TextColumn, missing: pa.Array, style: ColumnStyle) -> ColumnStyle:
    if not pc.any(missing).as_py():
        return style
    return _spelling(column, column.codes.filter(missing.take(column.codes)), style)


def _spelling(column: TextColumn, codes: pa.Array, style: ColumnStyle) -> ColumnStyle:
    """The style with the commonest spelling among the missing cells' codes, the first one if several are."""
    counts = np.bincount(np.asarray(codes.drop_null()), minlength=len(column.distinct))
    if not counts.any():
        return style
    commonest = int(counts.argmax())
    quoted = not (column.bare() & (np.asarray(column.codes) == commonest)).any()
    return replace(style, missing=column.distinct[commonest].as_py(), missing_quoted=quoted)
