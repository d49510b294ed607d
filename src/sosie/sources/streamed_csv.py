"""Delimited text a piece of a column at a time: laid aside as texts by column, then typed as when it is read whole."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from sosie.blocks import blocks
from sosie.errors import InputError
from sosie.sources.csv_columns import HEAD, TextColumn, decimal_mark
from sosie.sources.csv_dialect import ColumnStyle, CsvDialect
from sosie.sources.csv_files import quotes_guessed
from sosie.sources.csv_layout import Layout, find_layout
from sosie.sources.csv_parsing import BLOCK, bare_conversion, one_array, parse_options, texts_conversion
from sosie.sources.streamed_cells import Reading, Spelled, reading_of, spelled_in, with_telling
from sosie.sources.streamed_records import Stretch, stretches
from sosie.sources.streamed_text import Span, StreamedText, private_new, streamed_text

_HEAD_BYTES = 1 << 20


@dataclass(frozen=True, eq=False)
class CsvColumns:
    """A delimited file whose columns lie as texts in a Parquet file of the private folder."""

    text: StreamedText
    layout: Layout
    extension: str
    end: int
    parts: tuple[Stretch, ...]
    aside: Path
    rows: int
    _found: dict[int, Reading] = field(default_factory=dict, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in order."""
        first, *others = self.layout.names
        return (first, *(name[1:] if self._is_padded else name for name in others))

    def pieces(self, name: str) -> Iterator["pd.Series[Any]"]:
        """One column, a block of rows at a time, each with the type that it has in the whole table."""
        position = self.names.index(name)
        reading = self._reading(position)
        asked = reading.only_bare and self.text.quotes > 0
        for (distinct, codes), bare in zip(self._parts(position), self._bare(position, asked), strict=True):
            series = reading.cells(distinct, codes, bare)
            series.name = name
            for rows in blocks(len(series)):
                yield series.iloc[rows].reset_index(drop=True)

    @property
    def dialect(self) -> CsvDialect:
        """How the file was written, once the columns were read; the others are read for it."""
        readings = [self._reading(position) for position in range(len(self.names))]
        styles = [reading.style for reading in readings]
        dtypes = pd.DataFrame({one.style.name: pd.Series(dtype=one.dtype) for one in readings})
        return CsvDialect(
            extension=self.extension,
            delimiter=self.layout.delimiter,
            columns=quotes_guessed(styles, dtypes, self.layout),
            encoding=self.text.encoding,
            gzipped=self.text.gzipped,
            padding=" " if self._is_padded else "",
            line_end=self.layout.line_end,
            final_line_end=self.end < self.text.end,
            separator_line=self.layout.separator_line,
        )

    @cached_property
    def _is_padded(self) -> bool:
        if not self.layout.is_padded:
            return False
        return all(
            pc.all(pc.starts_with(part.dictionary, " ")).as_py()
            for position in range(1, len(self.layout.names))
            for part in self._stored(position)
        )

    @cached_property
    def _shown(self) -> str:
        heads = []
        for position in range(len(self.layout.names)):
            distinct = self._unpadded(self._head(position), position)
            heads.append(TextColumn(distinct, pa.array([], pa.int32()), lambda: np.zeros(0, dtype=bool)))
        return decimal_mark(heads, self.layout.delimiter)

    def _reading(self, position: int) -> Reading:
        """How a column reads, found once."""
        if position not in self._found:
            self._found[position] = self._read(position)
        return self._found[position]

    def _read(self, position: int) -> Reading:
        style = ColumnStyle(
            self.names[position],
            name_quoted=self.layout.names_quoted[position],
            quoted=bool(self.layout.columns_quoted[position]),
        )
        telling, spelled = pa.array([], pa.string()), Spelled(Counter(), Counter())
        for distinct, codes in self._parts(position):
            telling = with_telling(telling, distinct)
            spelled.rows.update(spelled_in(distinct, codes))
        if not self.text.quotes:
            spelled.bare.update(spelled.rows)
        elif spelled.rows:
            for (distinct, codes), bare in zip(
                self._parts(position), self._bare(position, True), strict=True
            ):
                spelled.bare.update(spelled_in(distinct, codes.filter(pa.array(bare))))
        return reading_of(telling, spelled, style, self._shown, self.layout.delimiter)

    def _parts(self, position: int) -> Iterator[tuple[pa.Array, pa.Array]]:
        """The column's distinct texts and each row's position among them, a row group at a time."""
        return ((self._unpadded(part.dictionary, position), part.indices) for part in self._stored(position))

    def _unpadded(self, distinct: pa.Array, position: int) -> pa.Array:
        return pc.utf8_slice_codeunits(distinct, 1) if position and self._is_padded else distinct

    def _stored(self, position: int) -> Iterator[pa.DictionaryArray]:
        with pq.ParquetFile(self.aside) as file:
            for group in range(file.num_row_groups):
                yield one_array(
                    file.read_row_group(group, columns=[str(position)]).unify_dictionaries().column(0)
                )

    def _head(self, position: int) -> pa.Array:
        """The column's first distinct texts, as many as are looked at for its decimal mark."""
        distinct = pa.array([], pa.string())
        with pq.ParquetFile(self.aside) as file:
            for group in range(file.num_row_groups):
                for chunk in file.read_row_group(group, columns=[str(position)]).column(0).chunks:
                    distinct = pc.unique(pa.concat_arrays([distinct, chunk.dictionary]))
                if len(distinct) >= HEAD:
                    break
        return distinct

    def _bare(self, position: int, asked: bool) -> Iterator[npt.NDArray[np.bool_]]:
        """Which rows' cells are a missing spelling in no quotes, in pieces as `_parts` gives; not `asked`: all may be.

        A second parse tells, for this column alone.
        """
        batches = (
            _batches(self.text, self.layout, self.parts, bare_conversion([position]), [])
            if asked
            else iter(())
        )
        known = np.zeros(0, dtype=bool)
        with pq.ParquetFile(self.aside) as file:
            sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        for size in sizes:
            while asked and len(known) < size:
                known = np.concatenate([known, np.asarray(next(batches).column(0).is_null())])
            yield known[:size] if asked else np.ones(size, dtype=bool)
            known = known[size:]


