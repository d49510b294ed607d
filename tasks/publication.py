"""The steps that read a source and publish a release: everything that touches files."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from sosie.attacks import named_levels
from sosie.columns import Table
from sosie.declarations import declared_of
from sosie.errors import Notice
from sosie.evaluation import Evaluation
from sosie.missing import ImputationRule
from sosie.reports import Examined, can_write_pdf, render_assessment, render_report
from sosie.schemas.examination import ExaminationCounts
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile, judge
from sosie.sources import (
    ArrowDialect,
    Dialect,
    ParquetDialect,
    Source,
    SpssDialect,
    StataDialect,
    check_destination,
    prepare,
    read_source,
    suffix,
    write_table,
)
from sosie.sources.arrow_tables import refuse_fresh, refuse_label, schema_of
from sosie.sources.variables import refuse_fresh_levels
from sosie.tasks import expectations
from sosie.tasks.comparison import compare_tables
from sosie.tasks.job import Declared
from sosie.tasks.kept import keep
from sosie.tasks.manifests import Done, Origin, manifest_of, rejection
from sosie.tasks.measuring import Compared
from sosie.tasks.outside import patiently
from sosie.tasks.reporting import ASSESSMENT, INTERNAL, REPORT
from sosie.tasks.run import Run, discard_staged, private_file, staging
from sosie.tasks.secrets import password_in
from sosie.tasks.signature import check_key, sign
from sosie.tasks.stages import always, stage
from sosie.tasks.steps import Checked, Summary, check, refuse_k, release_frame
from sosie.tasks.transaction import publish, publish_and_deliver
from sosie.tasks.verification import MANIFEST, file_hashes

_SOME = 100  # rows that are made as they will be written, to see whether they can be


@dataclass(frozen=True)
class Inspection:
    """What came of examining the table to release; no counts where nothing was expected."""

    counts: ExaminationCounts | None

    @property
    def blocks(self) -> bool:
        """Whether the table must not be released."""
        return self.counts is not None and self.counts.blocks


@dataclass(frozen=True, eq=False)
class Written:
    """The avatars that were staged, and the file that holds them."""

    frame: pd.DataFrame
    path: Path


def _content(source: Source) -> tuple[str, Dialect]:
    return source.sha256, source.dialect


@always(fingerprint=_content)
def read(address: str, block: str | None) -> Source:
    """The table at an address, and how it was written there; `block` is the Prefect Secret block with its password."""
    return patiently(read_source, address, password_in(block))


@stage(version=1)
def origin_of(source: Source) -> Origin:
    """What remains to be known of a source when its rows are elsewhere."""
    return Origin(source.name, source.sha256, len(source.frame), source.dialect, source.notices)


@stage(version=1, idle=("workers",))
def check_source(source: Source, declared: Declared, identifier_seed: int | None, workers: int) -> Checked:
    """Recognise and check the source's columns, and that what is drawn anew can be written as the source has it."""
    checked = check(source.frame, declared, identifier_seed, workers)
    _refuse_fresh(checked.table, source.dialect)
    return checked


def _refuse_fresh(table: Table, dialect: Dialect) -> None:
    fresh = [identifier.name for identifier in table.identifiers]
    if not fresh:
        return
    if isinstance(dialect, ArrowDialect | ParquetDialect):
        some = table.take(np.arange(min(len(table), _SOME))).to_frame()
        refuse_fresh(some[fresh], schema_of(dialect.schema))
    if isinstance(dialect, SpssDialect | StataDialect):
        refuse_fresh_levels(fresh, dialect.variables)


def check_report(run: Run) -> None:
    """Refuse a report that this machine cannot write, and a signature that it cannot make."""
    configuration = run.job.configuration
    if configuration.report.assessment:
        can_write_pdf()
    if configuration.signature.key is not None:
        check_key(configuration.signature.key)


