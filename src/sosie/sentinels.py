"""Numbers and dates that look like codes for "missing": usual ones, repeated, far outside the rest."""

from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Category, Column, Floats, Instant, Mask, Number, Numeric, Table, with_codes
from sosie.seen import Seen

_NEGATIVE = (-1, -7, -8, -9, -77, -88, -97, -98, -99, -777, -888, -997, -998, -999, -9999, -99999)
_POSITIVE = (99, 888, 997, 998, 999, 999.9, 999.99, 8888, 9998, 9999, 9999.9, 9999.99, 99999, 999999, 9999999)
_DATES = ("1111-11-11", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01", "1970-01-01")
_LATE_DATES = ("2099-12-31", "2999-12-31", "2100-01-01", "9999-12-31", "9999-01-01")
_REPEATED = 3
_FEWEST_DISTINCT = 10  # fewer different values are rather a scale that has them
_FAR = 64  # more than there are codes: all that lie outside the others, the least or most of these, and some more

SENTENCE = (
    "{count} row(s) hold a value such as −9, −99, 999, 9999 or 1900-01-01, repeated and far outside the others, as "
    "codes for missing are: declare it in missing_codes, or it is averaged with the rest"
)


def suspected(seen: Seen, column: Column) -> int:
    """How many rows hold an undeclared code for missing; 0 when none is suspected.

    A candidate is one of the usual codes, held by 3 rows or more, outside the range of all others. Below them: negative
    where they are not, or farther than they are from each other. Above them: farther than they are from each other.
    """
    if not _may_hold(column):
        return 0
    held = seen.present
    values, there = _values(column, column.numbers(held.cells))
    known = np.concatenate(_codes(column, values.dtype))
    if not (len(values) and np.isin([values.min(), values.max()], known).any() and _apart(values, known)):
        return 0  # what lies outside all others is first or last; spares most columns the sorting
    distinct, places = np.unique(values, return_inverse=True)
    return _suspected(column, distinct, np.bincount(places, held.counts[there]).astype(np.int64))


def _apart(values: NDArray[Any], known: NDArray[Any]) -> bool:
    """Whether an end is as far as a code must be from all that is none; codes of few rows only bring it nearer."""
    rest = values[~np.isin(values, known)]
    if not len(rest):
        return True  # then codes of few rows are all the others there are
    least, most = rest.min(), rest.max()
    below, above = least - values.min(), values.max() - most
    return bool(max(below, above) > most - least or values.min() < 0 <= least)


@dataclass
class Ends:
    """A column's different values and how many rows hold each; of more than `suspected` needs, the least and most."""

    column: Column
    values: NDArray[Any] = field(init=False)
    counts: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.values = np.empty(0, dtype=_precision(self.column))
        self.counts = np.empty(0, dtype=np.int64)

    def add(self, table: Table) -> None:
        """Take in the next rows, a table of this column alone."""
        if not _may_hold(self.column):
            return
        numbers = with_codes(self.column, table.numbers[:, 0], table.states[:, 0])
        (values, _), far = _values(self.column, numbers), _FAR + len(self.column.missing_codes)
        if len(self.values) == 2 * far:
            values = values[(values <= self.values[far - 1]) | (values >= self.values[far])]
        found, counts = np.unique(values, return_counts=True)
        self.values, places = np.unique(np.concatenate([self.values, found]), return_inverse=True)
        self.counts = np.bincount(places, np.concatenate([self.counts, counts])).astype(np.int64)
        if len(self.values) > 2 * far:
            self.values, self.counts = (
                np.concatenate([held[:far], held[-far:]]) for held in (self.values, self.counts)
            )

    def suspected(self) -> int:
        """What `suspected` says of all of them."""
        if not _may_hold(self.column) or not len(self.values):
            return 0
        return _suspected(self.column, self.values, self.counts)


def _suspected(column: Numeric, distinct: NDArray[Any], counts: NDArray[np.int64]) -> int:
    codes, declared = _codes(column, distinct.dtype)
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


def _may_hold(column: Column) -> TypeGuard[Numeric]:
    """Neither a category nor a duration, nor integers beyond 2^53."""
    if isinstance(column, Category) or column.kind == "duration":
        return False
    return not (isinstance(column, Number) and column.origin)


def _values(column: Numeric, numbers: Floats) -> tuple[NDArray[Any], Mask | slice]:
    """The numbers that are there, and which they are."""
    values = column.axis(numbers)
    there = ~np.isnan(values)
    kept = slice(None) if there.all() else there
    return np.asarray(values[kept].astype(_precision(column), copy=False)), kept


def _codes(column: Numeric, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The usual codes and those that are declared, as the column's values are."""
    usual = [_days(_DATES), _days(_LATE_DATES)] if isinstance(column, Instant) else [_NEGATIVE, _POSITIVE]
    declared = column.axis(np.array(column.missing_codes, dtype=float))
    return np.concatenate(usual).astype(dtype), declared.astype(dtype)


def _precision(column: Column) -> Any:
    # 999.9 as a float32 is not 999.9 as a float64
    kind = getattr(column.dtype, "numpy_dtype", column.dtype)
    return np.float32 if kind == np.dtype(np.float32) else np.float64


def _days(dates: tuple[str, ...]) -> Any:
    return np.array(dates, dtype="M8[D]").astype(np.float64)