def open_csv(path: Path, name: str, extension: str, folder: Path) -> CsvColumns:
    """The columns of a delimited file; its texts by column, and UTF-8 of what is not, are laid aside in `folder`.

    Raises InputError as `read_csv` does, and RAGGED_CSV where quotes cannot be told to be closed.
    """
    text = streamed_text(path, name, folder)
    layout = find_layout(text.head(_HEAD_BYTES), name)
    layout = replace(layout, is_padded=layout.is_padded and not text.quotes, body=text.start + layout.body)
    end = text.content_end()
    if end <= layout.body:
        raise InputError("EMPTY_TABLE", f"{name} has a header and no row; at least one row is needed")
    if text.quotes % 2:
        raise InputError(
            "RAGGED_CSV",
            f"{name} holds an odd number of quotes, one of which may never be closed: correct it, or let the table be "
            "read whole, which says where (batches.streamed: never)",
        )
    aside = private_new(folder / "texts.parquet")
    parts = tuple(stretches(text, layout, end, BLOCK))
    return CsvColumns(
        text, layout, extension, end, parts, aside, _lay_aside(text, layout, parts, aside, name)
    )


def _lay_aside(text: StreamedText, layout: Layout, parts: Sequence[Stretch], aside: Path, name: str) -> int:
    """Write the texts as they stand, a row group a block; how many rows there are."""
    bad: list[int] = []
    rows, writer = 0, None
    try:
        for batch in _batches(text, layout, parts, texts_conversion(len(layout.names)), bad):
            writer = writer or pq.ParquetWriter(aside, batch.schema, compression="zstd")
            writer.write_table(pa.Table.from_batches([batch]))
            rows += len(batch)
    except pa.ArrowInvalid:
        bad.append(0)
    finally:
        if writer is not None:
            writer.close()
    if bad:
        raise InputError(
            "RAGGED_CSV",
            f"{name} has lines whose number of fields is not the header's {len(layout.names)}: correct them, or let "
            "the table be read whole, which names the first (batches.streamed: never)",
        )
    return rows


def _batches(
    text: StreamedText,
    layout: Layout,
    parts: Sequence[Stretch],
    convert: pa_csv.ConvertOptions,
    bad: list[int],
) -> Iterator[pa.RecordBatch]:
    """The records of all parts; a reader keeps what it has read until it is closed, so that each part has its own."""
    width = len(layout.names)
    parse = parse_options(layout.delimiter, width, text.quotes > 0, bad)
    reading = pa_csv.ReadOptions(column_names=[str(i) for i in range(width)], block_size=BLOCK)
    for start, end in parts:
        with Span(text.path, start, end) as body:
            yield from pa_csv.open_csv(pa.PythonFile(body, mode="r"), reading, parse, convert)
