"""Showing later what was run on what: every hash of a run's manifests, recomputed."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from sosie.errors import InputError
from sosie.schemas.manifest import Manifest, configuration_hash
from sosie.schemas.verification import CheckedFile, Signature, State, Verification
from sosie.sources import parse_address, read_source
from sosie.tasks.code_identity import running_code
from sosie.tasks.run import PROMISE, REPLACING, results_folder
from sosie.tasks.signature import SIGNATURE, read_signature

MANIFEST = "manifest.json"
_BESIDES = (MANIFEST, SIGNATURE, PROMISE)  # what no manifest gives a hash of


@dataclass(frozen=True)
class _Found:
    """What was found so far."""

    files: tuple[CheckedFile, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def and_file(self, name: str, state: State) -> "_Found":
        return replace(self, files=(*self.files, CheckedFile(name=name, state=state)))

    def and_problem(self, sentence: str) -> "_Found":
        return replace(self, problems=(*self.problems, sentence))

    def and_note(self, sentence: str) -> "_Found":
        return replace(self, notes=(*self.notes, sentence))


def file_hashes(folder: Path, known: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The sha256 of every file under a folder that a manifest there has to name; what is known is not read again."""
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    return {name: known.get(name) or _sha256(folder / name) for name in names if name not in _BESIDES}


