"""The run directory: opened before the first step, closed whole or not at all."""

import os
import shutil
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sosie.errors import InputError
from sosie.schemas.manifest import Manifest
from sosie.tasks.job import Job

STAGING = ".staging"
REPLACING = ".replacing"  # files that are about to take the place of others
PROMISE = "publication.json"  # in the private folder while a release is published


@dataclass(frozen=True)
class Run:
    """A job and the directory that its results go to."""

    job: Job
    directory: Path
    started: datetime


def new_run_id(own: str | None = None) -> str:
    """A name for a run directory that sorts by time and is never taken; `own` is what sets the run apart."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{own or uuid.uuid4().hex[:8]}"


def make_directory(directory: Path) -> None:
    """Create the run directory, readable by others as a folder; InputError `BAD_CONFIG` when that is not possible."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o755)
    except OSError:
        raise InputError(
            "BAD_CONFIG",
            f"the run directory cannot be made in {directory.parent}: check --out and its permissions",
        ) from None


def is_released(directory: Path) -> bool:
    """Whether a run has ended in this directory with a release, and with its delivery where one was asked for."""
    return (directory / "release").exists() and not is_unsettled(directory)


def has_ended(directory: Path) -> bool:
    """Whether a run has ended in this directory, with a release or rejected."""
    return is_released(directory) or (directory / "private" / "manifest.json").exists()


def is_unsettled(directory: Path) -> bool:
    """Whether a publication broke off here, so that only its destination knows whether it happened."""
    return (directory / "private" / PROMISE).exists()


def reopen(directory: Path) -> None:
    """Take away how an earlier attempt at the same run ended; its seed stays."""
    for ended in (
        "manifest.json",
        "private/manifest.json",
        "private/metrics.json",
        "private/evaluation.json",
        "private/rare-levels.json",
        "private/examination.json",
        "private/search.json",
        "private/trials.csv",
        "private/frontier.html",
        "private/proposed.yaml",
    ):
        (directory / ended).unlink(missing_ok=True)
    for written in (*directory.glob("private/report-*.html"), *directory.glob("private/*.pdf")):
        written.unlink()
    for folder in (STAGING, "private/expectations", "private/data-docs"):
        shutil.rmtree(directory / folder, ignore_errors=True)


def private_file(directory: Path, name: str, content: bytes) -> None:
    """Write a file of the private folder, or of a folder in it: mode 0600 from its first byte, whole or not at all."""
    path = directory / "private" / name
    for folder in dict.fromkeys((directory / "private", path.parent)):
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
    write_whole(path, content, 0o600)


def write_whole(path: Path, content: bytes, mode: int) -> None:
    """Write a file that appears whole or not at all, then with this mode whatever the umask; until then it is 0600."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    temporary.chmod(mode)
    temporary.replace(path)


def staging(run: Run) -> Path:
    """Where released files are gathered before they appear all at once; mode 0700 until then."""
    folder = run.directory / STAGING
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def discard_staged(run: Run) -> None:
    """Take away what was staged and is not to be released."""
    shutil.rmtree(run.directory / STAGING, ignore_errors=True)


def results(directory: Path, manifest: Manifest) -> Path:
    """The folder that holds a run's figures: `release/`, or `private/` where nothing was released."""
    return directory / ("release" if manifest.status == "released" else "private")


def read_manifest(directory: Path) -> Manifest:
    """The manifest of a run that ended, wherever its status put it."""
    if is_unsettled(directory):
        raise FileNotFoundError(f"{directory.name} did not end: its publication broke off")
    manifest = results_folder(directory) / "manifest.json"
    return Manifest.model_validate_json(manifest.read_text(encoding="utf-8"))


def results_folder(directory: Path) -> Path:
    """Where the manifest that tells how a run ended lies; FileNotFoundError when it did not end."""
    for folder in (directory / "release", directory / "private", directory):
        if (folder / "manifest.json").exists():
            return folder
    raise FileNotFoundError(f"{directory.name} has no manifest: the run did not end")


def close_failed(directory: Path, manifest: Manifest) -> None:
    """Leave nothing but a manifest that says why; where there is no directory, not even that.

    A release stays, and what an unsettled publication left: it may have been delivered.
    """
    if not directory.is_dir() or is_released(directory) or is_unsettled(directory):
        return
    for leftover in (STAGING, "private", "release"):
        shutil.rmtree(directory / leftover, ignore_errors=True)
    write_whole(directory / "manifest.json", manifest.model_dump_json(indent=1).encode(), 0o644)
