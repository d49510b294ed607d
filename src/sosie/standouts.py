"""What stands out in a table: rare levels, missing patterns of one person, rows that are twice there.

Counts only: what is rare is never named.
"""

import numpy as np
import pandas as pd

from sosie.columns import MISSING, Category, Codes, Table
from sosie.errors import Notice


def standouts(table: Table, min_count: int) -> list[Notice]:
    """Warnings `RARE_VALUE`, `UNIQUE_MISSING_PATTERN` and `DUPLICATE_ROWS` of a table."""
    return [*_rare_levels(table, min_count), *_unique_patterns(table), *_duplicates(table)]


def _rare_levels(table: Table, min_count: int) -> list[Notice]:
    notices = []
    for column, codes in zip(table.category_columns, table.codes.T, strict=True):
        rare = _rare(column, codes, min_count)
        if rare:
            notices.append(
                Notice(
                    "RARE_VALUE",
                    column.name,
                    f"{rare} value(s) below {min_count} individuals: avatars may carry them; "
                    "group them or drop the column",
                )
            )
    return notices


def _rare(column: Category, codes: Codes, min_count: int) -> int:
    counts = np.bincount(codes[codes >= 0], minlength=len(column.levels))
    return int(((counts > 0) & (counts < min_count)).sum())


def _unique_patterns(table: Table) -> list[Notice]:
    patterns = np.hstack([table.states, table.codes == MISSING])
    if not patterns.any():
        return []
    # patterns are compared as bytes: 8 columns in one where there are only gaps
    packed = patterns if (patterns > 1).any() else np.packbits(patterns.astype(bool), axis=1)
    _, counts = np.unique(packed, axis=0, return_counts=True)
    alone = int((counts == 1).sum())
    if not alone:
        return []
    return [
        Notice(
            "UNIQUE_MISSING_PATTERN",
            None,
            f"{alone} row(s) have a combination of missing values that no other row has: an avatar may repeat it",
        )
    ]


def _duplicates(table: Table) -> list[Notice]:
    cells = np.hstack([np.nan_to_num(table.numbers, nan=np.inf), table.states, table.codes])
    repeated = int(pd.DataFrame(cells).duplicated().sum())
    if not repeated:
        return []
    return [
        Notice(
            "DUPLICATE_ROWS",
            None,
            f"{repeated} row(s) equal an earlier one: if a person has several rows, keep one row a person",
        )
    ]
