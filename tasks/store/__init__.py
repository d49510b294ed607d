"""The private store: what a run's stages give, kept between runs without pickle and read back equal."""

from sosie.tasks.store.disk import (
    MISSING,
    DiskStore,
    ForgetfulStore,
    Missing,
    Store,
    is_missing,
    open_store,
)
from sosie.tasks.store.opening import purge_intermediates, store_of
from sosie.tasks.store.places import StoreError, refusal_of, store_folder
from sosie.tasks.store.purging import Purged

__all__ = [
    "MISSING",
    "DiskStore",
    "ForgetfulStore",
    "Missing",
    "Purged",
    "Store",
    "StoreError",
    "is_missing",
    "open_store",
    "purge_intermediates",
    "refusal_of",
    "store_folder",
    "store_of",
]
