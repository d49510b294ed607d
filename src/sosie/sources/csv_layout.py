"""The layout of delimited text, found on its beginning: delimiter, line ends, header, quoted columns."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from sosie.errors import InputError
from sosie.sources.csv_records import Record, records
from sosie.sources.csv_spellings import SPELLINGS
from sosie.sources.names import refuse_duplicates

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_BYTES = 1 << 18
_SAMPLE_RECORDS = 500
_NUMBER = re.compile(r"-?\d+([.,]\d+)?")
_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])(?:\r\n|\r|\n)", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """Where things are in the text, and how they look.

    `columns_quoted` tells whether all present cells of each column stand in quotes, None where no cell was
    seen; `is_padded` whether a space follows every delimiter; `body` is the offset in bytes of the line after
    the header.
    """

    delimiter: str
    line_end: str
    separator_line: bool
    names: tuple[str, ...]
    names_quoted: tuple[bool, ...]
    columns_quoted: tuple[bool | None, ...]
    is_padded: bool
    body: int


def find_layout(text: bytes, name: str) -> Layout:
    """The layout of `text` (UTF-8), judged on its first 500 records.

    Raises InputError EMPTY_TABLE without any line, DUPLICATE_COLUMNS for names that occur more than once (two
    columns without a name included; one alone is kept, its name being the empty text).
    """
    for size in (_SAMPLE_BYTES, len(text)):  # the second for a header longer than the sample
        # "ignore" can only drop the character that the cut went through: the text is known to be valid
        sample, is_whole = text[:size].decode(errors="ignore"), len(text) <= size
        separator = _SEPARATOR_LINE.match(sample)
        start = separator.end() if separator else 0
        delimiter = separator[1] if separator else _delimiter(sample, is_whole)
        found = [r for r in _sampled_records(sample[start:], delimiter, is_whole) if not r.is_blank]
        if found:
            break
    else:
        raise InputError("EMPTY_TABLE", f"{name} holds no line; a header and at least one row are needed")
    header, *body = found
    names = [field.value for field in header.fields]
    refuse_duplicates(names, name)
    return Layout(
        delimiter=delimiter,
        line_end=Counter(record.line_end or "\n" for record in found).most_common(1)[0][0],
        separator_line=separator is not None,
        names=tuple(names),
        names_quoted=tuple(field.quoted for field in header.fields),
        columns_quoted=tuple(_is_quoted(body, position) for position in range(len(names))),
        is_padded=len(names) > 1 and b'"' not in text and all(map(_is_padded, found)),
        body=len(sample[: start + header.stop].encode()),
    )


def _sampled_records(sample: str, delimiter: str, is_whole: bool) -> list[Record]:
    found = list(islice(records(sample, delimiter), _SAMPLE_RECORDS))
    # the record that reaches the end of a cut sample may itself be cut
    return found if is_whole or found[-1].stop < len(sample) else found[:-1]


def _delimiter(sample: str, is_whole: bool) -> str:
    """The delimiter that splits the header, leaves no stray quotes and splits the other records alike.

    Equals are told apart by the share of fields that look like numbers (`61,4;3` by a comma has one, by a
    semicolon two), then by the share that neither starts nor ends with a space, then by the number of fields.
    If none splits the header there is one column, and any mark that splits nothing will do.
    """
    splits = {mark: _sampled_records(sample, mark, is_whole) for mark in _DELIMITERS}
    widths = {mark: [len(r.fields) for r in found if not r.is_blank] for mark, found in splits.items()}
    dividing = [mark for mark in _DELIMITERS if widths[mark] and widths[mark][0] > 1]
    if not dividing:
        return next((mark for mark in _DELIMITERS if set(widths[mark]) <= {1}), ",")
    return max(dividing, key=lambda mark: _fitness(splits[mark], widths[mark]))


def _fitness(found: list[Record], widths: list[int]) -> tuple[float, float, float, float, int]:
    values = [field.value for record in found for field in record.fields]
    clean = sum(not field.stray for record in found for field in record.fields) / len(values)
    alike = sum(width == widths[0] for width in widths) / len(widths)
    numbers = sum(_NUMBER.fullmatch(value) is not None for value in values) / len(values)
    trimmed = sum(value == value.strip() for value in values) / len(values)
    return clean, alike, numbers, trimmed, widths[0]


def _is_padded(record: Record) -> bool:
    return all(field.value.startswith(" ") for field in record.fields[1:])


def _is_quoted(body: list[Record], position: int) -> bool | None:
    cells = [record.fields[position] for record in body if position < len(record.fields)]
    present = [cell.quoted for cell in cells if cell.value not in SPELLINGS]
    return all(present) if present else None
