"""`sosie advise` and `sosie sweep`: settings measured, told in a terminal."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from sosie.cli import display
from sosie.cli.inspection import write_configuration
from sosie.cli.start import Seed, checked_request, prepare_prefect
from sosie.codes import CODES
from sosie.errors import InputError
from sosie.flows.search import Tell, most_search_steps
from sosie.flows.searches import Found, extent_of, most_sweep_steps, run_advice, run_sweep
from sosie.reports.frontier import SettingRow, make_frontier
from sosie.reports.language import load_language
from sosie.schemas.search_request import AdviceRequest, SweepRequest
from sosie.search import Search
from sosie.tasks.calls import Calls, DirectCalls, Progress
from sosie.tasks.run import make_directory, new_run_id
from sosie.tasks.searching import PAGE, PROPOSED, found

_CONSOLE = Console(stderr=True, highlight=False, markup=False)


def advise(
    wanted: Mapping[str, Any], seed: Seed, write: Path | None, *, direct: bool, as_json: bool, debug: bool
) -> bool:
    """Search, print what is proposed and where it lies, and return whether it meets the targets."""
    request = checked_request(AdviceRequest, wanted, direct)
    directory = _directory(request, seed)

    def under_prefect(progress: Progress, tell: Tell) -> None:
        from sosie.flows import advise as flows

        flows.progress, flows.announce = progress, tell
        parameters = {"run_id": directory.name} if request.for_run is None else {}
        _refuse(flows.advise(**request.model_dump(), **parameters, return_state=True))

    def directly(call: Calls, tell: Tell) -> Found:
        return run_advice(request, directory, call, tell)

    steps = most_search_steps(extent_of(request))
    search = _searched(directory, steps, directly, None if direct else under_prefect, as_json, debug)
    if write is not None:
        write_configuration(write, (directory / "private" / PROPOSED).read_text(encoding="utf-8"))
    meets = search.proposal is not None and search.proposal.fresh.meets
    _tell("advised" if meets else "missed", directory, search, as_json, write)
    return meets


def sweep(wanted: Mapping[str, Any], seed: Seed, *, direct: bool, as_json: bool, debug: bool) -> None:
    """Measure a grid, and print a table and where its page and figures lie."""
    request = checked_request(SweepRequest, wanted, direct)
    request.combinations()  # refused before a folder is made
    directory = _directory(request, seed)

    def under_prefect(progress: Progress, tell: Tell) -> None:
        from sosie.flows import sweep as flows

        flows.progress, flows.announce = progress, tell
        parameters = {**request.model_dump(), "values": list(request.values)}
        _refuse(flows.sweep(**parameters, run_id=directory.name, return_state=True))

    def directly(call: Calls, tell: Tell) -> Found:
        return run_sweep(request, directory, call, tell)

    steps = most_sweep_steps(request)
    search = _searched(directory, steps, directly, None if direct else under_prefect, as_json, debug)
    _tell("swept", directory, search, as_json, None)


def _directory(request: AdviceRequest | SweepRequest, seed: Seed) -> Path:
    """Where the search leaves its files, a chosen seed already there."""
    if isinstance(request, AdviceRequest) and request.for_run is not None:
        if seed.value is not None or request.source is not None or request.config is not None:
            raise InputError(
                "BAD_CONFIG", "--for takes table, configuration and seed from the run: leave out the others"
            )
        return Path(request.for_run)
    directory = Path(request.out) / new_run_id()
    if seed.value is not None:
        make_directory(directory)
        seed.leave(directory)
    return directory


def _searched(
    directory: Path,
    steps: int,
    directly: Callable[[Calls, Tell], Found],
    under_prefect: Callable[[Progress, Tell], None] | None,
    quiet: bool,
    debug: bool,
) -> Search:
    def tell(sentence: str) -> None:
        if not quiet:
            _CONSOLE.print(sentence, soft_wrap=True)

    with display.progress(steps, quiet) as progress:
        if under_prefect is None:
            return directly(DirectCalls(progress), tell)[0]
        prepare_prefect(progress, debug)
        under_prefect(progress, tell)
    return found(directory)


def _refuse(state: Any) -> None:
    """Raise what a flow run ended with, unless it is completed."""
    if state.is_completed():
        return
    code, colon, message = str(state.message or "").partition(": ")
    if colon and code in CODES:
        raise InputError(code, message)
    raise RuntimeError(f"the flow run ended as {state.name}")


def _tell(status: str, directory: Path, search: Search, as_json: bool, write: Path | None) -> None:
    if as_json:
        proposal = search.proposal
        told = {
            "status": status,
            "run_directory": str(directory),
            "code": None,
            "warnings": [],
            "settings": len(search.points),
            "on_frontier": [search.points[place].setting.text for place in search.on_frontier],
            "proposed": None if proposal is None else proposal.fresh.setting.text,
            "missed": None if proposal is None else list(proposal.fresh.ever_missed),
        }
        print(json.dumps(told))
        return
    page = make_frontier(search, {}, load_language("en"))
    _CONSOLE.print(_settings(page.settings))
    if page.cut:
        _CONSOLE.print(page.cut, soft_wrap=True)
    if page.finding:
        _CONSOLE.print(f"Proposed: {page.proposed}", soft_wrap=True)
        _CONSOLE.print(page.finding, soft_wrap=True)
        if write is not None:
            _CONSOLE.print(f"Configuration written to {write}", soft_wrap=True)
    _CONSOLE.print(f"Page: {directory / 'private' / PAGE}", soft_wrap=True)
    print(directory)


def _settings(rows: tuple[SettingRow, ...]) -> Grid:
    grid = Grid(title_justify="left")
    for heading in (
        "",
        "setting",
        "members hidden",
        "table kept",
        "frontier",
        "splits that meet all",
        "targets missed",
    ):
        grid.add_column(heading, overflow="fold")
    for row in rows:
        shown = (row.number, row.text, row.privacy, row.utility, "yes" if row.on_frontier else "", row.met)
        grid.add_row(*shown, row.missed_count, style="bold" if row.kind == "proposed" else None)
    return grid
