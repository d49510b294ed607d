"""Every command, program and configuration of the documentation does what its page says.

Comments right above a block ask something: `<!-- file: name -->` writes it to a file, `<!-- output -->` expects it as
the last command's standard output, `...` standing for anything, `<!-- exit: 3 -->` expects that exit code,
`<!-- not run: why -->` leaves it alone, `<!-- stays: text -->` lets it go on beside the others once it has printed
that text, `<!-- answers: url -->` once something answers there. Configurations that are not written to a file must
be valid.
"""

import contextlib
import doctest
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer
import yaml

from sosie.cli.commands import app
from sosie.schemas.configuration import parse_configuration

ROOT = Path(__file__).parents[2]
PATIENCE = 300  # seconds, on a machine that does much else

_COMMENT = re.compile(r"<!-- (file|output|exit|not run|stays|answers)(?:: (.*?))? -->\s*")
_FENCE = re.compile(r"(`{3,})(\w*|\{\w+\})\s*")


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
            if "{" not in fence[2]:  # which is for the site's builder
                yield Block(fence[2], "\n".join(held) + "\n", number, asked)
            asked = {}
        elif line.strip():
            asked = {}


WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
UNTYPED = (ROOT / "docs" / "benchmarks", ROOT / "docs" / "fr")
"""Benchmarks name the command that measured them, hours long; French pages have the blocks of their English twins."""
PAGES = [page for page in WRITTEN if not set(UNTYPED) & set(page.parents) and any(blocks_of(page))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


class Reader:
    """Somebody who types what a page says, in an empty folder."""

    def __init__(self, folder: Path, read_as: Mapping[str, str]) -> None:
        self.folder, self.read_as = folder, read_as
        self.said = ""
        self.going: list[subprocess.Popen[bytes]] = []
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def do(self, block: Block) -> None:
        for shown, meant in self.read_as.items():
            asked = {name: value.replace(shown, meant) for name, value in block.asked.items()}
            block = replace(block, text=block.text.replace(shown, meant), asked=asked)
        if "not run" in block.asked:
            assert len(block.asked["not run"]) > 10, "say why it is not run"
        elif "file" in block.asked:
            (self.folder / block.asked["file"]).write_text(block.text, encoding="utf-8")
        elif "output" in block.asked:
            assert alike(block.text, self.said), (
                f"line {block.line}: the page shows\n{block.text}\nbut it is\n{self.said}"
            )
        elif {"stays", "answers"} & set(block.asked):
            self.leave(block)
        elif block.language == "sh":
            self.type(block)
        elif block.language == "python":
            self.run(block)
        elif block.language == "yaml":
            parse_configuration(yaml.safe_load(block.text))

    def type(self, block: Block) -> None:
        ended = subprocess.run(
            self.words(block),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        wanted = int(block.asked.get("exit", "0"))
        assert ended.returncode == wanted, f"line {block.line}: exit code {ended.returncode}\n{ended.stderr}"
        self.said = ended.stdout

    def leave(self, block: Block) -> None:
        """Start what goes on, and wait until it has begun."""
        told = self.folder / f"line {block.line}"
        with told.open("wb") as out:
            started = subprocess.Popen(
                self.words(block),
                cwd=self.folder,
                env=self.environment(),
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.going.append(started)
        end = time.monotonic() + PATIENCE
        while not begun(block, told):
            assert started.poll() is None, told.read_text(encoding="utf-8")
            assert time.monotonic() < end, told.read_text(encoding="utf-8")
            time.sleep(0.2)

    def words(self, block: Block) -> list[str]:
        return ["bash", "-euo", "pipefail", "-c", block.text.replace(".venv/bin/", "")]

    def environment(self) -> dict[str, str]:
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return os.environ | {"PATH": programs, "SOSIE_DIRECT": "1"}

    def go(self) -> None:
        """End what was left going on, the last first."""
        for started in reversed(self.going):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGINT)
            try:
                started.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                started.wait(60)

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


def begun(block: Block, told: Path) -> bool:
    if "answers" not in block.asked:
        return block.asked["stays"] in told.read_text(encoding="utf-8")
    try:
        return httpx.get(block.asked["answers"], timeout=5).is_success
    except httpx.TransportError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
    port = free_port()
    monkeypatch.setenv("PREFECT_SERVER_API_PORT", str(port))
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    read_as = {"127.0.0.1:4200": f"127.0.0.1:{port}"}
    reader = Reader(
        tmp_path, read_as | (request.getfixturevalue("clinic") if page.stem == "postgresql" else {})
    )
    try:
        for block in blocks_of(page):
            reader.do(block)
    finally:
        reader.go()


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
    lines = measured.splitlines()
    head = next(line for line in lines if line.startswith("| figure | table |")).split(" | ")
    makers = {"published": "| {}, gaussian", "gaussian": ", gaussian {} |", "SDV copula": "| {} (copula) |"}
    for start, figure in {
        "members found": "found at 1 %",
        "target learnt": "target learnt from avatars",
    }.items():
        cells = next(line for line in lines if line.startswith(f"| {figure} | aids.csv |")).split(" | ")
        told = next(
            line
            for line in WRITTEN[0].read_text(encoding="utf-8").splitlines()
            if line.startswith(f"| {start}")
        )
        for maker, said in makers.items():
            assert said.format(cells[head.index(maker)].split()[0]) in told
