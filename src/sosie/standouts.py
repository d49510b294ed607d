"""What stands out in a table: rare levels, missing patterns of one person, rows that are twice there.

Counts only: what is rare is never named.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.columns import MISSING, Category, Table
from sosie.errors import Notice
from sosie.row_hashes import row_hashes


def standouts(table: Table, min_count: int) -> list[Notice]:
    """Warnings `RARE_VALUE`, `UNIQUE_MISSING_PATTERN` and `DUPLICATE_ROWS` of a table."""
    return [*_rare_levels(table, min_count), *_unique_patterns(table), *_duplicates(table)]


def _rare_levels(table: Table, min_count: int) -> list[Notice]:
    counts = [
        np.bincount(codes[codes >= 0], minlength=len(column.levels))
        for column, codes in zip(table.category_columns, table.codes.T, strict=True)
    ]
    return rare_level_notices(table.category_columns, counts, min_count)


def rare_level_notices(
    columns: Sequence[Category], counts: Sequence[NDArray[np.int64]], min_count: int
) -> list[Notice]:
    """Warnings of the columns some of whose levels, by their counts of rows, are rare."""
    notices = []
    for column, held in zip(columns, counts, strict=True):
        rare = int(((held > 0) & (held < min_count)).sum())
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


def _unique_patterns(table: Table) -> list[Notice]:
    patterns = np.hstack([table.states, table.codes == MISSING])
    if not patterns.any():
        return []
    # patterns are compared as bytes: 8 columns in one where there are only gaps
    packed = patterns if (patterns > 1).any() else np.packbits(patterns.astype(bool), axis=1)
    _, counts = np.unique(packed, axis=0, return_counts=True)
    return unique_pattern_notices(int((counts == 1).sum()))


def unique_pattern_notices(alone: int) -> list[Notice]:
    """The warning that so many rows have a missing pattern of their own, if any have."""
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
    hashes = row_hashes(table.numbers, table.states, table.codes)
    return duplicate_notices(len(table) - len(pd.unique(hashes)))


def duplicate_notices(repeated: int) -> list[Notice]:
    """The warning that so many rows equal an earlier one, if any do."""
    if not repeated:
        return []
    return [
        Notice(
            "DUPLICATE_ROWS",
            None,
            f"{repeated} row(s) equal an earlier one: if a person has several rows, keep one row a person",
        )
    ]
