"""Reports of runs that have ended: rendered again, or side by side."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from rich.console import Console
from rich.table import Table as Grid

from sosie.errors import InputError
from sosie.reports import MOST_DRAWN
from sosie.reports.comparison import ComparedRun, ComparisonPage, make_comparison
from sosie.reports.language import Code, language_named, load_language
from sosie.schemas.targets import Profile
from sosie.tasks.kept import Kept, read_kept
from sosie.tasks.reporting import compare_runs, render_again


def report_again(
    directory: Path, language: str | None, profile: str | None, columns: str | None, pdf: bool, as_json: bool
) -> None:
    """Render a run's reports again and print where they are, the last line the run directory."""
    kept = read_kept(directory)
    written = render_again(
        kept,
        language=language_named(language or kept.language),
        profile=None if profile is None else _profile(profile),
        most_drawn=_most_drawn(columns),
        pdf=pdf,
    )
    if as_json:
        print(json.dumps({"run_directory": str(directory), "written": [str(path) for path in written]}))
        return
    for path in written:
        print(path)


def compare(directories: Sequence[Path], language: str | None, write: Path, as_json: bool) -> None:
    """Write the runs side by side as a page, and print them as a table."""
    runs = [read_kept(directory) for directory in directories]
    spoken = language_named(language or "en")
    content = compare_runs(runs, spoken)
    try:
        write.write_text(content, encoding="utf-8")
    except OSError:
        raise InputError(
            "BAD_CONFIG", f"{write.name} cannot be written: check --write and its folder"
        ) from None
    if as_json:
        print(json.dumps({"written": [str(write)]}))
        return
    console = Console(stderr=True, highlight=False, markup=False)
    for grid in _grids(runs, spoken):
        console.print(grid)
    print(write)


def _grids(runs: Sequence[Kept], language: Code) -> tuple[Grid, ...]:
    compared = [ComparedRun(run.manifest, run.metrics, run.evaluation) for run in runs]
    page = make_comparison(compared, load_language(language))
    named = Grid(title_justify="left")
    for heading in ("", "run", "verdict", "source"):
        named.add_column(heading, overflow="fold")
    for run in page.runs:
        named.add_row(run.letter, run.name, run.fate, run.source)
    return named, _rows(page)


def _rows(page: ComparisonPage) -> Grid:
    grid = Grid(title_justify="left")
    grid.add_column("")
    for run in page.runs:
        grid.add_column(run.letter, justify="right")
    for row in (*page.parameters, *page.figures):
        grid.add_row(row.title, *row.cells, style=None if row.differs else "dim")
    return grid


def _profile(profile: str) -> Profile:
    if profile not in get_args(Profile):
        raise InputError("BAD_CONFIG", f"the profile must be one of {', '.join(get_args(Profile))}")
    return cast(Profile, profile)


def _most_drawn(columns: str | None) -> int:
    """How many columns are drawn; `all` draws every one."""
    if columns is None:
        return MOST_DRAWN
    if columns == "all":
        return 1_000_000
    if not columns.isascii() or not columns.isdigit():
        raise InputError("BAD_CONFIG", "--columns takes a number of columns to draw, or all")
    return int(columns)
