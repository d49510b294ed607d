"""The records of delimited text one by one: exact but slow, for headers, samples, a search of bad lines."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\r|\n")


class Field(NamedTuple):
    """One field: its value without quotes, whether it opened with one, and whether that quote was closed.

    `stray` tells of a quote that no careful writer leaves: inside a bare field, or closed before the field's
    end.
    """

    value: str
    quoted: bool
    closed: bool
    stray: bool


class Record(NamedTuple):
    """One record: the line of the file where it starts (from 1), its fields, its line end, where it stops."""

    line: int
    fields: tuple[Field, ...]
    line_end: str
    stop: int

    @property
    def is_blank(self) -> bool:
        """Whether the record is an empty line."""
        return self.fields == (Field("", False, True, False),)


def records(text: str, delimiter: str) -> Iterator[Record]:
    """The records of `text`, read as the bulk parser reads them.

    A quote opens a quoted part only at the start of a field; inside it two quotes are one, and delimiters and
    line ends are text. What follows the closing quote up to the next delimiter belongs to the field.
    """
    pattern = _field_pattern(delimiter)
    position, line = 0, 1
    while position < len(text):
        start, fields, end = line, [], delimiter
        while end == delimiter:
            match = pattern.match(text, position)
            assert match is not None  # noqa: S101  # every part of the pattern may be empty
            fields.append(_field(match))
            line += len(_LINE_END.findall(match["quoted"] or ""))
            position, end = match.end(), match["end"]
        line += 1
        yield Record(start, tuple(fields), end, position)


def _field(match: re.Match[str]) -> Field:
    if match["quoted"] is None:
        return Field(match["rest"], False, True, '"' in match["rest"])
    inner = match["quoted"][1 : -1 if match["closing"] else None]
    return Field(inner.replace('""', '"') + match["rest"], True, bool(match["closing"]), bool(match["rest"]))


@cache
def _field_pattern(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    quoted = r'(?P<quoted>"(?:[^"]++|"")*+(?P<closing>"?))?'
    return re.compile(rf"{quoted}(?P<rest>[^{mark}\r\n]*+)(?P<end>{mark}|\r\n|\r|\n|\Z)")
