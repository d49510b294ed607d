"""Work in a run directory, which is left whole however the work ends."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NoReturn, TypeVar

from sosie.errors import InputError
from sosie.sources import shown_name
from sosie.tasks.manifests import failed_manifest
from sosie.tasks.run import close_failed, is_released, make_directory, reopen
from sosie.tasks.transaction import settle

T = TypeVar("T")


def taken(directory: Path) -> NoReturn:
    """A refusal to work where a run was released: closing the directory after an error would take its release away."""
    raise InputError("BAD_CONFIG", f"{directory.name} holds a released run: leave run_id empty for a new one")


def closed(
    directory: Path,
    started: datetime,
    source: str | None,
    work: Callable[[], T],
    released: Callable[[Path], T] = taken,
) -> T:
    """What work in this directory gives, or what `released` does where a run was released before.

    Nothing is touched before the destination of an unsettled publication has said what happened. Work that fails
    leaves a manifest that says why, and no other file; its error is raised again.
    """
    settle(directory)
    if is_released(directory):
        return released(directory)
    name = shown_name(source)
    try:
        make_directory(directory)
        reopen(directory)
        return work()
    except InputError as error:
        close_failed(directory, failed_manifest(directory, started, error, name))
        raise
    except BaseException:
        close_failed(directory, failed_manifest(directory, started, None, name))
        raise
