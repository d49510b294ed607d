"""What a run did, and the manifest that says so."""

import platform
import resource
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sosie.errors import InputError, Notice
from sosie.evaluation import Evaluation
from sosie.schemas.examination import ExaminationCounts
from sosie.schemas.manifest import Manifest, ManifestWarning, Status, configuration_hash
from sosie.schemas.metrics import MetricsFile
from sosie.sources import Dialect
from sosie.tasks.code_identity import running_code
from sosie.tasks.run import Run
from sosie.tasks.steps import Summary

# no seed, no place outside the run, and nothing of a cell
_NOT_SHOWN: Any = {
    "source": True,
    "destination": True,
    "secrets": True,
    "store": True,
    "method": {"seed"},
    "runner": {"address", "share"},
    "expectations": {"own", "checks"},  # they may name levels
}
_LIBRARIES = ("sosie", "numpy", "pandas", "pyarrow", "scipy", "scikit-learn", "prefect")


@dataclass(frozen=True)
class Origin:
    """Where rows came from, without them; `notices` are what the user should know of their reading."""

    name: str
    sha256: str
    rows: int
    dialect: Dialect
    notices: tuple[Notice, ...]


@dataclass(frozen=True, eq=False)
class Done:
    """What a run did, for its manifest and report; `notices` are what the user should know.

    `inputs` are the sha256 of every table read, by its part. `expectations` is None where the table was
    not examined.
    """

    origin: Origin
    summary: Summary
    evaluation: Evaluation
    metrics: MetricsFile
    notices: tuple[Notice, ...]
    inputs: Mapping[str, str]
    expectations: ExaminationCounts | None = None


def rejection(done: Done) -> str:
    """Which targets, or how many critical expectations, were missed, and what can be done."""
    missed, counts = done.metrics.missed, done.expectations
    if counts is None or not counts.blocks:
        return (
            f"{len(missed)} target(s) missed: {', '.join(missed)}; nothing was released, "
            "private/report-internal.html says what to change"
        )
    return (
        f"{counts.critical.all - counts.critical.met} critical expectation(s) not met; nothing was released, "
        "private/data-docs/index.html says which"
    )


def failed_manifest(
    directory: Path, started: datetime | None, error: InputError | None, source_name: str | None
) -> Manifest:
    """The manifest of a run that could not be done."""
    return Manifest(
        status="failed",
        code=error.code if error else None,
        message=error.message if error else "an unexpected error: see the log",
        run=directory.name,
        started=(started or datetime.now(UTC)).isoformat(timespec="seconds"),
        source_name=source_name,
        program=running_code(),
        versions=_versions(),
    )


def manifest_of(
    run: Run,
    done: Done,
    seconds: Mapping[str, float],
    status: Status,
    files: Mapping[str, str],
    message: str | None = None,
) -> Manifest:
    """The manifest of a run that has figures; `files` are the sha256 of what it leaves, by name."""
    parameters = run.job.configuration.model_dump(mode="json", exclude=_NOT_SHOWN)
    return Manifest(
        status=status,
        code="TARGET_NOT_MET" if status == "rejected" else None,
        message=message,
        run=run.directory.name,
        started=run.started.isoformat(timespec="seconds"),
        source_name=done.origin.name,
        source_sha256=done.origin.sha256,
        inputs_sha256=done.inputs,
        rows=done.origin.rows,
        columns=done.summary.columns,
        parameters=parameters,
        configuration_sha256=configuration_hash(parameters),
        program=running_code(),
        versions=_versions(),
        stage_seconds={title: round(wall, 3) for title, wall in seconds.items()},
        peak_memory_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        batches=done.summary.batches,
        warnings=tuple(
            ManifestWarning(
                code=notice.code,
                column=None if notice.column is None else str(notice.column),
                message=notice.message,
            )
            for notice in done.notices
        ),
        expectations=done.expectations,
        files=files,
    )


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
