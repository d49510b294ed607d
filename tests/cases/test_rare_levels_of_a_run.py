"""A level that one person has: nowhere in what a run leaves, once rare levels have a label."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

CONFIGURATION = """
columns: {ref: {role: regenerate}, seen: {type: date, format: "%d/%m/%Y"}, pay: {missing_codes: [-9]}}
method: {k: 5, ncp: 2}
rare_values: {label: other}
targets: {mode: report}
attacks: {attempts: 10}
"""


@pytest.fixture
def workers() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 12, 200), unit="D")
    pay = rng.normal(3e4, 5e3, 200).round()
    pay[:40] = -9
    return pd.DataFrame(
        {
            "ref": [f"P-{place:05d}" for place in range(200)],
            "job": ["nurse"] * 120 + ["teacher"] * 79 + ["astronaut"],
            "seen": days.strftime("%d/%m/%Y"),
            "pay": pay.astype(int),
        }
    )


def test_a_run_leaves_no_rare_level_no_old_identifier_and_dates_as_they_were(
    workers: pd.DataFrame,
    sosie_command: Command,
    write_table: Callable[[pd.DataFrame], Path],
    write_configuration: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    source, configuration = write_table(workers), write_configuration(CONFIGURATION)
    ended = sosie_command(
        "anonymize", source, "--config", configuration, "--direct", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 0, ended.stderr
    run = Path(ended.stdout.splitlines()[-1])
    files = [path for path in run.rglob("*") if path.is_file()]
    assert len(files) > 4
    for path in files:
        assert b"astronaut" not in path.read_bytes(), path.name
    assert "astronaut" not in ended.stdout + ended.stderr
    avatars = pd.read_csv(run / "release" / "avatars.csv", dtype={"ref": str})
    assert list(avatars.columns) == list(workers.columns)
    assert set(avatars["job"]) <= {"nurse", "teacher", "other"}
    assert avatars["ref"].is_unique
    assert not set(avatars["ref"]) & set(workers["ref"])
    assert set(avatars["seen"].str.len()) == {10}
    assert set(avatars["seen"].str[3:]) == {"01/2021"}
    assert (avatars["pay"] == -9).any()
    assert avatars["pay"][avatars["pay"] != -9].min() >= workers["pay"][workers["pay"] != -9].min()


def test_ambiguous_dates_of_a_file_are_refused_and_leave_no_output(
    workers: pd.DataFrame, sosie_command: Command, write_table: Callable[[pd.DataFrame], Path], tmp_path: Path
) -> None:
    source = write_table(workers.drop(columns="ref"))
    ended = sosie_command("anonymize", source, "--direct", "--out", tmp_path / "runs")
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("error[AMBIGUOUS_DATE]: ")
    assert '"seen"' in ended.stderr
    assert "01/2021" not in ended.stderr
    assert [path.name for path in (tmp_path / "runs").rglob("*") if path.is_file()] == ["manifest.json"]
