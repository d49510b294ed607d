"""--resume and --seed-of: what they take from an earlier run, what they refuse, and what is told."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.tasks.calls import DirectCalls

Command = Callable[..., subprocess.CompletedProcess[str]]
WriteTable = Callable[[pd.DataFrame], Path]
WriteConfiguration = Callable[[str], Path]


class KilledError(BaseException):
    """Stands for kill -9: nothing is tidied up after it."""


@pytest.fixture
def words(
    write_table: WriteTable, write_configuration: WriteConfiguration, patients: pd.DataFrame, tmp_path: Path
) -> list[object]:
    configuration = write_configuration("targets: {mode: report}\nattacks: {attempts: 10}\n")
    return [
        "anonymize",
        write_table(patients),
        "--config",
        configuration,
        "--out",
        tmp_path / "runs",
        "--direct",
    ]


@pytest.fixture
def killed(
    sosie_command: Command, words: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The directory of a run that was killed before it measured anything."""
    call = DirectCalls.__call__

    def call_or_die(self: DirectCalls, title: str, *args: Any, **kwargs: Any) -> Any:
        if title == "measure privacy and fidelity":
            raise KilledError
        return call(self, title, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(DirectCalls, "__call__", call_or_die)
        patched.setattr("sosie.flows.closing.close_failed", lambda *_: None)
        assert sosie_command(*words).returncode == 1
    (directory,) = (tmp_path / "runs").iterdir()
    return directory


def remembered(directory: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((directory / "private" / "run.json").read_text())
    return told


def warned(directory: Path) -> set[str]:
    manifest = json.loads((directory / "release" / "manifest.json").read_text())
    return {warning["code"] for warning in manifest["warnings"]}


def test_a_killed_run_is_resumed_in_its_own_directory_from_any_folder(
    killed: Path, sosie_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = remembered(killed)["seed"]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ended = sosie_command("anonymize", "--resume", killed, "--direct")
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, str(killed)), ended.stderr
    assert (killed / "release" / "avatars.csv").exists()
    assert remembered(killed)["seed"] == seed


def test_a_seed_that_was_drawn_is_not_told_as_chosen_when_its_run_is_resumed(
    killed: Path, sosie_command: Command
) -> None:
    assert sosie_command("anonymize", "--resume", killed, "--direct").returncode == 0
    assert "FIXED_SEED" not in warned(killed)
    assert remembered(killed)["seed_was_given"] is False


def test_a_run_that_was_released_is_told_again_and_left_as_it_is(
    killed: Path, sosie_command: Command
) -> None:
    assert sosie_command("anonymize", "--resume", killed, "--direct").returncode == 0
    before = {path: path.read_bytes() for path in killed.rglob("*") if path.is_file()}
    again = sosie_command("anonymize", "--resume", killed, "--direct")
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, str(killed))
    assert {path: path.read_bytes() for path in killed.rglob("*") if path.is_file()} == before


def test_a_resumed_run_takes_nothing_from_the_command_line(killed: Path, sosie_command: Command) -> None:
    ended = sosie_command("anonymize", "--resume", killed, "--k", 3, "--language", "fr", "--direct")
    assert ended.returncode == 2
    assert "error[BAD_CONFIG]: --resume takes everything" in ended.stderr
    assert "k, language" in ended.stderr
    assert (killed / "private" / "run.json").exists()


@pytest.mark.parametrize("option", ["--resume", "--seed-of"])
def test_a_folder_that_is_no_run_is_refused_and_left_alone(
    option: str, sosie_command: Command, words: list[object], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / "private").mkdir(parents=True)
    (other / "private" / "letter.txt").write_text("mine")
    asked = ["anonymize", "--direct"] if option == "--resume" else words
    ended = sosie_command(*asked, option, other)
    assert ended.returncode == 2
    assert "other is no run directory with private/run.json" in ended.stderr
    assert (other / "private" / "letter.txt").read_text() == "mine"


def test_the_seed_of_an_earlier_run_gives_its_draw_and_a_warning(
    killed: Path, sosie_command: Command, words: list[object]
) -> None:
    assert sosie_command("anonymize", "--resume", killed, "--direct").returncode == 0
    second = sosie_command(*words, "--seed-of", killed, "--language", "fr")
    directory = Path(second.stdout.splitlines()[-1])
    assert directory != killed
    avatars = [(run / "release" / "avatars.csv").read_bytes() for run in (killed, directory)]
    assert avatars[0] == avatars[1]
    assert "SHARED_SEED" in warned(directory) - warned(killed)
    assert remembered(directory)["seed_of"] == killed.name
    for path in (directory / "release").iterdir():
        assert str(remembered(killed)["seed"]) not in path.read_text(encoding="utf-8"), path.name


def test_a_seed_and_the_seed_of_a_run_exclude_each_other(
    killed: Path, sosie_command: Command, words: list[object]
) -> None:
    ended = sosie_command(*words, "--seed-of", killed, "--seed", 3)
    assert ended.returncode == 2
    assert "--seed and --seed-of exclude each other" in ended.stderr


HANGS = """
import sys, time
from sosie.tasks import measuring
def hang(*_):
    print("hanging", flush=True)
    while True:
        time.sleep(0.1)
measuring.measure_avatars = hang
from sosie.cli import main
main()
"""


@pytest.mark.parametrize(
    ("sent", "codes"), [(signal.SIGTERM, {143}), (signal.SIGINT, {1, 130})], ids=["SIGTERM", "SIGINT"]
)
def test_a_run_that_is_told_to_stop_leaves_a_manifest_and_nothing_else(
    sent: signal.Signals, codes: set[int], words: list[object], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", HANGS, *map(str, words), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "hanging\n"
        process.send_signal(sent)
        try:
            code = process.wait(timeout=120)
        finally:
            process.kill()
    assert code in codes
    (directory,) = (tmp_path / "runs").iterdir()
    assert [path.name for path in directory.rglob("*")] == ["manifest.json"]
    assert json.loads((directory / "manifest.json").read_text())["status"] == "failed"


def test_a_run_past_its_time_limit_fails_with_a_plain_sentence(
    sosie_command: Command,
    words: list[object],
    write_configuration: WriteConfiguration,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hang(*_: object) -> None:
        while True:
            time.sleep(0.01)

    monkeypatch.setattr("sosie.tasks.publication.read_source", hang)
    write_configuration("limits: {minutes: 0.001}\n")
    ended = sosie_command(*words)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("error[TIME_LIMIT]: the run took longer than the 0.001")


@pytest.mark.parametrize(
    "source",
    [
        "https://store.example/table.csv?X-Amz-Signature=c0ffee",
        "https://store.example/table.csv?sv=2024&sig=c0ffee",
        "https://store.example/table.csv?access_token=c0ffee",
        "postgresql://host/db?query=SELECT * FROM dblink('host=other password=c0ffee', 'select 1')",
    ],
)
def test_a_source_that_could_hold_a_credential_is_refused_before_prefect_stores_it(
    source: str, sosie_command: Command, tmp_path: Path
) -> None:
    ended = sosie_command("anonymize", source, "--out", tmp_path / "runs")
    assert ended.returncode == 2
    assert "error[BAD_CONFIG]: a key, a token or a password may not stand" in ended.stderr
    assert "c0ffee" not in ended.stderr + ended.stdout
