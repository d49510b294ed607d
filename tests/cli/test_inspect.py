"""`sosie inspect`: what each column is taken for and why, and a configuration that a run accepts."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
import yaml

Command = Callable[..., subprocess.CompletedProcess[str]]
WriteTable = Callable[[pd.DataFrame], Path]


@pytest.fixture
def referenced(patients: pd.DataFrame) -> pd.DataFrame:
    return patients.assign(ref=[f"P-{number:05d}" for number in range(len(patients))])


def test_each_column_is_shown_with_what_it_is_taken_for_and_why(
    sosie_command: Command, write_table: WriteTable, referenced: pd.DataFrame
) -> None:
    ended = sosie_command("inspect", write_table(referenced))
    assert ended.returncode == 0
    for name, kind in {"age": "integer", "kg": "float", "ward": "category", "smoker": "boolean"}.items():
        (line,) = [line for line in ended.stdout.splitlines() if f" {name} " in line]
        assert kind in line
    assert "identifier" in ended.stdout
    assert "P-0" not in ended.stdout


def test_the_written_configuration_is_accepted_by_a_run(
    sosie_command: Command, write_table: WriteTable, referenced: pd.DataFrame, tmp_path: Path
) -> None:
    source = write_table(referenced)
    written = tmp_path / "written.yaml"
    assert sosie_command("inspect", source, "--write", written).returncode == 0
    ended = sosie_command(
        "anonymize", "--config", written, "--seed", 1, "--direct", "--out", tmp_path / "runs"
    )
    assert ended.returncode == 0, ended.stderr
    avatars = pd.read_csv(Path(ended.stdout.splitlines()[-1]) / "release" / "avatars.csv")
    assert list(avatars.columns) == ["age", "kg", "ward", "smoker"]


def test_the_commented_lines_may_be_uncommented(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    names = {"age": "123", "kg": "a: b", "ward": "# no comment", "smoker": "li\nne"}
    written = tmp_path / "written.yaml"
    assert (
        sosie_command("inspect", write_table(patients.rename(columns=names)), "--write", written).returncode
        == 0
    )
    lines = [
        line.replace("  # ", "  ", 1) if line.startswith("  # ") else line
        for line in written.read_text().splitlines()
    ]
    content = yaml.safe_load("\n".join(lines).replace("columns: {}", "columns:"))
    assert {str(name): declared["type"] for name, declared in content["columns"].items()} == {
        "123": "integer",
        "a: b": "float",
        "# no comment": "category",
        "li\nne": "boolean",
    }
    written.write_text("\n".join(lines).replace("columns: {}", "columns:"))
    assert sosie_command("inspect", tmp_path / "table.csv", "--config", written).returncode == 0


def test_names_are_shown_as_they_are(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame
) -> None:
    ended = sosie_command("inspect", write_table(patients.rename(columns={"age": "[red]age", "kg": "[/b]"})))
    assert ended.returncode == 0
    assert "[red]age" in ended.stdout
    assert "[/b]" in ended.stdout


def test_a_table_that_cannot_be_read_is_one_plain_error(sosie_command: Command, tmp_path: Path) -> None:
    ended = sosie_command("inspect", tmp_path / "absent.csv")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error[UNREADABLE_SOURCE]: ")
    assert len(ended.stderr.splitlines()) == 1


def test_a_configuration_that_cannot_be_written_is_one_plain_error(
    sosie_command: Command, write_table: WriteTable, patients: pd.DataFrame, tmp_path: Path
) -> None:
    ended = sosie_command("inspect", write_table(patients), "--write", tmp_path / "absent" / "sosie.yaml")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error[BAD_CONFIG]: ")


def test_dates_as_text_are_shown_and_written_with_their_format(
    sosie_command: Command, write_table: WriteTable, tmp_path: Path
) -> None:
    days = pd.date_range("2020-01-01", periods=60, freq="9D")
    source = write_table(
        pd.DataFrame({"seen": days.strftime("%d/%m/%Y"), "age": [*range(20, 76), 999, 999, 999, 999]})
    )
    written = tmp_path / "written.yaml"
    ended = sosie_command("inspect", source, "--write", written)
    assert ended.returncode == 0
    assert "text that reads as %d/%m/%Y" in ended.stdout
    assert "declare it in missing_codes" in ended.stdout
    assert '# seen: {type: date, format: "%d/%m/%Y"}' in written.read_text()
    lines = written.read_text().replace("columns: {}", "columns:").replace("  # seen", "  seen")
    written.write_text(lines.replace("  # age: {type: integer}", "  age: {missing_codes: [999]}"))
    again = sosie_command("inspect", source, "--config", written)
    assert again.returncode == 0, again.stderr
    assert "missing_codes" not in again.stdout


def test_regenerated_columns_are_shown_as_such(
    sosie_command: Command,
    write_table: WriteTable,
    referenced: pd.DataFrame,
    write_configuration: Callable[[str], Path],
) -> None:
    configuration = write_configuration("columns: {ref: {role: regenerate}}")
    ended = sosie_command("inspect", write_table(referenced), "--config", configuration)
    assert ended.returncode == 0
    (line,) = [line for line in ended.stdout.splitlines() if " ref " in line]
    assert "written anew" in line
    assert "P-0" not in ended.stdout


def test_what_a_format_could_not_carry_is_told(sosie_command: Command, tmp_path: Path) -> None:
    source = tmp_path / "scores.sav"
    scores = pd.DataFrame({"score": [1.0, 2.0, 9.0, 4.0] * 10})
    pyreadstat.write_sav(scores, str(source), missing_ranges={"score": [9]})
    ended = sosie_command("inspect", source)
    assert ended.returncode == 0
    assert 'warning[MISSING_CODES_MERGED] "score": ' in ended.stdout


def test_what_a_configuration_declares_is_in_the_one_written_from_it(
    sosie_command: Command,
    write_table: WriteTable,
    write_configuration: Callable[[str], Path],
    referenced: pd.DataFrame,
    tmp_path: Path,
) -> None:
    given = write_configuration(
        "columns: {ref: {role: drop}, ward: {weight: 2.0}}\nmethod: {k: 30, seed: 77}\n"
        "targets: {profile: open, hidden_rate: {min: 50}}\nrare_values: {label: other}\n"
    )
    written = tmp_path / "written.yaml"
    assert sosie_command("inspect", write_table(referenced), "-c", given, "--write", written).returncode == 0
    content = yaml.safe_load(written.read_text())
    assert content["columns"] == {"ref": {"role": "drop"}, "ward": {"weight": 2.0}}
    assert content["method"] == {"k": 30, "ncp": 5}
    assert content["targets"] == {"mode": "enforce", "profile": "open", "hidden_rate": {"min": 50}}
    assert content["rare_values"] == {"label": "other"}


def test_whole_numbers_that_may_be_codes_or_count_people_are_pointed_out_until_they_are_declared(
    sosie_command: Command,
    write_table: WriteTable,
    patients: pd.DataFrame,
    write_configuration: Callable[[str], Path],
) -> None:
    people = range(1000, 1000 + 7 * len(patients), 7)
    source = write_table(patients.assign(stage=[1, 2, 3] * (len(patients) // 3), seqn=people))
    shown = " ".join(sosie_command("inspect", source).stdout.replace("│", " ").split())
    assert "codes" in shown
    assert "people" in shown
    declared = write_configuration("columns: {stage: {type: integer}, seqn: {type: integer}}")
    shown = sosie_command("inspect", source, "--config", declared).stdout
    assert "codes" not in shown
    assert "people" not in shown
