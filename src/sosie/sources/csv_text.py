"""From the bytes of a delimited text file to UTF-8: compression and encoding, found and undone."""

import codecs
import gzip
import zlib

from sosie.errors import InputError
from sosie.sources.csv_dialect import Encoding

GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 20
BYTE_ORDER_MARKS: tuple[tuple[bytes, Encoding, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


def decompressed(raw: bytes, name: str) -> tuple[bytes, bool]:
    """The content of the file and whether it was gzipped, by its first bytes and not by its name.

    Raises InputError UNREADABLE_SOURCE for a damaged or truncated gzip file.
    """
    if not raw.startswith(GZIP_MAGIC):
        return raw, False
    try:
        return gzip.decompress(raw), True
    except (EOFError, OSError, zlib.error):
        raise damaged_gzip(name) from None


def utf8_text(content: bytes, name: str) -> tuple[bytes, Encoding]:
    """The text as UTF-8 without byte order mark, and the encoding that it came in.

    The encoding is what the byte order mark says, else UTF-8 if the whole file is valid UTF-8, else cp1252,
    else latin-1 (bytes that cp1252 leaves undefined). Raises InputError UNREADABLE_SOURCE for bytes that
    contradict the byte order mark, and for NUL, which no text holds.
    """
    text, encoding = _decoded(content, name)
    if b"\0" in text:
        raise no_text(name)
    return text, encoding


def damaged_gzip(name: str) -> InputError:
    """The refusal of a gzip file that cannot be read to its end."""
    return InputError(
        "UNREADABLE_SOURCE", f"{name} is a damaged or truncated gzip file; compress the table again"
    )


def no_text(name: str) -> InputError:
    """The refusal of a file with NUL, which no text holds."""
    return InputError(
        "UNREADABLE_SOURCE",
        f"{name} holds NUL bytes, so it is not a text table; "
        "export it as UTF-8, or as UTF-16 with a byte order mark",
    )


def contradicted(name: str, spoken: str) -> InputError:
    """The refusal of bytes that are not in the encoding that the byte order mark says, as people call it."""
    return InputError(
        "UNREADABLE_SOURCE",
        f"{name} cannot be decoded: its byte order mark says {spoken} its bytes are not; export it again",
    )


def _decoded(content: bytes, name: str) -> tuple[bytes, Encoding]:
    for mark, encoding, spoken in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _marked(content[len(mark) :], encoding, spoken, name), encoding
    if _is_utf8(content):
        return content, "utf-8"
    try:
        return content.decode("cp1252").encode(), "cp1252"
    except UnicodeDecodeError:
        return content.decode("latin-1").encode(), "latin-1"


def _marked(content: bytes, encoding: Encoding, spoken: str, name: str) -> bytes:
    try:
        if encoding != "utf-8-sig":
            return content.decode(encoding).encode()
        if _is_utf8(content):
            return content
    except UnicodeError:
        pass
    raise contradicted(name, spoken) from None


def _is_utf8(content: bytes) -> bool:
    """Whether the bytes are valid UTF-8, found a piece at a time so that the text is never held twice."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(content), _CHUNK):
            decoder.decode(content[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
