"""A table as a file: the door in and the door out, whatever the format."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from sosie.errors import InputError
from sosie.sources.csv_dialect import CsvDialect
from sosie.sources.csv_files import read_csv
from sosie.sources.csv_writing import write_csv
from sosie.sources.parquet_files import ParquetDialect, read_parquet, write_parquet

Dialect = CsvDialect | ParquetDialect

_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")
# a further format is a module beside csv_files and parquet_files, and one branch in each function below
_SUPPORTED = "delimited text (.csv, .tsv, .tab, .txt, also with .gz) and Parquet (.parquet, .pq)"


@dataclass(frozen=True)
class Source:
    """A table that was read: its typed frame (index 0…n−1) and the file's dialect, sha256 and bare name."""

    frame: pd.DataFrame
    dialect: Dialect
    sha256: str
    name: str


def read_source(path: str | Path) -> Source:
    """The table in a file, whose suffix alone tells the format.

    Raises InputError UNREADABLE_SOURCE for what is missing, a folder, unreadable or damaged,
    UNSUPPORTED_FORMAT for another suffix or nested columns, EMPTY_TABLE, DUPLICATE_COLUMNS and RAGGED_CSV;
    none shows a cell.
    """
    path = Path(path)
    raw = _content(path)
    suffixes = [part.lower() for part in path.suffixes]
    kind = suffixes[-1] if suffixes else ""
    if kind == ".gz" and len(suffixes) > 1:
        kind = suffixes[-2]
    frame: pd.DataFrame
    dialect: Dialect
    if kind in _PARQUET and suffixes[-1] == kind:
        frame, dialect = read_parquet(raw, path.name)
    elif kind in _DELIMITED:
        frame, dialect = read_csv(raw, path.name, ".tsv" if kind in (".tsv", ".tab") else ".csv")
    else:
        raise InputError(
            "UNSUPPORTED_FORMAT", f"{path.name} has no supported suffix; supported: {_SUPPORTED}"
        )
    return Source(frame, dialect, hashlib.sha256(raw).hexdigest(), path.name)


def write_table(frame: pd.DataFrame, dialect: Dialect, path: Path) -> None:
    """Write `frame`, some or all columns of a source with its types, to `path` as the source was written."""
    if isinstance(dialect, ParquetDialect):
        write_parquet(frame, dialect, path)
    else:
        write_csv(frame, dialect, path)


def suffix(dialect: Dialect) -> str:
    """The suffix of a file in this dialect: .parquet, .csv, .tsv, .csv.gz or .tsv.gz."""
    if isinstance(dialect, ParquetDialect):
        return ".parquet"
    return dialect.extension + (".gz" if dialect.gzipped else "")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        reason = "does not exist; check the path"
    except IsADirectoryError:
        reason = "is a folder; name the file inside it"
    except PermissionError:
        reason = "may not be read by this user; ask for the right to read it"
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path itself
        reason = f"cannot be read ({type(error).__name__}); copy it to another place"
    raise InputError("UNREADABLE_SOURCE", f"{path.name} {reason}")
