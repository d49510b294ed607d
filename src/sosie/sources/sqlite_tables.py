"""SQLite: a table or a query as source, a table as destination, written in one transaction."""

import datetime
import hashlib
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd

from sosie.errors import InputError
from sosie.sources.addresses import Address
from sosie.sources.names import refuse_duplicates
from sosie.sources.prepared import Prepared
from sosie.sources.sql_tables import MARK, SqlColumn, SqlDialect, instants, lacking, taken

_SPELLINGS = {
    "%Y-%m-%d": re.compile(r"\d{4}-\d\d-\d\d$"),
    "%Y-%m-%d %H:%M:%S": re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$"),
    "%Y-%m-%dT%H:%M:%S": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$"),
    "%Y-%m-%d %H:%M:%S.%f": re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$"),
    "%Y-%m-%dT%H:%M:%S.%f": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$"),
}
_BY_KIND = {"b": "BOOLEAN", "i": "INTEGER", "u": "INTEGER", "f": "REAL", "M": "TIMESTAMP"}


def read_sqlite(address: Address) -> tuple[pd.DataFrame, SqlDialect, str]:
    """The table or the query's rows, their types, and the sha256 of the database's file.

    Types are those of the cells; where a column is declared so, 0 and 1 are booleans and ISO texts are datetime64.
    Without `table` or `query` the database must have one table. Raises InputError UNREADABLE_SOURCE, EMPTY_TABLE,
    UNSUPPORTED_FORMAT for columns of bytes, DUPLICATE_COLUMNS.
    """
    path, name = Path(address.location), address.name
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
            table = address.options.get("table") or (
                None if "query" in address.options else _only_table(connection, name)
            )
            declared = _declared(connection, table, name) if table else {}
            cursor = connection.execute(
                address.options.get("query") or f"SELECT * FROM {_quoted(table or '')}"  # noqa: S608 quoted
            )
            names = [column[0] for column in cursor.description or ()]
            rows = cursor.fetchall()
    except InputError:
        raise
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:  # ValueError: a NUL in the query
        what = "the query" if "query" in address.options else "the table"
        raise InputError(
            "UNREADABLE_SOURCE",
            f"{name} is no SQLite database, is damaged, or {what} cannot be read from it ({type(error).__name__}); "
            "try it in the sqlite3 shell",
        ) from None
    refuse_duplicates(names, name)
    if not rows:
        raise InputError("EMPTY_TABLE", f"{name} gives no row; at least one is needed")
    read = [
        _column([row[i] for row in rows], SqlColumn(label, declared.get(label, "")))
        for i, label in enumerate(names)
    ]
    binary = tuple(label for label, (cells, _) in zip(names, read, strict=True) if cells is None)
    if binary:
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{name} has columns of bytes: {', '.join(binary)}; leave them out by ?query=",
            binary,
        )
    frame = pd.DataFrame({label: cells for label, (cells, _) in zip(names, read, strict=True)})
    return frame, SqlDialect("sqlite", tuple(column for _, column in read)), digest


def check_sqlite(address: Address, columns: Sequence[str]) -> None:
    """Raise InputError BAD_CONFIG if the destination cannot take avatars, SCHEMA_MISMATCH if it lacks a column."""
    if not Path(address.location).exists():
        if not Path(address.location).absolute().parent.is_dir():
            raise InputError("BAD_CONFIG", f"the folder of the destination {address.name} does not exist")
        return
    with closing(_destination(address)) as connection:
        _existing(connection, address, columns)


def prepare_sqlite(frame: pd.DataFrame, dialect: object, address: Address) -> Prepared:
    """The frame as the address's table, in a transaction that waits to be committed.

    A table that sosie wrote, or that is empty, has its rows replaced; another one is refused. Types are the source's if
    that was SQLite too. The receipt is the sha256 of the rows. Raises InputError BAD_CONFIG, SCHEMA_MISMATCH.
    """
    known = dialect.named("sqlite") if isinstance(dialect, SqlDialect) else {}
    columns = [known.get(str(name)) or _described(frame[name]) for name in frame.columns]
    is_new = not Path(address.location).exists()
    connection = _destination(address)
    abandon = partial(_abandon, connection, address, is_new)
    try:
        _fill(connection, address, columns, frame)
        receipt = _digest(connection, address)
    except (sqlite3.Error, OverflowError) as error:  # integers beyond 64 bits overflow
        abandon()
        raise _unwritten(address, error) from None
    except BaseException:
        abandon()
        raise
    return Prepared(receipt, partial(_commit, connection, address, is_new), abandon)


def sqlite_holds(address: Address, receipt: str) -> bool:
    """Whether the table holds the rows of this sha256."""
    if not Path(address.location).exists():
        return False
    with closing(_destination(address)) as connection:
        try:
            return _digest(connection, address) == receipt
        except sqlite3.OperationalError:  # there is no such table
            return False


def _fill(
    connection: sqlite3.Connection, address: Address, columns: list[SqlColumn], frame: pd.DataFrame
) -> None:
    table = _quoted(address.options["table"])
    connection.execute("BEGIN IMMEDIATE")
    if _existing(connection, address, [column.name for column in columns]):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 the name is quoted
    else:
        parts = ", ".join(f"{_quoted(column.name)} {column.type}" for column in columns)
        connection.execute(f"CREATE TABLE {table} (/* {MARK} */ {parts})")
    names = ", ".join(_quoted(column.name) for column in columns)
    marks = ", ".join("?" * len(columns))
    cells = [_cells(frame.iloc[:, i], column) for i, column in enumerate(columns)]
    connection.executemany(
        f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608 names are quoted
        zip(*cells, strict=True),
    )