def _sha256(path: Path) -> str:
    """Of a file that may be larger than memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(
    directory: Path,
    sources: Mapping[str, str] | None = None,
    signer: str | None = None,
    *,
    signed: bool = True,
) -> Verification:
    """Hold a run directory, or a folder `release` alone, against its manifests; nothing is changed.

    `sources` are the tables that were read, by their part (`source`, or `original`, `avatars` and `holdout`), to be
    held against their hashes too. `signer` is the fingerprint of the key that must have signed; with `signed` false no
    signature is looked at.

    Raises InputError BAD_CONFIG for a folder without a manifest.
    """
    alone = (directory / MANIFEST).exists() and not (directory / "private").exists()
    try:
        folder = results_folder(directory)
    except FileNotFoundError:
        raise InputError(
            "BAD_CONFIG",
            f"{directory.name} holds no manifest: give a run directory, or a release, that has ended",
        ) from None
    signature = read_signature(folder / MANIFEST) if signed else Signature(state="none")
    manifest = _manifest(folder / MANIFEST)
    if manifest is None:
        found = _Found().and_file(_name(directory, folder, MANIFEST), "altered")
        return _summed_up(None, found, _trusted(signature, signer))
    found = _in_folder(_Found(), directory, folder, manifest)
    if not alone and manifest.status == "released":
        found = _in_private(found, directory, folder)
    found = _broken_off(found, directory)
    found = _of_itself(found, manifest)
    found = _of_sources(found, manifest, sources or {})
    return _summed_up(manifest, found, _trusted(signature, signer))


def _manifest(path: Path) -> Manifest | None:
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError:
        return None


def _name(directory: Path, folder: Path, name: str) -> str:
    return name if folder == directory else f"{folder.name}/{name}"


def _states(expected: Mapping[str, str], there: Mapping[str, str]) -> Iterator[tuple[str, State]]:
    for name in sorted({*expected, *there}):
        if name not in there:
            yield name, "missing"
        elif name not in expected:
            yield name, "added"
        else:
            yield name, "intact" if expected[name] == there[name] else "altered"


def _in_folder(found: _Found, directory: Path, folder: Path, manifest: Manifest) -> _Found:
    for name, state in _states(manifest.files, file_hashes(folder)):
        found = found.and_file(_name(directory, folder, name), state)
    return found


def _in_private(found: _Found, directory: Path, release: Path) -> _Found:
    """The private files of a released run, and the released manifest as the private one knows it."""
    private = directory / "private"
    try:
        inner = _manifest(private / MANIFEST)
        if inner is None:
            return found.and_file(f"private/{MANIFEST}", "altered")
        found = _in_folder(found, directory, private, inner)
    except FileNotFoundError:
        return found.and_file(f"private/{MANIFEST}", "missing")
    except PermissionError:
        return found.and_problem("the private folder may not be read by you: give the folder release alone")
    same = _sha256(release / MANIFEST) == inner.release_sha256
    return found.and_file(f"release/{MANIFEST}", "intact" if same else "altered")


def _broken_off(found: _Found, directory: Path) -> _Found:
    if _is_there(directory / REPLACING):
        found = found.and_problem("a change of the reports broke off: sosie report ends it")
    if _is_there(directory / "private" / PROMISE):
        found = found.and_problem("the publication broke off: resume the run, which asks its destination")
    return found


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:  # told of already
        return False


def _of_itself(found: _Found, manifest: Manifest) -> _Found:
    """What the manifest says of the configuration and of the code."""
    if manifest.parameters is not None and manifest.configuration_sha256 is not None:
        same = configuration_hash(manifest.parameters) == manifest.configuration_sha256
        found = found.and_file("configuration", "intact" if same else "altered")
    if manifest.program is None:
        return found
    same = manifest.program.sha256 == running_code().sha256
    named = f" ({manifest.program.revision})" if manifest.program.revision else ""
    version = manifest.versions.get("sosie")
    return found.and_note(
        f"made by the very code of sosie {version}{named} that is installed here"
        if same
        else f"made by other code than is installed here: sosie {version}{named}, sha256 {manifest.program.sha256}"
    )


def _of_sources(found: _Found, manifest: Manifest, sources: Mapping[str, str]) -> _Found:
    unknown = sorted(set(sources) - set(manifest.inputs_sha256))
    if unknown:
        raise InputError(
            "BAD_CONFIG",
            f"this run read no {', '.join(unknown)}: it read {', '.join(manifest.inputs_sha256) or 'no table'}",
        )
    for part, expected in manifest.inputs_sha256.items():
        if part not in sources:
            found = found.and_note(f"the {part} was not checked: its sha256 is {expected}")
            continue
        digest = _digest(sources[part])
        state: State = "missing" if digest is None else "intact" if digest == expected else "altered"
        found = found.and_file(f"the {part}", state)
    return found


def _digest(address: str) -> str | None:
    """The sha256 of a table as it is read; None where there is no such file."""
    if parse_address(address).place != "file":
        return read_source(address).sha256
    path = Path(parse_address(address).location)
    try:
        return _sha256(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(
            "UNREADABLE_SOURCE", f"{path.name} cannot be read ({type(error).__name__}): check the path"
        ) from None


def _trusted(signature: Signature, signer: str | None) -> tuple[Signature, str | None]:
    """The signature and, in a sentence, why it cannot be trusted."""
    wanted = "".join((signer or "").split()).upper()
    if signature.state == "none":
        return signature, "the manifest is not signed, and a signer was asked for" if wanted else None
    if signature.state == "unknown key":
        return (
            signature,
            f"GnuPG does not know the key of the signature, {signature.key}: gpg --import it first",
        )
    if signature.state != "good":
        return signature, f"the manifest's signature is not good: {signature.state}"
    if wanted and not (len(wanted) >= 16 and (signature.key or "").endswith(wanted)):
        return signature, f"the manifest is signed by another key than was asked for: {signature.key}"
    return signature, None


def _summed_up(
    manifest: Manifest | None, found: _Found, signed: tuple[Signature, str | None]
) -> Verification:
    signature, distrust = signed
    counts = Counter(file.state for file in found.files)
    problems = [
        f"{counts[state]} {state}: {', '.join(file.name for file in found.files if file.state == state)}"
        for state in ("altered", "missing", "added")
        if counts[state]
    ]
    problems += [*found.problems, *([distrust] if distrust else [])]
    notes = list(found.notes)
    if signature.state == "none":
        notes.append("no signature: whoever can change a file can change its hash in the manifest as well")
    return Verification(
        run=manifest.run if manifest else None,
        status=manifest.status if manifest else None,
        intact=not problems,
        files=found.files,
        signature=signature,
        problems=tuple(problems),
        notes=tuple(notes),
    )
