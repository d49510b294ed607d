"""Starting the main job from the command line: with Prefect, or in this process."""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sosie.cli import display
from sosie.errors import InputError
from sosie.flows.anonymization import MOST_STEPS
from sosie.flows.runs import run_request
from sosie.schemas.manifest import Manifest
from sosie.schemas.request import Request
from sosie.tasks.calls import DirectCalls, Progress
from sosie.tasks.publication import failed_manifest
from sosie.tasks.run import close_failed, leave_seed, make_directory, new_run_id, read_manifest


@dataclass(frozen=True)
class Seed:
    """A seed that is not shown when printed."""

    value: int | None = field(repr=False)


def run_anonymize(
    wanted: Mapping[str, Any], seed: Seed, *, direct: bool, quiet: bool, debug: bool
) -> tuple[Path, Manifest]:
    """Run the main job in a new run directory and return it with the manifest it ended with."""
    directory = Path(wanted["out"]) / new_run_id()
    try:
        request = Request.model_validate(wanted)
    except ValidationError as error:
        names = ", ".join(str(problem["loc"][0]) for problem in error.errors(include_input=False))
        return directory, _refused(
            directory, InputError("BAD_CONFIG", f"{names}: not an allowed value, see --help")
        )
    try:
        make_directory(directory)
    except InputError as error:
        return directory, _refused(directory, error)
    if seed.value is not None:
        leave_seed(directory, seed.value)
    shown: AbstractContextManager[Progress] = display.progress(MOST_STEPS, quiet)
    with shown as progress:
        if direct:
            return directory, run_request(request, directory, DirectCalls(progress))
        return directory, _with_prefect(request, directory, progress, debug)


def _with_prefect(request: Request, directory: Path, progress: Progress, debug: bool) -> Manifest:
    """Run the flow against the configured API, or against Prefect's own embedded server."""
    # The embedded server's usual 20 s really fail on a busy machine; nothing is sent to anyone.
    os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    if debug:
        os.environ["SOSIE_DEBUG"] = "1"
    else:
        os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    progress("start Prefect", False)
    from sosie.flows import anonymize as flow_module

    flow_module.progress = progress
    parameters = request.model_dump()
    state = flow_module.anonymize(**parameters, run_id=directory.name, return_state=True)
    try:
        return read_manifest(directory)
    except FileNotFoundError:
        raise RuntimeError(f"the flow run ended as {state.name} without a manifest") from None


def _refused(directory: Path, error: InputError) -> Manifest:
    manifest = failed_manifest(directory, None, error, None)
    close_failed(directory, manifest)
    return manifest
