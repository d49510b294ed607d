"""What a search leaves: its figures, its page and the configuration it proposes; beside a run, also in its report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sosie.columns import encode
from sosie.errors import InputError
from sosie.proposals import propose
from sosie.recognition import recognise
from sosie.reports.frontier import render_frontier
from sosie.reports.language import Code
from sosie.schemas.configuration import Configuration, parse_configuration
from sosie.schemas.search import read_search, write_search, write_trials
from sosie.schemas.targets import Target
from sosie.search import Proposal, Search
from sosie.sources import Source
from sosie.streams import child_seed
from sosie.tasks.commented import commented_configuration
from sosie.tasks.job import Job
from sosie.tasks.kept import SEARCH
from sosie.tasks.remembered import needed
from sosie.tasks.run import private_file
from sosie.tasks.trials import changed

TRIALS, PAGE, PROPOSED = "trials.csv", "frontier.html", "proposed.yaml"
ADVICE = 998  # a part of a run's seed, beyond its repeats


def proposed_configuration(source: Source, content: Mapping[str, Any], search: Search) -> str:
    """The configuration with what is proposed in it, and why, as `sosie inspect --write` would write it."""
    proposal = search.proposal
    if proposal is None:
        raise ValueError("a grid proposes nothing")
    wanted = changed(content, proposal.setting)
    recognised = recognise(source.frame, parse_configuration(wanted).columns)
    columns = tuple(column for column in recognised.columns if column.name not in recognised.identifiers)
    proposals = propose(encode(source.frame, columns))
    return commented_configuration(
        str(wanted["source"]), recognised, proposals, wanted, _reasons(search, proposal)
    )


def _reasons(search: Search, proposal: Proposal) -> dict[tuple[str, ...], str]:
    """Why each value was chosen."""
    held = proposal.fresh
    how = f"{held.splits_met} of {held.splits} fresh splits of {search.rows} rows"
    met = f"all targets met in {how}"
    measured = met if held.meets else f"the closest found: {met}; missed: {', '.join(held.ever_missed)}"
    reasons: dict[tuple[str, ...], str] = {("method",): f"sosie advise: {measured}"}
    for path, _ in held.setting.changes:
        if path[0] == "columns":
            reasons[path[:2]] = "sosie advise: a larger weight, since its distribution was kept worst"
        elif path[0] != "method":
            reasons[path[:1]] = "sosie advise: rare levels are merged, no column is lost"
    return reasons


def search_files(
    search: Search, targets: Mapping[str, Target], language: Code, proposed: str | None
) -> dict[str, bytes]:
    """The private files of a search, by name."""
    files = {
        SEARCH: write_search(search),
        TRIALS: write_trials(search),
        PAGE: render_frontier(search, targets, language=language).encode(),
    }
    return files if proposed is None else {**files, PROPOSED: proposed.encode()}


def leave_search(directory: Path, files: Mapping[str, bytes]) -> None:
    """Put the files of a search into the private folder of its own directory."""
    for name, content in files.items():
        private_file(directory, name, content)


def found(directory: Path) -> Search:
    """What a search left in a directory."""
    return read_search((directory / "private" / SEARCH).read_bytes())


def search_job(directory: Path) -> tuple[dict[str, Any], Job]:
    """The configuration of a run and the job of a search for it, whose seed the run's own seed gives.

    Raises InputError `BAD_CONFIG` for a folder that is no run directory with its private folder.
    """
    kept = needed(directory)
    content = dict(kept.configuration)
    if content.get("source") is None:
        raise InputError("BAD_CONFIG", f"{directory.name} names no table to search on")
    configuration: Configuration = parse_configuration(content)
    return content, Job(configuration, child_seed(kept.seed, ADVICE))
