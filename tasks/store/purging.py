"""Removing what nobody used for long, and what dead processes left."""

import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sosie.tasks.store.locks import is_locked, remove_unless_locked
from sosie.tasks.store.streamed_runs import purge_streamed_runs

VALUES, TEMPORARY, LOCKS = "values", "temporary", "locks"
KEY = re.compile("[0-9a-f]{16,128}")
_WRITTEN = re.compile(rf"{KEY.pattern}\.[0-9a-f]{{16}}")


@dataclass(frozen=True)
class Purged:
    """How many files were removed, how many bytes they had, and how many values stay."""

    removed: int
    bytes: int
    kept: int


def purge_folder(folder: Path, older_than: timedelta) -> Purged:
    """Remove the values of a store that were last used so long ago or longer, and what dead processes left.

    A value whose key is being worked on stays; one that a run has open stays with that run. Files that are not the
    store's are not touched.
    """
    removed, size = map(sum, zip(sweep(folder), purge_streamed_runs(folder, older_than), strict=True))
    kept = 0
    now = time.time()
    for file, found in _files(folder / VALUES, KEY):
        recent = max(0.0, now - found.st_mtime) < older_than.total_seconds()
        if recent or is_locked(folder / LOCKS / file.name):
            kept += 1
        else:
            file.unlink(missing_ok=True)
            removed, size = removed + 1, size + found.st_size
    return Purged(removed, size, kept)


def sweep(folder: Path) -> tuple[int, int]:
    """Remove what processes left that died while they wrote or held a lock: how many written files, their bytes."""
    for lock, _ in _files(folder / LOCKS, KEY):
        remove_unless_locked(lock)
    swept = [
        found.st_size for file, found in _files(folder / TEMPORARY, _WRITTEN) if remove_unless_locked(file)
    ]
    return len(swept), sum(swept)


def _files(folder: Path, names: re.Pattern[str]) -> Iterator[tuple[Path, os.stat_result]]:
    """The regular files of these names, those that vanish meanwhile left out."""
    for name in sorted(os.listdir(folder)):
        try:
            found = (folder / name).lstat()
        except FileNotFoundError:
            continue
        if names.fullmatch(name) and stat.S_ISREG(found.st_mode):
            yield folder / name, found
