"""What an examination leaves on disk, all of it private: JSON, the page of the run, and the list of runs."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from sosie.reports import Examined as Of
from sosie.reports import render_examination, render_index
from sosie.reports.language import Code
from sosie.schemas.manifest import Manifest
from sosie.tasks.expectations.examining import Examined
from sosie.tasks.run import private_file, read_manifest, write_whole

DATA_DOCS, EXAMINATION, INDEX = "data-docs", "examination.json", "data-docs.html"


def keep_examination(directory: Path, examined: Examined, of: Of, language: Code) -> None:
    """Write outcomes, suites and results to the run's private folder, and the page for an auditor."""
    private_file(directory, EXAMINATION, examined.examination.model_dump_json(indent=1).encode())
    for name, content in examined.files.items():
        private_file(directory, f"expectations/{name}", content)
    page = render_examination(examined.examination, of, language)
    private_file(directory, f"{DATA_DOCS}/index.html", page.encode())


def list_runs(directory: Path) -> None:
    """Write `data-docs.html` beside runs that were examined: all runs of the folder that ended, the latest first.

    It is for insiders, as the pages are, and in the language of the latest report; a folder of one run has none.
    Concurrent runs wait for each other, so that the last one lists all. What cannot be written is left as it was: the
    run has ended, and the next one writes the list anew.
    """
    out = directory.parent
    if not (out / INDEX).exists() and not (directory / "private" / DATA_DOCS).exists():
        return
    with suppress(OSError), _alone(out):
        ended = sorted(_ended(out), key=lambda run: run.started, reverse=True)
        if len(ended) > 1:
            _write_index(out, ended)


def has_others(directory: Path) -> bool:
    """Whether other runs ended in the folder of this one, so that there will be a list of them."""
    return any(manifest.run != directory.name for manifest in _ended(directory.parent))


def _write_index(out: Path, manifests: Sequence[Manifest]) -> None:
    languages = [(manifest.parameters or {}).get("report", {}).get("language") for manifest in manifests]
    language: Code = "fr" if next(filter(None, languages), "en") == "fr" else "en"
    write_whole(out / INDEX, render_index(manifests, language).encode(), 0o600)


def _ended(out: Path) -> Iterator[Manifest]:
    for directory in out.iterdir():
        try:
            manifest = read_manifest(directory)
        except (OSError, ValidationError):  # no run, one that has not ended, or another version's
            continue
        # a copied or renamed run is found under the name that its folder has now
        yield manifest.model_copy(update={"run": directory.name})


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time in this folder."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
