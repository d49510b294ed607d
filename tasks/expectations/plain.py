"""A table in plain values, as expectations are written: floats, dates as days, levels as texts, gaps as gaps."""

from typing import Any

import numpy as np
import pandas as pd

from sosie.columns import MISSING, UNSEEN, Category, Codes, Floats, Mask, Number, Numeric, Table
from sosie.schemas.expectations import RARE

UNKNOWN = "(a level that the originals lack)"


def plain_frame(table: Table) -> pd.DataFrame:
    """The table by the texts of its names: numbers as floats, instants in days since 1970, levels as texts.

    A missing code is a gap. Identifiers are texts, at their place.
    """
    return _frame(table, [np.ones(len(column.levels), dtype=bool) for column in table.category_columns])


def without_rare_levels(table: Table, common: list[Mask]) -> pd.DataFrame:
    """The same with `RARE` in place of each level that is not common, so that none of them can be shown anywhere."""
    return _frame(table, common)


def common_levels(originals: Table, min_count: int) -> list[Mask]:
    """For each categorical column, which of its levels at least `min_count` originals hold."""
    return [
        np.bincount(codes[codes >= 0], minlength=len(column.levels)) >= min_count
        for column, codes in zip(originals.category_columns, originals.codes.T, strict=True)
    ]


def axis_of(column: Numeric, numbers: Floats) -> Floats:
    """The numbers of a column as they are read: whole ones in full, dates as days."""
    axis = column.axis(numbers)
    return axis + column.origin if isinstance(column, Number) else axis


def level_text(level: object) -> str:
    """A level as text; a whole number without decimals, however its column holds it."""
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)


def _frame(table: Table, shown: list[Mask]) -> pd.DataFrame:
    numbers, codes, masks = iter(table.numbers.T), iter(table.codes.T), iter(shown)
    columns: list[tuple[str, Any]] = [
        (str(column.name), _levels(column, next(codes), next(masks)))
        if isinstance(column, Category)
        else (str(column.name), axis_of(column, next(numbers)))
        for column in table.columns
    ]
    for identifier, values in zip(table.identifiers, table.fresh.T, strict=True):
        columns.insert(identifier.position, (str(identifier.name), values.astype(str).astype(object)))
    return pd.DataFrame(dict(columns))


def _levels(column: Category, codes: Codes, shown: Mask) -> Any:
    texts = [
        level_text(level) if visible else RARE for level, visible in zip(column.levels, shown, strict=True)
    ]
    held = np.array([*texts, UNKNOWN, None], dtype=object)
    return held[np.where(codes == UNSEEN, len(texts), np.where(codes == MISSING, len(texts) + 1, codes))]
