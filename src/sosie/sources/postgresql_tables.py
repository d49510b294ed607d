"""PostgreSQL: a table or a query as source, read in one read-only transaction."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from sosie.errors import AwayError, InputError
from sosie.sources.addresses import Address
from sosie.sources.extras import needed
from sosie.sources.postgresql_types import ResultType, parsed_rows, refuse_types, typed_frame, types_of
from sosie.sources.sql_tables import SqlColumn, SqlDialect

_AWAY = "the database's server cannot be reached; check host and port, and that it runs"
_REFUSALS = {
    "UndefinedTable": "has no such table; check ?table=",
    "InvalidSchemaName": "has no such schema; check ?table=",
    "InsufficientPrivilege": "may not be read by this user; ask for the right to read it",
}


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
    written = io.BytesIO()
    with copying(address, password) as (types, sent):
        written.writelines(sent)
    content = written.getvalue()
    if not content:
        raise without_rows(address)
    parsed = parsed_rows(content, types, address.name)
    integers = [each.fits_integers(column) for each, column in zip(types, parsed.columns, strict=True)]
    frame = typed_frame(parsed, types, integers, address.name)
    return frame, dialect_of(types), hashlib.sha256(content).hexdigest()


def count_postgresql(address: Address, password: str | None) -> int:
    """How many rows the table or the query has, as the server counts them. Raises InputError UNREADABLE_SOURCE."""
    with _reading(address, password) as (connection, base):
        return int(connection.execute(b"SELECT count(*) FROM (" + base + b"\n) AS q").fetchone()[0])


@contextmanager
def copying(
    address: Address, password: str | None
) -> Iterator[tuple[tuple[ResultType, ...], Iterator[bytes]]]:
    """The columns, and the rows as the server writes CSV, whole ones at a time, in one read-only transaction.

    A missing cell is empty, an empty text is quoted. Raises InputError as `read_postgresql` does.
    """
    with _reading(address, password) as (connection, base):
        types = types_of(connection, base)
        refuse_types(types, address.name)
        # else the server begins a large table anywhere, and a seed would not give the same avatars again
        connection.execute("SET LOCAL synchronize_seqscans = off")
        aliases = ", ".join(f"c{i}" for i in range(len(types))).encode()
        cells = ", ".join(each.expression(i) for i, each in enumerate(types)).encode()
        rows = b"SELECT " + cells + b" FROM (" + base + b"\n) AS q(" + aliases + b")"
        order = b"COPY (" + rows + b") TO STDOUT (FORMAT csv)"
        with connection.cursor() as cursor, cursor.copy(order) as copy:
            yield types, iter(copy)


@contextmanager
def _reading(address: Address, password: str | None) -> Iterator[tuple[Any, bytes]]:
    """A read-only transaction, and the SQL of the source in it; what the server refuses becomes InputError."""
    psycopg = needed("psycopg", "postgresql", "PostgreSQL")
    if not address.options:
        raise InputError("BAD_CONFIG", "a PostgreSQL source needs ?table=schema.table or ?query=SELECT …")
    with connect(address, password) as connection:
        connection.read_only = True
        try:
            yield connection, _base(psycopg, address, connection)
        except psycopg.Error as error:
            kind = type(error).__name__
            what = "the table" if "table" in address.options else "the query"
            said = _REFUSALS.get(kind, f"cannot be read ({kind}); try {what} in psql")
            refusal = AwayError if isinstance(error, psycopg.OperationalError) else InputError
            raise refusal("UNREADABLE_SOURCE", f"{address.name} {said}") from None


def without_rows(address: Address) -> InputError:
    """The error of a table or a query that gives no row."""
    return InputError("EMPTY_TABLE", f"{address.name} has no row; at least one is needed")


def dialect_of(types: Sequence[ResultType]) -> SqlDialect:
    """What a table of these columns is written as."""
    return SqlDialect("postgresql", tuple(SqlColumn(each.name, each.spoken) for each in types))


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
