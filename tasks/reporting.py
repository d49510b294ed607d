"""Rendering the reports of a run that has ended: another language, another profile, a document, runs side by side."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sosie.errors import InputError
from sosie.reports import (
    MOST_DRAWN,
    Audience,
    ComparedRun,
    render_assessment,
    render_comparison,
    render_report,
)
from sosie.reports.language import Code
from sosie.schemas.configuration import Targets
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import judge
from sosie.schemas.search import read_search
from sosie.schemas.targets import Profile
from sosie.tasks.kept import SEARCH, Kept
from sosie.tasks.run import results
from sosie.tasks.signature import SIGNATURE
from sosie.tasks.transaction import finish_replacing, replace_files
from sosie.tasks.verification import MANIFEST

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
    finish_replacing(kept.directory)
    document = {}
    kept = replace(kept, manifest=_before_reports(kept.manifest))
    if pdf:
        document[ASSESSMENT] = render_assessment(
            kept.evaluation, kept.metrics, kept.manifest, language=language
        )
    private = {INTERNAL: _page(kept, language, "internal", most_drawn)}
    if kept.manifest.status != "released":
        return _replaced(kept.directory, {**private, **document}, {})
    shareable = {REPORT: _page(kept, language, "shareable", most_drawn)}
    return _replaced(kept.directory, private, {**shareable, **document})


def add_search(kept: Kept, files: Mapping[str, bytes], language: Code) -> None:
    """Put the files of a search beside a run's, and what it found into the run's internal report."""
    finish_replacing(kept.directory)
    shown = replace(kept, manifest=_before_reports(kept.manifest), search=read_search(files[SEARCH]))
    page = _page(shown, language, "internal", MOST_DRAWN)
    _replaced(kept.directory, {**files, INTERNAL: page}, {})


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
        search=kept.search if audience == "internal" else None,
    ).encode()


def _before_reports(manifest: Manifest) -> Manifest:
    """The manifest as reports print it: with the hashes of what was there before them."""
    files = {name: sha256 for name, sha256 in manifest.files.items() if name.startswith("avatars")}
    return manifest.model_copy(update={"files": files})


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
    finish_replacing(kept.directory)
    return _replaced(kept.directory, files, {})


def _replaced(
    directory: Path, private: Mapping[str, bytes], shareable: Mapping[str, bytes]
) -> tuple[Path, ...]:
    """Put pages in their places together with the manifests that hold their hashes, all or none.

    A signature no longer fits a changed manifest: it is taken away first.
    """
    reports = [*(f"release/{name}" for name in shareable), *(f"private/{name}" for name in private)]
    files = {**_in("release", shareable), **_in("private", private)}
    outer = None
    if shareable:
        outer = _resealed(directory / "release", shareable)
        files["release/manifest.json"] = outer
        (directory / "release" / SIGNATURE).unlink(missing_ok=True)
    files["private/manifest.json"] = _resealed(directory / "private", private, outer)
    (directory / "private" / SIGNATURE).unlink(missing_ok=True)
    replace_files(directory, files)
    return tuple(directory / name for name in reports)


def _in(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": content for name, content in files.items()}


def _resealed(folder: Path, files: Mapping[str, bytes], released: bytes | None = None) -> bytes:
    """The manifest of a folder with the hashes of files that are about to be there."""
    manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    changed: dict[str, object] = {"files": dict(sorted({**manifest.files, **hashes}.items()))}
    if released is not None:
        changed["release_sha256"] = hashlib.sha256(released).hexdigest()
    return manifest.model_copy(update=changed).model_dump_json(indent=1).encode()
