"""Every command, program and configuration of the documentation does what its page says.

Comments right above a block ask something: `<!-- file: name -->` writes it to a file, `<!-- output -->` expects it as
the last command's standard output, `...` standing for anything, `<!-- exit: 3 -->` expects that exit code,
`<!-- not run: why -->` leaves it alone. Configurations that are not written to a file must be valid.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from sosie.cli.commands import app
from sosie.schemas.configuration import parse_configuration

ROOT = Path(__file__).parents[2]

_COMMENT = re.compile(r"<!-- (file|output|exit|not run)(?:: (.*?))? -->\s*")
_FENCE = re.compile(r"(`{3,})(\w*)\s*")


@dataclass(frozen=True)
class Block:
    """One block: its language, its text and its line; `asked` are the comments right above it."""

    language: str
    text: str
    line: int
    asked: Mapping[str, str] = field(default_factory=dict)


def blocks_of(page: Path) -> Iterator[Block]:
    """The blocks in order."""
    asked: dict[str, str] = {}
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    for number, line in lines:
        comment, fence = _COMMENT.fullmatch(line), _FENCE.fullmatch(line)
        if comment:
            asked[comment[1]] = comment[2] or ""
        elif fence:
            held = []
            for _, inner in lines:
                if inner.strip() == fence[1]:
                    break
                held.append(inner)
            yield Block(fence[2], "\n".join(held) + "\n", number, asked)
            asked = {}
        elif line.strip():
            asked = {}


WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in WRITTEN if page.parent.name != "benchmarks" and any(blocks_of(page))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
"""Benchmarks name the command that measured them; hours long."""


class Reader:
    """Somebody who types what a page says, in an empty folder."""

    def __init__(self, folder: Path, read_as: Mapping[str, str]) -> None:
        self.folder, self.read_as = folder, read_as
        self.said = ""
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def do(self, block: Block) -> None:
        for shown, meant in self.read_as.items():
            block = replace(block, text=block.text.replace(shown, meant))
        if "not run" in block.asked:
            assert len(block.asked["not run"]) > 10, "say why it is not run"
        elif "file" in block.asked:
            (self.folder / block.asked["file"]).write_text(block.text, encoding="utf-8")
        elif "output" in block.asked:
            assert alike(block.text, self.said), (
                f"line {block.line}: the page shows\n{block.text}\nbut it is\n{self.said}"
            )
        elif block.language == "sh":
            self.type(block)
        elif block.language == "python":
            self.run(block)
        elif block.language == "yaml":
            parse_configuration(yaml.safe_load(block.text))

    def type(self, block: Block) -> None:
        words = block.text.replace(".venv/bin/", "")
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", words],
            cwd=self.folder,
            env=os.environ
            | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "SOSIE_DIRECT": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        wanted = int(block.asked.get("exit", "0"))
        assert ended.returncode == wanted, f"line {block.line}: exit code {ended.returncode}\n{ended.stderr}"
        self.said = ended.stdout

    def run(self, block: Block) -> None:
        if ">>>" in block.text:
            parsed = doctest.DocTestParser().get_doctest(
                block.text, self.names, f"line {block.line}", None, None
            )
            told: list[str] = []
            runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
            assert runner.run(parsed, out=told.append, clear_globs=False).failed == 0, "".join(told)
            self.names |= parsed.globs
        else:
            exec(compile(block.text, f"line {block.line}", "exec"), self.names)


def alike(shown: str, said: str) -> bool:
    """Whether an output is what a page shows; trailing spaces and empty lines at the end do not count."""
    wanted = "\n".join(re.escape(line.rstrip()) for line in shown.strip().splitlines())
    got = "\n".join(line.rstrip() for line in said.strip().splitlines())
    return re.fullmatch(wanted.replace(r"\.\.\.", ".*?"), got, re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_whoever_types_what_a_page_says_sees_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOSIE_STORE", str(tmp_path / "store"))
    for table in (ROOT / "docs" / "tables").glob("*.py"):
        shutil.copy(table, tmp_path)
    reader = Reader(tmp_path, request.getfixturevalue("clinic") if page.stem == "postgresql" else {})
    for block in blocks_of(page):
        reader.do(block)


@pytest.mark.parametrize("page", WRITTEN, ids=[str(page.relative_to(ROOT)) for page in WRITTEN])
def test_commands_and_options_that_a_page_names_are_there(page: Path) -> None:
    group: Any = typer.main.get_command(app)
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"`sosie ([a-z]+)([^`]*)`", text):
        command = group.commands.get(found[1])
        assert command is not None, f"there is no command sosie {found[1]}"
        options = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"(--[a-z-]+)", found[2])) <= options | {"--help"}, found[0]


def test_the_figures_of_the_readme_are_those_of_the_benchmark() -> None:
    measured = (ROOT / "docs" / "benchmarks" / "judge.md").read_text(encoding="utf-8")
    columns = {"sosie": 5, "gaussian": 6, "copula": 7}
    rows = {
        "members found": "… members found at 1 % false alarms, %",
        "target learnt": "target learnt: AUC on the holdout",
    }
    for start, name in rows.items():
        table = measured.split("## `aids.csv`: " + ("privacy" if "found" in start else "utility"))[1]
        cells = next(line for line in table.splitlines() if line.startswith(f"| {name}")).split("|")
        told = next(
            line
            for line in WRITTEN[0].read_text(encoding="utf-8").splitlines()
            if line.startswith(f"| {start}")
        )
        wanted = [cells[column].split()[0] for column in columns.values()]
        assert f"| {wanted[0]}, gaussian {wanted[1]} |" in told
        assert f"| {wanted[2]} (copula) |" in told
