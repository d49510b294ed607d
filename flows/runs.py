"""Runs from their request to their manifest, however their steps are called."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from sosie.errors import InputError
from sosie.flows.closing import closed, taken
from sosie.flows.delivery import evaluation_of_files
from sosie.flows.release import release_of_file
from sosie.flows.searches import advise_run, extent_of
from sosie.flows.streamed import streamed_release
from sosie.schemas.manifest import Manifest
from sosie.schemas.request import EvaluationRequest, Request
from sosie.schemas.search_request import AdviceRequest
from sosie.sources import shown_name
from sosie.tasks.calls import Calls
from sosie.tasks.expectations import list_runs, refuse_streamed
from sosie.tasks.limits import time_limit
from sosie.tasks.manifests import failed_manifest
from sosie.tasks.remembered import open_run, remembered
from sosie.tasks.run import Run, is_released, read_manifest
from sosie.tasks.searching import search_job
from sosie.tasks.store import store_of
from sosie.tasks.streamed.choice import is_streamed


def run_request(request: Request, directory: Path, call: Calls) -> Manifest:
    """Anonymise what is asked in this run directory and say how it ended: released, rejected or failed.

    A run that was killed there goes on where it stopped, with its own seed. A request that names no table takes the
    whole configuration from there too; a run that has ended with a release is then not run again.
    """

    def work() -> Manifest:
        left = remembered(directory)
        run = open_run(request.configuration(None if left is None else left.configuration), directory)
        call.keep(store_of(run.job.configuration.store))
        with time_limit(run.job.configuration.limits.minutes):
            return _release(run, call)

    try:
        manifest = _ended(directory, request.source, work, read_manifest if request.resumes else taken)
        return _remedied(manifest, directory, call) if manifest.status == "rejected" else manifest
    finally:
        list_runs(directory)


def _remedied(manifest: Manifest, directory: Path, call: Calls) -> Manifest:
    """A rejected run, with what would meet its targets in its report where that is asked for; the verdict stands."""
    _, job = search_job(directory)
    if job.configuration.targets.on_miss == "report":
        return manifest
    try:
        advise_run(directory, extent_of(AdviceRequest()), call, call.tell)
    except InputError as error:
        call.tell(f"no remedy was measured: {error.message}")
        return manifest
    return read_manifest(directory)


def _release(run: Run, call: Calls) -> Manifest:
    """A table that fits is held in memory, a larger one streamed."""
    if is_streamed(run.job.configuration):
        refuse_streamed(run.job.configuration.expectations)
        return streamed_release(run, call)
    return release_of_file(run, call)


def run_evaluation(request: EvaluationRequest, directory: Path, call: Calls) -> Manifest:
    """Evaluate the avatars named in this run directory and say how it ended."""

    def work() -> Manifest:
        run = open_run(request.configuration(), directory)
        call.keep(store_of(run.job.configuration.store))
        with time_limit(run.job.configuration.limits.minutes):
            return evaluation_of_files(run, request, call)

    return _ended(directory, request.avatars, work)


def _ended(
    directory: Path,
    source: str | None,
    work: Callable[[], Manifest],
    then: Callable[[Path], Manifest] = taken,
) -> Manifest:
    """How work in this directory ended. An error that is not the input's is raised."""
    started = datetime.now(UTC)
    try:
        return closed(directory, started, source, work, is_released, then)
    except InputError as error:
        return failed_manifest(directory, started, error, shown_name(source))
