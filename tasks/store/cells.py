"""What a cell may be: Python's, numpy's and pandas' single values."""

import base64
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

from sosie.tasks.store.kinds import Kind


def _datetime(text: str, fold: int, zone: Any) -> datetime:
    return datetime.fromisoformat(text).replace(fold=fold, tzinfo=zone)


def _time(text: str, fold: int, zone: Any) -> time:
    return time.fromisoformat(text).replace(fold=fold, tzinfo=zone)


def _timestamp(count: int, unit: Any, zone: Any) -> pd.Timestamp:
    instant = pd.Timestamp(np.datetime64(count, unit))
    return instant if zone is None else instant.tz_localize("UTC").tz_convert(zone)


def _timedelta(count: int, unit: Any) -> pd.Timedelta:
    return pd.Timedelta(np.timedelta64(count, unit))


def _period(ordinal: int, frequency: Any) -> Any:
    return pd.Period(ordinal=ordinal, freq=frequency)


def _interval(left: Any, right: Any, closed: Any) -> Any:
    return pd.Interval(left, right, closed)


def _numpy(dtype: Any, bits: bytes) -> Any:
    return np.frombuffer(bits, dtype)[0] if dtype.itemsize else dtype.type()


CELLS: dict[type, tuple[str, Kind]] = {
    bytes: ("bytes", Kind(lambda x: (base64.b64encode(x).decode(),), base64.b64decode)),
    complex: ("complex", Kind(lambda x: (x.real, x.imag), complex)),
    Decimal: ("decimal", Kind(lambda x: (str(x),), Decimal)),
    Fraction: ("fraction", Kind(lambda x: (x.numerator, x.denominator), Fraction)),
    UUID: ("uuid", Kind(lambda x: (x.hex,), UUID)),
    date: ("date", Kind(lambda x: (x.isoformat(),), date.fromisoformat)),
    datetime: (
        "datetime",
        Kind(lambda x: (x.replace(tzinfo=None, fold=0).isoformat(), x.fold, x.tzinfo), _datetime),
    ),
    time: ("time", Kind(lambda x: (x.replace(tzinfo=None, fold=0).isoformat(), x.fold, x.tzinfo), _time)),
    timedelta: ("timedelta", Kind(lambda x: (x.days, x.seconds, x.microseconds), timedelta)),
    pd.Timestamp: (
        "Timestamp",
        Kind(lambda x: (int(x.to_datetime64().astype(np.int64)), x.unit, x.tzinfo), _timestamp),
    ),
    pd.Timedelta: (
        "Timedelta",
        Kind(lambda x: (int(x.to_timedelta64().astype(np.int64)), x.unit), _timedelta),
    ),
    pd.Period: ("Period", Kind(lambda x: (x.ordinal, x.freqstr), _period)),
    pd.Interval: ("Interval", Kind(lambda x: (x.left, x.right, x.closed), _interval)),
    type(pd.NA): ("NA", Kind(lambda _: (), lambda: pd.NA)),
    type(pd.NaT): ("NaT", Kind(lambda _: (), lambda: pd.NaT)),
}

NUMPY_CELL = Kind(lambda x: (x.dtype, x.tobytes()), _numpy)

_FLOATS = {"nan": np.nan, "inf": math.inf, "-inf": -math.inf}  # pandas' own nan, which sets find by identity

NOT_FINITE = Kind(lambda x: (repr(x),), _FLOATS.__getitem__)
LONG = Kind(lambda x: (hex(x),), lambda digits: int(digits, 16))
SURROGATES = Kind(
    lambda x: (x.encode("utf-8", "surrogatepass").hex(),),
    lambda digits: bytes.fromhex(digits).decode("utf-8", "surrogatepass"),
)
