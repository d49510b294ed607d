"""The steps that read a source and publish a release: everything that touches files."""

import hashlib
import platform
import resource
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from sosie.attacks import NamedLevels, named_levels
from sosie.columns import Table
from sosie.errors import InputError, Notice
from sosie.evaluation import Evaluation
from sosie.reports import can_write_pdf, render_assessment, render_report
from sosie.schemas.manifest import Manifest, ManifestWarning, Status
from sosie.schemas.metrics import MetricsFile, judge
from sosie.sources import Source, check_destination, prepare, read_source, suffix, write_table
from sosie.tasks.comparison import compare_tables
from sosie.tasks.kept import keep
from sosie.tasks.measuring import Compared
from sosie.tasks.reporting import ASSESSMENT, INTERNAL, REPORT
from sosie.tasks.run import Run, private_file, staging
from sosie.tasks.secrets import password_in
from sosie.tasks.steps import Checked, Drawn, Projected, check, release_frame
from sosie.tasks.transaction import publish, publish_and_deliver

# no seed, and no place outside the run
_NOT_SHOWN: Any = {"source": True, "destination": True, "secrets": True, "store": True, "method": {"seed"}}
_LIBRARIES = ("sosie", "numpy", "pandas", "pyarrow", "scipy", "scikit-learn", "prefect")


@dataclass(frozen=True, eq=False)
class Done:
    """What a run did, for its manifest and report; `batches` is None where avatars were made elsewhere.

    `rare` are the rare levels that avatars still carry, by name: for insiders only.
    """

    source: Source
    columns: tuple[str, ...]
    notices: tuple[Notice, ...]
    batches: int | None
    evaluation: Evaluation
    metrics: MetricsFile
    rare: tuple[NamedLevels, ...]


@dataclass(frozen=True, eq=False)
class Written:
    """The avatars that were staged, and the file that holds them."""

    frame: pd.DataFrame
    path: Path


def read(address: str, block: str | None) -> Source:
    """The table at an address, and how it was written there; `block` is the Prefect Secret block with its password."""
    return read_source(address, password_in(block))


def check_source(source: Source, run: Run) -> Checked:
    """Recognise and check the source's columns, and that the destination could take the avatars."""
    configuration = run.job.configuration
    if configuration.report.assessment:
        can_write_pdf()
    checked = check(source.frame, run.job)
    if configuration.destination is not None:
        password = password_in(configuration.secrets.destination)
        names = tuple(str(column.name) for column in checked.table.columns)
        check_destination(
            configuration.destination, configuration.source or "", source.dialect, password, names
        )
    return replace(checked, notices=source.notices + checked.notices)


def compare_sources(
    original: Source, avatars: Source, holdout: Source | None, linked: bool, run: Run
) -> Compared:
    """Avatars made by anything beside their originals."""
    if run.job.configuration.report.assessment:
        can_write_pdf()
    return compare_tables(
        original.frame, avatars.frame, None if holdout is None else holdout.frame, linked, run.job
    )


def judge_release(evaluation: Evaluation, checked: Checked, run: Run) -> MetricsFile:
    """The evaluation of a run's own avatars held against the targets."""
    configuration = run.job.configuration
    released = len(checked.table) if configuration.release == "full" else evaluation.rows.avatars
    return judge(evaluation, configuration.targets.by_metric(), k=configuration.method.k, released=released)


def judge_delivery(evaluation: Evaluation, run: Run) -> MetricsFile:
    """The evaluation of avatars made elsewhere held against the targets."""
    return judge(
        evaluation, run.job.configuration.targets.by_metric(), k=None, released=evaluation.rows.avatars
    )


def sum_up(
    source: Source,
    checked: Checked,
    projected: Projected,
    drawn: Drawn,
    linked: Table,
    evaluation: Evaluation,
    metrics: MetricsFile,
    run: Run,
) -> Done:
    """What a run of the main job did."""
    columns = tuple(str(column.name) for column in checked.table.columns)
    notices = checked.notices + evaluation.notices
    rare = named_levels(projected.originals, linked, run.job.configuration.rare_values.min_count)
    return Done(source, columns, notices, drawn.batches, evaluation, metrics, rare)


def sum_up_delivery(
    avatars: Source, compared: Compared, evaluation: Evaluation, metrics: MetricsFile, run: Run
) -> Done:
    """What an evaluation of avatars made elsewhere did."""
    columns = tuple(variable.name for variable in evaluation.variables)
    tables = compared.comparison
    rare = named_levels(tables.originals, tables.avatars, run.job.configuration.rare_values.min_count)
    return Done(avatars, columns, avatars.notices + evaluation.notices, None, evaluation, metrics, rare)


