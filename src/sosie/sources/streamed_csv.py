"""Delimited text a column at a time: laid aside as texts by column, then typed as when it is read whole."""

from collections.abc import Iterator
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

from sosie.errors import InputError
from sosie.sources.csv_columns import HEAD, TextColumn, decimal_mark, typed
from sosie.sources.csv_dialect import ColumnStyle, CsvDialect
from sosie.sources.csv_files import quotes_guessed
from sosie.sources.csv_layout import Layout, find_layout
from sosie.sources.csv_parsing import BLOCK, bare_conversion, one_array, parse_options, texts_conversion
from sosie.sources.streamed_text import Span, StreamedText, private_new, streamed_text

_HEAD_BYTES = 1 << 20


@dataclass(frozen=True, eq=False)
class CsvColumns:
    """A delimited file whose columns lie as texts in a Parquet file of the private folder."""

    text: StreamedText
    layout: Layout
    extension: str
    end: int
    aside: Path
    rows: int
    _found: dict[int, tuple[ColumnStyle, Any]] = field(default_factory=dict, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in order."""
        first, *others = self.layout.names
        return (first, *(name[1:] if self._is_padded else name for name in others))

    def column(self, name: str) -> "pd.Series[Any]":
        """One column with the type it has in the whole table."""
        position = self.names.index(name)
        style = ColumnStyle(
            name,
            name_quoted=self.layout.names_quoted[position],
            quoted=bool(self.layout.columns_quoted[position]),
        )
        series, found = typed(self._texts(position), style, self._shown, self.layout.delimiter)
        self._found[position] = found, series.dtype
        series.name = name
        return series

    @property
    def dialect(self) -> CsvDialect:
        """How the file was written, once the columns were read; the others are read for it."""
        for position, name in enumerate(self.names):
            if position not in self._found:
                self.column(name)
        styles = [self._found[position][0] for position in range(len(self.names))]
        dtypes = pd.DataFrame(
            {style.name: pd.Series(dtype=self._found[j][1]) for j, style in enumerate(styles)}
        )
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
            pc.all(pc.starts_with(self._stored(position).dictionary, " ")).as_py()
            for position in range(1, len(self.layout.names))
        )

    @cached_property
    def _shown(self) -> str:
        heads = []
        for position in range(len(self.layout.names)):
            distinct = self._unpadded(self._head(position), position)
            heads.append(TextColumn(distinct, pa.array([], pa.int32()), lambda: np.zeros(0, dtype=bool)))
        return decimal_mark(heads, self.layout.delimiter)

    def _texts(self, position: int) -> TextColumn:
        stored = self._stored(position)
        return TextColumn(
            self._unpadded(stored.dictionary, position), stored.indices, lambda: self._bare(position)
        )

    def _unpadded(self, distinct: pa.Array, position: int) -> pa.Array:
        return pc.utf8_slice_codeunits(distinct, 1) if position and self._is_padded else distinct

    def _stored(self, position: int) -> pa.DictionaryArray:
        with pq.ParquetFile(self.aside) as file:
            column = file.read(columns=[str(position)]).unify_dictionaries().column(0)
        return one_array(column)

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

    def _bare(self, position: int) -> npt.NDArray[np.bool_]:
        """Which rows' cells are a missing spelling in no quotes: a second parse, for this column alone."""
        if not self.text.quotes:
            return np.ones(self.rows, dtype=bool)
        batches = _batches(self.text, self.layout, self.end, bare_conversion([position]), [])
        return np.concatenate([np.asarray(batch.column(0).is_null()) for batch in batches])


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
    return CsvColumns(text, layout, extension, end, aside, _lay_aside(text, layout, end, aside, name))


def _lay_aside(text: StreamedText, layout: Layout, end: int, aside: Path, name: str) -> int:
    """Write the texts as they stand, a row group a block; how many rows there are."""
    bad: list[int] = []
    rows, writer = 0, None
    try:
        for batch in _batches(text, layout, end, texts_conversion(len(layout.names)), bad):
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
    text: StreamedText, layout: Layout, end: int, convert: pa_csv.ConvertOptions, bad: list[int]
) -> Iterator[pa.RecordBatch]:
    width = len(layout.names)
    parse = parse_options(layout.delimiter, width, text.quotes > 0, bad)
    reading = pa_csv.ReadOptions(column_names=[str(i) for i in range(width)], block_size=BLOCK)
    with Span(text.path, layout.body, end) as body:
        yield from pa_csv.open_csv(pa.PythonFile(body, mode="r"), reading, parse, convert)
