"""Parquet a piece of a column at a time, and written a piece at a time: never the whole table in memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sosie.blocks import BLOCK
from sosie.sources.arrow_tables import (
    frame_of,
    noted_as_levels,
    refuse_shape,
    table_of,
    without_index,
)
from sosie.sources.damage import refusing_damage
from sosie.sources.parquet_files import ROWS_IN_GROUP, ParquetDialect, dialect_of

_KIND = "a Parquet file"


@dataclass(frozen=True)
class ParquetColumns:
    """A Parquet file whose columns are read one by one, a piece at a time."""

    path: Path
    shown: str
    names: tuple[str, ...]
    rows: int
    dialect: ParquetDialect

    def pieces(self, name: str) -> Iterator["pd.Series[Any]"]:
        """One column, a block of rows at a time, each with the type and the levels of the whole column."""
        first = self._first_rows(name)
        for table in self._tables(name):
            with refusing_damage(self.shown, _KIND):
                frame = frame_of(pa.concat_tables([first, table]), self.shown)
            # pandas may have noted a number as the name: all that is streamed goes by the text that the file holds
            yield frame.iloc[len(first) :, 0].reset_index(drop=True).rename(name)

    def _first_rows(self, name: str) -> pa.Table:
        """What stands before each piece so that it gets the type of the whole: a gap if there is any, or all levels."""
        empty = self._empty(name)
        column = empty.column(0)
        if pa.types.is_dictionary(column.type) or noted_as_levels(empty):
            for table in self._tables(name):
                column = _levels(column, table.column(0))
        elif self._has_gaps(name):
            column = pa.chunked_array([pa.nulls(1, column.type)])
        return pa.table([column], schema=empty.schema)

    def _has_gaps(self, name: str) -> bool:
        with refusing_damage(self.shown, _KIND), pq.ParquetFile(self.path) as file:
            metadata = file.metadata
            # not the place among the columns: one of intervals is stored as two
            places = [place for place, leaf in enumerate(file.schema) if leaf.path == name]
            groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
            said = [group.column(place).statistics for group in groups for place in places]
        if said and all(one is not None and one.has_null_count for one in said):
            return any(one.null_count for one in said)
        return any(table.column(0).null_count for table in self._tables(name))

    def _empty(self, name: str) -> pa.Table:
        with refusing_damage(self.shown, _KIND), pq.ParquetFile(self.path) as file:
            return without_index(file.schema_arrow.empty_table().select([name]))

    def _tables(self, name: str) -> Iterator[pa.Table]:
        """The column, a block of rows at a time; refusals are not in force while somebody else works on one."""
        with refusing_damage(self.shown, _KIND):
            file = pq.ParquetFile(self.path)
        with file:
            for group in range(file.num_row_groups):
                with refusing_damage(self.shown, _KIND):  # a reader of several row groups would keep them all
                    batches = file.iter_batches(BLOCK, row_groups=[group], columns=[name])
                while True:
                    with refusing_damage(self.shown, _KIND):
                        batch = next(batches, None)
                    if batch is None:
                        break
                    yield without_index(pa.Table.from_batches([batch]))


def _levels(known: pa.ChunkedArray, more: pa.ChunkedArray) -> pa.ChunkedArray:
    """The levels of a column so far: of a dictionary it alone, without rows, else each level in a row of its own."""
    if not pa.types.is_dictionary(more.type):
        return pa.chunked_array([pc.unique(pa.chunked_array([*known.chunks, *more.chunks], more.type))])
    return pa.chunked_array(
        [*known.chunks, *(one[:0] for one in more.chunks)], more.type
    ).unify_dictionaries()


def open_parquet(path: Path, shown: str) -> ParquetColumns:
    """What the file says of itself; the same refusals as when it is read whole."""
    with refusing_damage(shown, _KIND), pq.ParquetFile(path) as file:
        refuse_shape(file.schema_arrow, file.metadata.num_rows, shown)
        empty = without_index(file.schema_arrow.empty_table())
        dialect = dialect_of(file, empty, shown)
        return ParquetColumns(path, shown, tuple(empty.column_names), file.metadata.num_rows, dialect)


def parquet_frames(path: Path) -> Iterator[pd.DataFrame]:
    """The rows of a file that was written here, a row group at a time."""
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            yield frame_of(file.read_row_group(group), path.name)


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
