"""What Prefect's UI shows of a run: verdict, figures and where the report is. Aggregates only."""

from pathlib import Path
from typing import Any

from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact

from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import JudgedMetric, MetricsFile
from sosie.tasks.run import results

_TITLES = {
    "released": "Released: every target was met",
    "rejected": "Rejected: nothing was released",
    "failed": "Failed: the input was refused",
}


def show_run(directory: Path, manifest: Manifest) -> None:
    """Publish the verdict as markdown and, where there was a measurement, the figures and a link to the report."""
    create_markdown_artifact(_verdict(directory, manifest), key="verdict", description=manifest.status)
    if manifest.status == "failed":
        return
    folder = results(directory, manifest)
    metrics = MetricsFile.model_validate_json((folder / "metrics.json").read_text(encoding="utf-8"))
    create_table_artifact([_row(name, metric) for name, metric in metrics.metrics.items()], key="metrics")
    report = "report.html" if manifest.status == "released" else "report-internal.html"
    create_link_artifact(
        (folder / report).resolve().as_uri(), link_text=f"{directory.name}/{report}", key="report"
    )


def _verdict(directory: Path, manifest: Manifest) -> str:
    lines = [f"# {_TITLES[manifest.status]}", ""]
    if manifest.message:
        lines += [f"`{manifest.code}`: {manifest.message}", ""]
    lines += [f"- Source: {manifest.source_name}", f"- Run directory: `{directory.resolve()}`"]
    if manifest.rows is not None:
        lines.append(f"- Rows: {manifest.rows}")
    lines += [
        f"- Warning `{warning.code}`{f' ({warning.column})' if warning.column else ''}: {warning.message}"
        for warning in manifest.warnings
    ]
    lines += ["", "Browsers do not open files from this page: copy the report's address into a new tab."]
    return "\n".join(lines)


def _row(name: str, metric: JudgedMetric) -> dict[str, Any]:
    target = metric.target
    return {
        "metric": name,
        "value": "" if metric.value is None else f"{metric.value:.2f}",
        "holdout": "" if metric.reference is None else f"{metric.reference:.2f}",
        "target": "" if target is None else target.sentence,
        "verdict": metric.verdict,
        "reason": metric.reason or "",
    }
