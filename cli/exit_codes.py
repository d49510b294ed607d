"""Which exit code a command ends with."""

from pathlib import Path

import typer

from sosie.cli import display
from sosie.schemas.manifest import Manifest

EXIT = {"released": 0, "rejected": 3}


def finish(ended: tuple[Path, Manifest], as_json: bool) -> None:
    """Tell how a run ended, and end with its exit code."""
    directory, manifest = ended
    if manifest.status != "released":
        display.error(manifest.code, manifest.message or "")
    display.json_result(directory, manifest) if as_json else display.result(directory, manifest)
    raise typer.Exit(exit_code(manifest.code) if manifest.status == "failed" else EXIT[manifest.status])


def exit_code(code: str | None) -> int:
    """2 for what the user can correct in a table or a configuration, else 1."""
    return 1 if code in (None, "STORE_UNUSABLE", "BATCH_FAILED", "TIME_LIMIT", "NOT_INTACT") else 2
