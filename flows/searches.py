"""Searches from their request to what they leave, however their steps are called."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sosie.errors import InputError
from sosie.flows.closing import closed
from sosie.flows.search import Bench, Extent, Tell, advise, most_search_steps, open_bench, sweep
from sosie.schemas.configuration import Configuration, parse_configuration
from sosie.schemas.search_request import AdviceRequest, SearchRequest, SweepRequest
from sosie.search import Search
from sosie.tasks import reporting, searching
from sosie.tasks.calls import Calls
from sosie.tasks.kept import read_kept
from sosie.tasks.limits import time_limit
from sosie.tasks.remembered import open_run
from sosie.tasks.run import Run

Found = tuple[Search, Configuration]


def extent_of(request: AdviceRequest) -> Extent:
    """How much an advice measures."""
    return Extent(request.rows, request.splits, request.settings, request.minutes)


def most_sweep_steps(request: SweepRequest) -> int:
    """How many steps a sweep takes at most, for the progress shown; a grid that is refused takes one."""
    try:
        settings = len(request.combinations())
    except InputError:
        return 1
    return most_search_steps(Extent(request.rows, request.splits, settings))


def run_advice(request: AdviceRequest, directory: Path, call: Calls, tell: Tell) -> Found:
    """Search for a setting that meets the targets, and leave what was found in the directory's private folder."""
    if request.for_run is not None:
        return advise_run(Path(request.for_run), extent_of(request), call, tell)
    search = partial(_advice, request, directory, call, tell)
    return closed(directory, datetime.now(UTC), request.source, search)


def run_sweep(request: SweepRequest, directory: Path, call: Calls, tell: Tell) -> Found:
    """Measure every setting of a grid, and leave the figures in the directory's private folder."""
    search = partial(_sweep, request, directory, call, tell)
    return closed(directory, datetime.now(UTC), request.source, search)


def advise_run(directory: Path, extent: Extent, call: Calls, tell: Tell) -> Found:
    """Search from the table and configuration of a run that has ended, and put what was found into its report."""
    kept = read_kept(directory)
    content, job = searching.search_job(directory)
    with time_limit(job.configuration.limits.minutes):
        bench = open_bench(Run(job, directory, datetime.now(UTC)), content, extent, call)
        search = advise(bench, tell)
        files = _files(bench, search)
    call("write what was found", reporting.add_search, kept, files, job.configuration.report.language)
    return search, job.configuration


def _advice(request: AdviceRequest, directory: Path, call: Calls, tell: Tell) -> Found:
    run, content = _run(request, directory)
    with time_limit(run.job.configuration.limits.minutes):
        bench = open_bench(run, content, extent_of(request), call)
        search = advise(bench, tell)
        files = _files(bench, search)
    call("write what was found", searching.leave_search, directory, files)
    return search, run.job.configuration


def _sweep(request: SweepRequest, directory: Path, call: Calls, tell: Tell) -> Found:
    settings = request.combinations()
    extent = Extent(request.rows, request.splits, len(settings))
    run, content = _run(request, directory)
    configuration = run.job.configuration
    with time_limit(configuration.limits.minutes):
        search = sweep(open_bench(run, content, extent, call), settings, tell)
    files = searching.search_files(
        search, configuration.targets.by_metric(), configuration.report.language, None
    )
    call("write what was found", searching.leave_search, directory, files)
    return search, configuration


def _run(request: SearchRequest, directory: Path) -> tuple[Run, dict[str, Any]]:
    content = request.content()
    return open_run(parse_configuration(content), directory), content


def _files(bench: Bench, search: Search) -> dict[str, bytes]:
    call, configuration = bench.call, bench.run.job.configuration
    proposed = call.look(
        call(
            "write the proposed configuration",
            searching.proposed_configuration,
            bench.source,
            bench.content,
            search,
        )
    )
    return searching.search_files(
        search, configuration.targets.by_metric(), configuration.report.language, proposed
    )
