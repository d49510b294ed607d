"""Rendering the reports of a run that has ended: another language, another profile, a document, runs side by side."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sosie.errors import InputError
from sosie.reports import Audience, ComparedRun, render_assessment, render_comparison, render_report
from sosie.reports.language import Code
from sosie.schemas.configuration import Targets
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import judge
from sosie.schemas.targets import Profile
from sosie.tasks.kept import Kept
from sosie.tasks.run import private_file, read_manifest, results

REPORT, INTERNAL, ASSESSMENT = "report.html", "report-internal.html", "technical-assessment.pdf"


def render_again(
    kept: Kept, *, language: Code, profile: Profile | None, most_drawn: int, pdf: bool
) -> tuple[Path, ...]:
    """Write the run's reports again and return where they are; nothing is measured, no avatars are touched.

    With another `profile` than the run's own the figures are held against its targets, in a report of the private
    folder: a look, not a release. Else a released run's `report.html` is replaced, and its hash in the manifest.
    """
    if profile is not None and profile != kept.profile:
        return _as_profile(kept, language, profile, most_drawn, pdf)
    document = {}
    kept = replace(kept, manifest=_before_reports(kept.manifest))
    if pdf:
        document[ASSESSMENT] = render_assessment(
            kept.evaluation, kept.metrics, kept.manifest, language=language
        )
    private = {INTERNAL: _page(kept, language, "internal", most_drawn)}
    if kept.manifest.status != "released":
        return _write_private(kept, {**private, **document})
    shareable = {REPORT: _page(kept, language, "shareable", most_drawn)}
    return (*_republish(kept, {**shareable, **document}), *_write_private(kept, private))


def report_of(directory: Path, manifest: Manifest) -> Path:
    """Where the report of a run lies: the one that may leave, or where nothing was released the internal one."""
    return results(directory, manifest) / (REPORT if manifest.status == "released" else INTERNAL)


def compare_runs(runs: Sequence[Kept], language: Code) -> str:
    """The page of several runs; InputError `BAD_CONFIG` for fewer than two."""
    if len(runs) < 2:
        raise InputError("BAD_CONFIG", "a comparison needs two run directories or more")
    return render_comparison(
        [ComparedRun(run.manifest, run.metrics, run.evaluation) for run in runs], language=language
    )


def _page(kept: Kept, language: Code, audience: Audience, most_drawn: int) -> bytes:
    return render_report(
        kept.evaluation,
        kept.metrics,
        kept.manifest,
        language=language,
        audience=audience,
        most_drawn=most_drawn,
        rare=kept.rare if audience == "internal" else (),
    ).encode()


def _before_reports(manifest: Manifest) -> Manifest:
    """The manifest as reports print it: with the hashes of what was there before them."""
    files = {name: sha256 for name, sha256 in manifest.files.items() if name.startswith("avatars")}
    return manifest.model_copy(update={"files": files})


def _write_private(kept: Kept, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    for name, content in files.items():
        private_file(kept.directory, name, content)
    return tuple(kept.directory / "private" / name for name in files)


def _as_profile(kept: Kept, language: Code, profile: Profile, most_drawn: int, pdf: bool) -> tuple[Path, ...]:
    """The figures held against another profile's targets, the configuration's own targets kept."""
    asked = (kept.manifest.parameters or {}).get("targets") or {}
    targets = Targets.model_validate({**asked, "profile": profile}).by_metric()
    metrics = judge(kept.evaluation, targets, k=kept.metrics.k, released=kept.metrics.rows.released)
    page = render_report(
        kept.evaluation,
        metrics,
        kept.manifest,
        language=language,
        audience="internal",
        profile=profile,
        most_drawn=most_drawn,
        rare=kept.rare,
    )
    files = {f"report-as-{profile}.html": page.encode()}
    if pdf:
        files[f"technical-assessment-as-{profile}.pdf"] = render_assessment(
            kept.evaluation, metrics, kept.manifest, language=language, profile=profile
        )
    return _write_private(kept, files)


def _republish(kept: Kept, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Each file whole or not at all, the manifest with their hashes last."""
    folder = kept.directory / "release"
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    manifest = read_manifest(kept.directory)
    manifest = manifest.model_copy(update={"files": dict(sorted({**manifest.files, **hashes}.items()))})
    for name, content in files.items():
        _replace(folder / name, content)
    _replace(folder / "manifest.json", manifest.model_dump_json(indent=1).encode())
    return tuple(folder / name for name in files)


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    temporary.write_bytes(content)
    temporary.chmod(0o644)
    temporary.replace(path)
