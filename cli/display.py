"""What a terminal shows: progress and warnings on stderr, the result on stdout."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.table import Table
from rich.text import Text

from sosie.reports.attacks import attacked
from sosie.reports.figures import figures
from sosie.reports.frontier import measured_remedy
from sosie.reports.language import load_language
from sosie.reports.verdict import in_short
from sosie.schemas.manifest import Manifest
from sosie.tasks.calls import Progress, silent
from sosie.tasks.kept import Kept, read_kept
from sosie.tasks.reporting import report_of

# names of columns and files are shown as they are
_STDERR = Console(stderr=True, highlight=False, markup=False)
_MARKS = {"pass": "✓", "fail": "✗", "uninformative": "?", "not computed": "–", "info": " "}
_COLOURS = {
    "pass": "green",
    "fail": "red",
    "uninformative": "yellow",
    "not computed": "yellow",
    "info": "dim",
}


@contextmanager
def progress(steps: int, quiet: bool) -> Iterator[Progress]:
    """A progress bar on stderr: live in a terminal, a line a step elsewhere, nothing when quiet."""
    if quiet:
        yield silent
    elif not _STDERR.is_terminal:
        yield _line
    else:
        with RichProgress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=_STDERR,
            transient=True,
        ) as bar:
            task = bar.add_task("start", total=steps)

            def advance(title: str, done: bool, seconds: float = 0.0) -> None:
                shown = f"{title} ({seconds:.0f} s)" if seconds else title
                bar.update(task, description=shown, advance=1 if done else 0)

            yield advance


def _line(title: str, done: bool, seconds: float = 0.0) -> None:
    """A line when a step begins; a log needs no sign of life every few seconds."""
    if not done and not seconds:
        _STDERR.print(title, style="dim")


def unexpected(error: BaseException) -> str:
    """What is told of an unexpected error: its type, since its message may quote a cell."""
    if str(error).startswith("Failed to reach API"):  # Prefect's own words, with its address and no cell
        return f"{error}: start Prefect's server, unset PREFECT_API_URL, or run with --direct"
    return f"{type(error).__name__}: run again with --debug to see where (it may quote cells)"


def error(code: str | None, message: str) -> None:
    """`error[CODE]: sentence` on stderr; whoever sits at a terminal is told where to read on."""
    print(f"error[{code or 'UNEXPECTED'}]: {message}", file=sys.stderr)
    if code and _STDERR.is_terminal:
        _STDERR.print(f"sosie explain {code} tells what causes this and what to do about it.", style="dim")


def json_result(directory: Path, manifest: Manifest) -> None:
    """One JSON object on stdout."""
    print(
        json.dumps(
            {
                "status": manifest.status,
                "run_directory": str(directory),
                "code": manifest.code,
                "warnings": [warning.model_dump() for warning in manifest.warnings],
            }
        )
    )


def json_refusal(code: str | None) -> None:
    """The JSON object of a command that ended without a run directory."""
    print(json.dumps({"status": "failed", "run_directory": None, "code": code, "warnings": []}))


def result(directory: Path, manifest: Manifest) -> None:
    """Warnings and figures on stderr; the last line of stdout is the run directory."""
    for warning in manifest.warnings:
        where = f' "{warning.column}"' if warning.column else ""
        _STDERR.print(Text.assemble((f"warning[{warning.code}]", "yellow"), f"{where}: {warning.message}"))
    if manifest.status != "failed":
        kept = read_kept(directory)
        _show_figures(kept)
        if manifest.status == "rejected" and kept.metrics.k is not None:  # avatars that this program made
            _STDERR.print(_remedy(kept), soft_wrap=True)
        _STDERR.print(f"Report: {report_of(directory, manifest)}", soft_wrap=True)
    print(directory)


def _remedy(kept: Kept) -> str:
    """What would be tried: the change that a search found, else how to search for one."""
    found = measured_remedy(kept.search, kept.metrics, load_language("en"))
    if found is None:
        return f"What would meet the targets: sosie advise --for {kept.directory} measures it on a sample."
    return f"What would be tried: {found.proposed}. {found.finding}"


def _show_figures(kept: Kept) -> None:
    """The figures with a target as a table, and in short what the report says first."""
    language = load_language("en")
    title = f"{kept.manifest.status.upper()}: {kept.manifest.source_name}, {kept.manifest.rows} rows"
    table = Table(title=title, title_justify="left")
    for heading in ("figure", "value", "95 % interval", "target", "verdict"):
        table.add_column(heading, justify="right" if heading == "value" else "left")
    for figure in figures(kept.metrics, kept.evaluation, language):
        if figure.target:
            verdict = kept.metrics.metrics[figure.name].verdict
            shown = Text(f"{_MARKS[verdict]} {figure.badge.text}", style=_COLOURS[verdict])
            table.add_row(figure.title, figure.value, figure.interval, figure.target, shown)
    _STDERR.print(table)
    for sentence in in_short(kept.evaluation, attacked(kept.evaluation.attacks, language), language):
        _STDERR.print(f"- {sentence}")
