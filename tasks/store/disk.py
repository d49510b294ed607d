"""The private store of what the stages of a run give, and the one that keeps nothing."""

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeGuard

from sosie.tasks.store.codec import canonical
from sosie.tasks.store.container import read_value, write_value
from sosie.tasks.store.kinds import DamagedError
from sosie.tasks.store.locks import hold, locked
from sosie.tasks.store.places import make_private, open_new, plain_errors, store_key, sync_folder
from sosie.tasks.store.purging import KEY, LOCKS, TEMPORARY, VALUES, Purged, purge_folder, sweep


class Missing:
    """What `load` gives for a key that nothing is kept under."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


def is_missing(value: object) -> TypeGuard[Missing]:
    """Whether nothing was kept."""
    return isinstance(value, Missing)


class Store(Protocol):
    """A place for values by their key, a text of hexadecimal digits."""

    def has(self, key: str) -> bool:
        """Whether a value is kept under a key; it is not read, and may turn out to be damaged."""
        ...

    def load(self, key: str) -> Any:
        """The value kept under a key, else MISSING."""
        ...

    def save(self, key: str, value: object) -> None:
        """Keep a value under a key, whole or not at all."""
        ...

    def holding(self, key: str) -> AbstractContextManager[None]:
        """Be the only one who works on a key, waiting for whoever does; not for the same thread twice."""
        ...

    def identity(self, stage: str, version: int, parameters: object, inputs: Sequence[str] = ()) -> str:
        """The key of what a stage gives for these parameters and for the values of these keys, in this order."""
        ...

    def purge(self, older_than: timedelta) -> Purged:
        """Remove the values that were last used so long ago or longer, and what dead processes left."""
        ...


@dataclass(frozen=True)
class DiskStore:
    """A store in a folder of mode 0700; `secret` keys the identities, so that no parameter is guessed from one."""

    folder: Path
    secret: bytes = field(repr=False)

    def has(self, key: str) -> bool:
        """Whether a value is kept under a key, which from now on counts as used; it is not read, and may be damaged."""
        with plain_errors():
            try:
                os.utime(self._file(VALUES, key), follow_symlinks=False)
            except FileNotFoundError:
                return False
            return True

    def load(self, key: str) -> Any:
        """The value kept under a key, else MISSING; what is damaged, or of another version, is removed."""
        file = self._file(VALUES, key)
        with plain_errors():
            try:
                descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            except FileNotFoundError:
                return MISSING
            with FileIO(descriptor) as opened:
                try:
                    value = read_value(opened)
                except DamagedError:
                    file.unlink(missing_ok=True)
                    return MISSING
                os.utime(descriptor)  # last used now: what purging goes by
                return value

    def save(self, key: str, value: object) -> None:
        """Keep a value under a key, whole or not at all.

        Raises StoreError when the disk is full or the folder cannot be written to, TypeError naming the type of what
        there is no way to keep.
        """
        with plain_errors(), self._temporary(key) as (file, temporary):
            write_value(value, file)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(self._file(VALUES, key))
            sync_folder(self.folder / VALUES)

    @contextmanager
    def holding(self, key: str) -> Iterator[None]:
        """Be the only one who works on a key, in any process; a process that dies lets it go."""
        with plain_errors():
            lock = locked(self._file(LOCKS, key))
            lock.__enter__()
        try:
            yield
        finally:
            lock.__exit__(None, None, None)

    def identity(self, stage: str, version: int, parameters: object, inputs: Sequence[str] = ()) -> str:
        """The key of what a stage gives for these parameters and for the values of these keys, in this order."""
        return _identity(self.secret, stage, version, parameters, inputs)

    def purge(self, older_than: timedelta) -> Purged:
        """Remove values last used so long ago or longer, unless being worked on, and what dead processes left."""
        with plain_errors():
            return purge_folder(self.folder, older_than)

    @contextmanager
    def _temporary(self, key: str) -> Iterator[tuple[BinaryIO, Path]]:
        """A new file beside the values, known as alive, gone at the end unless it got its name."""
        while True:
            temporary = self._file(TEMPORARY, f"{key}.{secrets.token_hex(8)}")
            file = os.fdopen(open_new(temporary), "w+b")
            if hold(file.fileno(), temporary):
                break
            file.close()
        try:
            yield file, temporary
        finally:
            with suppress(OSError):  # what is still buffered may have no room either
                file.close()
            temporary.unlink(missing_ok=True)

    def _file(self, folder: str, name: str) -> Path:
        if not KEY.fullmatch(name.partition(".")[0]):
            raise ValueError("a key is 16 to 128 hexadecimal digits")
        return self.folder / folder / name


@dataclass(frozen=True)
class ForgetfulStore:
    """A store that keeps nothing and writes nothing: what a run needs it computes, and holds in memory itself."""

    secret: bytes = field(repr=False, default_factory=lambda: secrets.token_bytes(32))

    def has(self, key: str) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def load(self, key: str) -> Any:  # noqa: ARG002
        """MISSING."""
        return MISSING

    def save(self, key: str, value: object) -> None:
        """Nothing is kept."""

    def holding(self, key: str) -> AbstractContextManager[None]:  # noqa: ARG002
        """Nobody waits: there is nothing to share."""
        return nullcontext()

    def identity(self, stage: str, version: int, parameters: object, inputs: Sequence[str] = ()) -> str:
        """The key of what a stage gives, the same within this process only."""
        return _identity(self.secret, stage, version, parameters, inputs)

    def purge(self, older_than: timedelta) -> Purged:  # noqa: ARG002
        """Nothing to remove."""
        return Purged(0, 0, 0)


def open_store(folder: Path) -> DiskStore:
    """The store in a folder, which is made if it is not there; dead processes' files are swept.

    Raises StoreError when the folder is somebody else's, can be written to by others or cannot be written to, or holds
    something else.
    """
    with plain_errors():
        make_private(folder)
        secret = store_key(folder)
        for part in (VALUES, TEMPORARY, LOCKS):
            make_private(folder / part)
        sweep(folder)
    return DiskStore(folder, secret)


def _identity(secret: bytes, stage: str, version: int, parameters: object, inputs: Sequence[str]) -> str:
    derivation = canonical((stage, version, parameters, tuple(inputs)))
    return hmac.new(secret, derivation.encode(), hashlib.sha256).hexdigest()
