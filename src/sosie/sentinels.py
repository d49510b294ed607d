"""Numbers and dates that look like codes for "missing": usual ones, repeated, far outside the rest."""

from typing import Any

import numpy as np
import pandas as pd

from sosie.columns import Category, Column, Instant, Number

_NEGATIVE = (-1, -7, -8, -9, -77, -88, -97, -98, -99, -777, -888, -997, -998, -999, -9999, -99999)
_POSITIVE = (99, 888, 997, 998, 999, 999.9, 999.99, 8888, 9998, 9999, 9999.9, 9999.99, 99999, 999999, 9999999)
_DATES = ("1111-11-11", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01", "1970-01-01")
_LATE_DATES = ("2099-12-31", "2999-12-31", "2100-01-01", "9999-12-31", "9999-01-01")
_REPEATED = 3
_FEWEST_DISTINCT = 10  # fewer different values are rather a scale that has them

SENTENCE = (
    "{count} row(s) hold a value such as −9, −99, 999, 9999 or 1900-01-01, repeated and far outside the others, as "
    "codes for missing are: declare it in missing_codes, or it is averaged with the rest"
)


def suspected(series: "pd.Series[Any]", column: Column) -> int:
    """How many rows hold an undeclared code for missing; 0 when none is suspected.

    A candidate is one of the usual codes, held by 3 rows or more, outside the range of all others. Below them: negative
    where they are not, or farther than they are from each other. Above them: farther than they are from each other.
    """
    if isinstance(column, Category):
        return 0
    if isinstance(column, Instant):
        if column.kind == "duration":
            return 0
        values = column.axis(column.numbers(series))
        low, high = _days(_DATES), _days(_LATE_DATES)
    else:
        values = column.axis(column.numbers(series))
        if isinstance(column, Number) and column.origin:
            return 0
        low, high = np.array(_NEGATIVE, dtype=float), np.array(_POSITIVE, dtype=float)
    values = np.asarray(values[~np.isnan(values)].astype(_precision(column)))
    codes = np.concatenate([low, high]).astype(values.dtype)
    declared = column.axis(np.array(column.missing_codes, dtype=float)).astype(values.dtype)
    known = np.concatenate([codes, declared])
    if not (len(values) and np.isin([values.min(), values.max()], known).any()):
        return 0  # what lies outside all others is first or last; spares most columns the sorting
    distinct, counts = np.unique(values, return_counts=True)
    candidate = np.isin(distinct, codes) & (counts >= _REPEATED)
    known_codes = np.isin(distinct, declared)
    rest = distinct[~candidate & ~known_codes]
    if not candidate.any() or len(rest) < _FEWEST_DISTINCT:
        return 0
    least, most = rest.min(), rest.max()
    spread = most - least
    below = (distinct < least) & ((least - distinct > spread) | ((distinct < 0) & (least >= 0)))
    above = (distinct > most) & (distinct - most > spread)
    if isinstance(column, Instant):
        below &= least - distinct > spread  # dates before 1970 are negative for no such reason
    found = candidate & ~known_codes & (below | above)
    return int(counts[found].sum())


def _precision(column: Column) -> Any:
    # 999.9 as a float32 is not 999.9 as a float64
    kind = getattr(column.dtype, "numpy_dtype", column.dtype)
    return np.float32 if kind == np.dtype(np.float32) else np.float64


def _days(dates: tuple[str, ...]) -> Any:
    return np.array(dates, dtype="M8[D]").astype(np.float64)