def check_wishes(origin: Origin, run: Run) -> None:
    """Refuse what this machine, or these rows, do not allow."""
    check_report(run)
    configuration = run.job.configuration
    holdout = configuration.holdout
    refuse_k(origin.rows, configuration.method.k, holdout.mode, holdout.min_rows)
    label, declared = configuration.rare_values.label, run.job.declared.columns
    if label is not None and isinstance(origin.dialect, ArrowDialect | ParquetDialect):
        refuse_label(
            schema_of(origin.dialect.schema), label, lambda name: declared_of(declared, name).role == "keep"
        )


def check_outlet(destination: str, checked: Checked, origin: Origin, run: Run) -> None:
    """Check that the destination could take the avatars."""
    configuration = run.job.configuration
    password = password_in(configuration.secrets.destination)
    names = tuple(str(column.name) for column in checked.table.columns)
    patiently(
        check_destination,
        destination,
        configuration.source or "",
        suffix(origin.dialect),
        password,
        names,
    )


@stage(version=1)
def compare_sources(
    original: Source,
    avatars: Source,
    holdout: Source | None,
    linked: bool,
    declared: Declared,
    ncp: int,
    imputation: ImputationRule,
    seed: int,
) -> Compared:
    """Avatars made by anything beside their originals."""
    others = None if holdout is None else holdout.frame
    return compare_tables(original.frame, avatars.frame, others, linked, declared, ncp, imputation, seed)


def judge_release(evaluation: Evaluation, origin: Origin, run: Run) -> MetricsFile:
    """The evaluation of a run's own avatars held against the targets."""
    configuration = run.job.configuration
    released = origin.rows if configuration.release == "full" else evaluation.rows.avatars
    return judge(evaluation, configuration.targets.by_metric(), k=configuration.method.k, released=released)


def judge_delivery(evaluation: Evaluation, run: Run) -> MetricsFile:
    """The evaluation of avatars made elsewhere held against the targets."""
    return judge(
        evaluation, run.job.configuration.targets.by_metric(), k=None, released=evaluation.rows.avatars
    )


@stage(version=1)
def summarise_delivery(compared: Compared, min_count: int) -> Summary:
    """What is told of avatars made elsewhere beside their figures."""
    tables = compared.comparison
    columns = tuple(str(column.name) for column in tables.originals.columns)
    return Summary(columns, (), None, named_levels(tables.originals, tables.avatars, min_count))


def sum_up(
    origin: Origin,
    summary: Summary,
    evaluation: Evaluation,
    metrics: MetricsFile,
    notices: tuple[Notice, ...],
    inputs: Mapping[str, str] | None = None,
) -> Done:
    """What a run did; `notices` are those of the run itself, `inputs` what it read if not the origin alone."""
    told = origin.notices + summary.notices + notices + evaluation.notices
    read = {"source": origin.sha256} if inputs is None else inputs
    return Done(origin, summary, evaluation, metrics, told, read)


def inputs_of(original: Source, avatars: Source, holdout: Source | None) -> dict[str, str]:
    """The sha256 of the tables that an evaluation read, by their parts."""
    read = {"original": original, "avatars": avatars, "holdout": holdout}
    return {part: source.sha256 for part, source in read.items() if source is not None}


def write_avatars(rows: Checked, shuffled: Table, origin: Origin, run: Run) -> Written:
    """The shuffled avatars, checked and staged in the source's own dialect."""
    path = staging(run) / f"avatars{suffix(origin.dialect)}"
    frame = release_frame(rows, shuffled, run.job.configuration.workers)
    write_table(frame, origin.dialect, path)
    return Written(frame, path)


