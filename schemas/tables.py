"""What a table must look like at a border, as pandera schemas built from its own columns."""

from collections import Counter
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
from pandera.errors import SchemaErrors

from sosie.columns import (
    GAP,
    Category,
    Codes,
    Column,
    Dtype,
    Floats,
    Identifier,
    Number,
    Numeric,
    States,
    Table,
    encode,
    quoted,
)
from sosie.errors import InputError


def input_schema(columns: tuple[Column, ...]) -> pa.DataFrameSchema:
    """The columns in order with their dtypes; numbers finite."""

    def finite(series: "pd.Series[Any]") -> "pd.Series[bool]":
        return pd.Series(np.isfinite(series.to_numpy(dtype=float)), index=series.index, dtype=bool)

    def checks(column: Column) -> list[pa.Check]:
        # without its rare levels a categorical dtype is another one
        same = [] if isinstance(column, Category) and column.merged else [_same_dtype(column.dtype)]
        return [*same, pa.Check(finite, name="finite")] if isinstance(column, Number) else same

    return pa.DataFrameSchema(
        {column.name: pa.Column(checks=checks(column), nullable=True) for column in columns},
        strict=True,
        ordered=True,
    )


def released_schema(
    originals: Table, derived: Collection[Hashable] = (), whole: bool = True
) -> pa.DataFrameSchema:
    """The originals' contract: columns in order, dtypes, ranges, levels, and no gap where they had none.

    Not `whole`: what is held against it is a piece of the table, of any number of rows. `derived` columns are as
    large as their expression says, within their dtype.
    """
    numbers, states, codes = iter(originals.numbers.T), iter(originals.states.T), iter(originals.codes.T)
    columns = []
    for column in originals.columns:
        if isinstance(column, Category):
            found = next(codes)
            check, nullable = _among(np.unique(found[found >= 0]), column), bool((found < 0).any())
        else:
            why = next(states)
            check, nullable = _within(next(numbers), why, column), bool((why == GAP).any())
        checks = [_same_dtype(column.dtype), *([] if column.name in derived else [check])]
        columns.append((column.name, checks, nullable))
    for identifier in originals.identifiers:
        columns.insert(identifier.position, (identifier.name, _anew(identifier), False))
    rows = len(originals)
    return pa.DataFrameSchema(
        {name: pa.Column(checks=checks, nullable=nullable) for name, checks, nullable in columns},
        checks=[
            *([pa.Check(lambda frame: len(frame) == rows, name="rows")] if whole else []),
            pa.Check(lambda frame: frame.index.equals(pd.RangeIndex(len(frame))), name="index"),
        ],
        strict=True,
        ordered=True,
    )


def check_table(frame: pd.DataFrame, schema: pa.DataFrameSchema) -> None:
    """Validate lazily; InputError `SCHEMA_MISMATCH` names every column at fault and counts, never a cell."""
    try:
        schema.validate(frame, lazy=True, inplace=True)  # the schema changes nothing: no copy
    except SchemaErrors as errors:
        breaches = _breaches(errors.failure_cases)
    else:
        return
    columns = tuple(dict.fromkeys(breach.column for breach in breaches if breach.column is not None))
    told = "; ".join(breach.told for breach in breaches)
    raise InputError("SCHEMA_MISMATCH", f"the table breaks its contract: {told}", columns)


@dataclass(frozen=True)
class _Breach:
    """A rule that one column breaks, or the table as a whole (None), and how often."""

    column: str | None
    rule: str
    count: int

    @property
    def told(self) -> str:
        words = _RULES.get(self.rule, self.rule)
        where = "" if self.column is None else f"{quoted([self.column])}: "
        return f"{where}{words}" if self.rule in _UNCOUNTED else f"{where}{words} ({self.count})"


_RULES = {
    "dtype": "another dtype",
    "finite": "not finite",
    "range": "out of range",
    "levels": "of another level",
    "not_nullable": "missing where none may be",
    "fresh": "repeated, or an identifier of the input",
    "rows": "another number of rows",
    "index": "rows not numbered from 0",
    "column_in_dataframe": "no such column",
    "column_in_schema": "one column too many",
    "column_ordered": "columns in another order",
}
_UNCOUNTED = {"dtype", "rows", "index", "column_in_dataframe", "column_in_schema", "column_ordered"}


def _breaches(cases: pd.DataFrame) -> list[_Breach]:
    """Pandera's failure cases as counts: its own table holds cells."""
    rules = cases["check"].map(_rule)
    # of the table's own columns the case is a name, never a cell
    named = rules.isin(["column_in_dataframe", "column_in_schema"])
    columns = cases["column"].where(~named, cases["failure_case"]).where(cases["check"] != "column_ordered")
    texts = [None if pd.api.types.is_scalar(name) and pd.isna(name) else str(name) for name in columns]
    counts = Counter(zip(texts, rules, strict=True))
    return [_Breach(column, rule, count) for (column, rule), count in counts.items()]


def _same_dtype(dtype: Dtype) -> pa.Check:
    # pandera knows the common dtypes only; every one can be compared
    return pa.Check(lambda series: series.dtype == dtype, name="dtype", ignore_na=False)


def _among(held: Codes, column: Category) -> pa.Check:
    def among(series: "pd.Series[Any]") -> "pd.Series[bool]":
        return pd.Series(np.isin(column.codes(series), held), index=series.index)

    return pa.Check(among, name="levels")


def _within(cells: Floats, states: States, column: Numeric) -> pa.Check:
    """Numbers inside the originals' range, and no missing code that they did not hold."""
    present = cells[~np.isnan(cells)]
    least, most = (float(present.min()), float(present.max())) if len(present) else (np.inf, -np.inf)
    codes = np.unique(states[states > GAP])

    def within(series: "pd.Series[Any]") -> "pd.Series[bool]":
        table = encode(series.to_frame(column.name), (column,))
        numbers, why = table.numbers[:, 0], table.states[:, 0]
        return pd.Series(((numbers >= least) & (numbers <= most)) | np.isin(why, codes), index=series.index)

    return pa.Check(within, name="range")


def _anew(identifier: Identifier) -> list[pa.Check]:
    """Of the input's dtype, each value once and none of the input's; new values are new categories."""
    categorical = isinstance(identifier.dtype, pd.CategoricalDtype)
    return [*([] if categorical else [_same_dtype(identifier.dtype)]), _fresh(identifier)]


def _fresh(identifier: Identifier) -> pa.Check:
    def fresh(series: "pd.Series[Any]") -> "pd.Series[bool]":
        return ~(series.astype(object).isin(identifier.taken) | series.duplicated())

    return pa.Check(fresh, name="fresh")


def _rule(check: object) -> str:
    """The rule's own name, without the values that pandera appends to it."""
    return str(check).split("(", maxsplit=1)[0]
