"""PostgreSQL: a table as destination, written in one transaction."""

import io
import time
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv

from sosie.errors import InputError
from sosie.sources.addresses import Address
from sosie.sources.extras import needed
from sosie.sources.postgresql_tables import connect, table_name
from sosie.sources.prepared import Prepared, undecided
from sosie.sources.sql_tables import MARK, SqlColumn, SqlDialect, is_whole_days, lacking, taken

_PATIENCE = 100  # tenths of a second

_BY_DTYPE = {
    "int8": "smallint",
    "uint8": "smallint",
    "int16": "smallint",
    "uint16": "integer",
    "int32": "integer",
    "uint32": "bigint",
    "int64": "bigint",
    "uint64": "numeric(20,0)",
    "float32": "real",
    "float64": "double precision",
    "bool": "boolean",
    "boolean": "boolean",
}


def check_postgresql(address: Address, password: str | None, columns: Sequence[str]) -> None:
    """Raise InputError BAD_CONFIG if the destination cannot take avatars, SCHEMA_MISMATCH if it lacks a column."""
    psycopg = needed("psycopg", "postgresql", "PostgreSQL")
    with _destination(address, password) as connection:
        try:
            _existing(psycopg, connection, address, columns)
        except psycopg.Error as error:
            raise _unwritten(address, error) from None


def prepare_postgresql(
    pieces: Iterable[pd.DataFrame], dialect: object, address: Address, password: str | None
) -> Prepared:
    """The frames, one after the other, as the address's table, in a transaction that waits to be committed.

    A table that sosie wrote, or that is empty, has its rows replaced and keeps its rights and indexes; another one is
    refused. A new table has the source's types if that was PostgreSQL too, else those of the first frame. The receipt
    is the transaction's number. Raises InputError BAD_CONFIG, SCHEMA_MISMATCH.
    """
    psycopg = needed("psycopg", "postgresql", "PostgreSQL")
    known = dialect.named("postgresql") if isinstance(dialect, SqlDialect) else {}
    left = iter(pieces)
    first = next(left)
    columns = [known.get(str(name)) or _described(first[name]) for name in first.columns]
    connection = _destination(address, password)
    try:
        receipt = _fill(psycopg, connection, address, columns, chain([first], left))
    except psycopg.Error as error:
        connection.close()
        raise _unwritten(address, error) from None
    except BaseException:
        connection.close()
        raise
    return Prepared(
        receipt, partial(_commit, psycopg, connection, address, password, receipt), connection.close
    )


def postgresql_holds(address: Address, password: str | None, receipt: str) -> bool:
    """Whether the transaction of this number was committed.

    Raises UndecidedError for a transaction that runs on, and for one too old for the server to remember.
    """
    psycopg = needed("psycopg", "postgresql", "PostgreSQL")
    with _destination(address, password) as connection:
        for _ in range(_PATIENCE):  # a server notices with some delay that a client was killed
            try:
                status = connection.execute("SELECT pg_xact_status(%s::xid8)", (receipt,)).fetchone()[0]
            except psycopg.Error:
                break
            if status in ("committed", "aborted"):
                return bool(status == "committed")
            time.sleep(0.1)
    raise undecided("the destination's database")


def _fill(
    psycopg: Any, connection: Any, address: Address, columns: list[SqlColumn], pieces: Iterable[pd.DataFrame]
) -> str:
    """Put the rows into the table, seen by nobody before the commit, and return the transaction's number."""
    names = [column.name for column in columns]
    table = table_name(psycopg, address.options["table"])
    if _existing(psycopg, connection, address, names):
        # readers go on; another run that delivers here waits, and then replaces these rows
        connection.execute(psycopg.sql.SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(table))
        connection.execute(psycopg.sql.SQL("DELETE FROM {}").format(table))
    else:
        _create(psycopg, connection, table, columns)
    fields = psycopg.sql.SQL(", ").join(map(psycopg.sql.Identifier, names))
    order = psycopg.sql.SQL("COPY {} ({}) FROM STDIN (FORMAT csv)").format(table, fields)
    with connection.cursor() as cursor, cursor.copy(order) as copy:
        for piece in pieces:
            copy.write(_csv(piece))
    # what would else fail at the commit fails now
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    return str(connection.execute("SELECT pg_current_xact_id()").fetchone()[0])


