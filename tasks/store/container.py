"""One file that holds one value: a header with the file's hash, the arrays as they lie in memory, the description.

    magic (16 bytes) · sha256 of all that follows the header (32) · 0 (16) | arrays, each at a multiple of 64 |
    description (JSON) · its place (8)

Arrays are written from where they are and mapped when they are read, copied only where they are written into; a file
that is deleted meanwhile stays with those who have it open.
"""

import hashlib
import json
import mmap
import os
import struct
from io import FileIO
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sosie.tasks.store.codec import Builder, Describer
from sosie.tasks.store.kinds import DamagedError

_MAGIC = b"sosie value 1\n\0\0"
_ALIGNED = 64  # bytes: a cache line, and the header's length
_PLACE = struct.Struct("<Q")
_AT_ONCE = 2**24  # bytes of an array that does not lie in one piece
_MAPPED_FROM = 2**20  # bytes: a smaller file is read


def write_value(value: object, file: IO[bytes]) -> None:
    """Write a value to an empty file; TypeError naming its type when there is no way to keep it."""
    writing = _Writing(file)
    writing.write(bytes(_ALIGNED))
    writing.digest = hashlib.sha256()
    document = Describer(writing.place).document(value)
    place = writing.length
    writing.write(json.dumps(document, allow_nan=False, separators=(",", ":")).encode())
    writing.write(_PLACE.pack(place))
    file.seek(0)
    file.write(_MAGIC + writing.digest.digest())


def read_value(file: FileIO) -> object:
    """The value in a file; DamagedError when the file is not as it was written, or of another version."""
    length = os.fstat(file.fileno()).st_size
    header = file.read(_ALIGNED)
    if not header.startswith(_MAGIC) or length < _ALIGNED + _PLACE.size:
        raise DamagedError("no value of this program")
    digest = header[len(_MAGIC) :][: hashlib.sha256().digest_size]
    if hashlib.file_digest(file, "sha256").digest() != digest:
        raise DamagedError("not what was written")
    content = _content(file, length)
    (place,) = _PLACE.unpack_from(content, length - _PLACE.size)
    try:
        document = json.loads(bytes(memoryview(content)[place : length - _PLACE.size]))
        return Builder(lambda dtype, shape, start: _array(content, dtype, shape, start)).build(document)
    except (ArithmeticError, AttributeError, ImportError, LookupError, TypeError, ValueError):
        # the bytes are those that were written: a class or a field has changed since
        raise DamagedError("a value of another version of this program") from None


class _Writing:
    """A file being written and hashed."""

    def __init__(self, file: IO[bytes]) -> None:
        self.digest = hashlib.sha256()
        self.length = 0
        self._file = file

    def write(self, piece: Any) -> None:
        """Append bytes."""
        self.digest.update(piece)
        self._file.write(piece)
        self.length += len(piece)

    def place(self, array: NDArray[Any]) -> int:
        """Append an array's bytes in C order; where they begin."""
        self.write(bytes(-self.length % _ALIGNED))
        start = self.length
        if array.nbytes and array.flags.c_contiguous:
            self.write(_bytes(array))
        elif array.nbytes:
            for row in _pieces(array):
                self.write(_bytes(np.ascontiguousarray(row)))
        return start


def _pieces(array: NDArray[Any]) -> list[NDArray[Any]]:
    at_once = max(1, _AT_ONCE * len(array) // array.nbytes)
    return [array[start : start + at_once] for start in range(0, len(array), at_once)]


def _bytes(array: NDArray[Any]) -> memoryview:
    held: Any = array.reshape(-1).view(np.uint8)  # not every dtype shows its bytes
    return memoryview(held)


def _content(file: FileIO, length: int) -> Any:
    if length >= _MAPPED_FROM:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    file.seek(0)
    return bytearray(file.read())


def _array(content: Any, dtype: Any, shape: tuple[int, ...], start: int) -> NDArray[Any]:
    count = int(np.prod(shape, dtype=np.int64))
    if not count or not dtype.itemsize:
        return np.zeros(shape, dtype)
    return np.frombuffer(content, dtype, count, start).reshape(shape)
