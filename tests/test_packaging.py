"""What is shipped, under which name, and what the README tells people to type."""

import importlib
import importlib.metadata
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS: dict[str, Any] = PROJECT["tool"]["setuptools"]
CORE_LIBRARIES = {"numpy", "pandas", "pyarrow", "scipy", "sklearn", "threadpoolctl"}


def folder_of(package: str) -> Path:
    """Where a package lies in the checkout: its own entry of package-dir, or that of the package above it."""
    folders: dict[str, str] = SETUPTOOLS["package-dir"]
    if package in folders:
        return ROOT / folders[package]
    parent, _, name = package.rpartition(".")
    return folder_of(parent) / name


def files_in(folder: Path, pattern: str) -> set[Path]:
    return {path for path in folder.glob(pattern) if path.is_file() and "__pycache__" not in path.parts}


def test_the_packages_of_pyproject_are_the_folders_that_hold_modules() -> None:
    listed = {folder_of(package) for package in SETUPTOOLS["packages"]}
    tops = {ROOT / "src" / "sosie"} | {path.parent for path in ROOT.glob("*/__init__.py")}
    assert listed == {path.parent for top in tops for path in files_in(top, "**/*.py")}
    assert [folder for folder in sorted(listed) if not (folder / "__init__.py").exists()] == []


def test_package_data_names_every_file_that_is_neither_a_module_nor_compiled_into_one() -> None:
    named = {
        path
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        for path in files_in(folder_of(package), pattern)
    }
    found = {path for package in SETUPTOOLS["packages"] for path in files_in(folder_of(package), "**/*")}
    assert named == {path for path in found if path.suffix not in {".py", ".c", ".h", ".so"}}


def test_the_installed_package_is_this_checkout() -> None:
    # setuptools leaves build/ behind and copies what it finds there: a deleted module would be installed again
    for package in SETUPTOOLS["packages"]:
        installed = Path(str(importlib.import_module(package).__file__)).parent
        modules = {path.name: path.read_bytes() for path in installed.glob("*.py")}
        expected = {path.name: path.read_bytes() for path in folder_of(package).glob("*.py")}
        assert modules.keys() == expected.keys(), f"{package}: remove build/ and install again"
        assert modules == expected, f"{package}: install again"


def test_the_version_is_written_in_pyproject_alone() -> None:
    version = PROJECT["project"]["version"]
    assert importlib.metadata.version("sosie") == version
    for package in SETUPTOOLS["packages"]:
        for path in folder_of(package).glob("*.py"):
            assert f'"{version}"' not in path.read_text(encoding="utf-8"), path.name


def test_the_changelog_has_a_section_for_the_version() -> None:
    assert f"\n## [{PROJECT['project']['version']}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_nothing_but_sosie_lands_at_the_top_of_site_packages() -> None:
    distribution = importlib.metadata.distribution("sosie")
    assert (distribution.read_text("top_level.txt") or "").split() == ["sosie"]
    tops = {path.parts[0] for path in distribution.files or ()}
    ours = re.compile(r"sosie|sosie-.*\.dist-info|sosie\.egg-info|__editable__.*|__pycache__|\.\.")
    assert [top for top in sorted(tops) if not ours.fullmatch(top)] == []


def test_every_dependency_is_the_cores_or_kept_out_of_it_by_a_contract() -> None:
    providers = importlib.metadata.packages_distributions()
    required = {re.split(r"[^\w.-]", line)[0] for line in PROJECT["project"]["dependencies"]}
    imported = {
        module
        for module, names in providers.items()
        if required & {name.lower().replace("_", "-") for name in names} and not module.startswith("_")
    }
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    forbidden = {name for contract in contracts for name in contract.get("forbidden_modules", [])}
    assert forbidden & CORE_LIBRARIES == set()
    assert len(forbidden | CORE_LIBRARIES) == len(required)
    assert forbidden | CORE_LIBRARIES <= imported


def test_the_readme_has_one_line_to_see_it_work_and_one_to_test_it() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if "python3 -m venv" in line]
    assert len(commands) == 2
    assert commands[0].endswith("&& .venv/bin/sosie demo")
    assert commands[1].endswith("&& .venv/bin/pytest")


def test_ci_runs_the_readmes_own_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    pattern = re.search(r"grep -m1 '(.+)' README\.md", script)
    assert pattern is not None
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line[-6:] for line in lines if re.search(pattern[1], line)] == ["pytest"]