def _commit(psycopg: Any, connection: Any, address: Address, password: str | None, receipt: str) -> None:
    try:
        connection.commit()
    except psycopg.Error as error:
        # the connection may have broken off after the server had committed
        try:
            committed = postgresql_holds(address, password, receipt)
        except InputError:
            raise undecided("the destination's database") from None
        if not committed:
            raise _unwritten(address, error) from None
    finally:
        connection.close()


def _destination(address: Address, password: str | None) -> Any:
    try:
        return connect(address, password)
    except InputError as error:
        raise type(error)("BAD_CONFIG", f"the destination cannot be opened: {error.message}") from None


def _existing(psycopg: Any, connection: Any, address: Address, columns: Sequence[str]) -> bool:
    """Whether the table is there; raises if it is someone else's, or lacks a column."""
    table = table_name(psycopg, address.options["table"])
    found = connection.execute(
        "SELECT oid, obj_description(oid, 'pg_class') FROM pg_class WHERE oid = to_regclass(%s)",
        (table.as_string(connection),),
    ).fetchone()
    if found is None:
        return False
    has_rows = connection.execute(psycopg.sql.SQL("SELECT EXISTS (SELECT FROM {})").format(table)).fetchone()[
        0
    ]
    if has_rows and found[1] != MARK:
        raise taken("the destination", address.options["table"])
    there = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped",
        (found[0],),
    ).fetchall()
    absent = [name for name in columns if (name,) not in there]
    if absent:
        raise lacking(address.options["table"], absent)
    return True


def _create(psycopg: Any, connection: Any, table: Any, columns: list[SqlColumn]) -> None:
    types = [
        # an enum of the source need not exist in another database
        column.type if connection.execute("SELECT to_regtype(%s)", (column.type,)).fetchone()[0] else "text"
        for column in columns
    ]
    parts = [
        psycopg.sql.SQL("{} {}").format(psycopg.sql.Identifier(column.name), psycopg.sql.SQL(kind))
        for column, kind in zip(columns, types, strict=True)
    ]
    connection.execute(
        psycopg.sql.SQL("CREATE TABLE {} ({})").format(table, psycopg.sql.SQL(", ").join(parts))
    )
    connection.execute(psycopg.sql.SQL("COMMENT ON TABLE {} IS {}").format(table, psycopg.sql.Literal(MARK)))


def _described(series: "pd.Series[Any]") -> SqlColumn:
    name, dtype = str(series.name), series.dtype
    if isinstance(dtype, pd.DatetimeTZDtype):
        return SqlColumn(name, "timestamp with time zone")
    kind = getattr(dtype, "kind", "O")
    if kind == "M":
        return SqlColumn(name, "date" if is_whole_days(series) else "timestamp without time zone")
    if kind == "m":
        return SqlColumn(name, "interval")
    return SqlColumn(name, _BY_DTYPE.get(str(dtype).lower(), "text"))


def _csv(frame: pd.DataFrame) -> bytes:
    """The rows as PostgreSQL reads CSV: a missing cell is empty, texts are quoted."""
    columns = [_array(frame.iloc[:, i]) for i in range(frame.shape[1])]
    table = pa.Table.from_arrays(columns, names=[f"c{i}" for i in range(len(columns))])
    content = io.BytesIO()
    pa_csv.write_csv(table, content, pa_csv.WriteOptions(include_header=False, quoting_style="needed"))
    return content.getvalue()


def _array(series: "pd.Series[Any]") -> pa.Array:
    if getattr(series.dtype, "kind", "O") == "m":
        spans = series.to_numpy().astype("timedelta64[us]")
        cells = zip(spans.astype(np.int64).tolist(), np.isnat(spans), strict=True)
        return pa.array([None if gap else _clock(span) for span, gap in cells], pa.string())
    array = pa.array(series, from_pandas=True)
    return array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array


def _clock(microseconds: int) -> str:
    """Hours, minutes and seconds, which times of day and intervals are both read from."""
    seconds, rest = divmod(abs(microseconds), 10**6)
    sign = "-" if microseconds < 0 else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:06}"


def _unwritten(address: Address, error: Exception) -> InputError:
    return InputError(
        "BAD_CONFIG",
        f"the destination's table {address.options['table']} cannot be written ({type(error).__name__}); nothing of it "
        "was changed",
    )
