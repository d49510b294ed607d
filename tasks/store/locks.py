"""Locks between processes and threads that the operating system takes back when their process dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """The lock of this name, waited for; its file is there as long as somebody holds it or died holding it.

    Not for the same thread twice.
    """
    descriptor = _acquired(file)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)  # before the lock is free: who waits for it finds a file without a name
        os.close(descriptor)


def is_locked(file: Path) -> bool:
    """Whether somebody holds the lock of this file, or writes to a file that `hold` was called for."""
    try:
        with _attempted(file) as descriptor:
            return descriptor is None
    except FileNotFoundError:
        return False


def remove_unless_locked(file: Path) -> bool:
    """Remove the file of a dead process; False when it is alive, or the file already gone."""
    try:
        with _attempted(file) as descriptor:
            if descriptor is None or not _is_at(descriptor, file):
                return False
            file.unlink()
            return True
    except FileNotFoundError:
        return False


def hold(descriptor: int, file: Path) -> bool:
    """Mark a file just made as being written; False when it was taken for a dead process's before."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return _is_at(descriptor, file)


@contextmanager
def _attempted(file: Path) -> Iterator[int | None]:
    """The descriptor of a file that is there, locked; None when somebody else holds its lock."""
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        yield descriptor if _locks(descriptor) else None
    finally:
        os.close(descriptor)


def _locks(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _acquired(file: Path) -> int:
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, file):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # the holder before us took the name away


def _is_at(descriptor: int, file: Path) -> bool:
    try:
        found = file.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))
