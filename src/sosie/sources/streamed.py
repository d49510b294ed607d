"""Tables larger than memory, read a piece of a column at a time and written a piece at a time."""

import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sosie.errors import AwayError, InputError
from sosie.sources.addresses import Address, parse_address
from sosie.sources.csv_dialect import CsvDialect
from sosie.sources.csv_text import GZIP_MAGIC
from sosie.sources.csv_writing import write_csv_pieces
from sosie.sources.files import DELIMITED, PARQUET, Dialect, delimited_extension, kind_of, refusing_paths
from sosie.sources.object_stores import fetch_object, open_object
from sosie.sources.parquet_files import ParquetDialect, plain_parquet
from sosie.sources.postgresql_tables import count_postgresql
from sosie.sources.sql_tables import SqlDialect
from sosie.sources.streamed_csv import open_csv
from sosie.sources.streamed_parquet import open_parquet, write_parquet_pieces
from sosie.sources.streamed_postgresql import open_postgresql
from sosie.sources.streamed_text import private_new

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
    """Whether the file or object at an address is read without holding all of it: Parquet or delimited text."""
    place = parse_address(address)
    return place.place in ("file", "object") and kind_of(place.name) in (*PARQUET, *DELIMITED)


def rows_about(address: str, password: str | None = None) -> int:
    """About how many rows the table at an address has, told without reading it: estimated for text; 0 where unknown.

    `password` is the database's. Raises AwayError where an object's store, or a server, does not answer.
    """
    place = parse_address(address)
    if place.place == "postgresql":
        return _counted(place, password)
    kind = kind_of(place.name)
    with _looked_at(address) as file:
        if file is None:
            return 0
        try:
            if kind in PARQUET:
                return int(pq.read_metadata(file).num_rows)
            head = file.read(_HEAD)
            read, size = len(head), file.seek(0, io.SEEK_END)
        except (
            pa.ArrowException,
            ValueError,
        ):  # ValueError: of a web server that gives an object as a whole only
            return 0  # whoever reads it will say what is wrong
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head)
        except zlib.error:
            return 0
    return int(size * head.count(b"\n") / read) if read else 0


def _counted(place: Address, password: str | None) -> int:
    try:
        return count_postgresql(place, password)
    except AwayError:
        raise
    except InputError:
        return 0  # whoever reads it will say what is wrong


def written_suffix(address: str) -> str:
    """The suffix of the file that avatars of the table at an address are written to, told without reading it.

    Empty where it cannot be streamed: whoever reads it will say why. Raises AwayError where an object's store does not
    answer.
    """
    place = parse_address(address)
    if place.place == "postgresql":
        return ".parquet"
    kind = kind_of(place.name)
    with _looked_at(address) as file:
        if file is None:
            return ""
        if kind in PARQUET:
            return ".parquet"
        return delimited_extension(kind) + (".gz" if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC else "")


@contextmanager
def _looked_at(address: str) -> Iterator[BinaryIO | None]:
    """The file or object at an address; None where it cannot be streamed, or not be opened."""
    place = parse_address(address)
    with ExitStack() as stack:
        file = None
        if can_stream(address):
            try:
                file = stack.enter_context(_opened(place))
            except AwayError:
                raise
            except InputError:
                pass  # whoever reads it will say why
        yield file


@contextmanager
def _opened(place: Address) -> Iterator[BinaryIO]:
    if place.place == "object":
        with open_object(place) as file:
            yield file
    else:
        with refusing_paths(place.name), Path(place.location).open("rb") as file:
            yield file


def open_source(address: str, folder: Path, password: str | None = None) -> tuple[Columns, str]:
    """The columns of the table at an address, and the sha256 that `read_source` tells of it.

    What has to be laid aside goes into the private folder; `password` is the database's. Raises InputError as
    `read_source` and `local_file` do.
    """
    place = parse_address(address)
    if place.place == "postgresql":
        copied = open_postgresql(place, folder, password)
        return copied, copied.sha256
    file = local_file(address, folder)
    return open_columns(file, place.name, folder), sha256_of(file)


def local_file(address: str, folder: Path) -> Path:
    """The file at an address; of an object a copy in the private folder.

    Raises InputError as `read_source` does, and UNSUPPORTED_FORMAT for what cannot be read in pieces.
    """
    place = parse_address(address)
    if not can_stream(address):
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{place.name} cannot be read in pieces: save it as Parquet or delimited text, or let it be read whole "
            "(batches.streamed: never)",
        )
    if place.place == "object":
        file = private_new(folder / "object")
        fetch_object(place, file)
        return file
    with _opened(place):
        return Path(place.location)


def open_columns(file: Path, name: str, folder: Path) -> Columns:
    """The columns of a file whose name tells its format; what has to be laid aside goes into the private folder.

    Raises InputError as `read_source` does.
    """
    kind = kind_of(name)
    if kind in PARQUET:
        return open_parquet(file, name)
    return open_csv(file, name, delimited_extension(kind), folder)


def sha256_of(file: Path) -> str:
    """The sha256 of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def write_pieces(pieces: Iterable[pd.DataFrame], rows: int, dialect: Dialect, path: Path) -> None:
    """Write frames of so many rows in all: the bytes of the file that `write_table` makes of them together."""
    match dialect:
        case CsvDialect():
            write_csv_pieces(pieces, dialect, path)
        case ParquetDialect():
            write_parquet_pieces(pieces, rows, dialect, path)
        case SqlDialect():
            left = iter(pieces)
            first = next(left)  # its types are those of the whole
            write_parquet_pieces(chain([first], left), rows, plain_parquet(first), path)
        case _:
            raise TypeError(f"{type(dialect).__name__} is not written in pieces")
