"""A private folder, here or wherever fsspec reaches, whose files appear whole or not at all and are checked when used.

Each file has a mark beside it, written after it: its key (what it was made from), its size and its sha256. A file
without its mark, of another key or with other bytes does not count.
"""

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

_PIECE = 1 << 20


@dataclass(frozen=True)
class Mark:
    """What is known of a finished file: its key, size in bytes and sha256, and what its writer noted."""

    key: str
    size: int
    sha256: str
    noted: Mapping[str, Any]


@dataclass(frozen=True)
class Shelf:
    """The folder at `url`; on this machine mode 0700, its files 0600."""

    url: str

    @contextmanager
    def writing(self, name: str, key: str, noted: dict[str, Any]) -> Iterator["Digested"]:
        """A file to write; it and its mark appear when the block ends well. `noted` may be filled until then."""
        fs, root = self._place()
        path, temporary = f"{root}/{name}", f"{root}/{name}.{uuid.uuid4().hex}"
        self._make_folder(fs, path.rsplit("/", 1)[0])
        if fs.exists(f"{path}.mark"):  # what is there is about to be another
            fs.rm(f"{path}.mark")
        try:
            with fs.open(temporary, "wb") as file:
                _hide(fs, temporary)
                sink = Digested(file)
                yield sink
            fs.mv(temporary, path)
        except BaseException:
            if fs.exists(temporary):
                fs.rm(temporary)
            raise
        mark = {"key": key, "size": sink.size, "sha256": sink.sha256, "noted": noted}
        with fs.open(f"{temporary}.mark", "wb") as file:
            _hide(fs, f"{temporary}.mark")
            file.write(json.dumps(mark).encode())
        fs.mv(f"{temporary}.mark", f"{path}.mark")

    def mark(self, name: str) -> Mark | None:
        """The mark of a finished file; None where there is none."""
        fs, root = self._place()
        try:
            with fs.open(f"{root}/{name}.mark", "rb") as file:
                return Mark(**json.loads(file.read()))
        except (FileNotFoundError, ValueError):
            return None

    def holds(self, name: str, key: str) -> bool:
        """Whether the file is there, made from the same, and still has the bytes that were written."""
        found = self.mark(name)
        if found is None or found.key != key:
            return False
        digest, size = hashlib.sha256(), 0
        try:
            with self.reading(name) as file:
                while piece := file.read(_PIECE):
                    digest.update(piece)
                    size += len(piece)
        except FileNotFoundError:
            return False
        return size == found.size and digest.hexdigest() == found.sha256

    @contextmanager
    def reading(self, name: str) -> Iterator[IO[bytes]]:
        """A file to read, at any place of it."""
        fs, root = self._place()
        with fs.open(f"{root}/{name}", "rb") as file:
            yield file

    def remove(self, name: str = "") -> None:
        """Take a file with its mark away, or a folder with all in it."""
        fs, root = self._place()
        path = f"{root}/{name}".rstrip("/")
        for gone in (path, f"{path}.mark"):
            if fs.exists(gone):
                fs.rm(gone, recursive=True)

    def inside(self, folder: str) -> "Shelf":
        """The shelf of a folder in this one."""
        return Shelf(f"{self.url.rstrip('/')}/{folder}")

    def _place(self) -> tuple[Any, str]:
        fs, root = fsspec.core.url_to_fs(self.url)
        return fs, root.rstrip("/")

    def _make_folder(self, fs: Any, folder: str) -> None:
        fs.makedirs(folder, exist_ok=True)
        if isinstance(fs, LocalFileSystem):
            for place in {self._place()[1], folder}:
                Path(place).chmod(0o700)


class Digested:
    """A file being written whose size and sha256 are kept count of."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._digest, self.size = file, hashlib.sha256(), 0

    def write(self, content: bytes | memoryview) -> None:
        """Append."""
        self._digest.update(content)
        self.size += memoryview(content).nbytes
        self._file.write(content)

    @property
    def sha256(self) -> str:
        """Of what was written so far."""
        return self._digest.hexdigest()


def _hide(fs: Any, path: str) -> None:
    if isinstance(fs, LocalFileSystem):
        Path(path).chmod(0o600)