def write_avatars(projected: Projected, shuffled: Table, source: Source, run: Run) -> Written:
    """The shuffled avatars, checked and staged in the source's own dialect."""
    path = staging(run) / f"avatars{suffix(source.dialect)}"
    frame = release_frame(projected, shuffled)
    write_table(frame, source.dialect, path)
    return Written(frame, path)


def release(run: Run, done: Done, seconds: Mapping[str, float], written: Written | None = None) -> Manifest:
    """Everything that may leave appears at once, beside what was staged; the internal report stays private.

    The destination, if there is one, receives the avatars as well: both happen, or neither.
    """
    folder = staging(run)
    language = run.job.configuration.report.language
    unsealed = _manifest(run, done, seconds, "released", _hashes(folder))
    (folder / "metrics.json").write_text(done.metrics.model_dump_json(indent=1), encoding="utf-8")
    page = render_report(done.evaluation, done.metrics, unsealed, language=language, audience="shareable")
    (folder / REPORT).write_text(page, encoding="utf-8")
    if run.job.configuration.report.assessment:
        document = render_assessment(done.evaluation, done.metrics, unsealed, language=language)
        (folder / ASSESSMENT).write_bytes(document)
    manifest = _manifest(run, done, seconds, "released", _hashes(folder))
    (folder / "manifest.json").write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    _write_internal(run, done, manifest)
    _publish(run, done, written)
    return manifest


def _publish(run: Run, done: Done, written: Written | None) -> None:
    configuration = run.job.configuration
    if configuration.destination is None or written is None:
        publish(run.directory)
        return
    block = configuration.secrets.destination
    prepared = prepare(
        written.frame,
        done.source.dialect,
        written.path,
        configuration.destination,
        password_in(block),
        run.directory.name,
    )
    publish_and_deliver(run.directory, prepared, configuration.destination, block)


def reject(run: Run, done: Done, seconds: Mapping[str, float]) -> Manifest:
    """A target was missed: report, metrics and manifest in the private folder, no avatars anywhere."""
    manifest = _manifest(run, done, seconds, "rejected", {}, missed_sentence(done.metrics))
    _write_internal(run, done, manifest)
    if run.job.configuration.report.assessment:
        language = run.job.configuration.report.language
        document = render_assessment(done.evaluation, done.metrics, manifest, language=language)
        private_file(run.directory, ASSESSMENT, document)
    private_file(run.directory, "metrics.json", done.metrics.model_dump_json(indent=1).encode())
    private_file(run.directory, "manifest.json", manifest.model_dump_json(indent=1).encode())
    return manifest


def _write_internal(run: Run, done: Done, manifest: Manifest) -> None:
    language = run.job.configuration.report.language
    page = render_report(
        done.evaluation, done.metrics, manifest, language=language, audience="internal", rare=done.rare
    )
    private_file(run.directory, INTERNAL, page.encode())
    keep(run.directory, done.evaluation, done.rare)


def missed_sentence(metrics: MetricsFile) -> str:
    """Which targets were missed, and what can be done."""
    return (
        f"{len(metrics.missed)} target(s) missed: {', '.join(metrics.missed)}; nothing was released, "
        "private/report-internal.html says what to change"
    )


def failed_manifest(
    directory: Path, started: str | None, error: InputError | None, source_name: str | None
) -> Manifest:
    """The manifest of a run that could not be done."""
    return Manifest(
        status="failed",
        code=error.code if error else None,
        message=error.message if error else "an unexpected error: see the log",
        run=directory.name,
        started=started or datetime.now(UTC).isoformat(timespec="seconds"),
        source_name=source_name,
        versions=_versions(),
    )


def _manifest(
    run: Run,
    done: Done,
    seconds: Mapping[str, float],
    status: Status,
    files: Mapping[str, str],
    message: str | None = None,
) -> Manifest:
    parameters = run.job.configuration.model_dump(mode="json", exclude=_NOT_SHOWN)
    return Manifest(
        status=status,
        code="TARGET_NOT_MET" if status == "rejected" else None,
        message=message,
        run=run.directory.name,
        started=run.started.isoformat(timespec="seconds"),
        source_name=done.source.name,
        source_sha256=done.source.sha256,
        rows=len(done.source.frame),
        columns=done.columns,
        parameters=parameters,
        versions=_versions(),
        stage_seconds={title: round(wall, 3) for title, wall in seconds.items()},
        peak_memory_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        batches=done.batches,
        warnings=tuple(
            ManifestWarning(
                code=notice.code,
                column=None if notice.column is None else str(notice.column),
                message=notice.message,
            )
            for notice in done.notices
        ),
        files=files,
    )


def _hashes(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
