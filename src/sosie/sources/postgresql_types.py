"""The types of a PostgreSQL result, and the frames that its rows are, however many are parsed at once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from sosie.errors import InputError
from sosie.sources.arrow_tables import frame_of
from sosie.sources.names import refuse_duplicates

_TYPES = """
SELECT format_type(t.oid, nullif(x.modifier, -1)), t.typname, t.typtype::text, t.typcategory::text,
    ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder)
FROM unnest(%s::oid[], %s::integer[]) WITH ORDINALITY AS x(oid, modifier, place) JOIN pg_type t ON t.oid = x.oid
ORDER BY x.place
"""
_MICROSECONDS = "(extract(epoch from {})*1000000)::bigint"
_ARROW = {
    "int2": pa.int16(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "oid": pa.int64(),
    "float4": pa.float32(),
    "float8": pa.float64(),
    "numeric": pa.string(),
    "bool": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "time": pa.int64(),
    "interval": pa.int64(),
}
_AS_TEXT = ("uuid", "inet", "cidr", "macaddr", "macaddr8")
_DIGITS = 18  # that any int64 has room for, a sign among them


@dataclass(frozen=True)
class ResultType:
    """A result column: its name, its type as SQL says it, the type's name, kind and category, and an enum's labels."""

    name: str
    spoken: str
    typname: str
    kind: str
    category: str
    labels: list[str]

    @property
    def arrow(self) -> pa.DataType | None:
        """What a cell is parsed as, None for a type that has no place in a table of individuals."""
        if self.kind == "e" or self.category == "S" or self.typname in _AS_TEXT:
            return pa.string()
        return _ARROW.get(self.typname) if self.kind == "b" else None

    def expression(self, place: int) -> str:
        """The SQL that gives the cell."""
        if self.typname in ("time", "interval"):
            return _MICROSECONDS.format(f"c{place}")
        return f"c{place}::text" if self.arrow == pa.string() else f"c{place}"

    def fits_integers(self, parsed: pa.ChunkedArray) -> bool:
        """Whether parsed cells are integers that need not be floats: where all of the column are, it is int64."""
        if self.typname != "numeric" or not self.spoken.endswith(",0)"):
            return False
        other = pc.or_(pc.greater(pc.utf8_length(parsed), _DIGITS), pc.equal(parsed, "NaN"))
        return not pc.any(other).as_py()


def types_of(connection: Any, base: bytes) -> tuple[ResultType, ...]:
    """The columns that the SQL gives."""
    with connection.cursor() as cursor:
        cursor.execute(b"SELECT * FROM (" + base + b"\n) AS q LIMIT 0")
        result = cursor.pgresult
        names = [column.name for column in cursor.description]
        kinds = [result.ftype(i) for i in range(result.nfields)]
        cursor.execute(_TYPES, (kinds, [result.fmod(i) for i in range(result.nfields)]))
        return tuple(ResultType(name, *row) for name, row in zip(names, cursor.fetchall(), strict=True))


def refuse_types(types: Sequence[ResultType], name: str) -> None:
    """Raise InputError for no column, two of a name, and types that have no place in a table of individuals."""
    refuse_duplicates([each.name for each in types], name)
    others = [each for each in types if each.arrow is None]
    if others:
        spoken = ", ".join(f"{each.name} ({each.spoken})" for each in others)
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{name} has columns of types that are no single values: {spoken}; cast them or leave them out by ?query=",
            tuple(each.name for each in others),
        )
    if not types:
        raise InputError("EMPTY_TABLE", f"{name} has no column")


def parsed_rows(content: bytes, types: Sequence[ResultType], name: str) -> pa.Table:
    """Rows as the server sent them, a column c0, c1, … for each type, as it is parsed.

    Raises InputError UNSUPPORTED_FORMAT for a cell that the type here does not hold.
    """
    places = [f"c{i}" for i in range(len(types))]
    try:
        return pa_csv.read_csv(
            pa.BufferReader(content),
            pa_csv.ReadOptions(column_names=places),
            pa_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            pa_csv.ConvertOptions(
                column_types={place: each.arrow for place, each in zip(places, types, strict=True)},
                null_values=[""],
                true_values=["t"],
                false_values=["f"],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as error:
        place = re.search(r"CSV column #(\d+)", str(error))
        column = types[int(place[1])].name if place else ""
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{name} has values in column {column!r} that no calendar or number holds, such as infinity or years "
            "before Christ; replace them by ?query=",
            (column,),
        ) from None


def typed_frame(
    parsed: pa.Table, types: Sequence[ResultType], integers: Sequence[bool], name: str
) -> pd.DataFrame:
    """Parsed rows as a frame; `integers` tells for each column what `fits_integers` says of all of it."""
    columns = [
        _final(column, each, is_integer)
        for column, each, is_integer in zip(parsed.columns, types, integers, strict=True)
    ]
    frame = frame_of(pa.Table.from_arrays(columns, names=[each.name for each in types]), name)
    for each in types:
        if each.kind == "e":
            frame[each.name] = frame[each.name].astype(pd.CategoricalDtype(each.labels, ordered=True))
    return frame


def _final(column: pa.ChunkedArray, each: ResultType, is_integer: bool) -> pa.ChunkedArray:
    if each.typname == "date":
        return column.cast(pa.timestamp("s"))
    if each.typname in ("time", "interval"):
        return column.cast(pa.duration("us"))
    if each.typname == "numeric":
        return column.cast(pa.int64() if is_integer else pa.float64())
    return column
