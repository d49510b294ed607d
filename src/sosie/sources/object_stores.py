"""Objects in stores (s3://, gs://, memory://, …) through fsspec, which finds credentials in the environment."""

import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from sosie.errors import InputError
from sosie.sources.addresses import Address
from sosie.sources.extras import needed


def read_object(address: Address) -> bytes:
    """The object's bytes.

    Raises InputError UNREADABLE_SOURCE for what is missing, forbidden or away, UNSUPPORTED_FORMAT for a store that no
    installed library knows.
    """
    store, path = _opened(address)
    try:
        content: bytes = store.cat_file(path)
    except FileNotFoundError:
        reason = "does not exist in its store; check the URL"
    except PermissionError:
        reason = (
            "may not be read with the credentials of the environment; check them and the rights they have"
        )
    except Exception as error:  # each store has errors of its own, whose texts name hosts, buckets and keys
        reason = (
            f"cannot be read from its store ({type(error).__name__}); check the endpoint and the credentials"
        )
    else:
        return content
    raise InputError("UNREADABLE_SOURCE", f"{address.name} {reason}")


def write_object(content: Path, address: Address) -> None:
    """Put the file at the address, under a temporary name first: it appears whole or not at all.

    Raises InputError BAD_CONFIG.
    """
    store, path = _opened(address)
    folder, slash, name = path.rpartition("/")
    temporary = f"{folder}{slash}.{name}.{uuid.uuid4().hex}"
    try:
        store.put_file(str(content), temporary)
        store.mv(temporary, path)
    except Exception as error:  # as above
        _remove(store, temporary)
        raise InputError(
            "BAD_CONFIG",
            f"the destination {address.name} cannot be written to its store ({type(error).__name__}); check the "
            "endpoint, the credentials and the rights they have",
        ) from None


def _opened(address: Address) -> tuple[Any, str]:
    fsspec = needed("fsspec", "s3", "an object store")
    try:
        store, path = fsspec.core.url_to_fs(
            address.location, use_listings_cache=False, skip_instance_cache=True
        )
    except (ImportError, ValueError):
        scheme = address.location.split(":", 1)[0]
        hint = "pip install 'sosie[s3]'" if scheme.startswith("s3") else "install the fsspec library for it"
        raise InputError(
            "UNSUPPORTED_FORMAT", f"no installed library knows {scheme}:// as a store of objects: {hint}"
        ) from None
    return store, path


def _remove(store: Any, path: str) -> None:
    with suppress(Exception):  # it may never have been there, and the store may be away
        store.rm(path)
