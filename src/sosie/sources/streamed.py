"""Tables larger than memory, read a piece of a column at a time and written a piece at a time."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sosie.errors import InputError
from sosie.sources.addresses import parse_address
from sosie.sources.csv_dialect import CsvDialect
from sosie.sources.csv_text import GZIP_MAGIC
from sosie.sources.csv_writing import write_csv_pieces
from sosie.sources.files import DELIMITED, PARQUET, Dialect, delimited_extension, kind_of, refusing_paths
from sosie.sources.parquet_files import ParquetDialect
from sosie.sources.streamed_csv import open_csv
from sosie.sources.streamed_parquet import open_parquet, write_parquet_pieces

_HEAD = 1 << 20


class Columns(Protocol):
    """A table whose columns are read one by one, each in pieces; its dialect is known when all that are wanted were."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in order."""
        ...

    @property
    def rows(self) -> int:
        """How many rows there are."""
        ...

    @property
    def dialect(self) -> Dialect:
        """How the table was written."""
        ...

    def pieces(self, name: str) -> Iterator["pd.Series[Any]"]:
        """One column, so many rows at a time, each piece of the type that the column has in the whole table."""
        ...


def can_stream(address: str) -> bool:
    """Whether the table at an address can be read without holding all of it: a Parquet or delimited file here."""
    place = parse_address(address)
    return place.place == "file" and kind_of(place.name) in (*PARQUET, *DELIMITED)


def rows_about(address: str) -> int:
    """About how many rows the table at an address has, told without reading it: exact for Parquet; 0 where unknown."""
    place = parse_address(address)
    path, kind = Path(place.location), kind_of(place.name)
    if not can_stream(address) or not path.is_file():
        return 0
    if kind in PARQUET:
        try:
            return int(pq.read_metadata(path).num_rows)
        except (OSError, pa.ArrowException):
            return 0  # whoever reads it will say what is wrong
    head = _head(path)
    read = len(head)
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head)
        except zlib.error:
            return 0
    return int(path.stat().st_size * head.count(b"\n") / read) if read else 0


def written_suffix(address: str) -> str:
    """The suffix of the file that avatars of the table at an address are written to, told without reading it.

    Empty where it cannot be streamed: whoever reads it will say why.
    """
    place = parse_address(address)
    path, kind = Path(place.location), kind_of(place.name)
    if not can_stream(address) or not path.is_file():
        return ""
    if kind in PARQUET:
        return ".parquet"
    return delimited_extension(kind) + (".gz" if _head(path).startswith(GZIP_MAGIC) else "")


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""  # as above


def open_columns(address: str, folder: Path) -> Columns:
    """The columns of the table at an address; what has to be laid aside for them goes into the private folder.

    Raises InputError as `read_source` does, and UNSUPPORTED_FORMAT where nothing but the whole can be read.
    """
    place = parse_address(address)
    kind = kind_of(place.name)
    if not can_stream(address):
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{place.name} cannot be read in pieces: save it as Parquet or delimited text, or let it be read whole "
            "(batches.streamed: never)",
        )
    path = Path(place.location)
    with refusing_paths(place.name), path.open("rb"):
        pass
    if kind in PARQUET:
        return open_parquet(path, place.name)
    return open_csv(path, place.name, delimited_extension(kind), folder)


def sha256_of(address: str) -> str:
    """The sha256 of a file."""
    with Path(parse_address(address).location).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_pieces(pieces: Iterable[pd.DataFrame], rows: int, dialect: Dialect, path: Path) -> None:
    """Write frames of so many rows in all: the bytes of the file that `write_table` makes of them together."""
    match dialect:
        case CsvDialect():
            write_csv_pieces(pieces, dialect, path)
        case ParquetDialect():
            write_parquet_pieces(pieces, rows, dialect, path)
        case _:
            raise TypeError(f"{type(dialect).__name__} is not written in pieces")