def examine(rows: Checked, written: Written, origin: Origin, run: Run, in_flow: bool) -> Inspection:
    """The table to release held against what its originals and the configuration let one expect; kept for auditors."""
    configuration = run.job.configuration
    found = expectations.examine(
        written.frame,
        rows.table,
        rows.relations.derived,
        configuration.rare_values.min_count,
        configuration.expectations,
        configuration.expectations.wants_examination(in_flow),
    )
    if found is None:
        return Inspection(None)
    started = run.started.isoformat(timespec="seconds")
    of = Examined(
        run.directory.name,
        origin.name,
        origin.sha256,
        started,
        len(written.frame),
        listed=expectations.has_others(run.directory),
    )
    expectations.keep_examination(run.directory, found, of, configuration.report.language)
    return Inspection(found.examination.counts)


def with_examination(done: Done, found: Inspection) -> Done:
    """What a run did, and what came of examining its table."""
    return replace(done, expectations=found.counts)


def release(run: Run, done: Done, seconds: Mapping[str, float], written: Written | None = None) -> Manifest:
    """Everything that may leave appears at once, beside what was staged; the internal report stays private.

    The destination, if there is one, receives the avatars as well: both happen, or neither.
    """
    folder = staging(run)
    language = run.job.configuration.report.language
    unsealed = manifest_of(run, done, seconds, "released", file_hashes(folder))
    (folder / "metrics.json").write_text(done.metrics.model_dump_json(indent=1), encoding="utf-8")
    page = render_report(done.evaluation, done.metrics, unsealed, language=language, audience="shareable")
    (folder / REPORT).write_text(page, encoding="utf-8")
    if run.job.configuration.report.assessment:
        document = render_assessment(done.evaluation, done.metrics, unsealed, language=language)
        (folder / ASSESSMENT).write_bytes(document)
    manifest = manifest_of(run, done, seconds, "released", file_hashes(folder, unsealed.files))
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    _sign(run, folder)
    _write_internal(run, done, manifest)
    sealed = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    _write_private_manifest(run, manifest.model_copy(update={"release_sha256": sealed}))
    _publish(run, done, written)
    return manifest


def _publish(run: Run, done: Done, written: Written | None) -> None:
    configuration = run.job.configuration
    if configuration.destination is None or written is None:
        publish(run.directory)
        return
    block = configuration.secrets.destination
    prepared = patiently(
        prepare,
        written.frame,
        done.origin.dialect,
        written.path,
        configuration.destination,
        password_in(block),
        run.directory.name,
    )
    publish_and_deliver(run.directory, prepared, configuration.destination, block)


def reject(run: Run, done: Done, seconds: Mapping[str, float]) -> Manifest:
    """A target or a critical expectation was missed: report, metrics, manifest in the private folder, no avatars."""
    discard_staged(run)
    manifest = manifest_of(run, done, seconds, "rejected", {}, rejection(done))
    _write_internal(run, done, manifest)
    if run.job.configuration.report.assessment:
        language = run.job.configuration.report.language
        document = render_assessment(done.evaluation, done.metrics, manifest, language=language)
        private_file(run.directory, ASSESSMENT, document)
    private_file(run.directory, "metrics.json", done.metrics.model_dump_json(indent=1).encode())
    manifest = _write_private_manifest(run, manifest)
    _sign(run, run.directory / "private")
    return manifest


def _write_private_manifest(run: Run, manifest: Manifest) -> Manifest:
    """The manifest with the hash of every private file, so that those can be verified as well."""
    manifest = manifest.model_copy(update={"files": file_hashes(run.directory / "private")})
    private_file(run.directory, MANIFEST, manifest.model_dump_json(indent=1).encode())
    return manifest


def _sign(run: Run, folder: Path) -> None:
    key = run.job.configuration.signature.key
    if key is not None:
        sign(folder / MANIFEST, key)


def _write_internal(run: Run, done: Done, manifest: Manifest) -> None:
    language = run.job.configuration.report.language
    page = render_report(
        done.evaluation,
        done.metrics,
        manifest,
        language=language,
        audience="internal",
        rare=done.summary.rare,
    )
    private_file(run.directory, INTERNAL, page.encode())
    keep(run.directory, done.evaluation, done.summary.rare)
