"""Arrow's tables and the frames they are: what Parquet and Arrow files share."""

import base64
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa

from sosie.columns import quoted
from sosie.columns.category import plainly_encoded
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


def schema_text(schema: pa.Schema) -> str:
    """The schema without its metadata, serialised and in base64."""
    return base64.b64encode(schema.remove_metadata().serialize().to_pybytes()).decode()


def schema_of(text: str) -> pa.Schema:
    """The schema that `schema_text` wrote."""
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))


def pandas_text(table: pa.Table) -> str:
    """What pandas noted about the columns' types, as JSON; empty if another tool wrote the file."""
    return json.dumps(_noted(table)) if _noted(table) else ""


def table_of(frame: pd.DataFrame, schema: pa.Schema, pandas: str, rows: int | None = None) -> pa.Table:
    """The frame, whose columns are some or all of the schema's, each with its Arrow type and pandas' note of it.

    `rows` are those of the whole table when the frame is a piece of it. Raises ValueError for a column that the
    schema does not have or that no longer fits its type.
    """
    fields = {field.name: field for field in schema}
    names = [str(label) for label in frame.columns]
    unknown = [name for name in names if name not in fields]
    if unknown:
        raise ValueError(f"columns that the source does not have: {', '.join(unknown)}")
    arrays = [_array(frame.iloc[:, i], fields[name]) for i, name in enumerate(names)]
    kept = pa.schema([fields[name].with_type(one.type) for name, one in zip(names, arrays, strict=True)])
    if pandas:
        noted = json.loads(pandas)
        noted["columns"] = [column for column in noted["columns"] if column["field_name"] in names]
        noted["index_columns"] = [
            {
                "kind": "range",
                "name": None,
                "start": 0,
                "stop": len(frame) if rows is None else rows,
                "step": 1,
            },
        ]
        kept = kept.with_metadata({"pandas": json.dumps(noted)})
    return pa.table(arrays, schema=kept)


def refuse_label(schema: pa.Schema, label: str, kept: Callable[[str], bool]) -> None:
    """InputError `BAD_CONFIG` for a label of rare levels that cannot be written among the UUIDs of a kept column."""
    uuids = tuple(field.name for field in schema if field.type == pa.uuid() and kept(field.name))
    try:
        UUID(label)
    except ValueError:
        if uuids:
            raise InputError(
                "BAD_CONFIG",
                f"rare_values.label is no UUID, as the levels of {', '.join(uuids)} are: choose one as label, drop the "
                "column(s), or make them text",
                uuids,
            ) from None


def refuse_fresh(fresh: pd.DataFrame, schema: pa.Schema) -> None:
    """InputError `BAD_CONFIG` where rows of regenerated columns cannot be written as the types that the source has.

    A column without any value shows nothing of how its identifiers are written.
    """
    fields = {field.name: field for field in schema}
    unfit = [name for name in fresh.columns if not _fits(fresh[name], fields[str(name)])]
    if unfit:
        raise InputError(
            "BAD_CONFIG",
            f"column(s) {quoted(unfit)} cannot be regenerated: they hold no value that shows how identifiers of their "
            "type are written; declare role: drop",
            tuple(unfit),
        )


def _fits(column: pd.Series, field: pa.Field) -> bool:
    try:
        _array(column, field)
    except ValueError:
        return False
    return True


def refuse_shape(schema: pa.Schema, rows: int, name: str) -> None:
    """Raise InputError for duplicate names, nested columns or a table without rows."""
    refuse_duplicates(schema.names, name)
    calendar = tuple(field.name for field in schema if pa.types.is_interval(_held(field.type)))
    if calendar:
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{name} has columns of calendar intervals (months, days and nanoseconds): {', '.join(calendar)}; make "
            "them durations or numbers, or leave them out",
            calendar,
        )
    nested = tuple(field.name for field in schema if pa.types.is_nested(_held(field.type)))
    if nested:
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{name} has nested columns (lists, structures or maps): {', '.join(nested)}; "
            "flatten them into one column a value, or leave them out",
            nested,
        )
    if not rows:
        raise InputError("EMPTY_TABLE", f"{name} has no row; at least one is needed")


def _held(type_: pa.DataType) -> pa.DataType:
    """The type of the cells, or of the levels that they are positions of."""
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _noted(table: pa.Table) -> dict[str, Any]:
    """What pandas noted about the columns' types: empty if another tool wrote the file."""
    noted: dict[str, Any] | None = table.schema.pandas_metadata
    return noted or {}


