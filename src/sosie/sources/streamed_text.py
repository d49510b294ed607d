"""Delimited text that is not held whole: its encoding found, and UTF-8 of it on disk."""

import codecs
import gzip
import io
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sosie.errors import InputError
from sosie.sources.csv_dialect import Encoding
from sosie.sources.csv_text import BYTE_ORDER_MARKS, GZIP_MAGIC, contradicted, damaged_gzip, no_text

_PIECE = 1 << 20


@dataclass(frozen=True)
class StreamedText:
    """Text as UTF-8 in a file, from byte `start` to `end`; `quotes` are how many `"` it holds."""

    path: Path
    start: int
    end: int
    quotes: int
    encoding: Encoding
    gzipped: bool

    def head(self, most: int) -> bytes:
        """The first bytes, no character cut in two."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            content = file.read(min(most, self.end - self.start))
        return content.decode(errors="ignore").encode() if self.end - self.start > most else content

    def content_end(self) -> int:
        """Where the text ends without the line ends that close it."""
        end = self.end
        with self.path.open("rb") as file:
            while end > self.start:
                at = max(self.start, end - _PIECE)
                file.seek(at)
                kept = len(file.read(end - at).rstrip(b"\r\n"))
                if kept:
                    return at + kept
                end = at
        return end


class Span(io.RawIOBase):
    """A stretch of a file, read as a file of its own."""

    def __init__(self, path: Path, start: int, end: int) -> None:
        self._file, self._left = path.open("rb"), end - start
        self._file.seek(start)

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer as far as the stretch goes."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]  # any buffer
        content = self._file.read(min(len(view), self._left))
        view[: len(content)] = content
        self._left -= len(content)
        return len(content)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def streamed_text(path: Path, name: str, aside: Path) -> StreamedText:
    """The text of a file, read twice or three times; what is not UTF-8 already is laid aside as UTF-8.

    Encodings are found as in memory. Raises InputError UNREADABLE_SOURCE for damaged gzip, bytes that contradict the
    byte order mark, and NUL; EMPTY_TABLE for no byte.
    """
    with path.open("rb") as file:
        gzipped = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    try:
        first = next(_pieces(path, gzipped), b"")
        if not first:
            raise InputError(
                "EMPTY_TABLE", f"{name} is empty: 0 bytes; a header and at least one row are needed"
            )
        mark, encoding = next(((m, e) for m, e, _ in BYTE_ORDER_MARKS if first.startswith(m)), (b"", None))
        found = encoding or _guessed(path, gzipped)
        if found in ("utf-8", "utf-8-sig") and not gzipped:
            text = StreamedText(path, len(mark), path.stat().st_size, 0, found, False)
        else:
            text = _laid_aside(path, gzipped, len(mark), found, aside)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise damaged_gzip(name) from None
    except UnicodeDecodeError:
        raise InputError(
            "UNREADABLE_SOURCE",
            f"{name} cannot be decoded: its bytes are not what its byte order mark says; export it again",
        ) from None
    return _counted(text, name)


def _pieces(path: Path, gzipped: bool) -> Iterator[bytes]:
    with gzip.open(path) if gzipped else path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _guessed(path: Path, gzipped: bool) -> Encoding:
    guesses: tuple[Encoding, ...] = ("utf-8", "cp1252")
    for encoding in guesses:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for piece in _pieces(path, gzipped):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def private_new(path: Path) -> Path:
    """A new empty file of mode 0600 whatever the umask; the path itself."""
    path.unlink(missing_ok=True)
    path.touch(0o600, exist_ok=False)
    path.chmod(0o600)
    return path


def _laid_aside(path: Path, gzipped: bool, mark: int, encoding: Encoding, aside: Path) -> StreamedText:
    decoder = codecs.getincrementaldecoder("utf-8" if encoding == "utf-8-sig" else encoding)()
    target = private_new(aside / f"{uuid.uuid4().hex}.txt")
    with target.open("wb") as file:
        for piece in _pieces(path, gzipped):
            file.write(decoder.decode(piece[mark:]).encode())
            mark = 0
        file.write(decoder.decode(b"", final=True).encode())
    return StreamedText(target, 0, target.stat().st_size, 0, encoding, gzipped)


def _counted(text: StreamedText, name: str) -> StreamedText:
    """The same with its quotes counted; a text that says UTF-8 is held to it."""
    decoder, quotes = codecs.getincrementaldecoder("utf-8")(), 0
    with text.path.open("rb") as file:
        file.seek(text.start)
        while piece := file.read(_PIECE):
            quotes += piece.count(b'"')
            if b"\0" in piece:
                raise no_text(name)
            try:
                decoder.decode(piece)
            except UnicodeDecodeError:
                raise contradicted(name, "UTF-8") from None
    return StreamedText(text.path, text.start, text.end, quotes, text.encoding, text.gzipped)
