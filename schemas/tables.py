"""What a table must look like at a border, as pandera schemas built from its own columns."""

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
from pandera.errors import SchemaErrors

from sosie.columns import Category, Column, Number, Table, quoted
from sosie.errors import InputError


def input_schema(columns: tuple[Column, ...]) -> pa.DataFrameSchema:
    """The columns in order with their dtypes; numbers finite."""

    def finite(series: "pd.Series[Any]") -> "pd.Series[bool]":
        return pd.Series(np.isfinite(series.to_numpy(dtype=float)), index=series.index)

    return pa.DataFrameSchema(
        {
            column.name: pa.Column(
                _dtype(column), checks=[pa.Check(finite)] if isinstance(column, Number) else [], nullable=True
            )
            for column in columns
        },
        strict=True,
        ordered=True,
    )


def released_schema(originals: Table) -> pa.DataFrameSchema:
    """The originals' contract: columns in order, dtypes, ranges, levels, and no gap where they had none."""
    numbers, codes = iter(originals.numbers.T), iter(originals.codes.T)
    columns = {}
    for column in originals.columns:
        if isinstance(column, Number):
            cells = next(numbers)
            checks, nullable = [_within(cells, column)], bool(np.isnan(cells).any())
        else:
            found = next(codes)
            held = set(column.levels[np.unique(found[found >= 0])])
            checks, nullable = [pa.Check.isin(held)], bool((found < 0).any())
        columns[column.name] = pa.Column(_dtype(column), checks=checks, nullable=nullable)
    rows = len(originals)
    return pa.DataFrameSchema(
        columns,
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


def _dtype(column: Column) -> Any:
    return None if isinstance(column, Category) and column.dtype == np.dtype(object) else column.dtype


def _within(cells: np.ndarray[tuple[int], np.dtype[np.float64]], column: Number) -> pa.Check:
    present = cells[~np.isnan(cells)]
    least, most = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)

    def within(series: "pd.Series[Any]") -> "pd.Series[bool]":
        numbers = column.numbers(series)
        return pd.Series((numbers >= least) & (numbers <= most), index=series.index)

    return pa.Check(within)


def _rule(check: object) -> str:
    """The rule's own name, without the values that pandera appends to it."""
    return str(check).split("(", maxsplit=1)[0]