def without_index(table: pa.Table) -> pa.Table:
    """The table, or some columns of it, without an index and the frame's free attributes, which may tell about rows."""
    noted = _noted(table)
    if not noted:
        return table.replace_schema_metadata(None)
    index = [label for label in noted["index_columns"] if isinstance(label, str)]
    columns = [column for column in noted["columns"] if column["field_name"] not in index]
    noted = {**noted, "index_columns": [], "columns": columns, "attributes": {}}
    held = [label for label in index if label in table.column_names]
    return table.drop_columns(held).replace_schema_metadata({"pandas": json.dumps(noted)})


def noted_as_levels(table: pa.Table) -> bool:
    """Whether pandas noted that the only column is one of levels."""
    name = table.column_names[0]
    notes = [note for note in _noted(table).get("columns", ()) if note["field_name"] == name]
    return bool(notes) and notes[0]["pandas_type"] == "categorical"


def frame_of(table: pa.Table, name: str) -> pd.DataFrame:
    """The table as a frame, its types those that pandas noted, or else pandas' own for Arrow's.

    Integers and booleans with gaps are nullable, never floats. UUIDs are texts.
    """
    for position in [position for position, field in enumerate(table.schema) if field.type == pa.uuid()]:
        table = _with_texts(table, position)
    for position, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(position, field, plainly_encoded(table.column(position)))
    frame: pd.DataFrame = _with_known_notes(table).to_pandas()
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


def _with_known_notes(table: pa.Table) -> pa.Table:
    """The table without pandas' notes of dictionaries that Arrow held, which pandas itself does not read."""
    return _noted_as_objects(table, lambda column: str(column["numpy_type"]).startswith("dictionary<"))


def _noted_as_objects(table: pa.Table, chosen: Callable[[dict[str, Any]], bool]) -> pa.Table:
    """The table where pandas' notes of the chosen columns, if there are any, say that they are objects."""
    noted = _noted(table)
    for column in filter(chosen, noted.get("columns", ())):
        column["numpy_type"] = "object"
    return table.replace_schema_metadata({"pandas": json.dumps(noted)}) if noted else table


def _loses_type(arrow: pa.DataType, dtype: Any, noted: str | None) -> bool:
    """Whether pandas made floats of integers, or objects of booleans that nobody noted as objects."""
    if pa.types.is_boolean(arrow):
        return bool(dtype == np.dtype(object)) and noted != "object"
    return pa.types.is_integer(arrow) and isinstance(dtype, np.dtype) and dtype.kind == "f"


def _with_texts(table: pa.Table, position: int) -> pa.Table:
    """The table with a column of UUIDs as texts."""
    cells = table.column(position).cast(pa.binary(16)).to_pylist()
    texts = pa.array([None if cell is None else str(UUID(bytes=cell)) for cell in cells], pa.string())
    field = table.schema.field(position).with_type(pa.string())
    table = _noted_as_objects(table, lambda column: column["field_name"] == field.name)
    return table.set_column(position, field, texts)


def _uuids(texts: pd.Series) -> pa.Array:
    try:
        cells = [
            None if missing else UUID(text).bytes for text, missing in zip(texts, texts.isna(), strict=True)
        ]
    except ValueError:
        raise InputError(
            "BAD_CONFIG",
            f"column {texts.name!r} holds UUIDs, and some of its avatars are none: drop it, or make it text",
            (texts.name,),
        ) from None
    return pa.array(cells, pa.binary(16)).cast(pa.uuid())


def _roomy(type_: pa.DataType, found: pa.DataType, levels: int) -> pa.DataType:
    """The type of a column of levels, numbered by larger integers where it has more levels than the source had."""
    if not pa.types.is_dictionary(type_) or levels <= np.iinfo(type_.index_type.to_pandas_dtype()).max + 1:
        return type_
    return pa.dictionary(found.index_type, type_.value_type, type_.ordered)


def _array(column: pd.Series, field: pa.Field) -> pa.Array:
    try:
        if field.type == pa.uuid():
            return _uuids(column)
        if isinstance(column.dtype, pd.CategoricalDtype):
            cells = pa.array(column, from_pandas=True)
            return cells.cast(_roomy(field.type, cells.type, len(column.cat.categories)))
        return pa.array(column, type=field.type, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        raise ValueError(f"column {field.name!r} no longer fits its type {field.type}") from None
