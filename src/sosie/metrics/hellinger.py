"""Hellinger mean: how well the avatars keep the distribution of every variable.

    H(p, q) = sqrt(sum (sqrt p - sqrt q)^2) / sqrt 2
    score = 100 (1 - sqrt(max(0, H(WA, HO)^2 - H(WO, HO)^2)))

WO and HO are the working and holdout halves of the originals, WA the working avatars. 100: the avatars are as
near to people never used as the working half itself is; 0: they have nothing in common.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sosie.metrics.frequencies import code_frequencies, number_frequencies
from sosie.neighbours import Floats, Integers


@dataclass(frozen=True)
class HellingerMean:
    """The scores of all variables, 0-100: `mean`, `std` (population), `worst`, and each in `by_variable`."""

    mean: float
    std: float
    worst: float
    by_variable: Mapping[Hashable, float]


def hellinger_distance(p: npt.ArrayLike, q: npt.ArrayLike) -> float:
    """The Hellinger distance between two distributions over the same classes: 0 (equal) to 1 (disjoint).

    ValueError unless both are shares >= 0 that sum to 1, as many on both sides.

    >>> hellinger_distance([0.5, 0.5], [0.5, 0.5]), hellinger_distance([1, 0], [0, 1])
    (0.0, 1.0)
    """
    here, there = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if here.ndim != 1 or here.shape != there.shape:
        raise ValueError(f"p and q must be over the same classes: shapes {here.shape} and {there.shape}")
    for name, shares in (("p", here), ("q", there)):
        if not ((shares >= 0).all() and abs(shares.sum() - 1) <= 1e-6):
            raise ValueError(f"{name} must be shares >= 0 that sum to 1: their sum is {shares.sum():.6g}")
    gaps = np.square(np.sqrt(here) - np.sqrt(there))
    return float(min(1.0, np.sqrt(gaps.sum() / 2)))


def hellinger_score(distance: float, reference: float) -> float:
    """The score 0-100 of a distance H(WA, HO) where the originals have H(WO, HO) = reference."""
    return 100 * (1 - float(np.sqrt(max(0.0, distance**2 - reference**2))))


def hellinger_of_numbers(working: Floats, avatars: Floats, holdout: Floats) -> float:
    """The score of one numeric variable, nan where missing, dates in days.

    A constant, or a variable missing everywhere in the three sets, scores 100: nothing differs. ValueError
    for an empty set or infinite values.
    """
    return _score(*number_frequencies(working, avatars, holdout))


def hellinger_of_codes(working: Integers, avatars: Integers, holdout: Integers) -> float:
    """The score of one categorical variable given as codes common to the three sets, -1 where missing.

    ValueError for an empty set or a code below -1.
    """
    return _score(*code_frequencies(working, avatars, holdout))


def hellinger_summary(scores: Mapping[Hashable, float]) -> HellingerMean:
    """The scores of single variables taken together; ValueError when there is none."""
    if not scores:
        raise ValueError("a mean over variables needs at least one column: 0 columns")
    values = np.array(list(scores.values()))
    return HellingerMean(float(values.mean()), float(values.std()), float(values.min()), dict(scores))


def hellinger_mean(
    working: pd.DataFrame,
    avatars: pd.DataFrame,
    holdout: pd.DataFrame,
    categorical: Iterable[Hashable] = (),
) -> HellingerMean:
    """The mean score over the columns of three tables, whose numbers of rows may differ.

    Columns named in `categorical` and those of text, booleans or categories are compared level by level;
    numbers, dates and durations (in days) bin by bin. ValueError when the tables' columns are not the same,
    repeat a name, are of another kind in another table or hold infinite values, or when a table is empty.

    >>> half = pd.DataFrame({"ward": ["north"] * 5 + ["south"] * 5})
    >>> moved = pd.DataFrame({"ward": ["north"] * 8 + ["south"] * 2})
    >>> round(hellinger_mean(half, moved, holdout=half).mean, 1)
    77.3
    """
    frames = {"working": working, "avatars": avatars, "holdout": holdout}
    declared = set(categorical)
    _check_columns(frames, declared)
    return hellinger_summary({name: _column(frames, name, name in declared) for name in working.columns})


def _score(working: Floats, avatars: Floats, holdout: Floats) -> float:
    return hellinger_score(hellinger_distance(avatars, holdout), hellinger_distance(working, holdout))


def _check_columns(frames: Mapping[str, pd.DataFrame], declared: set[Hashable]) -> None:
    expected = frames["working"].columns
    for name, frame in frames.items():
        repeated = frame.columns[frame.columns.duplicated()].unique().tolist()
        if repeated:
            raise ValueError(f"column names must be unique in {name}: {repeated} are repeated")
        different = expected.symmetric_difference(frame.columns, sort=False).tolist()
        if different:
            raise ValueError(f"the three tables must have the same columns: {name} differs in {different}")
    unknown = [column for column in declared if column not in expected]
    if unknown:
        raise ValueError(f"categorical names {len(unknown)} columns that are not in the tables: {unknown}")


def _column(frames: Mapping[str, pd.DataFrame], name: Hashable, categorical: bool) -> float:
    columns = [frame[name] for frame in frames.values()]
    kinds = ["level" if categorical else _kind(column) for column in columns]
    if len(set(kinds)) > 1:
        raise ValueError(
            f"column {name!r} must be of one kind in the three tables: "
            + ", ".join(f"{kind} in {table}" for table, kind in zip(frames, kinds, strict=True))
        )
    if kinds[0] == "level":
        return hellinger_of_codes(*_codes(columns))
    working, avatars, holdout = (_as_numbers(column, kinds[0]) for column in columns)
    try:
        return hellinger_of_numbers(working, avatars, holdout)
    except ValueError as refused:
        raise ValueError(f"column {name!r}: {refused}") from None


def _kind(column: "pd.Series[Any]") -> str:
    dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return "level"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "date"
    if pd.api.types.is_timedelta64_dtype(dtype):
        return "duration"
    return "number" if pd.api.types.is_numeric_dtype(dtype) else "level"


def _as_numbers(column: "pd.Series[Any]", kind: str) -> Floats:
    """The column's values, nan where missing; instants and durations in days."""
    if kind == "number":
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind == "date" and column.dt.tz is not None:
        column = column.dt.tz_convert(None)
    # Microseconds hold every unit's range; nanoseconds end in 2262.
    unit = "datetime64[us]" if kind == "date" else "timedelta64[us]"
    days = column.to_numpy().astype(unit).astype(np.int64) / 86_400e6
    return np.asarray(np.where(column.isna(), np.nan, days))


def _codes(columns: "list[pd.Series[Any]]") -> list[Integers]:
    """Codes common to the columns, -1 where missing."""
    levels = np.concatenate([column.astype(object).to_numpy() for column in columns])
    codes = np.asarray(pd.factorize(levels)[0], dtype=np.int64)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])
