"""Reading and writing Parquet: pandas' own types come back, Arrow's schema is kept."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sosie.errors import InputError
from sosie.sources.names import refuse_duplicates

_NULLABLE: dict[Any, Any] = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint8(): pd.UInt8Dtype(),
    pa.uint16(): pd.UInt16Dtype(),
    pa.uint32(): pd.UInt32Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}

# names that pyarrow reports otherwise than it takes them
_CODECS = {"uncompressed": "none", "lz4_raw": "lz4"}


@dataclass(frozen=True)
class ParquetDialect:
    """How one Parquet file was written.

    `schema` is Arrow's schema of the columns, serialised and in base64; `pandas` what pandas noted about
    their types, as JSON, empty if another tool wrote the file; `compression` is the codec's name or none.
    """

    schema: str
    pandas: str
    compression: str

    @property
    def arrow_schema(self) -> pa.Schema:
        """Arrow's schema of the columns."""
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(self.schema)))


def read_parquet(raw: bytes, name: str) -> tuple[pd.DataFrame, ParquetDialect]:
    """The table in the bytes of the Parquet file `name`, and how it was written.

    The types are those that pandas noted, or else pandas' own for Arrow's, nullable where integers or
    booleans are missing (never floats). Text that older versions kept as objects is str. An index that pandas
    stored is left out. Raises InputError UNREADABLE_SOURCE for a damaged file, DUPLICATE_COLUMNS,
    UNSUPPORTED_FORMAT for nested columns, EMPTY_TABLE without rows.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(raw))
        _refuse(file.schema_arrow, file.metadata.num_rows, name)
        table = _without_index(file.read())
        groups = file.metadata.num_row_groups
        codec = file.metadata.row_group(0).column(0).compression.lower() if groups else "uncompressed"
    except (pa.ArrowException, OSError):
        raise InputError(
            "UNREADABLE_SOURCE", f"{name} is not a Parquet file or is damaged; write it again"
        ) from None
    if not table.num_columns:
        raise InputError("EMPTY_TABLE", f"{name} has no column besides its index; at least one is needed")
    dialect = ParquetDialect(
        schema=base64.b64encode(table.schema.remove_metadata().serialize().to_pybytes()).decode(),
        pandas=json.dumps(_noted(table)) if _noted(table) else "",
        compression=_CODECS.get(codec, codec),
    )
    return _frame(table, name), dialect


def write_parquet(frame: pd.DataFrame, dialect: ParquetDialect, path: Path) -> None:
    """Write `frame`, whose columns are some or all of the source's with its types, to `path`.

    Each column has its Arrow type of the source. Raises ValueError for a column that the source does not have
    or that no longer fits its type.
    """
    fields = {field.name: field for field in dialect.arrow_schema}
    names = [str(label) for label in frame.columns]
    unknown = [name for name in names if name not in fields]
    if unknown:
        raise ValueError(f"columns that the source does not have: {', '.join(unknown)}")
    arrays = [_array(frame.iloc[:, i], fields[name]) for i, name in enumerate(names)]
    schema = pa.schema([fields[name] for name in names])
    if dialect.pandas:
        noted = json.loads(dialect.pandas)
        noted["columns"] = [column for column in noted["columns"] if column["field_name"] in names]
        noted["index_columns"] = [
            {"kind": "range", "name": None, "start": 0, "stop": len(frame), "step": 1},
        ]
        schema = schema.with_metadata({"pandas": json.dumps(noted)})
    pq.write_table(pa.table(arrays, schema=schema), path, compression=dialect.compression)


def _refuse(schema: pa.Schema, rows: int, name: str) -> None:
    refuse_duplicates(schema.names, name)
    nested = tuple(field.name for field in schema if pa.types.is_nested(field.type))
    if nested:
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{name} has nested columns (lists, structures or maps): {', '.join(nested)}; "
            "flatten them into one column a value, or leave them out",
            nested,
        )
    if not rows:
        raise InputError("EMPTY_TABLE", f"{name} has no row; at least one is needed")


def _noted(table: pa.Table) -> dict[str, Any]:
    """What pandas noted about the columns' types: empty if another tool wrote the file."""
    noted: dict[str, Any] | None = table.schema.pandas_metadata
    return noted or {}


def _without_index(table: pa.Table) -> pa.Table:
    """The table without index columns, nor the free attributes of the frame, which may tell about rows."""
    noted = _noted(table)
    if not noted:
        return table.replace_schema_metadata(None)
    index = [label for label in noted["index_columns"] if isinstance(label, str)]
    columns = [column for column in noted["columns"] if column["field_name"] not in index]
    noted = {**noted, "index_columns": [], "columns": columns, "attributes": {}}
    return table.drop_columns(index).replace_schema_metadata({"pandas": json.dumps(noted)})


def _frame(table: pa.Table, name: str) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas()
    if frame.columns.nlevels > 1:
        raise InputError(
            "UNSUPPORTED_FORMAT", f"{name} has column names of several levels; join the levels into one name"
        )
    noted = {column["field_name"]: column for column in _noted(table).get("columns", ())}
    for position, field in enumerate(table.schema):
        values = table.column(position)
        note = noted.get(field.name, {"pandas_type": None, "numpy_type": None})
        dtype = frame.dtypes.iloc[position]
        if note["pandas_type"] == "categorical" and not isinstance(dtype, pd.CategoricalDtype):
            # Parquet keeps the dictionary of texts only: levels of another type come back as plain values
            ordered = bool((note.get("metadata") or {}).get("ordered"))
            levels = pd.CategoricalDtype(values.unique().drop_null().to_pandas().sort_values(), ordered)
            frame.isetitem(position, frame.iloc[:, position].astype(levels).array)
        elif values.null_count and _loses_type(field.type, dtype, note["numpy_type"]):
            frame.isetitem(position, values.to_pandas(types_mapper=_NULLABLE.get))
    return frame.reset_index(drop=True)


def _loses_type(arrow: pa.DataType, dtype: Any, noted: str | None) -> bool:
    """Whether pandas made floats of integers, or objects of booleans that nobody noted as objects."""
    if pa.types.is_boolean(arrow):
        return bool(dtype == np.dtype(object)) and noted != "object"
    return pa.types.is_integer(arrow) and isinstance(dtype, np.dtype) and dtype.kind == "f"


def _array(column: pd.Series, field: pa.Field) -> pa.Array:
    try:
        if isinstance(column.dtype, pd.CategoricalDtype):
            return pa.array(column, from_pandas=True).cast(field.type)
        return pa.array(column, type=field.type, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        raise ValueError(f"column {field.name!r} no longer fits its type {field.type}") from None
