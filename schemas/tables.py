"""What a table must look like at a border, as pandera schemas built from its own columns."""

from collections.abc import Collection, Hashable
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
    Table,
    encode,
    quoted,
)
from sosie.errors import InputError


def input_schema(columns: tuple[Column, ...]) -> pa.DataFrameSchema:
    """The columns in order with their dtypes; numbers finite."""

    def finite(series: "pd.Series[Any]") -> "pd.Series[bool]":
        return pd.Series(np.isfinite(series.to_numpy(dtype=float)), index=series.index)

    def checks(column: Column) -> list[pa.Check]:
        # without its rare levels a categorical dtype is another one
        same = [] if isinstance(column, Category) and column.merged else [_same_dtype(column.dtype)]
        return [*same, pa.Check(finite)] if isinstance(column, Number) else same

    return pa.DataFrameSchema(
        {column.name: pa.Column(checks=checks(column), nullable=True) for column in columns},
        strict=True,
        ordered=True,
    )


def released_schema(originals: Table, derived: Collection[Hashable] = ()) -> pa.DataFrameSchema:
    """The originals' contract: columns in order, dtypes, ranges, levels, and no gap where they had none.

    `derived` columns are as large as their expression says, within their dtype.
    """
    numbers, states, codes = iter(originals.numbers.T), iter(originals.states.T), iter(originals.codes.T)
    columns = []
    for column in originals.columns:
        if isinstance(column, Category):
            found = next(codes)
            check, nullable = _among(np.unique(found[found >= 0]), column), bool((found < 0).any())
        else:
            check, nullable = _within(next(numbers), column), bool((next(states) == GAP).any())
        checks = [_same_dtype(column.dtype), *([] if column.name in derived else [check])]
        columns.append((column.name, checks, nullable))
    for identifier in originals.identifiers:
        columns.insert(identifier.position, (identifier.name, [_fresh(identifier)], False))
    rows = len(originals)
    return pa.DataFrameSchema(
        {name: pa.Column(checks=checks, nullable=nullable) for name, checks, nullable in columns},
        checks=pa.Check(lambda frame: len(frame) == rows, name="as many rows"),
        strict=True,
        ordered=True,
    )


def check_table(frame: pd.DataFrame, schema: pa.DataFrameSchema) -> None:
    """Validate lazily; InputError `SCHEMA_MISMATCH` names every column at fault and counts, never a cell."""
    try:
        schema.validate(frame, lazy=True)
    except SchemaErrors as errors:
        cases = errors.failure_cases
        counts = cases.groupby(["column", "check"], dropna=False, sort=False).size()
        columns = tuple(dict.fromkeys(str(name) for name in cases["column"].dropna()))
        problems = "; ".join(
            f'"{column}": {_rule(check)} ({count})' for (column, check), count in counts.items()
        )
    else:
        return
    raise InputError(
        "SCHEMA_MISMATCH",
        f"{quoted(columns) or 'the table'} break(s) the table's contract: {problems}",
        columns,
    )


def _same_dtype(dtype: Dtype) -> pa.Check:
    # pandera knows the common dtypes only; every one can be compared
    return pa.Check(lambda series: series.dtype == dtype, name="dtype", ignore_na=False)


def _among(held: Codes, column: Category) -> pa.Check:
    def among(series: "pd.Series[Any]") -> "pd.Series[bool]":
        return pd.Series(np.isin(column.codes(series), held), index=series.index)

    return pa.Check(among, name="isin")


def _within(cells: Floats, column: Numeric) -> pa.Check:
    present = cells[~np.isnan(cells)]
    least, most = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)

    def within(series: "pd.Series[Any]") -> "pd.Series[bool]":
        table = encode(series.to_frame(column.name), (column,))
        numbers, coded = table.numbers[:, 0], table.states[:, 0] > GAP
        return pd.Series(((numbers >= least) & (numbers <= most)) | coded, index=series.index)

    return pa.Check(within)


def _fresh(identifier: Identifier) -> pa.Check:
    def fresh(series: "pd.Series[Any]") -> "pd.Series[bool]":
        return ~(series.astype(object).isin(identifier.taken) | series.duplicated())

    return pa.Check(fresh)


def _rule(check: object) -> str:
    """The rule's own name, without the values that pandera appends to it."""
    return str(check).split("(", maxsplit=1)[0]
