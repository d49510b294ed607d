"""What a run leaves: which files, who may read them, and what is written in them."""

import hashlib
import json
import os
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.schemas.metrics import MetricsFile

Command = Callable[..., subprocess.CompletedProcess[str]]
WriteTable = Callable[[pd.DataFrame], Path]
WriteConfiguration = Callable[[str], Path]
Check = Callable[[pd.DataFrame, pd.DataFrame], None]

SEED = 8765309123
METRICS = {
    "local_cloaking",
    "local_cloaking_zero_share",
    "hidden_rate",
    "hidden_rate_worst",
    "closest_distances_ratio_median",
    "closest_distances_ratio_outlier",
    "distance_to_closest_median",
    "distance_to_closest_outlier",
    "hellinger_mean",
    "hellinger_std",
    "row_direct_match",
    "row_direct_match_own",
}


def tree(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in sorted(directory.rglob("*"))
    }


def read(path: Path) -> dict[str, Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


@pytest.fixture(params=[0o000, 0o077], ids=["umask 000", "umask 077"])
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.fixture
def released(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> Path:
    config = write_configuration("targets: {mode: report}\nattacks: {attempts: 20}\n")
    ended = sosie_command(
        *("anonymize", write_table(patients), "--config", config, "--k", 5, "--seed", SEED),
        *("--direct", "--out", tmp_path / "runs"),
    )
    assert ended.returncode == 0, ended.stderr
    return Path(ended.stdout.splitlines()[-1])


@pytest.mark.usefixtures("_umask")
def test_a_release_is_for_all_and_the_private_folder_for_its_owner_whatever_the_umask(released: Path) -> None:
    assert stat.S_IMODE(released.stat().st_mode) == 0o755
    modes = tree(released)
    assert set(modes) >= {
        "private/report-internal.html",
        "private/run.json",
        "release/avatars.csv",
        "release/manifest.json",
        "release/metrics.json",
        "release/report.html",
    }
    assert {modes.pop("private"), modes.pop("release")} == {"0o700", "0o755"}
    assert {mode for name, mode in modes.items() if name.startswith("private/")} == {"0o600"}
    assert {mode for name, mode in modes.items() if not name.startswith("private/")} == {"0o644"}


@pytest.mark.usefixtures("_umask")
def test_a_rejected_run_leaves_report_metrics_and_manifest_in_private_only(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> None:
    config = write_configuration("targets: {hidden_rate: {min: 100}}\nattacks: {attempts: 20}\n")
    ended = sosie_command(
        "anonymize", write_table(patients), "--config", config, "--direct", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 3
    directory = Path(ended.stdout.splitlines()[-1])
    modes = tree(directory)
    assert modes.pop("private") == "0o700"
    assert set(modes) >= {
        "private/manifest.json",
        "private/metrics.json",
        "private/report-internal.html",
        "private/run.json",
    }
    assert all(name.startswith("private/") and "avatars" not in name for name in modes)
    assert set(modes.values()) == {"0o600"}
    manifest = read(directory / "private" / "manifest.json")
    assert (manifest["status"], manifest["code"]) == ("rejected", "TARGET_NOT_MET")


@pytest.mark.usefixtures("_umask")
def test_bad_input_leaves_a_manifest_and_nothing_else(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command(
        "anonymize", write_table(patients[:6]), "--direct", "--seed", SEED, "--out", tmp_path / "runs"
    )
    assert ended.returncode == 2
    directory = Path(ended.stdout.splitlines()[-1])
    assert tree(directory) == {"manifest.json": "0o644"}
    text = (directory / "manifest.json").read_text()
    assert (json.loads(text)["status"], json.loads(text)["code"]) == ("failed", "TOO_FEW_ROWS")
    assert str(SEED) not in text


def test_the_manifest_holds_what_was_run_on_what(
    released: Path, patients: pd.DataFrame, tmp_path: Path
) -> None:
    manifest = read(released / "release" / "manifest.json")
    assert (manifest["status"], manifest["code"], manifest["run"]) == ("released", None, released.name)
    assert manifest["source_sha256"] == hashlib.sha256((tmp_path / "table.csv").read_bytes()).hexdigest()
    assert (manifest["rows"], manifest["columns"]) == (600, list(patients.columns))
    assert manifest["parameters"]["method"]["k"] == 5
    assert {"python", "sosie", "numpy", "pandas"} <= set(manifest["versions"])
    assert manifest["stage_seconds"]
    assert all(seconds >= 0 for seconds in manifest["stage_seconds"].values())
    assert manifest["peak_memory_mb"] > 0
    assert manifest["batches"] == 1


def test_the_manifest_holds_the_sha256_of_every_other_released_file(released: Path) -> None:
    release = released / "release"
    hashes = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in release.iterdir()
        if file.name != "manifest.json"
    }
    assert read(release / "manifest.json")["files"] == hashes


def test_nothing_released_holds_the_seed_or_a_path_outside_the_run(released: Path, tmp_path: Path) -> None:
    for file in (released / "release").iterdir():
        text = file.read_text(encoding="utf-8")
        assert str(SEED) not in text, file.name
        assert str(tmp_path) not in text, file.name
        assert '"seed"' not in text, file.name


def test_the_seed_is_kept_in_private_and_nowhere_else(released: Path) -> None:
    holders = [path.name for path in released.rglob("*") if path.is_file() and str(SEED) in path.read_text()]
    assert holders == ["run.json"]
    assert read(released / "private" / "run.json")["seed"] == SEED


def test_a_seed_in_the_configuration_is_as_secret_as_one_on_the_command_line(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> None:
    config = write_configuration(f"method: {{seed: {SEED}}}\n")
    ended = sosie_command(
        "anonymize", write_table(patients), "-c", config, "--direct", "-o", tmp_path / "runs"
    )
    directory = Path(ended.stdout.splitlines()[-1])
    assert ended.returncode == 0
    assert str(SEED) not in ended.stdout + ended.stderr
    holders = [path.name for path in directory.rglob("*") if path.is_file() and str(SEED) in path.read_text()]
    assert holders == ["run.json"]


def test_the_kept_seed_repeats_the_run(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> None:
    source = write_table(patients)
    config = write_configuration("targets: {mode: report}\nattacks: {attempts: 20}\n")

    def run(*options: object) -> Path:
        ended = sosie_command(
            "anonymize", source, "--config", config, *options, "--direct", "--out", tmp_path / "runs"
        )
        assert ended.returncode == 0, ended.stderr
        return Path(ended.stdout.splitlines()[-1])

    first, fresh = run(), run()
    again = run("--seed", read(first / "private" / "run.json")["seed"])
    avatars = [(directory / "release" / "avatars.csv").read_bytes() for directory in (first, again, fresh)]
    assert avatars[0] == avatars[1]
    assert avatars[0] != avatars[2]


def test_metrics_are_those_of_the_contract_and_validate(released: Path) -> None:
    path = released / "release" / "metrics.json"
    content = read(path)
    MetricsFile.model_validate_json(path.read_text())
    assert content["version"] == 1
    assert (content["holdout"], content["k"], content["ncp"]) == ("real", 5, 5)
    assert content["rows"] == {"working": 300, "holdout": 300, "released": 600}
    assert set(content["metrics"]) >= METRICS
    for name, metric in content["metrics"].items():
        assert set(metric) >= {"value", "reference", "target", "verdict", "reason"}, name
        assert metric["verdict"] in {"pass", "fail", "uninformative", "not computed", "info"}, name
        assert metric["target"] is None or metric["target"]["source"], name
    assert set(content["variables"]) == {"age", "kg", "ward", "smoker"}
    assert all(0 <= scores["hellinger"] <= 100 for scores in content["variables"].values())


def test_avatars_are_written_as_the_source_was(
    released: Path, patients: pd.DataFrame, keeps_contract: Check
) -> None:
    avatars = pd.read_csv(released / "release" / "avatars.csv")
    keeps_contract(patients, avatars)
    lines = (released / "release" / "avatars.csv").read_text().splitlines()
    assert lines[0] == "age,kg,ward,smoker"
    assert {line.rsplit(",", 1)[1] for line in lines[1:]} == {"True", "False"}


def test_a_released_working_half_is_the_table_that_was_measured(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command(
        *("anonymize", write_table(patients), "--release", "working", "--seed", 1),
        *("--direct", "--out", tmp_path / "runs"),
    )
    assert ended.returncode == 0, ended.stderr
    release = Path(ended.stdout.splitlines()[-1]) / "release"
    assert len(pd.read_csv(release / "avatars.csv")) == 300
    assert read(release / "metrics.json")["rows"] == {"working": 300, "holdout": 300, "released": 300}


def test_reports_are_pages_that_fetch_nothing(released: Path) -> None:
    for page in (released / "release" / "report.html", released / "private" / "report-internal.html"):
        text = page.read_text(encoding="utf-8")
        assert text.lstrip().lower().startswith("<!doctype html>")
        assert 'src="http' not in text
        assert 'href="http' not in text or "<link" not in text
