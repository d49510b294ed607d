"""Where a streamed run lays its block files: a private folder of the store, by the run's name."""

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from sosie.errors import InputError
from sosie.tasks.run import Run
from sosie.tasks.store import open_store, store_folder
from sosie.tasks.store.streamed_runs import STREAMED, Occupied
from sosie.tasks.streamed.shelf import Shelf

_KEY = "key"


@dataclass(frozen=True)
class Place:
    """The shelf of a run, which all workers reach; nobody else works on the run while this object lives."""

    shelf: Shelf
    occupied: Occupied = field(compare=False, repr=False)

    @property
    def aside(self) -> Path:
        """A private folder of this machine for what a source has to lay aside."""
        return self.occupied.aside

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
        self.occupied.clear()


def place_of(run: Run) -> Place:
    """The place of a run; another attempt at the same run finds what was finished.

    InputError `BAD_CONFIG` when the run is at work already, and when the runner's share cannot be used.
    """
    store = store_folder(run.job.configuration.store.directory)
    open_store(store)  # the folder of a store, also where this run keeps nothing else in it
    (store / STREAMED).mkdir(exist_ok=True, mode=0o700)
    occupied = Occupied(store / STREAMED, run.directory.name)
    share = run.job.configuration.runner.share
    place = Place(Shelf(f"{share}/{run.directory.name}" if share else str(occupied.folder)), occupied)
    if share:
        _try(place)
    return place


def _try(place: Place) -> None:
    """Write the first file, before the table is read."""
    try:
        place.key()
    except Exception as error:  # each store has errors of its own, whose texts name hosts, buckets and keys
        place.occupied.clear()
        raise InputError(
            "BAD_CONFIG",
            f"runner.share cannot be used ({type(error).__name__}): check the folder or URL, the credentials of the "
            "environment and their rights, and that the library for such a store is installed (sosie[s3])",
        ) from None
