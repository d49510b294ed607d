"""Checking a run's hashes and signing its manifest, told in a terminal."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from sosie.cli import display
from sosie.errors import InputError
from sosie.schemas.verification import Verification
from sosie.tasks.run import results_folder
from sosie.tasks.signature import sign
from sosie.tasks.verification import MANIFEST, verify

_WORDS = {
    "intact": "intact",
    "altered": "ALTERED: its hash is another",
    "missing": "MISSING",
    "added": "ADDED: no manifest names it",
}


def verify_run(directory: Path, sources: Mapping[str, str | None], signer: str | None, as_json: bool) -> bool:
    """Print what is intact and what is not, and return whether all is."""
    given = {part: address for part, address in sources.items() if address is not None}
    verification = verify(directory, given, signer)
    if as_json:
        print(verification.model_dump_json())
    else:
        _tell(verification)
    if not verification.intact:
        display.error(
            "NOT_INTACT",
            f"{directory.name} is not shown to be as it was left: {'; '.join(verification.problems)}",
        )
    return verification.intact


def sign_run(directory: Path, key: str) -> None:
    """Sign the manifest of a run that is intact, and print where the signature lies.

    Raises InputError `NOT_INTACT` for one that is not, `BAD_CONFIG` when GnuPG does not sign.
    """
    before = verify(directory, signed=False)
    if not before.intact:
        raise InputError("NOT_INTACT", f"{directory.name} is not signed: {'; '.join(before.problems)}")
    print(sign(results_folder(directory) / MANIFEST, key))


def _tell(verification: Verification) -> None:
    console = Console(highlight=False, markup=False)
    for file in verification.files:
        console.print(f"{file.name}: {_WORDS[file.state]}", soft_wrap=True)
    signature = verification.signature
    if signature.state != "none":
        by = f" by {signature.name}" if signature.name else ""
        console.print(f"signature: {signature.state}{by}, key {signature.key}", soft_wrap=True)
    for note in verification.notes:
        console.print(f"note: {note}", soft_wrap=True)
    if verification.intact:
        console.print(f"{verification.run} ({verification.status}) is intact", soft_wrap=True)
