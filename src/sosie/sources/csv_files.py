"""Reading delimited text: the typed frame and the dialect it was written in."""

from dataclasses import replace

import pandas as pd
import pyarrow.compute as pc

from sosie.errors import InputError
from sosie.sources.csv_columns import TextColumn, decimal_mark, typed
from sosie.sources.csv_dialect import ColumnStyle, CsvDialect
from sosie.sources.csv_layout import Layout, find_layout
from sosie.sources.csv_parsing import BadRecords, BareCells, parsed_texts
from sosie.sources.csv_records import records
from sosie.sources.csv_text import decompressed, utf8_text


def read_csv(raw: bytes, name: str, extension: str) -> tuple[pd.DataFrame, CsvDialect]:
    """The table in the bytes `raw` of the file `name`, and how it was written.

    Raises InputError UNREADABLE_SOURCE, EMPTY_TABLE, DUPLICATE_COLUMNS or RAGGED_CSV; none shows a cell.
    """
    content, gzipped = decompressed(raw, name)
    text, encoding = utf8_text(content, name)
    layout = find_layout(text, name)
    columns, is_padded = _unpadded(_columns(text, layout, name), layout)
    shown = decimal_mark(columns, layout.delimiter)
    series, styles = {}, []
    for position, label in enumerate(layout.names):
        label = label[1:] if is_padded and position else label
        quoted = bool(layout.columns_quoted[position])
        start = ColumnStyle(label, name_quoted=layout.names_quoted[position], quoted=quoted)
        series[label], style = typed(columns[position], start, shown, layout.delimiter)
        styles.append(style)
    frame = pd.DataFrame(series)
    dialect = CsvDialect(
        extension=extension,
        delimiter=layout.delimiter,
        columns=quotes_guessed(styles, frame, layout),
        encoding=encoding,
        gzipped=gzipped,
        padding=" " if is_padded else "",
        line_end=layout.line_end,
        final_line_end=text.endswith((b"\n", b"\r")),
        separator_line=layout.separator_line,
    )
    return frame, dialect


def _columns(text: bytes, layout: Layout, name: str) -> list[TextColumn]:
    start, end = layout.body, len(text)
    # a blank line is a missing cell of an only column, except at the end of the file
    while end > start and text[end - 1] in b"\r\n":
        end -= 1
    if start == end:
        raise InputError("EMPTY_TABLE", f"{name} has a header and no row; at least one row is needed")
    body, quotes = memoryview(text)[start:end], text.count(b'"', start)
    try:
        texts = parsed_texts(body, layout.delimiter, len(layout.names), quotes > 0)
    except BadRecords:
        raise _ragged(text.decode(), layout, name) from None
    if quotes % 2 and _has_open_quote(text[start:].decode(), layout.delimiter):
        raise _ragged(text.decode(), layout, name)
    bare = BareCells(body, layout.delimiter, texts, quotes > 0)
    return [TextColumn(array.dictionary, array.indices, bare.of(i)) for i, array in enumerate(texts)]


def _unpadded(columns: list[TextColumn], layout: Layout) -> tuple[list[TextColumn], bool]:
    """The columns without the space after each delimiter, and whether there is one after every delimiter."""
    first, *others = columns
    if not layout.is_padded or not all(
        pc.all(pc.starts_with(column.distinct, " ")).as_py() for column in others
    ):
        return columns, False
    return [first, *(replace(c, distinct=pc.utf8_slice_codeunits(c.distinct, 1)) for c in others)], True


def quotes_guessed(styles: list[ColumnStyle], frame: pd.DataFrame, layout: Layout) -> tuple[ColumnStyle, ...]:
    """The styles where columns without a cell in the sample are quoted like the others: of texts, or all."""
    seen = [
        (style, quoted)
        for style, quoted in zip(styles, layout.columns_quoted, strict=True)
        if quoted is not None
    ]
    texts = [quoted for style, quoted in seen if frame[style.name].dtype == "str"]
    all_quoted = bool(seen) and all(quoted for _, quoted in seen)
    texts_quoted = all(texts) if texts else all_quoted
    return tuple(
        style
        if quoted is not None
        else replace(style, quoted=texts_quoted if frame[style.name].dtype == "str" else all_quoted)
        for style, quoted in zip(styles, layout.columns_quoted, strict=True)
    )


def _has_open_quote(body: str, delimiter: str) -> bool:
    return any(not field.closed for record in records(body, delimiter) for field in record.fields)


def _ragged(text: str, layout: Layout, name: str) -> InputError:
    """The refusal that names the first bad line, found by reading the file again one record at a time."""
    expected = len(layout.names)
    for record in records(text, layout.delimiter):
        if not all(field.closed for field in record.fields):
            reason = f"line {record.line} of {name} opens a quote that is never closed; close it"
            return InputError("RAGGED_CSV", reason)
        is_content = not record.is_blank and not (layout.separator_line and record.line == 1)
        if is_content and len(record.fields) != expected:
            return InputError(
                "RAGGED_CSV",
                f"line {record.line} of {name} has {len(record.fields)} fields, the header {expected}; "
                f"correct that line, or quote the field that holds the delimiter {layout.delimiter!r}",
            )
    return InputError("RAGGED_CSV", f"{name} has lines whose number of fields is not the header's {expected}")
