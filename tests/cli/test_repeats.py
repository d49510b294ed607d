"""--repeats: several draws are measured, one is released."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
WriteTable = Callable[[pd.DataFrame], Path]
WriteConfiguration = Callable[[str], Path]
Anonymize = Callable[..., Path]

SEED = 8765309123


@pytest.fixture
def anonymize(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> Anonymize:
    """The folder that a run with these options released."""

    def run(*options: object) -> Path:
        ended = sosie_command(
            *("anonymize", write_table(patients), "--k", 5, "--seed", SEED, *options),
            *("--config", write_configuration("targets: {mode: report}\nattacks: {attempts: 50}\n")),
            *("--direct", "--out", tmp_path / "runs"),
        )
        assert ended.returncode == 0, ended.stderr
        return Path(ended.stdout.splitlines()[-1]) / "release"

    return run


def read(path: Path) -> dict[str, Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def measured_draws(release: Path) -> int:
    stages = read(release / "manifest.json")["stage_seconds"]
    return sum(stage.startswith("transform back: working rows") for stage in stages)


def figures(release: Path) -> dict[str, float | None]:
    return {name: metric["value"] for name, metric in read(release / "metrics.json")["metrics"].items()}


def test_three_repeats_measure_three_draws_and_the_report_shows_their_spread(anonymize: Anonymize) -> None:
    release = anonymize("--repeats", 3)
    assert measured_draws(release) == 3
    assert "Over 3 draws: " in (release / "report.html").read_text(encoding="utf-8")


def test_repeats_change_neither_the_avatars_nor_their_figures(anonymize: Anonymize) -> None:
    once, thrice = anonymize(), anonymize("--repeats", 3)
    assert measured_draws(once) == 1
    assert (once / "avatars.csv").read_bytes() == (thrice / "avatars.csv").read_bytes()
    assert figures(once) == figures(thrice)


def test_the_report_names_the_seed_of_no_draw(anonymize: Anonymize) -> None:
    release = anonymize("--repeats", 2)
    assert all(str(SEED) not in path.read_text(encoding="utf-8") for path in release.iterdir())


@pytest.mark.parametrize("repeats", [0, 101])
def test_fewer_than_one_and_more_than_a_hundred_repeats_are_refused(
    repeats: int, sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command(
        *("anonymize", write_table(patients), "--repeats", repeats, "--direct", "--out", tmp_path / "runs")
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("error[BAD_CONFIG]: repeats: ")
