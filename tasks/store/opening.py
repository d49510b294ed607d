"""The store that a configuration asks for, and purging one without running anything."""

from datetime import timedelta
from pathlib import Path

from sosie.errors import InputError
from sosie.schemas.configuration import Keeping
from sosie.schemas.durations import duration
from sosie.tasks.store.disk import DiskStore, ForgetfulStore, open_store
from sosie.tasks.store.places import is_store, store_folder
from sosie.tasks.store.purging import Purged


def store_of(keeping: Keeping) -> DiskStore | ForgetfulStore:
    """The store that a run uses, rid of what expired; StoreError when it cannot be used."""
    if not keeping.keep:
        return ForgetfulStore()
    store = open_store(store_folder(keeping.directory))
    store.purge(duration(keeping.expire))
    return store


def purge_intermediates(older_than: timedelta, directory: str | Path | None = None) -> Purged:
    """Remove the private intermediates that were last used so long ago or longer, from the store where it lies.

    A run at work beside it recomputes what it misses. Where there is no folder there is nothing to remove. Raises
    InputError `BAD_CONFIG` when the folder is no store of this program, StoreError when it cannot be used.
    """
    folder = store_folder(directory)
    if not folder.exists():
        return Purged(0, 0, 0)
    if not is_store(folder):
        raise InputError(
            "BAD_CONFIG",
            "the folder is no store of sosie: nothing was removed; check --store and SOSIE_STORE",
        )
    return open_store(folder).purge(older_than)
