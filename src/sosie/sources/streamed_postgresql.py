"""A PostgreSQL table or query a piece of a column at a time: copied once, and laid aside by column."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sosie.blocks import blocks
from sosie.sources.addresses import Address
from sosie.sources.postgresql_tables import copying, dialect_of, without_rows
from sosie.sources.postgresql_types import ResultType, parsed_rows, typed_frame
from sosie.sources.sql_tables import SqlDialect
from sosie.sources.streamed_text import private_new

PIECE = 1 << 24  # bytes of what the server sends that are parsed at once


@dataclass(frozen=True)
class PostgresqlColumns:
    """Rows that lie, parsed and not typed yet, in a Parquet file of the private folder.

    `gaps` and `integers` tell of each whole column whether cells are missing, and whether it fits integers; `sha256` is
    that of what the server sent.
    """

    aside: Path
    shown: str
    types: tuple[ResultType, ...]
    gaps: tuple[bool, ...]
    integers: tuple[bool, ...]
    rows: int
    sha256: str

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in order."""
        return tuple(each.name for each in self.types)

    @property
    def dialect(self) -> SqlDialect:
        """The columns' types."""
        return dialect_of(self.types)

    def pieces(self, name: str) -> Iterator["pd.Series[Any]"]:
        """One column, at most a block of rows at a time, each with the type that it has in the whole table."""
        place = self.names.index(name)
        how = (self.types[place : place + 1], self.integers[place : place + 1], self.shown)
        first = int(self.gaps[place])  # a gap before each piece, so that it gets the type of the whole
        with pq.ParquetFile(self.aside) as file:
            for group in range(file.num_row_groups):
                stored = file.read_row_group(group, columns=[f"c{place}"])
                gap = stored.schema.empty_table() if not first else _gap(stored.schema)
                for rows in blocks(len(stored)):
                    piece = pa.concat_tables([gap, stored.slice(rows.start, rows.stop - rows.start)])
                    yield typed_frame(piece, *how).iloc[first:, 0].reset_index(drop=True)


def _gap(schema: pa.Schema) -> pa.Table:
    return pa.table([pa.nulls(1, field.type) for field in schema], schema=schema)


def open_postgresql(address: Address, folder: Path, password: str | None) -> PostgresqlColumns:
    """The rows, copied in one transaction and parsed as they come; they are laid aside in the private folder.

    Raises InputError as `read_postgresql` does.
    """
    aside, digest, rows = private_new(folder / "rows.parquet"), hashlib.sha256(), 0
    with copying(address, password) as (types, sent):
        gaps, integers = [False] * len(types), [True] * len(types)
        fields = [(f"c{place}", each.arrow) for place, each in enumerate(types)]
        with pq.ParquetWriter(aside, pa.schema(fields), compression="zstd") as file:
            for content in _joined(sent):
                digest.update(content)
                parsed = parsed_rows(content, types, address.name)
                file.write_table(parsed)
                rows += len(parsed)
                for place, (each, column) in enumerate(zip(types, parsed.columns, strict=True)):
                    gaps[place] |= column.null_count > 0
                    integers[place] = integers[place] and each.fits_integers(column)
    if not rows:
        raise without_rows(address)
    return PostgresqlColumns(
        aside, address.name, types, tuple(gaps), tuple(integers), rows, digest.hexdigest()
    )


def _joined(sent: Iterable[bytes]) -> Iterator[bytes]:
    """The rows, so many at a time that they make a piece."""
    held, size = [], 0
    for row in sent:
        held.append(bytes(row))
        size += len(row)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
