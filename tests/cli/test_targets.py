"""A verdict follows what was asked: profiles, targets of one's own, and measuring without a gate."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
Judged = Callable[[str], tuple[int, dict[str, Any]]]


@pytest.fixture
def judged(
    sosie_command: Command,
    write_table: Callable[[pd.DataFrame], Path],
    write_configuration: Callable[[str], Path],
    patients: pd.DataFrame,
    tmp_path: Path,
) -> Judged:
    """Exit code and metrics of a run with these targets."""

    def run(targets: str) -> tuple[int, dict[str, Any]]:
        config = write_configuration(f"method: {{seed: 1}}\ntargets: {targets}\nattacks: {{attempts: 20}}\n")
        ended = sosie_command(
            "anonymize", write_table(patients), "--config", config, "--direct", "--out", tmp_path / "runs"
        )
        directory = Path(ended.stdout.splitlines()[-1])
        folder = directory / ("release" if ended.returncode == 0 else "private")
        return ended.returncode, json.loads((folder / "metrics.json").read_text())["metrics"]

    return run


def test_a_target_of_ones_own_changes_the_verdict(judged: Judged) -> None:
    code, metrics = judged("{hellinger_mean: {min: 60}}")
    assert (code, metrics["hellinger_mean"]["verdict"]) == (0, "pass")
    assert metrics["hellinger_mean"]["target"]["source"] == "set in the configuration"
    code, metrics = judged("{hellinger_mean: {min: 99.9}}")
    assert (code, metrics["hellinger_mean"]["verdict"]) == (3, "fail")
    assert metrics["hellinger_mean"]["target"]["min"] == 99.9


def test_a_profile_names_itself_as_the_source_of_its_targets(judged: Judged) -> None:
    _, internal = judged("{profile: internal, mode: report}")
    _, public = judged("{profile: open, mode: report}")
    assert internal["hidden_rate"]["target"]["source"].startswith("profile internal")
    assert public["hidden_rate"]["target"]["source"].startswith("profile open")
    assert public["hidden_rate"]["target"]["min"] > internal["hidden_rate"]["target"]["min"]


def test_a_bound_may_be_a_most(judged: Judged) -> None:
    code, metrics = judged("{row_direct_match: {max: 0}, local_cloaking: {min: 0, max: 0.5}}")
    assert code == 3
    assert metrics["local_cloaking"]["verdict"] == "fail"


def test_targets_that_are_only_reported_never_block(judged: Judged) -> None:
    code, metrics = judged("{mode: report, hidden_rate: {min: 100}}")
    assert (code, metrics["hidden_rate"]["verdict"]) == (0, "fail")


def test_a_target_for_a_figure_without_one_makes_it_a_verdict(judged: Judged) -> None:
    _, without = judged("{mode: report}")
    _, asked = judged("{mode: report, hellinger_worst: {min: 1}}")
    assert without["hellinger_worst"]["verdict"] == "info"
    assert asked["hellinger_worst"]["verdict"] == "pass"
