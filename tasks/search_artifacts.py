"""What Prefect's UI shows of a search: the proposal with the frontier, and a table of all settings. Aggregates only."""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from sosie.estimates import Estimate
from sosie.reports.frontier import FrontierPage, SettingRow, make_frontier
from sosie.reports.language import Language, load_language
from sosie.schemas.configuration import Configuration
from sosie.search import Search
from sosie.tasks.artifact_pictures import AVATARS, ORIGINALS, REFERENCE, png


def show_search(directory: Path, search: Search, configuration: Configuration) -> None:
    """Publish what was found as markdown with its picture, and every setting as a table."""
    language = load_language(configuration.report.language)
    page = make_frontier(search, configuration.targets.by_metric(), language)
    create_markdown_artifact(
        "\n".join(_told(directory, search, page, language)), key="frontier", description=page.title
    )
    create_table_artifact([_row(row) for row in page.settings], key="settings")


def _told(directory: Path, search: Search, page: FrontierPage, language: Language) -> list[str]:
    title = language.say("Privacy against utility")
    lines = [f"# {page.title}: {page.source}", "", page.extent, ""]
    if page.finding:
        lines += [f"**`{page.proposed}`**", "", page.finding, ""]
        lines += [f"- {figure.title}: **{figure.value}** ({figure.target})" for figure in page.figures]
    if page.cut:
        lines += ["", page.cut]
    uri = png(lambda axes: _frontier(axes, search, language))
    return [
        *lines,
        "",
        f"## {title}",
        "",
        f"![{title}]({uri})",
        "",
        page.shown,
        "",
        f"`{directory.resolve()}`",
    ]


def _frontier(axes: Axes, search: Search, language: Language) -> None:
    """Settings as numbers; the proposal in another colour, and a line through what no other setting beats."""
    chosen = None if search.proposal is None else search.proposal.place
    placed = {
        place: (point.privacy.value, point.utility.value)
        for place, point in enumerate(search.points)
        if isinstance(point.privacy, Estimate) and isinstance(point.utility, Estimate)
    }
    joined = sorted(placed[place] for place in search.on_frontier)
    axes.plot([x for x, _ in joined], [y for _, y in joined], color=REFERENCE, linewidth=1, linestyle="--")
    for place, (x, y) in placed.items():
        colour = AVATARS if place == chosen else ORIGINALS
        axes.scatter([x], [y], s=110, color=colour, marker="o" if search.points[place].meets else "s")
        axes.annotate(str(place + 1), (x, y), color="white", ha="center", va="center", fontsize=7)
    axes.set_xlabel(language.say("members hidden →"))
    axes.set_ylabel(language.say("table kept →"))


def _row(row: SettingRow) -> dict[str, Any]:
    return {
        "number": row.number,
        "setting": row.text,
        "members hidden": row.privacy,
        "table kept": row.utility,
        "on the frontier": row.on_frontier,
        "splits that meet all targets": row.met,
        "missed": row.missed,
    }
