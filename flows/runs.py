"""Runs from their request to their manifest, however their steps are called."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from sosie.errors import InputError
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
from sosie.tasks.run import Run, close_failed, is_released, make_directory, read_manifest, reopen
from sosie.tasks.searching import search_job
from sosie.tasks.store import store_of
from sosie.tasks.streamed.choice import is_streamed
from sosie.tasks.transaction import settle


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
        manifest = _closed(directory, request.source, work, resumes=request.resumes)
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

    return _closed(directory, request.avatars, work, resumes=False)


def _closed(directory: Path, source: str | None, work: Callable[[], Manifest], *, resumes: bool) -> Manifest:
    """The manifest of work done in a directory that is left whole whatever goes wrong.

    A failed run has its manifest and no other file. An error that is not the input's is raised again after that.
    """
    started = datetime.now(UTC).isoformat(timespec="seconds")
    name = shown_name(source)
    try:
        settle(directory)
    except InputError as error:  # nothing is touched before its destination says what happened
        return failed_manifest(directory, started, error, name)
    if is_released(directory) and resumes:
        return read_manifest(directory)
    if is_released(directory):  # closing it after an error would take its release away
        taken = InputError(
            "BAD_CONFIG", f"{directory.name} holds a released run: leave run_id empty for a new one"
        )
        return failed_manifest(directory, started, taken, name)
    try:
        make_directory(directory)
        reopen(directory)
        return work()
    except InputError as error:
        failed = failed_manifest(directory, started, error, name)
        close_failed(directory, failed)
        return failed
    except BaseException:
        close_failed(directory, failed_manifest(directory, started, None, name))
        raise
