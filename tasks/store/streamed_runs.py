"""Block files that streamed runs left in the store: one folder a run, and a lock that is held while it is at work."""

import fcntl
import os
import shutil
import time
from datetime import timedelta
from pathlib import Path

from sosie.errors import InputError
from sosie.tasks.store.locks import is_locked

STREAMED = "streamed"


class Occupied:
    """A streamed run's own folder, for as long as this object lives.

    InputError `BAD_CONFIG` when the run is at work already.
    """

    def __init__(self, streamed: Path, run: str) -> None:
        self.folder, self.aside, self._lock = (
            streamed / run,
            streamed / f"{run}.aside",
            streamed / f"{run}.lock",
        )
        self.aside.mkdir(exist_ok=True, mode=0o700)
        self._descriptor = os.open(self._lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "BAD_CONFIG", f"{run} is at work already: wait for it, or start a run of its own"
            ) from None

    def clear(self) -> None:
        """Take everything of the run away."""
        for folder in (self.folder, self.aside):
            shutil.rmtree(folder, ignore_errors=True)
        self._lock.unlink(missing_ok=True)

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)


def purge_streamed_runs(store: Path, older_than: timedelta) -> tuple[int, int]:
    """Remove what runs left that are not at work and wrote nothing for so long: how many files, and their bytes."""
    streamed, files, size = store / STREAMED, 0, 0
    for lock in sorted(streamed.glob("*.lock")) if streamed.is_dir() else ():
        places = [streamed / lock.stem, streamed / f"{lock.stem}.aside"]
        left = [file.lstat() for place in places for file in place.rglob("*") if file.is_file()]
        newest = max([lock.lstat().st_mtime, *(found.st_mtime for found in left)])
        if is_locked(lock) or time.time() - newest < older_than.total_seconds():
            continue
        for place in places:
            shutil.rmtree(place, ignore_errors=True)
        lock.unlink(missing_ok=True)
        files, size = files + len(left), size + sum(found.st_size for found in left)
    return files, size
