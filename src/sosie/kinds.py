"""Which numbers, instants and texts of dates recognition takes for alike, whatever their size.

A few of each kind stand for all.
"""

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types

from sosie.columns.cells import OBJECT
from sosie.columns.clocks import ArrowClock, arrow_base, fineness, midnights
from sosie.columns.date_texts import is_text, parsed, spellings
from sosie.columns.object_clock import held_by, read
from sosie.date_recognition import formats_like
from sosie.declarations import Declaration
from sosie.identifiers import like_nir, may_be_nir
from sosie.seen import Alike, Counts, Seen

_NANOSECONDS_END = 2**63 // 10**9 - 1  # seconds from 1970


def alike_of(cells: "pd.Series[Any]", declared: Declaration) -> Alike | None:
    """Which present cells, the column's first before all others, are alike but for their size.

    None where every cell decides, as every level does, and every text where the first reads as no date.
    """
    if declared.type in ("category", "boolean") or types.is_bool_dtype(cells.dtype):
        return None
    if is_text(cells.dtype):
        return _of_texts(cells, declared)
    kinds = _kinds(cells, declared)
    return None if kinds is None else Alike(kinds, (cells,))


def is_thinned(seen: Seen, declared: Declaration) -> bool:
    """Whether texts that read as dates are dropped for others, so that those left are not all the levels there are."""
    cells = seen.present.cells
    return len(cells) > 0 and is_text(cells.dtype) and bool(_formats(cells, declared))


def _formats(texts: "pd.Series[Any]", declared: Declaration) -> list[str]:
    """The formats in which a column of texts may be dates."""
    if declared.type in ("category", "boolean", "integer", "float"):
        return []
    return [declared.format] if declared.format else formats_like(texts.iloc[0])


def _of_texts(texts: "pd.Series[Any]", declared: Declaration) -> Alike | None:
    """Spelled alike, in the same of the formats or in none, and as fine; with offsets of the same minute of a day."""
    formats = _formats(texts, declared)
    read = [parsed(texts.astype(object), format_) for format_ in formats]
    unread = np.logical_and.reduce([np.isnat(one) for one in read]) if read else np.True_
    if unread.any() and not declared.format:
        return None  # they are no dates
    parts: list[Any] = []
    for format_, one in zip(formats, read, strict=True):
        parts += [spellings(texts, format_, one), fineness(one), np.isnat(one), _is_far(one)]
        if "%z" in format_:  # what is midnight depends on the offset that is the commonest in the end
            parts.append(_minutes(one))
    kinds = pd.DataFrame(dict(enumerate(parts))).groupby(list(range(len(parts))), sort=False).ngroup()
    return Alike(np.asarray(kinds, dtype=np.int64), tuple(pd.Series(one.astype(np.int64)) for one in read))


def _is_far(instants: Any) -> NDArray[np.bool_]:
    """Outside 1677 to 2262, which is all that can be read once a text has nanoseconds."""
    seconds = instants.astype("M8[s]").astype(np.int64)
    return np.asarray((seconds < -_NANOSECONDS_END) | (seconds > _NANOSECONDS_END))


def _minutes(instants: Any) -> Counts:
    """The minute of the day of whole minutes, else −1."""
    minutes = instants.astype("M8[m]")
    whole = minutes.astype(instants.dtype) == instants
    return np.where(whole, (minutes - minutes.astype("M8[D]")).astype(np.int64), -1)


def _kinds(cells: "pd.Series[Any]", declared: Declaration) -> Counts | None:
    dtype = cells.dtype
    if dtype == OBJECT:
        return _of_objects(cells)
    if isinstance(dtype, pd.PeriodDtype):
        return np.zeros(len(cells), dtype=np.int64)  # all as fine as their frequency
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _of_zoned(cells, dtype)
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        return fineness(cells.to_numpy())
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_temporal(dtype.pyarrow_dtype):
        return _of_arrow(cells, dtype.pyarrow_dtype)
    if types.is_numeric_dtype(dtype) and declared.format is None:
        return _of_numbers(cells)
    return None


def _of_numbers(cells: "pd.Series[Any]") -> Counts:
    """Infinite or not, with decimals or not, with the check digits of a social security number or not."""
    numbers = cells.to_numpy(dtype=np.float64)
    infinite = np.isinf(numbers)
    fractional = np.mod(np.where(infinite, 0.0, numbers), 1) != 0
    checked = np.zeros(len(cells), dtype=bool)
    places = np.flatnonzero(may_be_nir(numbers) & ~fractional)
    checked[places] = [like_nir(value) for value in cells.iloc[places]]
    return np.asarray(infinite + 2 * fractional + np.int64(4) * checked)


def _of_zoned(cells: "pd.Series[Any]", dtype: pd.DatetimeTZDtype) -> Counts:
    """As fine in UTC, and a first or a second midnight of the zone or none."""
    wall = cells.dt.tz_localize(None).dt.floor("D")
    first, second = ((midnights(wall, dtype.tz, which) == cells).to_numpy() for which in (True, False))
    utc = cells.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    return np.asarray(first + 2 * second + 4 * fineness(utc))


def _of_arrow(cells: "pd.Series[Any]", type_: Any) -> Counts:
    if pa.types.is_timestamp(type_) and type_.tz is not None:
        dtype = pd.DatetimeTZDtype(type_.unit, type_.tz)
        return _of_zoned(cells.astype(dtype), dtype)
    letter, base = arrow_base(type_)
    ticks, _ = ArrowClock(letter, base, base, type_).ticks(cells)
    return fineness(ticks.astype(f"{letter}8[{base}]"))


def _of_objects(cells: "pd.Series[Any]") -> Counts:
    """By type; decimals by the places they show, times by zone and fineness; anything else is of a kind of its own."""
    numbers: dict[object, int] = {}
    found = [numbers.setdefault(_of_object(cell, place), len(numbers)) for place, cell in enumerate(cells)]
    return np.array(found, dtype=np.int64)


def _of_object(cell: Any, place: int) -> object:
    if isinstance(cell, float | Decimal):
        shown = cell.as_tuple().exponent if isinstance(cell, Decimal) else 0
        number = float(cell)
        if not np.isfinite(number):
            return type(cell), shown, number
        return type(cell), shown, number % 1 != 0, bool(may_be_nir(np.array(number))) and like_nir(cell)
    if isinstance(cell, int) and not isinstance(cell, bool):
        return int, 10**14 <= cell < 10**15 and like_nir(cell)
    held = held_by(cell)
    if held is None:
        return place
    nanosecond = bool(getattr(cell, "nanosecond", 0) or getattr(cell, "nanoseconds", 0))
    letter = "M" if isinstance(cell, date) else "m"
    base = "D" if held == "date" else "us"
    fine = fineness(np.array([read(cell, base)]).astype(f"{letter}8[{base}]"))
    return held, getattr(cell, "tzinfo", None), nanosecond, int(fine[0])
