"""Columns of numbers: how a column that was taken for numbers is stored, and what a declaration may ask of it."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from sosie.columns import Fixed, Floats, Number, floating, origin_of, quoted
from sosie.columns.cells import marker_of
from sosie.columns.fixed import EXACT, fixed_origin, fixed_places, units
from sosie.declarations import Declaration
from sosie.errors import InputError
from sosie.seen import Seen

_MOST_DIGITS = 300  # of whole numbers, so that their differences and codes among them are floats too
_LARGEST = 10**_MOST_DIGITS


def recognise_number(seen: Seen, found: str, reason: str, declared: Declaration) -> Number | Fixed:
    """The column whose cells are numbers: `found` is integer, float or decimal.

    Raises InputError `BAD_CONFIG` for an integer with decimals, a step or missing codes that the values do not allow.
    """
    series = seen.cells
    if declared.type == "integer" and found != "integer":
        _refuse_fractions(seen)
    if not all(isinstance(code, int | float) for code in declared.missing_codes):
        raise _not_held(series)
    coded = series[~_is_code(series, declared)] if declared.missing_codes else series
    if found == "float":
        _refuse_large(coded)
    if found == "decimal":
        column: Number | Fixed = _fixed(series, coded, reason, declared)
    else:
        # whole numbers declared float come back in their own dtype, which holds whole numbers only
        column = Number(
            name=series.name,
            kind="integer" if "integer" in (declared.type or found, found) else "float",
            dtype=series.dtype,
            reason=reason,
            weight=declared.weight,
            round_to=declared.round_to,
            origin=origin_of(coded) if found == "integer" else 0,
            marker=marker_of(series),
        )
    if declared.round_to is not None:
        _refuse_step(coded, declared.round_to, column)
    return (
        replace(column, missing_codes=_encoded(series, column, declared))
        if declared.missing_codes
        else column
    )


def _is_code(series: "pd.Series[Any]", declared: Declaration) -> "pd.Series[bool]":
    # Arrow compares numbers of one type only, and pandas no long doubles with integers
    apart = isinstance(series.dtype, pd.ArrowDtype) or series.dtype == np.longdouble
    return (series.astype(object) if apart else series).isin(declared.missing_codes)


def _fixed(series: "pd.Series[Any]", coded: "pd.Series[Any]", reason: str, declared: Declaration) -> Fixed:
    places = fixed_places(series, series.dtype)
    _refuse_many_places(coded, places)
    return Fixed(
        name=series.name,
        dtype=series.dtype,
        reason=reason,
        places=places,
        weight=declared.weight,
        round_to=declared.round_to,
        origin=fixed_origin(coded, places),
        marker=marker_of(series),
    )


def _refuse_many_places(series: "pd.Series[Any]", places: int) -> None:
    """InputError `NON_FINITE` when decimals are not held by floats as whole numbers of their last place."""
    most = max((value.adjusted() for value in series.dropna() if value), default=0)
    if places + max(most, 0) >= _MOST_DIGITS:
        raise InputError(
            "NON_FINITE",
            f"column {quoted([series.name])} shows {_MOST_DIGITS} digits or more from its largest number to its last "
            "decimal, which cannot be computed with: round it, or make it floats",
            (series.name,),
        )


def _encoded(series: "pd.Series[Any]", column: Number | Fixed, declared: Declaration) -> tuple[float, ...]:
    """The missing codes as the column stores its numbers; InputError `BAD_CONFIG` for those that it cannot hold."""
    codes: list[Any] = list(dict.fromkeys(declared.missing_codes))
    try:
        with np.errstate(over="raise"):
            encoded, exact = _stored(codes, column)
    except ArithmeticError:  # too large
        raise _not_held(series) from None
    if not exact:
        raise _not_held(series)
    return tuple(map(float, encoded))


def _stored(codes: list[Any], column: Number | Fixed) -> tuple[Floats, bool]:
    """The codes as the column stores its numbers, and whether it holds them exactly."""
    if isinstance(column, Fixed):
        decimals = [Decimal(str(code)) for code in codes]
        exact = all(code.scaleb(column.places, EXACT) == units(code, column.places) for code in decimals)
        return column.numbers(pd.Series(decimals, dtype=object)), exact
    if column.kind == "float":
        # as the column holds them: 0.1 as a float32 is another number
        return np.array(codes, dtype=floating(column.dtype)).astype(np.float64), True
    whole = [int(code) - column.origin for code in codes]
    encoded = np.array(whole, dtype=np.float64)
    return encoded, all(map(float.is_integer, map(float, codes))) and list(map(int, encoded)) == whole


def _not_held(series: "pd.Series[Any]") -> InputError:
    return InputError(
        "BAD_CONFIG",
        f"missing_codes of {quoted([series.name])} must be numbers that the column can hold exactly",
        (series.name,),
    )


def refuse_infinities(seen: Seen) -> None:
    """InputError `NON_FINITE` when numbers are infinite."""
    infinite = int(seen.counts[np.isinf(seen.cells.to_numpy(dtype=np.float64, na_value=np.nan))].sum())
    if infinite:
        raise InputError(
            "NON_FINITE",
            f"column {quoted([seen.cells.name])} has {infinite} infinite value(s): replace them by numbers or "
            "leave them missing",
            (seen.cells.name,),
        )


def _refuse_large(series: "pd.Series[Any]") -> None:
    """InputError `NON_FINITE` when numbers are so large that their differences may be none."""
    numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
    if max(np.fmax.reduce(numbers, initial=0.0), -np.fmin.reduce(numbers, initial=0.0)) > _LARGEST:
        raise InputError(
            "NON_FINITE",
            f"column {quoted([series.name])} holds numbers beyond 1e{_MOST_DIGITS}, which cannot be computed with: "
            "declare them in missing_codes if they stand for none, replace them, or declare role: drop",
            (series.name,),
        )


def refuse_beyond_floats(series: "pd.Series[Any]") -> None:
    """InputError `NON_FINITE` when objects are numbers that no float holds, or Decimals that may not be compared."""
    beyond = sum(map(_is_beyond_floats, series))
    if beyond:
        raise InputError(
            "NON_FINITE",
            f"column {quoted([series.name])} has {beyond} number(s) beyond 1e{_MOST_DIGITS} or signalling NaN, which "
            "cannot be computed with: replace them, leave them missing, or declare role: drop",
            (series.name,),
        )


def _is_beyond_floats(cell: object) -> bool:
    if isinstance(cell, Decimal):
        return cell.is_snan() or (cell.is_finite() and bool(cell) and cell.adjusted() >= _MOST_DIGITS)
    return isinstance(cell, int) and abs(cell) >= _LARGEST


def _refuse_fractions(seen: Seen) -> None:
    numbers = seen.cells.to_numpy(dtype=np.float64, na_value=np.nan)
    fractions = int(seen.counts[~np.isnan(numbers) & (np.mod(numbers, 1) != 0)].sum())
    if fractions:
        raise InputError(
            "BAD_CONFIG",
            f"{quoted([seen.cells.name])} is declared integer but has {fractions} value(s) with decimals",
            (seen.cells.name,),
        )


def _refuse_step(series: "pd.Series[Any]", step: float, column: Number | Fixed) -> None:
    present = series.dropna().to_numpy(dtype=np.float64)
    smallest = 10.0**-column.places if isinstance(column, Fixed) else 1.0 if column.kind == "integer" else 0.0
    if smallest and not np.isclose(step / smallest, np.rint(step / smallest), rtol=1e-12, atol=0):
        what = "a multiple of its last decimal" if isinstance(column, Fixed) else "whole: it holds integers"
        raise InputError("BAD_CONFIG", f"round_to of {quoted([series.name])} must be {what}", (series.name,))
    if len(present) and np.floor(present.max() / step + 1e-9) < np.ceil(present.min() / step - 1e-9):
        raise InputError(
            "BAD_CONFIG",
            f"round_to of {quoted([series.name])} has no multiple within its values: choose a smaller one",
            (series.name,),
        )
