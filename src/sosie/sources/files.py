"""A table wherever it lies: the door in and the door out, whatever the format."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from sosie.errors import InputError, Notice
from sosie.sources.addresses import Address, parse_address
from sosie.sources.arrow_files import ArrowDialect, read_arrow, write_arrow
from sosie.sources.csv_dialect import CsvDialect
from sosie.sources.csv_files import read_csv
from sosie.sources.csv_writing import write_csv
from sosie.sources.excel_files import ExcelDialect, read_excel
from sosie.sources.excel_writing import write_excel
from sosie.sources.object_stores import read_object
from sosie.sources.parquet_files import ParquetDialect, plain_parquet, read_parquet, write_parquet
from sosie.sources.postgresql_tables import read_postgresql
from sosie.sources.sas_files import SasDialect, read_sas, write_sas
from sosie.sources.spss_files import SpssDialect, read_spss, write_spss
from sosie.sources.sql_tables import SqlDialect
from sosie.sources.sqlite_tables import read_sqlite
from sosie.sources.stata_files import StataDialect, read_stata, write_stata

Dialect = (
    CsvDialect
    | ParquetDialect
    | ArrowDialect
    | ExcelDialect
    | SpssDialect
    | StataDialect
    | SasDialect
    | SqlDialect
)

DELIMITED = (".csv", ".tsv", ".tab", ".txt")
PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather")
_SPSS = (".sav", ".zsav")
_SAS = (".xpt", ".sas7bdat")
_OTHER_SHEETS = (".xls", ".xlsb", ".xlsm", ".ods")
# a further format is a module beside csv_files and parquet_files, and one branch in each function below
_SUPPORTED = (
    "delimited text (.csv, .tsv, .tab, .txt, also with .gz), Parquet (.parquet, .pq), Arrow (.arrow, .feather), "
    "Excel (.xlsx), SPSS (.sav, .zsav), Stata (.dta), SAS (.xpt, .sas7bdat), "
    "SQLite (.db, .sqlite, .sqlite3) and postgresql:// tables"
)
_AS_TRANSPORT = Notice(
    "FORMAT_CHANGED", None, "no open library writes .sas7bdat: the avatars are a SAS transport file, .xpt"
)


@dataclass(frozen=True)
class Source:
    """A table that was read.

    Its typed frame (index 0…n−1), how it was written, the sha256 of what was read, a name that may be shown, and what
    the user should know of the reading.
    """

    frame: pd.DataFrame
    dialect: Dialect
    sha256: str
    name: str
    notices: tuple[Notice, ...] = field(default=())


def read_source(address: str | Path, password: str | None = None) -> Source:
    """The table at an address.

    A path or a URL of an object, whose suffix alone tells the format (`?sheet=` names a sheet of a workbook);
    `sqlite:///path.db?table=t` or `path.db?table=t`; `postgresql://host/database?table=schema.table`. Databases also
    take `?query=SELECT …`. `password` is the database's, which never stands in the address.

    Raises InputError UNREADABLE_SOURCE for what is missing, a folder, unreadable, away or damaged,
    UNSUPPORTED_FORMAT for another suffix, another type of column or a library to install, BAD_CONFIG for an address
    with a password or with options that do not fit it, EMPTY_TABLE, DUPLICATE_COLUMNS and RAGGED_CSV; none shows a
    cell or a credential.
    """
    place = parse_address(str(address))
    if place.place == "postgresql":
        frame, dialect, digest = read_postgresql(place, password)
        return Source(frame, dialect, digest, place.name)
    if place.place == "sqlite":
        with refusing_paths(place.name):
            frame, dialect, digest = read_sqlite(place)
        return Source(frame, dialect, digest, place.name)
    raw = read_object(place) if place.place == "object" else _content(place)
    if not raw:
        raise InputError(
            "EMPTY_TABLE", f"{place.name} is empty: 0 bytes; a header and at least one row are needed"
        )
    table, how, notices = _parsed(raw, place)
    return Source(table, how, hashlib.sha256(raw).hexdigest(), place.name, notices)


def _parsed(raw: bytes, place: Address) -> tuple[pd.DataFrame, Dialect, tuple[Notice, ...]]:
    """The table in the bytes of a file, by its suffix."""
    name = place.name
    kind = kind_of(name)
    if "sheet" in place.options and kind != ".xlsx":
        raise InputError("BAD_CONFIG", f"{name} has no sheets: leave ?sheet= out")
    if kind in DELIMITED:
        return *read_csv(raw, name, delimited_extension(kind)), ()
    if kind in PARQUET:
        return *read_parquet(raw, name), ()
    if kind in _ARROW:
        return *read_arrow(raw, name, kind), ()
    if kind == ".xlsx":
        return *read_excel(raw, name, place.options.get("sheet")), ()
    if kind in _SPSS:
        return read_spss(raw, name)
    if kind == ".dta":
        return read_stata(raw, name)
    if kind in _SAS:
        return *read_sas(raw, name, kind), (_AS_TRANSPORT,) if kind == ".sas7bdat" else ()
    if kind in _OTHER_SHEETS:
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{name} is a spreadsheet that cannot be written back: save it as .xlsx first",
        )
    raise InputError("UNSUPPORTED_FORMAT", f"{name} has no supported suffix; supported: {_SUPPORTED}")


def kind_of(name: str) -> str:
    """The suffix that tells the format, in lower case: that before .gz of delimited text; empty where there is none."""
    suffixes = [part.lower() for part in Path(name).suffixes]
    kind = suffixes[-1] if suffixes else ""
    if kind == ".gz" and len(suffixes) > 1 and suffixes[-2] in DELIMITED:
        return suffixes[-2]
    return kind


def delimited_extension(kind: str) -> str:
    """The suffix under which delimited text is written back."""
    return ".tsv" if kind in (".tsv", ".tab") else ".csv"


def write_table(frame: pd.DataFrame, dialect: Dialect, path: Path) -> None:
    """Write `frame`, some or all columns of a source with its types, to `path` as the source was written."""
    match dialect:
        case CsvDialect():
            write_csv(frame, dialect, path)
        case ParquetDialect():
            write_parquet(frame, dialect, path)
        case ArrowDialect():
            write_arrow(frame, dialect, path)
        case ExcelDialect():
            write_excel(frame, dialect, path)
        case SpssDialect():
            write_spss(frame, dialect, path)
        case StataDialect():
            write_stata(frame, dialect, path)
        case SasDialect():
            write_sas(frame, dialect, path)
        case SqlDialect():
            write_parquet(frame, plain_parquet(frame), path)


def suffix(dialect: Dialect) -> str:
    """The suffix of a file in this dialect, .gz included; .xpt for SAS, .parquet for tables of databases."""
    match dialect:
        case CsvDialect():
            return dialect.extension + (".gz" if dialect.gzipped else "")
        case ParquetDialect() | SqlDialect():
            return ".parquet"
        case ArrowDialect():
            return dialect.extension
        case ExcelDialect():
            return ".xlsx"
        case SpssDialect():
            return ".zsav" if dialect.compression == 2 else ".sav"
        case StataDialect():
            return ".dta"
        case SasDialect():
            return ".xpt"


def _content(place: Address) -> bytes:
    with refusing_paths(place.name):
        return Path(place.location).read_bytes()


@contextmanager
def refusing_paths(name: str) -> Iterator[None]:
    """A block in which a file that cannot be opened becomes InputError UNREADABLE_SOURCE."""
    try:
        yield
    except FileNotFoundError:
        reason = "does not exist; check the path"
    except IsADirectoryError:
        reason = "is a folder; name the file inside it"
    except PermissionError:
        reason = "may not be read by this user; ask for the right to read it"
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path itself
        reason = f"cannot be read ({type(error).__name__}); copy it to another place"
    else:
        return
    raise InputError("UNREADABLE_SOURCE", f"{name} {reason}") from None  # the error itself shows the folder
