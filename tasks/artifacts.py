"""What Prefect's UI shows of a run: verdict with pictures, every figure, and where the report is. Aggregates only."""

from pathlib import Path
from typing import Any, cast

from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact

from sosie.reports.figures import Figure, figures
from sosie.reports.language import Code, Language, load_language
from sosie.schemas.manifest import Manifest
from sosie.tasks.artifact_pictures import key_pictures
from sosie.tasks.kept import Kept, read_kept
from sosie.tasks.reporting import report_of

_TITLES = {
    "released": "Released",
    "rejected": "Rejected: nothing was released",
    "failed": "Failed: the input was refused",
}


def show_run(directory: Path, manifest: Manifest) -> None:
    """Publish the verdict as markdown and, where there was a measurement, the figures and a link to the report."""
    if manifest.status == "failed":
        create_markdown_artifact(
            "\n".join(_told(directory, manifest)), key="verdict", description=manifest.status
        )
        return
    kept = read_kept(directory)
    language = load_language(cast(Code, kept.language))
    told = figures(kept.metrics, kept.evaluation, language)
    create_markdown_artifact(
        "\n".join([*_told(directory, manifest), *_pictured(kept, told, language)]),
        key="verdict",
        description=manifest.status,
    )
    create_table_artifact([_row(figure) for figure in told], key="metrics")
    report = report_of(directory, manifest)
    create_link_artifact(report.resolve().as_uri(), link_text=f"{directory.name}/{report.name}", key="report")


def _told(directory: Path, manifest: Manifest) -> list[str]:
    lines = [f"# {_TITLES[manifest.status]}", ""]
    if manifest.message:
        lines += [f"`{manifest.code}`: {manifest.message}", ""]
    lines += [f"- Source: {manifest.source_name}", f"- Run directory: `{directory.resolve()}`"]
    if manifest.rows is not None:
        lines.append(f"- Rows: {manifest.rows}")
    if manifest.status != "failed":
        # a browser opens no file from a page of a server
        lines.append(
            f"- Report, to open in a tab of its own: `{report_of(directory, manifest).resolve().as_uri()}`"
        )
    return [
        *lines,
        *(
            f"- Warning `{warning.code}`{f' ({warning.column})' if warning.column else ''}: {warning.message}"
            for warning in manifest.warnings
        ),
    ]


def _pictured(kept: Kept, told: tuple[Figure, ...], language: Language) -> list[str]:
    """The figures that have a target, those that missed it first, then the pictures."""
    asked = [figure for figure in told if figure.target]
    missed = [figure for figure in asked if kept.metrics.metrics[figure.name].verdict == "fail"]
    met = [figure for figure in asked if figure not in missed]
    lines = [
        "",
        "Figures that have a target, those that missed it first:",
        "",
        *map(_target_line, [*missed, *met]),
    ]
    for title, uri in key_pictures(kept.evaluation, language):
        lines += ["", f"## {title}", "", f"![{title}]({uri})"]
    return lines


def _target_line(figure: Figure) -> str:
    return f"- {figure.title}: **{figure.value}**, {figure.badge.text} ({figure.target})"


def _row(figure: Figure) -> dict[str, Any]:
    return {
        "metric": figure.title,
        "value": figure.value,
        "verdict": figure.badge.text,
        "target": figure.target,
        "reference": figure.reference,
        "interval": figure.interval,
        "reason": figure.reason,
    }
