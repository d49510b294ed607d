"""PostgreSQL: a table or a query as source, read in one read-only transaction."""

import hashlib
import io
import re
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from sosie.errors import AwayError, InputError
from sosie.sources.addresses import Address
from sosie.sources.arrow_tables import frame_of
from sosie.sources.extras import needed
from sosie.sources.names import refuse_duplicates
from sosie.sources.sql_tables import SqlColumn, SqlDialect

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
_AWAY = "the database's server cannot be reached; check host and port, and that it runs"
_REFUSALS = {
    "UndefinedTable": "has no such table; check ?table=",
    "InvalidSchemaName": "has no such schema; check ?table=",
    "InsufficientPrivilege": "may not be read by this user; ask for the right to read it",
}


@dataclass(frozen=True)
class _Type:
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


def connect(address: Address, password: str | None) -> Any:
    """A connection, in which times are UTC and texts UTF-8.

    The password comes from outside the address, or else from PGPASSWORD or ~/.pgpass, which libpq reads. Raises
    InputError UNREADABLE_SOURCE, which names neither the host nor the user.
    """
    psycopg = needed("psycopg", "postgresql", "PostgreSQL")
    given = {"password": password} if password is not None else {}
    try:
        timeout = psycopg.conninfo.conninfo_to_dict(address.location).get("connect_timeout", 10)
        return psycopg.connect(
            address.location,
            connect_timeout=timeout,
            client_encoding="utf8",
            options="-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres",
            **given,
        )
    except psycopg.ProgrammingError:
        reason = (
            "the URL of the database cannot be understood; write postgresql://user@host:port/database?table=…"
        )
    except (psycopg.Error, UnicodeError) as error:
        reason = _unconnected(str(error))
        if reason == _AWAY:
            raise AwayError("UNREADABLE_SOURCE", reason) from None
    raise InputError("UNREADABLE_SOURCE", reason)


def read_postgresql(address: Address, password: str | None) -> tuple[pd.DataFrame, SqlDialect, str]:
    """The table or the query's rows, their types, and the sha256 of what the server sent.

    Integers keep their width, enums are ordered categories, numeric is float64 (int64 with scale 0), dates are
    datetime64[s], timestamps datetime64[us], times of day and intervals timedelta64[us]. Raises InputError
    UNREADABLE_SOURCE, EMPTY_TABLE, UNSUPPORTED_FORMAT for other types, DUPLICATE_COLUMNS.
    """
    psycopg = needed("psycopg", "postgresql", "PostgreSQL")
    if not address.options:
        raise InputError("BAD_CONFIG", "a PostgreSQL source needs ?table=schema.table or ?query=SELECT …")
    with connect(address, password) as connection:
        connection.read_only = True
        try:
            base = _base(psycopg, address, connection)
            types = _types(connection, base)
            _refuse_types(types, address.name)
            content = _copied(connection, base, types)
        except psycopg.Error as error:
            kind = type(error).__name__
            what = "the table" if "table" in address.options else "the query"
            said = _REFUSALS.get(kind, f"cannot be read ({kind}); try {what} in psql")
            refusal = AwayError if isinstance(error, psycopg.OperationalError) else InputError
            raise refusal("UNREADABLE_SOURCE", f"{address.name} {said}") from None
    if not content:
        raise InputError("EMPTY_TABLE", f"{address.name} has no row; at least one is needed")
    frame = frame_of(_parsed(content, types, address.name), address.name)
    for each in types:
        if each.kind == "e":
            frame[each.name] = frame[each.name].astype(pd.CategoricalDtype(each.labels, ordered=True))
    dialect = SqlDialect("postgresql", tuple(SqlColumn(each.name, each.spoken) for each in types))
    return frame, dialect, hashlib.sha256(content).hexdigest()


def table_name(psycopg: Any, table: str) -> Any:
    """The quoted name of a table, with its schema if it has one before a dot."""
    schema, dot, name = table.partition(".")
    return psycopg.sql.Identifier(schema, name) if dot else psycopg.sql.Identifier(table)


def _base(psycopg: Any, address: Address, connection: Any) -> bytes:
    if "query" in address.options:
        return address.options["query"].strip().rstrip(";").encode()
    text: bytes = (
        psycopg.sql.SQL("SELECT * FROM {}")
        .format(table_name(psycopg, address.options["table"]))
        .as_bytes(connection)
    )
    return text


def _types(connection: Any, base: bytes) -> list[_Type]:
    with connection.cursor() as cursor:
        cursor.execute(b"SELECT * FROM (" + base + b"\n) AS q LIMIT 0")
        result = cursor.pgresult
        names = [column.name for column in cursor.description]
        kinds = [result.ftype(i) for i in range(result.nfields)]
        cursor.execute(_TYPES, (kinds, [result.fmod(i) for i in range(result.nfields)]))
        return [_Type(name, *row) for name, row in zip(names, cursor.fetchall(), strict=True)]


def _refuse_types(types: list[_Type], name: str) -> None:
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


def _copied(connection: Any, base: bytes, types: list[_Type]) -> bytes:
    """The rows as the server writes CSV: a missing cell is empty, an empty text is quoted."""
    aliases = ", ".join(f"c{i}" for i in range(len(types))).encode()
    cells = ", ".join(each.expression(i) for i, each in enumerate(types)).encode()
    rows = b"SELECT " + cells + b" FROM (" + base + b"\n) AS q(" + aliases + b")"
    content = io.BytesIO()
    with connection.cursor() as cursor, cursor.copy(b"COPY (" + rows + b") TO STDOUT (FORMAT csv)") as copy:
        for block in copy:
            content.write(block)
    return content.getvalue()


def _parsed(content: bytes, types: list[_Type], name: str) -> pa.Table:
    places = [f"c{i}" for i in range(len(types))]
    try:
        table = pa_csv.read_csv(
            io.BytesIO(content),
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
    columns = [_final(table.column(i), each) for i, each in enumerate(types)]
    return pa.Table.from_arrays(columns, names=[each.name for each in types])


def _final(column: pa.ChunkedArray, each: _Type) -> pa.ChunkedArray:
    if each.typname == "date":
        return column.cast(pa.timestamp("s"))
    if each.typname in ("time", "interval"):
        return column.cast(pa.duration("us"))
    if each.typname != "numeric":
        return column
    if each.spoken.endswith(",0)") and not pc.any(pc.greater(pc.utf8_length(column), 18)).as_py():
        return column.cast(pa.int64())
    return column.cast(pa.float64())


def _unconnected(text: str) -> str:
    """What kept libpq from connecting, in a sentence of our own: its text names host, user and database."""
    if "authentication" in text or "no password supplied" in text or "role" in text:
        return (
            "the database refuses the user or the password; give the password by PGPASSWORD, by ~/.pgpass or by "
            "secrets: in the configuration"
        )
    if "database" in text and "does not exist" in text:
        return "the server has no database of that name; check the URL"
    return _AWAY
