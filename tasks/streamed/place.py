"""Where a streamed run lays its block files: a private folder of the store, by the run's name."""

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from sosie.tasks.run import Run
from sosie.tasks.store import store_folder
from sosie.tasks.streamed.shelf import Shelf

FOLDER = "streamed"
_KEY = "key"


@dataclass(frozen=True)
class Place:
    """The shelf of a run, which all workers reach, and a folder of this machine for what a source lays aside."""

    shelf: Shelf
    aside: Path

    def key(self) -> bytes:
        """What marks are made with: drawn at the run's first attempt, kept until its end."""
        if self.shelf.mark(_KEY) is None:
            with self.shelf.writing(_KEY, "", {}) as sink:
                sink.write(secrets.token_bytes(32))
        with self.shelf.reading(_KEY) as file:
            return file.read()

    def clear(self) -> None:
        """Take everything away."""
        self.shelf.remove()
        shutil.rmtree(self.aside, ignore_errors=True)


def place_of(run: Run) -> Place:
    """The place of a run; another attempt at the same run finds what was finished."""
    store = store_folder(run.job.configuration.store.directory)
    folder = store / FOLDER
    aside = folder / f"{run.directory.name}.aside"
    for private in (store, folder, aside):
        private.mkdir(parents=True, exist_ok=True, mode=0o700)
    share = run.job.configuration.runner.share
    return Place(Shelf(f"{share or folder}/{run.directory.name}"), aside)
