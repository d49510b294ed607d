"""Where the avatars go besides the run directory: a file, an object or a table of a database."""

import uuid
from pathlib import Path

import pandas as pd

from sosie.errors import InputError
from sosie.sources.addresses import Address, parse_address
from sosie.sources.files import Dialect, suffix, write_table
from sosie.sources.object_stores import write_object
from sosie.sources.parquet_files import plain_parquet
from sosie.sources.postgresql_writing import check_postgresql, write_postgresql
from sosie.sources.sqlite_tables import check_sqlite, write_sqlite


def check_destination(
    text: str,
    source: str,
    dialect: Dialect,
    password: str | None = None,
    columns: tuple[str, ...] = (),
) -> None:
    """Raise InputError BAD_CONFIG, before anything is computed, if avatars of these columns could not go there.

    A file or object has the suffix of the source or .parquet; a table is new, or empty or written by sosie and has the
    columns (else SCHEMA_MISMATCH). What can only fail later, such as a full disk, fails at `deliver`.
    """
    place = parse_address(text)
    if _is_same(place, parse_address(source)):
        raise InputError("BAD_CONFIG", "the destination is the source itself: name another place")
    if place.place in ("sqlite", "postgresql"):
        if "table" not in place.options:
            raise InputError("BAD_CONFIG", f"the destination {place.name} needs ?table=")
        if place.place == "sqlite":
            check_sqlite(place, columns)
        else:
            check_postgresql(place, password, columns)
        return
    if "sheet" in place.options:
        raise InputError(
            "BAD_CONFIG", f"the destination {place.name} takes no ?sheet=: the sheet is the source's"
        )
    allowed = {suffix(dialect), ".parquet"}
    if not any(place.name.lower().endswith(ending) for ending in allowed):
        raise InputError(
            "BAD_CONFIG", f"the destination {place.name} must end with {' or '.join(sorted(allowed))}"
        )
    if place.place == "file" and not Path(place.location).absolute().parent.is_dir():
        raise InputError("BAD_CONFIG", f"the folder of the destination {place.name} does not exist")


def deliver(
    frame: pd.DataFrame, dialect: Dialect, written: Path, text: str, password: str | None = None
) -> None:
    """Put avatars at the destination, whole or not at all.

    `written` is the file that holds the same frame in the source's dialect. Raises InputError BAD_CONFIG or
    SCHEMA_MISMATCH; then the destination is as it was.
    """
    place = parse_address(text)
    if place.place == "sqlite":
        write_sqlite(frame, dialect, place)
    elif place.place == "postgresql":
        write_postgresql(frame, dialect, place, password)
    elif place.name.lower().endswith(suffix(dialect)):
        _put(written, place)
    else:
        other = written.with_name(f".{uuid.uuid4().hex}.parquet")
        write_table(frame, plain_parquet(frame), other)
        try:
            _put(other, place)
        finally:
            other.unlink()


def _put(content: Path, place: Address) -> None:
    if place.place == "object":
        write_object(content, place)
        return
    path = Path(place.location)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        temporary.write_bytes(content.read_bytes())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(
            "BAD_CONFIG",
            f"the destination {place.name} cannot be written ({type(error).__name__}); check the path",
        ) from None


def _is_same(one: Address, other: Address) -> bool:
    if one.place != other.place or one.options.get("table") != other.options.get("table"):
        return False
    if one.place in ("file", "sqlite"):
        return Path(one.location).resolve() == Path(other.location).resolve()
    return one.location == other.location
