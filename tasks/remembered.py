"""What a run remembers in its private folder: the seed and the configuration, to be resumed or repeated with."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sosie.errors import InputError
from sosie.schemas.configuration import Configuration
from sosie.tasks.job import Job, job_of
from sosie.tasks.run import Run, private_file

REMEMBERED = "run.json"

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)


class Remembered(BaseModel):
    """`private/run.json`; `configuration` is empty until the run has begun."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    seed: int = Field(repr=False, description="a secret: it undoes the shuffle")
    seed_was_given: bool = Field(default=True, description="chosen by somebody, not drawn")
    seed_of: str | None = Field(default=None, description="the run directory that the seed was taken from")
    configuration: Mapping[str, Any] = Field(default_factory=dict, description="without its seed")


def remembered(directory: Path) -> Remembered | None:
    """What a run remembers; None when there is none, InputError `BAD_CONFIG` when it is damaged."""
    try:
        return Remembered.model_validate_json((directory / "private" / REMEMBERED).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValidationError):
        raise InputError(
            "BAD_CONFIG", f"private/{REMEMBERED} of {directory.name} cannot be read: start a new run"
        ) from None


def leave_seed(directory: Path, seed: int) -> None:
    """Put a seed where only the run finds it, before the run starts: the private folder."""
    _write(directory, Remembered(seed=seed))


def share_seed(earlier: Path, directory: Path) -> None:
    """Leave the seed of an earlier run; InputError `BAD_CONFIG` when that remembers none."""
    found = needed(earlier)
    _write(directory, Remembered(seed=found.seed, seed_was_given=found.seed_was_given, seed_of=earlier.name))


def needed(directory: Path) -> Remembered:
    """What a run remembers; InputError `BAD_CONFIG` when there is nothing to go on from."""
    found = remembered(directory)
    if found is None:
        raise InputError(
            "BAD_CONFIG",
            f"{directory.name} is no run directory with private/{REMEMBERED}, which a failed run does not leave: "
            "start a new run",
        )
    return found


def open_run(configuration: Configuration, directory: Path) -> Run:
    """The run with its seed decided and kept in the private folder, with all that it is to be repeated with.

    A seed left there before (by the command line, or by an earlier attempt at the same run) is taken up.
    """
    left = remembered(directory)
    job = job_of(configuration, None if left is None else left.seed)
    if left is not None:
        job = replace(job, seed_was_given=left.seed_was_given, seed_of=left.seed_of)
    _remember(directory, job)
    return Run(job, directory, datetime.now(UTC))


def _remember(directory: Path, job: Job) -> None:
    configuration = job.configuration.model_dump(mode="json")
    placed = {name: _placed(configuration[name]) for name in ("source", "destination")}
    _write(
        directory,
        Remembered(
            seed=job.seed,
            seed_was_given=job.seed_was_given,
            seed_of=job.seed_of,
            configuration=configuration | placed,
        ),
    )


def _write(directory: Path, content: Remembered) -> None:
    private_file(directory, REMEMBERED, json.dumps(content.model_dump(mode="json"), indent=1).encode())


def _placed(address: str | None) -> str | None:
    """The address of a file from the root on, so that the run can be resumed in any folder."""
    if address is None or _SCHEME.match(address):
        return address
    path, mark, options = address.partition("?")
    return f"{Path(path).absolute()}{mark}{options}"
