"""Objects in stores (s3://, gs://, memory://, …) through fsspec, which finds credentials in the environment."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from sosie.errors import NO_ROOM, AwayError, InputError
from sosie.sources.addresses import Address
from sosie.sources.extras import needed
from sosie.sources.prepared import Prepared, content_receipt, undecided


def read_object(address: Address) -> bytes:
    """The object's bytes.

    Raises InputError UNREADABLE_SOURCE for what is missing, forbidden or away, UNSUPPORTED_FORMAT for a store that no
    installed library knows.
    """
    store, path = _opened(address)
    with _refusing(address):
        content: bytes = store.cat_file(path)
    return content


def fetch_object(address: Address, file: Path) -> None:
    """Copy the object into a file, without holding it. Raises as `read_object`, and OSError where no room is left."""
    store, path = _opened(address)
    with _refusing(address):
        store.get_file(path, str(file))


@contextmanager
def open_object(address: Address) -> Iterator[BinaryIO]:
    """The object, of which no more is fetched than is asked for. Raises as `read_object`."""
    store, path = _opened(address)
    with _refusing(address), store.open(path, "rb", cache_type="none") as content:
        yield content


@contextmanager
def _refusing(address: Address) -> Iterator[None]:
    """A block in which an object that cannot be read becomes InputError UNREADABLE_SOURCE."""
    try:
        yield
    except FileNotFoundError:
        reason = "does not exist in its store; check the URL"
    except PermissionError:
        reason = (
            "may not be read with the credentials of the environment; check them and the rights they have"
        )
    except InputError:
        raise
    except Exception as error:  # each store has errors of its own, whose texts name hosts, buckets and keys
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise  # of this machine
        raise AwayError(
            "UNREADABLE_SOURCE",
            f"{address.name} cannot be read from its store ({type(error).__name__}); check the endpoint and the "
            "credentials",
        ) from None
    else:
        return
    raise InputError(
        "UNREADABLE_SOURCE", f"{address.name} {reason}"
    ) from None  # the error itself may name more


def prepare_object(file: Path, address: Address, tag: str) -> Prepared:
    """The file's content under a temporary name beside the address, which one move puts in its place.

    Raises InputError BAD_CONFIG.
    """
    store, path = _opened(address)
    temporary = _beside(path, tag)
    try:
        store.put_file(str(file), temporary)
    except Exception as error:  # as above
        _remove(store, temporary)
        raise _unwritten(address, error) from None
    except BaseException:  # such as Ctrl-C
        _remove(store, temporary)
        raise
    with file.open("rb") as content:
        receipt = content_receipt(content)
    return Prepared(
        receipt, partial(_move, store, temporary, path, address, receipt), partial(_remove, store, temporary)
    )


def object_holds(address: Address, receipt: str) -> bool:
    """Whether the object holds the content of this receipt; raises UndecidedError when its store is away."""
    store, path = _opened(address)
    try:
        with store.open(path, "rb") as content:
            return content_receipt(content) == receipt
    except FileNotFoundError:
        return False
    except Exception:  # as above
        raise undecided(f"the destination {address.name}") from None


def forget_object(address: Address, tag: str) -> None:
    """Take away what a killed process left under its temporary name."""
    store, path = _opened(address)
    _remove(store, _beside(path, tag))


def _move(store: Any, temporary: str, path: str, address: Address, receipt: str) -> None:
    try:
        store.mv(temporary, path)
    except Exception as error:  # as above; a move may fail after its copy was made
        delivered = object_holds(address, receipt)
        _remove(store, temporary)
        if not delivered:
            raise _unwritten(address, error) from None


def _beside(path: str, tag: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.{tag}"


def _unwritten(address: Address, error: Exception) -> InputError:
    return InputError(
        "BAD_CONFIG",
        f"the destination {address.name} cannot be written to its store ({type(error).__name__}); check the "
        "endpoint, the credentials and the rights they have",
    )


def _opened(address: Address) -> tuple[Any, str]:
    fsspec = needed("fsspec", "s3", "an object store")
    try:
        store, path = fsspec.core.url_to_fs(
            address.location, use_listings_cache=False, skip_instance_cache=True
        )
    except (ImportError, ValueError, TypeError, AttributeError):  # some wrap another store, and fail without
        scheme = address.location.split(":", 1)[0]
        hint = "pip install 'sosie[s3]'" if scheme.startswith("s3") else "install the fsspec library for it"
        raise InputError(
            "UNSUPPORTED_FORMAT", f"no installed library knows {scheme}:// as a store of objects: {hint}"
        ) from None
    return store, path


def _remove(store: Any, path: str) -> None:
    with suppress(Exception):  # it may never have been there, and the store may be away
        store.rm(path)
