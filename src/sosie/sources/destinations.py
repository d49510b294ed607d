"""Where the avatars go besides the run directory: a file, an object or a table of a database."""

import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pandas as pd

from sosie.errors import InputError
from sosie.sources.addresses import Address, parse_address
from sosie.sources.files import Dialect, suffix, write_table
from sosie.sources.object_stores import forget_object, object_holds, prepare_object
from sosie.sources.parquet_files import plain_parquet
from sosie.sources.postgresql_writing import check_postgresql, postgresql_holds, prepare_postgresql
from sosie.sources.prepared import Prepared, content_receipt
from sosie.sources.sqlite_tables import check_sqlite, prepare_sqlite, sqlite_holds
from sosie.sources.streamed_parquet import parquet_frames


def check_destination(
    text: str,
    source: str,
    ending: str,
    password: str | None = None,
    columns: tuple[str, ...] = (),
) -> None:
    """Raise InputError BAD_CONFIG, before anything is computed, if avatars of these columns could not go there.

    A file or object has the suffix of the avatars' file, `ending`, or .parquet; a table is new, or empty or written by
    sosie and has the columns (else SCHEMA_MISMATCH). What can only fail later, such as a full disk, fails at `prepare`.
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
    allowed = {ending, ".parquet"}
    if not any(place.name.lower().endswith(ending) for ending in allowed):
        raise InputError(
            "BAD_CONFIG", f"the destination {place.name} must end with {' or '.join(sorted(allowed))}"
        )
    if place.place == "file":
        _check_path(Path(place.location).absolute(), place)


def _check_path(path: Path, place: Address) -> None:
    if not path.parent.is_dir():
        raise InputError("BAD_CONFIG", f"the folder of the destination {place.name} does not exist")
    trial = _beside(path, uuid.uuid4().hex)
    try:
        trial.touch()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path itself
        raise _unwritten(place, error) from None
    finally:
        _remove(trial)
    if path.is_dir():
        raise InputError("BAD_CONFIG", f"the destination {place.name} is a folder: name the file inside it")


def prepare(
    frame: pd.DataFrame,
    dialect: Dialect,
    written: Path,
    text: str,
    password: str | None = None,
    tag: str | None = None,
) -> Prepared:
    """Avatars that wait for the last step of their delivery; the destination is as it was.

    `written` is the file that holds the same frame in the source's dialect; of a table that was streamed it alone does,
    and the frame has no columns. `tag` is part of temporary names, so that `forget` finds them after a crash. Raises
    InputError BAD_CONFIG or SCHEMA_MISMATCH.
    """
    place, tag = parse_address(text), tag or uuid.uuid4().hex
    if place.place == "sqlite":
        return prepare_sqlite(frame, dialect, place)
    if place.place == "postgresql":
        return prepare_postgresql(_pieces(frame, written), dialect, place, password)
    with _file_of(frame, dialect, written, place) as file:
        return (
            prepare_object(file, place, tag) if place.place == "object" else _prepare_file(file, place, tag)
        )


def was_delivered(text: str, receipt: str, password: str | None = None) -> bool:
    """Whether the delivery of this receipt was committed.

    Raises UndecidedError when the destination cannot tell, InputError BAD_CONFIG when it cannot be opened.
    """
    place = parse_address(text)
    if place.place == "sqlite":
        return sqlite_holds(place, receipt)
    if place.place == "postgresql":
        return postgresql_holds(place, password, receipt)
    if place.place == "object":
        return object_holds(place, receipt)
    path = Path(place.location)
    return path.is_file() and _receipt(path) == receipt


def forget(text: str, tag: str) -> None:
    """Take away what a killed process left of a delivery; databases do that themselves."""
    place = parse_address(text)
    if place.place == "file":
        _beside(Path(place.location), tag).unlink(missing_ok=True)
    elif place.place == "object":
        forget_object(place, tag)


def _pieces(frame: pd.DataFrame, written: Path) -> Iterable[pd.DataFrame]:
    return [frame] if len(frame.columns) else parquet_frames(written)


@contextmanager
def _file_of(frame: pd.DataFrame, dialect: Dialect, written: Path, place: Address) -> Iterator[Path]:
    """The file of the avatars: as they were written, or as Parquet where the destination's suffix says so."""
    if place.name.lower().endswith(suffix(dialect)):
        yield written
        return
    other = written.with_name(f".{uuid.uuid4().hex}.parquet")
    try:
        write_table(frame, plain_parquet(frame), other)
        yield other
    finally:
        _remove(other)


def _prepare_file(file: Path, place: Address, tag: str) -> Prepared:
    path = Path(place.location)
    temporary = _beside(path, tag)
    try:
        shutil.copyfile(file, temporary)
    except OSError as error:
        _remove(temporary)
        raise _unwritten(place, error) from None
    except BaseException:  # such as Ctrl-C
        _remove(temporary)
        raise
    return Prepared(_receipt(file), partial(_replace, temporary, path, place), partial(_remove, temporary))


def _receipt(file: Path) -> str:
    with file.open("rb") as content:
        return content_receipt(content)


def _replace(temporary: Path, path: Path, place: Address) -> None:
    try:
        temporary.replace(path)
    except OSError as error:
        _remove(temporary)
        raise _unwritten(place, error) from None


def _remove(temporary: Path) -> None:
    with suppress(OSError, ValueError):  # where it could not be written it need not be there
        temporary.unlink(missing_ok=True)


def _beside(path: Path, tag: str) -> Path:
    return path.with_name(f".{path.name}.{tag}")


def _unwritten(place: Address, error: Exception) -> InputError:
    return InputError(
        "BAD_CONFIG",
        f"the destination {place.name} cannot be written ({type(error).__name__}); check the path",
    )


def _is_same(one: Address, other: Address) -> bool:
    if one.place != other.place or one.options.get("table") != other.options.get("table"):
        return False
    if one.place in ("file", "sqlite"):
        try:
            return Path(one.location).resolve() == Path(other.location).resolve()
        except (OSError, ValueError):  # no place at all
            return False
    return one.location == other.location
