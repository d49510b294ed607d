"""Where delimited text that is not held whole can be cut: between two records, never inside of quotes."""

import re
from collections.abc import Iterator

from sosie.sources.csv_layout import Layout
from sosie.sources.streamed_text import StreamedText

Stretch = tuple[int, int]


def stretches(text: StreamedText, layout: Layout, end: int, size: int) -> Iterator[Stretch]:
    """The records up to byte `end` in stretches of whole ones, each of at most `size` bytes.

    A record that is longer than that ends it: what is left is one stretch. Blank lines, where they are no records, are
    no stretch.
    """
    start = layout.body
    records = _records(layout.delimiter) if text.quotes else None
    with text.path.open("rb") as file:
        while start < end:
            file.seek(start)
            content = file.read(min(size, end - start))
            stop = start + len(content)
            if stop < end:
                cut = _last_end(content, records)
                # a line end of two characters is one
                if cut == len(content) and content.endswith(b"\r") and file.read(1) == b"\n":
                    cut = _last_end(content[:-1], records)
                stop = start + cut if cut else end
            if len(layout.names) == 1 or content.strip(b"\r\n"):
                yield start, stop
            start = stop


def _last_end(content: bytes, records: re.Pattern[bytes] | None) -> int:
    """After the last whole record, which is where a line ends unless there are quotes; 0 where there is none."""
    if records is None:
        return max(content.rfind(b"\n"), content.rfind(b"\r")) + 1
    found = records.match(content)
    return found.end() if found else 0


def _records(delimiter: str) -> re.Pattern[bytes]:
    """As many whole records as there are. A quote means something where a field starts; inside, two of them are one."""
    mark = re.escape(delimiter.encode())
    rest = rb"[^" + mark + rb"\r\n]*+"
    field = rb'(?:"[^"]*+(?:""[^"]*+)*+"' + rest + rb'|(?!")' + rest + rb")"
    return re.compile(rb"(?:(?:" + field + mark + rb")*+" + field + rb"(?:\r\n|\n|\r))*+")
