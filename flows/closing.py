"""Work in a run directory, which is left whole however the work ends."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NoReturn, TypeVar

from sosie.errors import InputError
from sosie.sources import shown_name
from sosie.tasks.manifests import failed_manifest
from sosie.tasks.run import close_failed, has_ended, make_directory, reopen
from sosie.tasks.store import refusal_of
from sosie.tasks.transaction import settle

T = TypeVar("T")


def taken(directory: Path) -> NoReturn:
    """A refusal to work where a run has ended: what it left would be taken away."""
    raise InputError(
        "BAD_CONFIG", f"{directory.name} holds a run that has ended: leave run_id empty for a new one"
    )


def closed(
    directory: Path,
    started: datetime,
    source: str | None,
    work: Callable[[], T],
    ended: Callable[[Path], bool] = has_ended,
    then: Callable[[Path], T] = taken,
) -> T:
    """What work in this directory gives, or what `then` does where something has `ended` that is to stay.

    Nothing is touched before the destination of an unsettled publication has said what happened. Work that fails
    leaves a manifest that says why, and no other file; its error is raised again.
    """
    settle(directory)
    if ended(directory):
        return then(directory)
    name = shown_name(source)
    try:
        make_directory(directory)
        reopen(directory)
        return work()
    except BaseException as error:
        refusal = refusal_of(error)
        close_failed(directory, failed_manifest(directory, started, refusal, name))
        if refusal is None or refusal is error:
            raise
        raise refusal from None
