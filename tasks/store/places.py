"""Where the store lies, and that nobody else can read or change what is in it."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sosie.errors import NO_ROOM, InputError

KEY_FILE = "sosie-store.key"  # its presence makes a folder a store
_KEY_BYTES = 32
_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ELOOP)
_REMEDY = (
    "choose another with store: {directory: …} or SOSIE_STORE, or keep nothing with store: {keep: false}"
)


class StoreError(InputError):
    """The store cannot be used: `STORE_UNUSABLE`, which is no fault of the table's or the configuration's."""

    def __init__(self, message: str) -> None:
        super().__init__("STORE_UNUSABLE", message)

    def __reduce__(self) -> tuple[type["StoreError"], tuple[str]]:  # type: ignore[override]  # one argument less
        return type(self), (self.message,)


def store_folder(directory: str | Path | None = None) -> Path:
    """The folder given, else that of `SOSIE_STORE`, else `sosie` in the user's cache folder; it need not exist."""
    given = directory or os.environ.get("SOSIE_STORE")
    try:
        if given:
            return Path(given).expanduser().absolute()
        cache = os.environ.get("XDG_CACHE_HOME", "")
        return (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "sosie"
    except RuntimeError:  # no home folder
        raise StoreError(f"there is no cache folder for this user: {_REMEDY}") from None


def refusal_of(error: BaseException) -> InputError | None:
    """The refusal that an error is or stands for, as one of a full disk does; None for what nobody foresaw."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return StoreError(
            "a disk is full, that of the store or of the run's directory: make room (sosie purge), or name others with "
            "store: {directory: …} and --out"
        )
    return error if isinstance(error, InputError) else None


@contextmanager
def plain_errors() -> Iterator[None]:
    """The operating system's refusals as StoreError, which names no path: it is shown wherever a run is."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            reason = "the store's disk is full: make room (sosie purge), or"
        elif error.errno in _CLOSED:
            reason = "the store's folder cannot be written to:"
        else:
            name = errno.errorcode.get(error.errno or 0, type(error).__name__)
            reason = f"the store's folder cannot be used ({name}):"
        raise StoreError(f"{reason} {_REMEDY}") from None


def make_private(folder: Path) -> None:
    """Make a folder that is this user's alone, whatever the umask, or see that it is one.

    Raises StoreError when it is somebody else's or others can write to it.
    """
    missing = []
    place = folder
    while not os.path.lexists(place):
        missing.append(place)
        place = place.parent
    for place in reversed(missing):
        with suppress(FileExistsError):  # made by another run at the same moment, and looked at below
            place.mkdir(mode=0o700)
            place.chmod(0o700)
    refuse_shared(folder)
    folder.chmod(0o700)


def refuse_shared(place: Path) -> None:
    """StoreError unless this is this user's own folder, which nobody else can write to."""
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"the store's folder is no folder (or a link): {_REMEDY}")
    if found.st_uid != os.geteuid():
        raise StoreError(f"the store's folder belongs to another user: {_REMEDY}")
    if found.st_mode & 0o022:
        raise StoreError(f"others can write to the store's folder: chmod 700 it, or {_REMEDY}")


def is_store(folder: Path) -> bool:
    """Whether a folder is a store."""
    return (folder / KEY_FILE).is_file()


def store_key(folder: Path) -> bytes:
    """The store's own secret, made when the folder is new; StoreError when the folder holds something else."""
    file = folder / KEY_FILE
    if not file.exists():
        _refuse_other(folder)
        _make_key(file)
    if file.lstat().st_mode & 0o777 != 0o600 or not stat.S_ISREG(file.lstat().st_mode):
        raise StoreError("the store's key is not private to this user: remove the store's folder")
    key = file.read_bytes()
    if len(key) != _KEY_BYTES:
        raise StoreError("the store's key is damaged: remove the store's folder")
    return key


def _refuse_other(folder: Path) -> None:
    others = [name for name in os.listdir(folder) if not name.startswith(f".{KEY_FILE}.")]
    if (
        others and not (folder / KEY_FILE).exists()
    ):  # looked for again: another run may just have made the store
        raise StoreError(f"the store's folder holds something else: {_REMEDY}")


def _make_key(file: Path) -> None:
    """Write a new key, whole; where another run was faster, its key stays."""
    temporary = file.with_name(f".{KEY_FILE}.{secrets.token_hex(8)}")
    try:
        write_private(temporary, secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):
            os.link(temporary, file)
        sync_folder(file.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_private(file: Path, content: bytes) -> None:
    """Write a new file of mode 0600, down to the disk."""
    with os.fdopen(open_new(file), "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())


def open_new(file: Path) -> int:
    """A descriptor of a new, empty file of mode 0600 whatever the umask."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


def sync_folder(folder: Path) -> None:
    """See that the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
