"""Direct matches: avatars that repeat a whole original row, value for value.

0: no avatar equals an original; 100: every one does. Read with the same share between the holdout and the
working half: a table of few columns repeats itself without anybody's fault.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sosie.columns import Table
from sosie.neighbours import Floats, Integers
from sosie.row_hashes import row_hashes

# of marks for each row: one in eight rows without a counterpart is taken for one that may have one
_SLOTS = 8

Codes = Integers | npt.NDArray[np.int32]
Column = Floats | Codes


@dataclass(frozen=True)
class Records:
    """Rows as numbers (n, p), nan where missing, beside codes (n, q), one same negative code where missing.

    Equality is exact; nan equals nan. Whole numbers beyond 2**53 are not exact as numbers: pass them as
    codes.
    """

    numbers: Floats
    codes: Codes


def records_of(table: Table) -> Records:
    """A table's rows as direct matches compare them; a missing code is a value of its own."""
    coded = [j for j, column in enumerate(table.number_columns) if column.missing_codes]
    return Records(table.numbers, np.hstack([table.codes, table.states[:, coded]]) if coded else table.codes)


@dataclass(frozen=True)
class OwnMatch:
    """How often an avatar equals the very row it was made from, in percent: whole rows, then each column."""

    row: float
    numbers: tuple[float, ...]
    codes: tuple[float, ...]


def row_direct_match(originals: Records, avatars: Records) -> float:
    """The percentage of avatars equal to any original row; the sets may differ in size.

    ValueError for empty sets, no column, or columns that differ in number.

    >>> ward, none = np.array([[0], [1]]), np.empty((2, 0))
    >>> row_direct_match(Records(none, ward), Records(none, np.array([[1], [2]])))
    50.0
    """
    _, avatar_count = _checked(originals, avatars)
    left, right = _likely(originals, avatars)
    labels = np.zeros(len(left) + len(right), dtype=np.int64)
    for here, there in _columns(originals, avatars):
        if len(right) == 0:
            return 0.0
        # Rows alike so far share a label. Labels and ranks are below the number of rows: no overflow.
        ranks = _ranks(np.concatenate([here[left], there[right]]))
        labels = _ranks(labels * (int(ranks.max()) + 1) + ranks)
        ours, theirs, size = labels[: len(left)], labels[len(left) :], len(labels)
        # Only rows with a counterpart so far are looked at again: most tables are done after a few columns.
        shared = (np.bincount(ours, minlength=size) > 0) & (np.bincount(theirs, minlength=size) > 0)
        left, right, labels = left[shared[ours]], right[shared[theirs]], labels[shared[labels]]
    return 100 * len(right) / avatar_count


def _likely(originals: Records, avatars: Records) -> tuple[Integers, Integers]:
    """The rows of either side whose marks the other has too: all that have a counterpart, and few others."""
    bits = (_SLOTS * max(len(originals.numbers), len(avatars.numbers))).bit_length()
    marks = [
        row_hashes(side.numbers, side.codes.astype(np.int64, copy=False)) >> np.uint64(64 - bits)
        for side in (originals, avatars)
    ]
    sides = np.zeros(2**bits, dtype=np.uint8)
    sides[marks[0]] = 1
    sides[marks[1]] |= 2
    return np.flatnonzero(sides[marks[0]] == 3), np.flatnonzero(sides[marks[1]] == 3)


def row_direct_match_own(originals: Records, avatars: Records) -> OwnMatch:
    """The percentage of avatars equal to their own original, row i of both sides belonging together.

    ValueError as above, and when the rows differ in number.

    >>> ward, none = np.array([[0], [1]]), np.empty((2, 0))
    >>> row_direct_match_own(Records(none, ward), Records(none, np.array([[0], [0]]))).row
    50.0
    """
    here, there = _checked(originals, avatars)
    if here != there:
        raise ValueError(
            f"row i of the avatars must belong to row i of the originals: {there} against {here} rows"
        )
    numbers = _same(originals.numbers, avatars.numbers)
    codes = originals.codes == avatars.codes
    rows = numbers.all(axis=1) & codes.all(axis=1)
    return OwnMatch(float(100 * rows.mean()), _percent(numbers), _percent(codes))


def _columns(originals: Records, avatars: Records) -> Iterator[tuple[Column, Column]]:
    """The same column of both sides, one after the other."""
    yield from zip(originals.numbers.T, avatars.numbers.T, strict=True)
    yield from zip(originals.codes.T, avatars.codes.T, strict=True)


def _same(here: Floats, there: Floats) -> npt.NDArray[np.bool_]:
    return np.asarray((here == there) | (np.isnan(here) & np.isnan(there)))


def _percent(same: npt.NDArray[np.bool_]) -> tuple[float, ...]:
    return tuple((100 * same.mean(axis=0)).tolist())


def _ranks(values: Column) -> Integers:
    """Each value's number among the distinct ones: exact, nan being one value."""
    return np.asarray(pd.factorize(values, use_na_sentinel=False)[0], dtype=np.int64)


def _checked(originals: Records, avatars: Records) -> tuple[int, int]:
    """How many rows each side has."""
    shapes = []
    for name, records in (("originals", originals), ("avatars", avatars)):
        if records.numbers.ndim != 2 or records.codes.ndim != 2:
            raise ValueError(f"{name}: numbers and codes must be arrays of rows and columns")
        if len(records.numbers) != len(records.codes):
            raise ValueError(
                f"{name}: numbers and codes must have the same rows: "
                f"{len(records.numbers)} and {len(records.codes)}"
            )
        if len(records.numbers) == 0:
            raise ValueError(f"{name} must have at least one row: 0 rows")
        shapes.append((records.numbers.shape[1], records.codes.shape[1]))
    if shapes[0] != shapes[1] or sum(shapes[0]) == 0:
        raise ValueError(
            "both sides must have the same columns, at least one: "
            f"{shapes[0][0]} numbers and {shapes[0][1]} codes against {shapes[1][0]} and {shapes[1][1]}"
        )
    return len(originals.numbers), len(avatars.numbers)
