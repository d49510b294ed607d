"""Checks a built wheel where nothing else is: the files of the checkout in it, all modules of it importable."""

import importlib
import pkgutil
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import sosie

NATIVE = "src/sosie/native"  # a module for each folder in it
NOT_SHIPPED = {".c", ".h", ".so"}  # the last: left in a checkout by an editable installation


def shipped(checkout: Path) -> set[str]:
    """The names that the checkout's package folders must have in a wheel."""
    setuptools = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "setuptools"
    ]
    modules = {f"sosie/_{folder.name}.abi3.so" for folder in (checkout / NATIVE).iterdir() if folder.is_dir()}
    return modules | {
        (Path(*package.split(".")) / path.relative_to(checkout / folder)).as_posix()
        for package, folder in setuptools["package-dir"].items()
        for path in (checkout / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in NOT_SHIPPED
    }


def main(checkout: str, wheel: str) -> None:
    """Exits with a sentence if the wheel is for one Python, differs from the packages, or cannot be imported."""
    if "-cp311-abi3-" not in Path(wheel).name:
        sys.exit(f"{wheel} is not for Python 3.11 and all later ones")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not re.search(r"\.dist-info/|/$", name)}
    if names != shipped(Path(checkout)):
        sys.exit(f"the wheel and the checkout differ by {sorted(names ^ shipped(Path(checkout)))}")
    if not Path(sosie.__file__).is_relative_to(sys.prefix):
        sys.exit(f"sosie comes from {sosie.__file__}, not from the wheel")
    modules = [module.name for module in pkgutil.walk_packages(sosie.__path__, "sosie.")]
    for name in modules:
        importlib.import_module(name)
    print(f"{len(names)} files as in the checkout, {len(modules)} modules imported")


if __name__ == "__main__":
    main(*sys.argv[1:])
