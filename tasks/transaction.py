"""Publication: `release/` appears and the destination receives the avatars, both or neither.

The destination comes last, since a folder can be renamed back and a delivery cannot be undone. A promise in the private
folder outlives a killed process: by it the next attempt at the run asks the destination which of the two happened.

Files of a run that has ended are replaced together, too: once they all lie in a folder of their own, whoever comes next
moves them to their places.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sosie.errors import InputError
from sosie.sources import Prepared, UndecidedError, forget, was_delivered
from sosie.tasks.run import PROMISE, REPLACING, STAGING, private_file
from sosie.tasks.secrets import password_in


class Promise(BaseModel):
    """What is about to be delivered: where, with the password of which Secret block, and the receipt of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    destination: str
    block: str | None
    receipt: str


def publish(directory: Path) -> None:
    """The staged files appear as `release/`, in one rename."""
    folder = directory / STAGING
    for file in folder.iterdir():
        file.chmod(0o644)
        _write_through(file)
    folder.chmod(0o755)
    folder.replace(directory / "release")
    _write_through(directory)


def publish_and_deliver(directory: Path, prepared: Prepared, destination: str, block: str | None) -> None:
    """The staged files appear as `release/`, then the destination receives what was prepared for it.

    Raises InputError when the destination refuses: then there is neither. After UndecidedError, or an end that no
    program can catch, `settle` finds out.
    """
    promise = Promise(destination=destination, block=block, receipt=prepared.receipt)
    private_file(directory, PROMISE, promise.model_dump_json().encode())
    try:
        publish(directory)
    except BaseException:
        prepared.abandon()
        _take_back(directory)
        raise
    try:
        prepared.commit()
    except UndecidedError:
        raise
    except InputError:
        _take_back(directory)
        raise
    (directory / "private" / PROMISE).unlink()


def settle(directory: Path) -> None:
    """End a publication that a killed process began: as it was promised, or as if it had never begun.

    Raises InputError when the destination cannot be asked; then nothing is changed.
    """
    path = directory / "private" / PROMISE
    if not path.exists():
        return
    promise = Promise.model_validate_json(path.read_bytes())
    if (directory / "release").exists() and was_delivered(
        promise.destination, promise.receipt, password_in(promise.block)
    ):
        path.unlink()
        return
    forget(promise.destination, directory.name)
    _take_back(directory)


def replace_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Give files of an ended run, by their paths in it, other contents: all of them or none, whatever comes between."""
    gathered = directory / f"{REPLACING}.new"
    shutil.rmtree(gathered, ignore_errors=True)
    gathered.mkdir(mode=0o700)
    for name, content in files.items():
        path = gathered / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o600 if name.startswith("private/") else 0o644)
    gathered.replace(directory / REPLACING)  # from here on it happens
    finish_replacing(directory)


def finish_replacing(directory: Path) -> None:
    """Move files that were to replace others to their places; none where nothing broke off."""
    gathered = directory / REPLACING
    for path in sorted(gathered.rglob("*")):
        if path.is_file():
            path.replace(directory / path.relative_to(gathered))
    if gathered.exists():
        shutil.rmtree(gathered)


def _take_back(directory: Path) -> None:
    if (directory / "release").exists():
        (directory / "release").replace(directory / STAGING)
    if (directory / STAGING).exists():
        (directory / STAGING).chmod(0o700)
    (directory / "private" / PROMISE).unlink()


def _write_through(path: Path) -> None:
    """Have the disk hold it before anything follows, so that a power cut cannot turn the order round."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
