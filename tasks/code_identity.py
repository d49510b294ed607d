"""Which code is running: the installed files, and the commit where they lie in a checkout."""

import hashlib
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from sosie.schemas.manifest import Program

_PACKAGES = (
    "",
    "cli",
    "flows",
    "reports",
    "schemas",
    "tasks",
)  # of sosie; a checkout has them in several places
_LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "scikit-learn")


@cache
def running_code() -> Program:
    """The identity of the sosie that is installed here."""
    digest = hashlib.sha256()
    for name, path in sorted(dict(_files()).items()):
        digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return Program(sha256=digest.hexdigest(), revision=_revision())


@cache
def what_computes() -> tuple[str, ...]:
    """What results depend on beside their arguments: the code of this program, the libraries it computes with."""
    return (running_code().sha256, *(f"{name} {version(name)}" for name in _LIBRARIES))


def _files() -> Iterator[tuple[str, Path]]:
    """Every file of the package by its name there, the same in a checkout and in an installation."""
    for package in _PACKAGES:
        found = find_spec(f"sosie.{package}".rstrip("."))
        for place in (found.submodule_search_locations or ()) if found else ():
            folder = Path(place)
            for path in folder.rglob("*"):
                if path.is_file() and "__pycache__" not in path.parts:
                    yield f"{package}/{path.relative_to(folder).as_posix()}".lstrip("/"), path


def _revision() -> str | None:
    """What `git describe` says of a checkout, `-dirty` where it was changed; None for an installation."""
    found = find_spec("sosie")
    if found is None or found.origin is None:
        return None
    root = Path(found.origin).parents[2]  # of src/sosie/__init__.py
    if not (root / ".git").exists():
        return None
    try:
        said = subprocess.run(  # noqa: S603 no shell, and what varies is a path
            ["git", "-C", root, "describe", "--always", "--dirty", "--tags"],  # noqa: S607 found on the user's path
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.strip() or None
