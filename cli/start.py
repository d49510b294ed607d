"""Starting the main job from the command line: with Prefect, or in this process."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sosie.cli import display
from sosie.errors import InputError
from sosie.flows.delivery import MOST_DELIVERY_STEPS
from sosie.flows.release import most_steps
from sosie.flows.runs import run_evaluation, run_request
from sosie.schemas.manifest import Manifest
from sosie.schemas.request import EvaluationRequest, Request
from sosie.sources import refuse_credential, refuse_password
from sosie.tasks.calls import DirectCalls, Progress
from sosie.tasks.manifests import failed_manifest
from sosie.tasks.remembered import leave_seed, needed, share_seed
from sosie.tasks.run import close_failed, make_directory, new_run_id, read_manifest

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Seed:
    """A seed that is not shown when printed, or the run directory of the earlier run whose seed is to be used."""

    value: int | None = field(repr=False)
    of: Path | None = None

    def leave(self, directory: Path) -> None:
        """Put the seed where only the run finds it."""
        if self.value is not None and self.of is not None:
            raise InputError("BAD_CONFIG", "--seed and --seed-of exclude each other: give one of them")
        if self.value is not None:
            leave_seed(directory, self.value)
        if self.of is not None:
            share_seed(self.of, directory)


def run_anonymize(
    wanted: Mapping[str, Any], seed: Seed, *, direct: bool, quiet: bool, debug: bool
) -> tuple[Path, Manifest]:
    """Run the main job in a new run directory and return it with the manifest it ended with."""
    return _anonymize(
        Path(wanted["out"]) / new_run_id(), wanted, seed, direct=direct, quiet=quiet, debug=debug
    )


def resume_run(
    directory: Path, wanted: Mapping[str, Any], *, direct: bool, quiet: bool, debug: bool
) -> tuple[Path, Manifest]:
    """Go on with the run of a directory; InputError `BAD_CONFIG` when there is none, or something else is wanted."""
    others = [name for name, value in wanted.items() if value is not None]
    if others:
        raise InputError(
            "BAD_CONFIG", f"--resume takes everything from the run directory: leave out {', '.join(others)}"
        )
    directory = Path(os.path.normpath(directory.absolute() if directory.name in ("", "..") else directory))
    needed(directory)
    wanted = {"out": str(directory.parent)}
    return _anonymize(directory, wanted, Seed(None), direct=direct, quiet=quiet, debug=debug)


def _anonymize(
    directory: Path, wanted: Mapping[str, Any], seed: Seed, *, direct: bool, quiet: bool, debug: bool
) -> tuple[Path, Manifest]:
    def run(directory: Path, progress: Progress) -> Manifest:
        request = checked_request(Request, wanted, direct)
        seed.leave(directory)
        if direct:
            return run_request(request, directory, DirectCalls(progress))
        prepare_prefect(progress, debug)
        from sosie.flows import anonymize as flows

        flows.progress = progress
        state = flows.anonymize(**request.model_dump(), run_id=directory.name, return_state=True)
        return _ended(directory, state.name)

    return _run(directory, most_steps(wanted.get("repeats") or 1), quiet, debug, run)


def run_evaluate(
    wanted: Mapping[str, Any], *, direct: bool, quiet: bool, debug: bool
) -> tuple[Path, Manifest]:
    """Evaluate avatars made by anything in a new run directory."""

    def run(directory: Path, progress: Progress) -> Manifest:
        request = checked_request(EvaluationRequest, wanted, direct)
        if direct:
            return run_evaluation(request, directory, DirectCalls(progress))
        prepare_prefect(progress, debug)
        from sosie.flows import evaluate as flows

        flows.progress = progress
        state = flows.evaluate(**request.model_dump(), run_id=directory.name, return_state=True)
        return _ended(directory, state.name)

    return _run(Path(wanted["out"]) / new_run_id(), MOST_DELIVERY_STEPS, quiet, debug, run)


def _run(
    directory: Path, steps: int, quiet: bool, debug: bool, run: Callable[[Path, Progress], Manifest]
) -> tuple[Path, Manifest]:
    try:
        make_directory(directory)
        with display.progress(steps, quiet) as progress, _ended_by_sigterm():
            return directory, run(directory, progress)
    except InputError as error:
        manifest = failed_manifest(directory, None, error, None)
        close_failed(directory, manifest)
        return directory, manifest
    except Exception as error:  # what is shown must not quote a cell
        if debug:
            raise
        manifest = failed_manifest(directory, None, None, None)
        manifest = manifest.model_copy(update={"message": display.unexpected(error)})
        close_failed(directory, manifest)
        return directory, manifest


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Has SIGTERM end the run as Ctrl-C does, with its directory left whole; 143 is how a shell tells it."""

    # the two arguments are those of every signal handler
    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        sys.exit(143)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def checked_request(model: type[M], wanted: Mapping[str, Any], direct: bool) -> M:
    """The request; InputError `BAD_CONFIG` for what is not an allowed value, or is not to be stored by Prefect."""
    for value in wanted.values():
        if isinstance(value, str):
            refuse_password(value)
            if not direct:
                refuse_credential(value)  # before Prefect stores it
    try:
        return model.model_validate(wanted)
    except ValidationError as error:
        names = ", ".join(str(problem["loc"][0]) for problem in error.errors(include_input=False))
        raise InputError("BAD_CONFIG", f"{names}: not an allowed value, see --help") from None


def prepare_prefect(progress: Progress, debug: bool) -> None:
    """Settings for the configured API or Prefect's own embedded server, before Prefect is imported."""
    # The embedded server's usual 20 s really fail on a busy machine.
    os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
    refuse_telemetry()
    if debug:
        os.environ["SOSIE_DEBUG"] = "1"
    else:
        os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    progress("start Prefect", False)


def refuse_telemetry() -> None:
    """Nothing is sent to anyone, unless the environment says otherwise; to be called before Prefect is imported."""
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("DO_NOT_TRACK", "1")


def _ended(directory: Path, state: str | None) -> Manifest:
    try:
        return read_manifest(directory)
    except FileNotFoundError:
        raise RuntimeError(f"the flow run ended as {state} without a manifest") from None
