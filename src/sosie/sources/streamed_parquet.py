"""Parquet a column at a time, and written a piece at a time: never the whole table in memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sosie.sources.arrow_tables import (
    frame_of,
    refuse_shape,
    table_of,
    without_index,
)
from sosie.sources.damage import refusing_damage
from sosie.sources.parquet_files import ROWS_IN_GROUP, ParquetDialect, dialect_of


@dataclass(frozen=True)
class ParquetColumns:
    """A Parquet file whose columns are read one by one."""

    path: Path
    shown: str
    names: tuple[str, ...]
    rows: int
    dialect: ParquetDialect

    def column(self, name: str) -> "pd.Series[Any]":
        """One column with the type it has in the whole table, index 0…n−1."""
        with refusing_damage(self.shown, "a Parquet file"), pq.ParquetFile(self.path) as file:
            frame = frame_of(without_index(file.read(columns=[name])), self.shown)
        return frame.iloc[:, 0]


def open_parquet(path: Path, shown: str) -> ParquetColumns:
    """What the file says of itself; the same refusals as when it is read whole."""
    with refusing_damage(shown, "a Parquet file"), pq.ParquetFile(path) as file:
        refuse_shape(file.schema_arrow, file.metadata.num_rows, shown)
        empty = without_index(file.schema_arrow.empty_table())
        dialect = dialect_of(file, empty, shown)
        return ParquetColumns(path, shown, tuple(empty.column_names), file.metadata.num_rows, dialect)


def write_parquet_pieces(
    pieces: Iterable[pd.DataFrame], rows: int, dialect: ParquetDialect, path: Path
) -> None:
    """Write frames of so many rows in all, one after the other: the bytes of the file that `write_parquet` makes."""
    writer: pq.ParquetWriter | None = None
    try:
        for group in _groups(pieces, rows, dialect):
            writer = writer or pq.ParquetWriter(path, group.schema, compression=dialect.compression)
            writer.write_table(group, row_group_size=ROWS_IN_GROUP)
    finally:
        if writer is not None:
            writer.close()


def _groups(pieces: Iterable[pd.DataFrame], rows: int, dialect: ParquetDialect) -> Iterator[pa.Table]:
    """The pieces as tables of a row group each."""
    held: list[pa.Table] = []
    for piece in pieces:
        table = table_of(piece, dialect.arrow_schema, dialect.pandas, rows)
        held.append(table)
        while sum(map(len, held)) >= ROWS_IN_GROUP:
            whole = pa.concat_tables(held)
            yield whole.slice(0, ROWS_IN_GROUP).combine_chunks()
            held = [whole.slice(ROWS_IN_GROUP)]
    if sum(map(len, held)):
        yield pa.concat_tables(held).combine_chunks()
