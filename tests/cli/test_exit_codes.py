"""What a script sees: exit codes, the last line, the JSON object, and errors of one line that show no cell."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from sosie.tasks import steps

Command = Callable[..., subprocess.CompletedProcess[str]]
WriteTable = Callable[[pd.DataFrame], Path]
WriteConfiguration = Callable[[str], Path]

MEASURE_ONLY = "targets: {mode: report}\nattacks: {attempts: 20}\n"
OUT_OF_REACH = "targets: {hidden_rate: {min: 100}}\nattacks: {attempts: 20}\n"


def errors(ended: subprocess.CompletedProcess[str]) -> list[str]:
    assert "Traceback" not in ended.stderr
    return [line for line in ended.stderr.splitlines() if line.startswith("error[")]


def test_a_release_ends_with_0_and_the_run_directory(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command(
        "anonymize", write_table(patients), "--seed", 1, "--direct", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 0
    assert errors(ended) == []
    directory = Path(ended.stdout.splitlines()[-1])
    assert directory.parent == tmp_path / "runs"
    assert (directory / "release" / "avatars.csv").is_file()


def test_a_missed_target_ends_with_3_and_names_it(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> None:
    config = write_configuration(OUT_OF_REACH)
    ended = sosie_command(
        "anonymize", write_table(patients), "--config", config, "--direct", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 3
    (line,) = errors(ended)
    assert line.startswith("error[TARGET_NOT_MET]: ")
    assert "hidden_rate" in line
    assert not (Path(ended.stdout.splitlines()[-1]) / "release").exists()


def test_bad_input_ends_with_2_and_one_sentence(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command("anonymize", write_table(patients[:6]), "--direct", "--out", tmp_path / "runs")
    assert ended.returncode == 2
    (line,) = errors(ended)
    assert line.startswith("error[TOO_FEW_ROWS]: ")
    assert Path(ended.stdout.splitlines()[-1]).parent == tmp_path / "runs"


def test_a_table_that_does_not_exist_is_bad_input(sosie_command: Command, tmp_path: Path) -> None:
    ended = sosie_command("anonymize", tmp_path / "absent.csv", "--direct", "--out", tmp_path / "runs")
    assert ended.returncode == 2
    assert errors(ended)[0].startswith("error[UNREADABLE_SOURCE]: absent.csv")


@pytest.mark.parametrize("option", [["--holdout", "half"], ["--release", "some"], ["--language", "xx"]])
def test_a_value_that_a_flag_does_not_know_is_a_bad_configuration(
    option: list[str], sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command("anonymize", write_table(patients), "--direct", "--out", tmp_path / "runs", *option)
    assert ended.returncode == 2
    (line,) = errors(ended)
    assert line.startswith(f"error[BAD_CONFIG]: {option[0].removeprefix('--')}: ")


@pytest.mark.parametrize("option", [["--k", "1"], ["--k", "0"], ["--ncp", "0"]])
def test_a_number_out_of_bounds_is_a_bad_configuration(
    option: list[str], sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command("anonymize", write_table(patients), "--out", tmp_path / "runs", *option)
    assert ended.returncode == 2
    assert errors(ended)[0].startswith(f"error[BAD_CONFIG]: {option[0].removeprefix('--')}: ")
    (left,) = (tmp_path / "runs").rglob("*.json")
    assert (left.name, json.loads(left.read_text())["code"]) == ("manifest.json", "BAD_CONFIG")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("metod: {k: 5}\n", "metod"),
        ("method: {kk: 5}\n", "method.kk"),
        ("columns: {age: {typ: category}}\n", "columns.age.typ"),
        ("method: {k: many}\n", "method.k"),
        ("columns: {age: {weight: 0}}\n", "columns.age"),
        ("targets: {hidden_rate: {}}\n", "targets.hidden_rate"),
        ("targets: {hidden_rte: {min: 50}}\n", "hidden_rte"),
        ("targets: {profile: everyone}\n", "targets.profile"),
        ("- a\n- b\n", "mapping"),
        ("method: {k: 5\n", "line"),
    ],
)
def test_what_is_wrong_with_a_configuration_is_named(
    text: str,
    named: str,
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> None:
    config = write_configuration(text)
    ended = sosie_command(
        "anonymize", write_table(patients), "--config", config, "--direct", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 2
    (line,) = errors(ended)
    assert line.startswith("error[BAD_CONFIG]: ")
    assert named in line


def test_a_configuration_that_does_not_exist_is_named(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command(
        "anonymize",
        write_table(patients),
        "--config",
        tmp_path / "no.yaml",
        "--direct",
        "--out",
        tmp_path / "runs",
    )
    assert ended.returncode == 2
    assert errors(ended)[0].startswith("error[BAD_CONFIG]: the configuration no.yaml")


def test_a_column_that_the_table_lacks_is_named(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> None:
    config = write_configuration("columns: {wrad: {type: category}}\n")
    ended = sosie_command(
        "anonymize", write_table(patients), "--config", config, "--direct", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 2
    assert errors(ended)[0].startswith("error[UNKNOWN_COLUMN]: ")
    assert '"wrad"' in errors(ended)[0]


def test_no_table_named_at_all_is_a_bad_configuration(sosie_command: Command, tmp_path: Path) -> None:
    ended = sosie_command("anonymize", "--direct", "--out", tmp_path / "runs")
    assert ended.returncode == 2
    assert errors(ended)[0].startswith("error[BAD_CONFIG]: no table is named")


def test_the_configuration_may_name_the_table_and_flags_override_it(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> None:
    source = write_table(patients)
    config = write_configuration(
        f"source: {source}\nmethod: {{k: 7, ncp: 2}}\nholdout: {{mode: real}}\n" + MEASURE_ONLY
    )
    ended = sosie_command(
        "anonymize",
        "--config",
        config,
        "--k",
        9,
        "--holdout",
        "approximate",
        "--direct",
        "--out",
        tmp_path / "runs",
    )
    assert ended.returncode == 0, ended.stderr
    release = Path(ended.stdout.splitlines()[-1]) / "release"
    parameters = json.loads((release / "manifest.json").read_text())["parameters"]
    assert (parameters["method"]["k"], parameters["method"]["ncp"]) == (9, 2)
    assert parameters["holdout"]["mode"] == "approximate"


def test_direct_may_come_from_the_environment(
    sosie_command: Command,
    write_table: WriteTable,
    patients: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOSIE_DIRECT", "1")

    def no_prefect(*arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr("sosie.cli.start.prepare_prefect", no_prefect)
    ended = sosie_command("anonymize", write_table(patients), "--seed", 1, "--out", tmp_path / "runs")
    assert ended.returncode == 0


@pytest.mark.parametrize(
    ("rows", "text", "status", "code"),
    [
        (600, MEASURE_ONLY, "released", None),
        (600, OUT_OF_REACH, "rejected", "TARGET_NOT_MET"),
        (6, MEASURE_ONLY, "failed", "TOO_FEW_ROWS"),
    ],
)
def test_json_is_the_whole_of_standard_output(
    rows: int,
    text: str,
    status: str,
    code: str | None,
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: WriteConfiguration,
    patients: pd.DataFrame,
    tmp_path: Path,
) -> None:
    ended = sosie_command(
        "anonymize",
        write_table(patients[:rows]),
        *(
            "--config",
            write_configuration(text),
            "--seed",
            3,
            "--direct",
            "--json",
            "--out",
            tmp_path / "runs",
        ),
    )
    told = json.loads(ended.stdout)
    assert list(told) == ["status", "run_directory", "code", "warnings"]
    assert (told["status"], told["code"]) == (status, code)
    assert Path(told["run_directory"]).is_dir()
    assert all(list(warning) == ["code", "column", "message"] for warning in told["warnings"])
    assert ("FIXED_SEED" in {warning["code"] for warning in told["warnings"]}) == (status != "failed")


def test_an_unexpected_error_ends_with_1_and_shows_no_cell(
    sosie_command: Command,
    write_table: WriteTable,
    patients: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*arguments: object) -> None:
        raise ValueError("CANARY")

    monkeypatch.setattr(steps, "shuffle", broken)
    ended = sosie_command("anonymize", write_table(patients), "--direct", "--out", tmp_path / "runs")
    assert ended.returncode == 1
    (line,) = errors(ended)
    assert line.startswith("error[UNEXPECTED]: ValueError")
    directory = Path(ended.stdout.splitlines()[-1])
    assert [file.name for file in directory.iterdir()] == ["manifest.json"]
    manifest = (directory / "manifest.json").read_text()
    assert (json.loads(manifest)["status"], json.loads(manifest)["code"]) == ("failed", None)
    assert "CANARY" not in ended.stdout + ended.stderr + manifest


def test_an_error_that_is_no_exception_shows_no_cell_either(
    sosie_command: Command,
    write_table: WriteTable,
    patients: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Panic(BaseException):  # such as libraries written in Rust raise
        pass

    def broken(*arguments: object) -> None:
        raise Panic("CANARY")

    monkeypatch.setattr(steps, "shuffle", broken)
    ended = sosie_command("anonymize", write_table(patients), "--direct", "--out", tmp_path / "runs")
    assert ended.returncode == 1
    (line,) = errors(ended)
    assert line.startswith("error[UNEXPECTED]: Panic")
    assert "CANARY" not in ended.stdout + ended.stderr
    (directory,) = (tmp_path / "runs").iterdir()
    assert [file.name for file in directory.iterdir()] == ["manifest.json"]


def test_an_unexpected_error_is_json_too(
    sosie_command: Command,
    write_table: WriteTable,
    patients: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steps, "shuffle", None)
    ended = sosie_command(
        "anonymize", write_table(patients), "--direct", "--json", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 1
    told = json.loads(ended.stdout)
    assert (told["status"], told["code"], told["warnings"]) == ("failed", None, [])


def test_a_prefect_that_does_not_start_leaves_a_manifest_and_no_seed(
    sosie_command: Command,
    write_table: WriteTable,
    patients: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_server(*arguments: object) -> None:
        raise RuntimeError("CANARY")

    monkeypatch.setattr("sosie.cli.start.prepare_prefect", no_server)
    ended = sosie_command("anonymize", write_table(patients), "--seed", 3, "--out", tmp_path / "runs")
    assert ended.returncode == 1
    assert "CANARY" not in ended.stdout + ended.stderr
    directory = Path(ended.stdout.splitlines()[-1])
    assert [file.name for file in directory.iterdir()] == ["manifest.json"]


def test_debugging_shows_where_an_unexpected_error_comes_from(
    sosie_command: Command,
    write_table: WriteTable,
    patients: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steps, "shuffle", None)
    with pytest.raises(TypeError, match="not callable"):
        sosie_command("anonymize", write_table(patients), "--direct", "--debug", "--out", tmp_path / "runs")


def test_a_folder_that_cannot_be_made_is_one_plain_error(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file")
    ended = sosie_command(
        "anonymize", write_table(patients), "--direct", "--out", tmp_path / "taken" / "runs"
    )
    assert ended.returncode == 2
    (line,) = errors(ended)
    assert line.startswith("error[BAD_CONFIG]: ")


def test_the_demonstration_meets_its_own_targets(sosie_command: Command, tmp_path: Path) -> None:
    ended = sosie_command("demo", "--direct", "--out", tmp_path / "runs")
    assert ended.returncode == 0, ended.stderr
    avatars = pd.read_csv(Path(ended.stdout.splitlines()[-1]) / "release" / "avatars.csv")
    assert avatars.shape == (569, 31)


@pytest.mark.parametrize("words", [("anonymize", "--k", "many"), ("anonymize", "--nope"), ("nope",)])
def test_words_that_are_no_command_are_a_coded_error(words: tuple[str, ...], sosie_command: Command) -> None:
    ended = sosie_command(*words)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error[BAD_CONFIG]: ")
    assert "see --help" in ended.stderr


def test_a_refused_command_line_is_json_when_json_is_asked_for(
    sosie_command: Command,
) -> None:
    ended = sosie_command("anonymize", "--nope", "--json")
    assert json.loads(ended.stdout)["code"] == "BAD_CONFIG"
