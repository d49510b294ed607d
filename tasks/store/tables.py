"""Dtypes, indexes, series and frames of numpy, pandas and Arrow."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sosie.tasks.store.kinds import DamagedError, Kind

_PLAIN = "biufcmMSUVO"
_MASKED = (
    *(pd.Int8Dtype, pd.Int16Dtype, pd.Int32Dtype, pd.Int64Dtype),
    *(pd.UInt8Dtype, pd.UInt16Dtype, pd.UInt32Dtype, pd.UInt64Dtype),
    *(pd.Float32Dtype, pd.Float64Dtype, pd.BooleanDtype),
)
_INDEXES: tuple[type, ...] = (
    *(pd.Index, pd.DatetimeIndex, pd.TimedeltaIndex),
    *(pd.PeriodIndex, pd.IntervalIndex, pd.CategoricalIndex),
)
_ARROW_KNOWS: tuple[type, ...] = (
    *(pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray),
    *(pd.arrays.StringArray, pd.arrays.ArrowStringArray, pd.arrays.ArrowExtensionArray),
)


def _numpy_dtype(described: Any) -> Any:
    return np.lib.format.descr_to_dtype(described)


def _numpy_described(dtype: Any) -> tuple[object, ...]:
    if dtype.kind not in _PLAIN:
        raise TypeError(f"the store keeps no dtype {type(dtype).__name__}")
    return (np.lib.format.dtype_to_descr(dtype),)


def _arrow_type(bits: bytes) -> Any:
    return pa.ipc.read_schema(pa.py_buffer(bits)).field(0).type


def _string_dtype(storage: Any, missing: Any) -> Any:
    return pd.StringDtype(storage, na_value=missing)


DTYPES: dict[type, tuple[str, Kind]] = {
    **{
        dtype: (dtype.__name__, Kind(lambda _: (), dtype))  # they have no parameters
        for dtype in _MASKED
    },
    pd.StringDtype: ("StringDtype", Kind(lambda x: (x.storage, x.na_value), _string_dtype)),
    pd.CategoricalDtype: ("CategoricalDtype", Kind(lambda x: (x.categories, x.ordered), pd.CategoricalDtype)),
    pd.DatetimeTZDtype: ("DatetimeTZDtype", Kind(lambda x: (x.unit, x.tz), pd.DatetimeTZDtype)),
    pd.PeriodDtype: ("PeriodDtype", Kind(lambda x: (x.name,), pd.PeriodDtype.construct_from_string)),
    pd.IntervalDtype: ("IntervalDtype", Kind(lambda x: (x.subtype, x.closed), pd.IntervalDtype)),
    pd.SparseDtype: ("SparseDtype", Kind(lambda x: (x.subtype, x.fill_value), pd.SparseDtype)),
    pd.ArrowDtype: ("ArrowDtype", Kind(lambda x: (x.pyarrow_dtype,), pd.ArrowDtype)),
}

NUMPY_DTYPE = Kind(_numpy_described, _numpy_dtype)
ARROW_TYPE = Kind(lambda x: (pa.schema([("", x)]).serialize().to_pybytes(),), _arrow_type)


def _held(holder: Any) -> Any:
    """The cells of a series or an index: numpy's array where there is one, else pandas' own."""
    return holder.to_numpy() if isinstance(holder.dtype, np.dtype) else holder.array


def _index(cells: Any, name: Any) -> Any:
    return pd.Index(cells, name=name, dtype=_forced(cells))


def _range(start: int, stop: int, step: int, name: Any) -> pd.RangeIndex:
    return pd.RangeIndex(start, stop, step, name=name)


def _series(cells: Any, name: Any, index: Any) -> Any:
    return pd.Series(cells, name=name, index=index, dtype=_forced(cells))


def _frame_apart(frame: pd.DataFrame) -> tuple[object, ...]:
    return frame.columns, frame.index, *(_held(frame.iloc[:, j]) for j in range(frame.shape[1]))


def _frame(columns: Any, index: Any, *cells: Any) -> pd.DataFrame:
    series = {j: pd.Series(held, index=index, dtype=_forced(held)) for j, held in enumerate(cells)}
    frame = pd.DataFrame(series, index=index)
    frame.columns = columns
    return frame


def _forced(cells: Any) -> Any:
    return np.dtype(object) if cells.dtype == np.dtype(object) else None  # else pandas would look for a type


def _zoned(cells: Any, dtype: Any) -> Any:
    return pd.DatetimeIndex(cells, tz="UTC").tz_convert(dtype.tz).array


def _periods(ordinals: Any, dtype: Any) -> Any:
    index: Any = pd.PeriodIndex  # the stubs do not know this constructor
    return index.from_ordinals(ordinals, freq=dtype.freq).array


def _categorical(codes: Any, dtype: Any) -> Any:
    return pd.Categorical.from_codes(codes, dtype=dtype)


def _from_arrow(cells: Any, dtype: Any) -> Any:
    return dtype.__from_arrow__(cells)


def _arrow_apart(cells: Any) -> tuple[object, ...]:
    table = pa.table({"": cells})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return (np.frombuffer(sink.getvalue(), np.uint8),)


def _arrow(bits: Any) -> Any:
    with pa.ipc.open_stream(pa.py_buffer(bits)) as stream:
        cells = stream.read_all().column(0)
    if cells.num_chunks > 1:
        raise DamagedError("an Arrow array in several parts")
    return cells.chunk(0) if cells.num_chunks else pa.array([], type=cells.type)


def _through_arrow(cells: Any) -> tuple[object, ...]:
    held = pa.array(cells)
    return held.combine_chunks() if isinstance(held, pa.ChunkedArray) else held, cells.dtype


_INDEX = Kind(lambda x: (_held(x), x.name), _index)
_THROUGH_ARROW = Kind(_through_arrow, _from_arrow)

TABLES: dict[type, tuple[str, Kind]] = {
    pd.RangeIndex: ("RangeIndex", Kind(lambda x: (x.start, x.stop, x.step, x.name), _range)),
    **dict.fromkeys(_INDEXES, ("Index", _INDEX)),
    pd.Series: ("Series", Kind(lambda x: (_held(x), x.name, x.index), _series)),
    pd.DataFrame: ("DataFrame", Kind(_frame_apart, _frame)),
    pd.arrays.DatetimeArray: (
        "DatetimeArray",
        Kind(lambda x: (x.tz_convert("UTC").tz_localize(None).to_numpy(), x.dtype), _zoned),
    ),
    pd.arrays.PeriodArray: ("PeriodArray", Kind(lambda x: (x.asi8, x.dtype), _periods)),
    pd.arrays.IntervalArray: (
        "IntervalArray",
        Kind(lambda x: (x.left, x.right, x.closed), pd.arrays.IntervalArray.from_arrays),
    ),
    pd.Categorical: ("Categorical", Kind(lambda x: (x.codes, x.dtype), _categorical)),
    **dict.fromkeys(_ARROW_KNOWS, ("ExtensionArray", _THROUGH_ARROW)),
}
ARROW_ARRAY = Kind(_arrow_apart, _arrow)
