"""Reading delimited text: the typed frame and the dialect it was written in."""

import pandas as pd

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
    columns = _columns(text, layout, name)
    shown = decimal_mark(columns, layout.delimiter)
    series, styles = {}, []
    for position, label in enumerate(layout.names):
        start = ColumnStyle(label, layout.names_quoted[position], layout.columns_quoted[position])
        series[label], style = typed(columns[position], start, shown, layout.delimiter)
        styles.append(style)
    dialect = CsvDialect(
        extension=extension,
        delimiter=layout.delimiter,
        columns=tuple(styles),
        encoding=encoding,
        gzipped=gzipped,
        line_end=layout.line_end,
        final_line_end=text.endswith((b"\n", b"\r")),
        separator_line=layout.separator_line,
    )
    return pd.DataFrame(series), dialect


def _columns(text: bytes, layout: Layout, name: str) -> list[TextColumn]:
    width = len(layout.names)
    # a blank line is a missing cell of an only column, except at the end of the file
    body = text[layout.body :].rstrip(b"\r\n")
    if not body:
        raise InputError("EMPTY_TABLE", f"{name} has a header and no row; at least one row is needed")
    has_quotes = b'"' in body
    try:
        texts = parsed_texts(body, layout.delimiter, width, has_quotes)
    except BadRecords:
        raise _ragged(text.decode(), layout, name) from None
    if has_quotes and body.count(b'"') % 2 and _has_open_quote(body.decode(), layout.delimiter):
        raise _ragged(text.decode(), layout, name)
    bare = BareCells(body, layout.delimiter, texts, has_quotes)
    return [TextColumn(array.dictionary, array.indices, bare.of(i)) for i, array in enumerate(texts)]


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
