"""`sosie inspect` and relations: what it proposes can be uncommented, and a run keeps it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

Command = Callable[..., subprocess.CompletedProcess[str]]
WriteTable = Callable[[pd.DataFrame], Path]

NAMES = {"a": "a: b, [c]", "b": "# due", "total": 'sum; "all"', "low": "low", "high": "high <"}


@pytest.fixture
def related() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    low = rng.integers(50, 90, 600)
    frame = pd.DataFrame({"a": rng.integers(0, 50, 600), "b": rng.integers(0, 50, 600)})
    frame = frame.assign(total=frame["a"] + frame["b"], low=low, high=low + rng.integers(0, 60, 600))
    return frame.rename(columns=NAMES)


def test_relations_are_shown_and_written_as_comments_that_a_run_accepts(
    sosie_command: Command, write_table: WriteTable, related: pd.DataFrame, tmp_path: Path
) -> None:
    written = tmp_path / "written.yaml"
    shown = sosie_command("inspect", write_table(related), "--write", written)
    assert shown.returncode == 0
    assert "could be derived: sum; \"all\" = col('a: b, [c]') + col('# due')" in shown.stdout
    assert "could be a constraint: low <= col('high <')" in shown.stdout
    lines = [
        line.replace("# ", "", 1) if line.startswith(("  # ", "# constraints")) else line
        for line in written.read_text().splitlines()
    ]
    written.write_text("\n".join(lines).replace("columns: {}", "columns:"))
    content = yaml.safe_load(written.read_text())
    assert content["columns"][NAMES["total"]]["derived"] == "col('a: b, [c]') + col('# due')"
    assert content["constraints"] == ["low <= col('high <')"]

    content["targets"] = {"mode": "report"}
    written.write_text(yaml.safe_dump(content))
    ended = sosie_command("anonymize", "--config", written, "--direct", "--out", tmp_path / "runs")
    assert ended.returncode == 0, ended.stderr
    avatars = pd.read_csv(Path(ended.stdout.splitlines()[-1]) / "release" / "avatars.csv")
    assert (avatars[NAMES["total"]] == avatars[NAMES["a"]] + avatars[NAMES["b"]]).all()
    assert (avatars["low"] <= avatars[NAMES["high"]]).all()
    assert avatars[NAMES["total"]].nunique() > 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"constraints": ["total <= low"]}, "does not hold in"),
        ({"constraints": ["low"]}, "compares no two columns"),
        ({"constraints": "low <= high"}, "constraints: Input should be a valid tuple"),
        ({"columns": {"total": {"derived": "a * b"}}}, 'derived of "total" is not what the column holds in'),
        ({"columns": {"total": {"derived": "a.__class__"}}}, 'derived of "total" at character 1'),
        ({"columns": {"total": {"transform": "cube"}}}, "columns.total.transform"),
        (
            {"columns": {"low": {"derived": "a + b"}, "a": {"role": "drop"}}},
            "the table lacks, drops or regenerates",
        ),
    ],
)
def test_a_relation_that_is_not_so_is_one_plain_error_and_nothing_is_written(
    sosie_command: Command,
    write_table: WriteTable,
    related: pd.DataFrame,
    tmp_path: Path,
    content: dict[str, object],
    message: str,
) -> None:
    config = tmp_path / "sosie.yaml"
    config.write_text(yaml.safe_dump(content))
    frame = related.rename(columns={new: old for old, new in NAMES.items()})
    ended = sosie_command(
        "anonymize", write_table(frame), "--config", config, "--direct", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 2
    assert message in ended.stderr
    assert len([line for line in ended.stderr.splitlines() if line.startswith("error[")]) == 1
    assert not list((tmp_path / "runs").rglob("avatars*"))
