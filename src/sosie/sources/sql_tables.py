"""Tables of databases: their columns' types, and what is said when reading or writing one fails."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sosie.errors import InputError

MARK = "avatars, written by sosie"  # told by a table that a later run may replace


@dataclass(frozen=True)
class SqlColumn:
    """A column's name, its type in the database's own words, and how its instants are spelled where they are texts."""

    name: str
    type: str
    spelling: str = ""


@dataclass(frozen=True)
class SqlDialect:
    """Which database a table was read from (sqlite or postgresql), and its columns."""

    database: str
    columns: tuple[SqlColumn, ...]

    def named(self, database: str) -> dict[str, SqlColumn]:
        """The columns by name, for a table of the same kind of database; none for another kind."""
        return {column.name: column for column in self.columns} if database == self.database else {}


def taken(name: str, table: str) -> InputError:
    """The error of a destination that holds rows of someone else."""
    return InputError(
        "BAD_CONFIG",
        f"{name} has a table {table} with rows that sosie did not write: name another table, or empty it first",
    )


def lacking(table: str, columns: list[str]) -> InputError:
    """The error of a destination without some of the columns."""
    return InputError(
        "SCHEMA_MISMATCH",
        f"the destination's table {table} lacks column(s) {', '.join(map(repr, columns))}: drop it, or name another",
        tuple(columns),
    )


def is_whole_days(series: "pd.Series[Any]") -> bool:
    """Whether every instant of a column without zone is a midnight."""
    present = series.dropna()
    return bool(len(present)) and bool((present == present.dt.normalize()).all())


def instants(texts: list[str | None]) -> "pd.Series[Any] | None":
    """ISO texts as datetime64 of seconds, or of microseconds where they have some; None if one is no instant."""
    try:
        series = np.array(
            [np.datetime64("NaT", "us") if text is None else text for text in texts], "datetime64[us]"
        )
    except ValueError:
        return None
    whole = not (series[~np.isnat(series)].astype(np.int64) % 10**6).any()
    return pd.Series(series.astype("datetime64[s]") if whole else series)
