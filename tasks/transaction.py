"""Publication: `release/` appears and the destination receives the avatars, both or neither.

The destination comes last, since a folder can be renamed back and a delivery cannot be undone. A promise in the private
folder outlives a killed process: by it the next attempt at the run asks the destination which of the two happened.
"""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sosie.errors import InputError
from sosie.sources import Prepared, UndecidedError, forget, was_delivered
from sosie.tasks.run import PROMISE, STAGING, private_file
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