def _digest(connection: sqlite3.Connection, address: Address) -> str:
    """The sha256 of the table's rows, whatever their order."""
    rows = connection.execute(f"SELECT * FROM {_quoted(address.options['table'])}")  # noqa: S608 quoted
    return hashlib.sha256("\n".join(sorted(map(repr, rows))).encode()).hexdigest()


def _commit(connection: sqlite3.Connection, address: Address, is_new: bool) -> None:
    try:
        connection.commit()
    except sqlite3.Error as error:  # such as a full disk, or a constraint that was deferred
        _abandon(connection, address, is_new)
        raise _unwritten(address, error) from None
    connection.close()


def _abandon(connection: sqlite3.Connection, address: Address, is_new: bool) -> None:
    connection.close()  # which rolls back
    if is_new:
        Path(address.location).unlink(missing_ok=True)


def _unwritten(address: Address, error: Exception) -> InputError:
    return InputError(
        "BAD_CONFIG",
        f"the destination {address.name} cannot be written ({type(error).__name__}); nothing was changed",
    )


def _only_table(connection: sqlite3.Connection, name: str) -> str:
    found = [
        row[0]
        for row in connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
    ]
    if not found:
        raise InputError("EMPTY_TABLE", f"{name} has no table")
    if len(found) > 1:
        raise InputError(
            "UNREADABLE_SOURCE", f"{name} has several tables: {', '.join(found)}; name one by ?table="
        )
    return str(found[0])


def _declared(connection: sqlite3.Connection, table: str, name: str) -> dict[str, str]:
    columns = {row[1]: str(row[2]) for row in connection.execute(f"PRAGMA table_info({_quoted(table)})")}
    if not columns:
        raise InputError("UNREADABLE_SOURCE", f"{name} has no table {table}; check ?table=")
    return columns


def _column(cells: list[Any], column: SqlColumn) -> "tuple[pd.Series[Any] | None, SqlColumn]":
    """The typed cells, None for bytes, and the column with its spelling of instants."""
    kinds = {type(cell) for cell in cells} - {type(None)}
    gaps = any(cell is None for cell in cells)
    declared = column.type.upper()
    if bytes in kinds:
        return None, column
    if not kinds:
        return pd.Series(np.full(len(cells), np.nan)), column
    if kinds == {int} and declared.startswith("BOOL") and set(cells) <= {0, 1, None}:
        flags = [None if cell is None else bool(cell) for cell in cells]
        return pd.Series(flags, dtype="boolean" if gaps else "bool"), column
    if kinds == {int}:
        return pd.Series(cells, dtype="Int64" if gaps else "int64"), column
    if kinds <= {int, float}:
        return pd.Series([np.nan if cell is None else float(cell) for cell in cells]), column
    if kinds == {str}:
        return _texts(cells, column)
    return pd.Series(cells, dtype=object), column


def _texts(cells: list[str | None], column: SqlColumn) -> "tuple[pd.Series[Any], SqlColumn]":
    if column.type.upper().startswith(("DATE", "TIMESTAMP")):
        for spelling, pattern in _SPELLINGS.items():
            if all(cell is None or pattern.match(cell) for cell in cells):
                found = instants(cells)
                if found is not None:
                    return found, SqlColumn(column.name, column.type, spelling)
    return pd.Series(cells, dtype="str"), column


def _destination(address: Address) -> sqlite3.Connection:
    connection = None
    try:
        connection = sqlite3.connect(address.location, isolation_level=None)
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error:
        if connection is not None:
            connection.close()
        raise InputError(
            "BAD_CONFIG",
            f"the destination {address.name} is no SQLite database or cannot be opened; check the path",
        ) from None
    return connection


def _existing(connection: sqlite3.Connection, address: Address, columns: Sequence[str]) -> bool:
    """Whether the table is there; raises if it is someone else's, or lacks a column."""
    table = address.options["table"]
    found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    if found is None:
        return False
    rows = connection.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0]  # noqa: S608 quoted
    if rows and MARK not in (found[0] or ""):
        raise taken(address.name, table)
    there = {row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(table)})")}
    absent = [name for name in columns if name not in there]
    if absent:
        raise lacking(table, absent)
    return True


def _described(series: "pd.Series[Any]") -> SqlColumn:
    kind = getattr(series.dtype, "kind", "O")
    name = str(series.name)
    if kind == "M":
        return SqlColumn(name, "TIMESTAMP", "%Y-%m-%d %H:%M:%S.%f")
    return SqlColumn(name, _BY_KIND.get(kind, "TEXT"))


def _cells(series: "pd.Series[Any]", column: SqlColumn) -> list[Any]:
    """The cells as SQLite's own kinds of value."""
    return [
        None if gap else _cell(cell, column)
        for cell, gap in zip(series.astype(object), series.isna(), strict=True)
    ]


def _cell(cell: Any, column: SqlColumn) -> Any:
    if isinstance(cell, datetime.datetime) and column.spelling:
        return cell.strftime(column.spelling)
    if isinstance(cell, bool | np.bool_):
        return int(cell)
    if isinstance(cell, np.generic):
        return cell.item()
    return cell if isinstance(cell, (int, float, str)) else str(cell)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
