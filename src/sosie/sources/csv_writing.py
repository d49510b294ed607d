"""Writing a frame as delimited text in the dialect of its source."""

import gzip
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sosie.errors import InputError
from sosie.sources.csv_dialect import ColumnStyle, CsvDialect
from sosie.sources.csv_numbers import float_texts, integer_texts

_ROWS = 1 << 16
_BYTE_ORDER_MARKS = {"utf-8-sig": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


def write_csv(frame: pd.DataFrame, dialect: CsvDialect, path: Path) -> None:
    """Write `frame`, whose columns are some or all of the source's with its types, to `path`.

    The index is not written. Raises as `write_csv_pieces`.
    """
    write_csv_pieces([frame], dialect, path)


def write_csv_pieces(frames: Iterable[pd.DataFrame], dialect: CsvDialect, path: Path) -> None:
    """Write frames of the same columns one after the other, under one header.

    Raises ValueError for a column that the source does not have, InputError
    UNSUPPORTED_FORMAT if a text has a character that the source's encoding does not know.
    """
    encoding = "utf-8" if dialect.encoding == "utf-8-sig" else dialect.encoding
    with path.open("wb") as file, _compressed(file, dialect.gzipped) as sink:
        sink.write(_BYTE_ORDER_MARKS.get(dialect.encoding, b""))
        try:
            for piece in _pieces(frames, dialect):
                sink.write(piece.encode(encoding))
        except UnicodeEncodeError:
            raise InputError(
                "UNSUPPORTED_FORMAT",
                f"the table has a character that the source's encoding, {dialect.encoding}, does not know; "
                "convert the source to UTF-8",
            ) from None


def _compressed(file: IO[bytes], gzipped: bool) -> AbstractContextManager[IO[bytes] | gzip.GzipFile]:
    # neither name nor time in the gzip header: the same table gives the same bytes
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) if gzipped else nullcontext(file)


def _pieces(frames: Iterable[pd.DataFrame], dialect: CsvDialect) -> Iterator[str]:
    """The text of the file, a header and then some ten thousand rows at a time."""
    rest = iter(frames)
    frame = next(rest)
    styles = {style.name: style for style in dialect.columns}
    unknown = [str(name) for name in frame.columns if name not in styles]
    if unknown:
        raise ValueError(f"columns that the source does not have: {', '.join(unknown)}")
    if dialect.separator_line:
        yield f"sep={dialect.delimiter}{dialect.line_end}"
    written = [styles[name] for name in frame.columns]
    mark = dialect.delimiter + dialect.padding
    yield mark.join(_header_cell(style, dialect, len(written)) for style in written)
    for piece in chain([frame], rest):
        for start in range(0, len(piece), _ROWS):
            rows = piece.iloc[start : start + _ROWS]
            cells = [_cells(rows.iloc[:, i], style, dialect, len(written)) for i, style in enumerate(written)]
            lines = pc.binary_join_element_wise(*cells, mark).to_pylist()
            yield dialect.line_end + dialect.line_end.join(lines)
    if dialect.final_line_end:
        yield dialect.line_end


def _header_cell(style: ColumnStyle, dialect: CsvDialect, width: int) -> str:
    needs = style.name_quoted or re.search(_special(dialect), style.name) or (width == 1 and not style.name)
    return _in_quotes(style.name) if needs else style.name


def _in_quotes(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _cells(column: pd.Series, style: ColumnStyle, dialect: CsvDialect, width: int) -> pa.Array:
    """The cells of a column as they stand in the file, quotes included."""
    texts = _texts(column, style)
    # a lone empty cell makes a blank line, which many readers skip: it gets quotes
    must_quote_empty = width == 1
    if style.quoted:
        needs = pa.scalar(True)
    else:
        needs = pc.match_substring_regex(texts, _special(dialect))
        if not style.missing_quoted:
            needs = pc.or_(needs, pc.equal(texts, style.missing))
        if must_quote_empty:
            needs = pc.or_(needs, pc.equal(texts, ""))
    doubled = pc.replace_substring(texts, '"', '""')
    cells = pc.if_else(needs, pc.binary_join_element_wise('"', doubled, '"', ""), texts)
    quoted = style.missing_quoted or (must_quote_empty and not style.missing)
    return pc.fill_null(cells, f'"{style.missing}"' if quoted else style.missing)


def _texts(column: pd.Series, style: ColumnStyle) -> pa.Array:
    """The values of a column as texts, missing ones as null."""
    if pd.api.types.is_float_dtype(column.dtype):
        return float_texts(column.to_numpy(np.float64, na_value=np.nan), style.numbers)
    values = pa.array(column, from_pandas=True)
    if pd.api.types.is_bool_dtype(column.dtype):
        return pc.if_else(values, style.true, style.false)
    if pd.api.types.is_integer_dtype(column.dtype):
        return integer_texts(values, style.numbers)
    return pc.cast(values, pa.string())


def _special(dialect: CsvDialect) -> str:
    """The pattern of a text that must be quoted."""
    return "[" + re.escape(dialect.delimiter) + '"\r\n]'
