"""A streamed run on the command line: its batches are told, and when it was killed among them it goes on there."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.tasks.streamed import batch

Command = Callable[..., subprocess.CompletedProcess[str]]

HANGS = """
import time
from sosie.tasks.streamed import batch
made = batch._avatars
def hang(work, number, *rest):
    while number == 3:
        time.sleep(0.1)
    return made(work, number, *rest)
batch._avatars = hang
from sosie.cli import main
main()
"""
WORKING, ALL = ([f"batch {done} of {count}" for done in range(1, count + 1)] for count in (3, 6))


@pytest.fixture
def words(
    write_table: Callable[[pd.DataFrame], Path],
    write_configuration: Callable[[str], Path],
    patients: pd.DataFrame,
) -> list[str]:
    table = write_table(patients)
    configuration = write_configuration(
        f"source: {table}\ntargets: {{mode: report}}\nattacks: {{attempts: 10}}\n"
        "batches: {streamed: always, rows: 100}\n"
    )
    return ["anonymize", "--config", str(configuration), "--seed", "5", "--direct"]


def batches(told: str) -> list[str]:
    return [line for line in told.splitlines() if line.startswith("batch ")]


def killed(words: list[str], runs: Path) -> tuple[Path, list[str]]:
    """The directory of a run that was killed as it worked on the fourth batch of all rows, and what it told."""
    command = [sys.executable, "-c", HANGS, *words, "--out", str(runs)]
    told: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            told.append(line)
            if line == f"{ALL[2]}\n":
                break
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, "".join(told)
    (directory,) = runs.iterdir()
    return directory, batches("".join(told))


def test_batches_are_told_in_order_and_those_finished_before_a_kill_are_not_made_again(
    words: list[str], sosie_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOSIE_STORE", str(tmp_path / "store"))
    directory, told = killed(words, tmp_path / "runs")
    assert told == WORKING + ALL[:3]
    assert not (directory / "release").exists()

    made: list[int] = []
    avatars = vars(batch)["_avatars"]

    def noted(work: Any, number: int, *rest: Any) -> Any:
        made.append(number)
        return avatars(work, number, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(batch, "_avatars", noted)
        resumed = sosie_command("anonymize", "--resume", directory, "--direct")
    assert (resumed.returncode, resumed.stdout.splitlines()[-1]) == (0, str(directory)), resumed.stderr
    assert made == [3, 4, 5]
    assert batches(resumed.stderr) == WORKING + ALL

    monkeypatch.setenv("SOSIE_STORE", str(tmp_path / "another store"))
    undisturbed = sosie_command(*words, "--out", tmp_path / "undisturbed")
    assert batches(undisturbed.stderr) == WORKING + ALL
    other = Path(undisturbed.stdout.splitlines()[-1])
    assert other.parent.name == "undisturbed"
    for file in ("avatars.csv", "metrics.json"):
        assert (directory / "release" / file).read_bytes() == (other / "release" / file).read_bytes()
    assert not any((tmp_path / "store" / "streamed").iterdir())
