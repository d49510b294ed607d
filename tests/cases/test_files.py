"""Files as people have them, through the command line: what comes back is written as the source was, or nothing is."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
Check = Callable[[pd.DataFrame, pd.DataFrame], None]
Release = Callable[..., Path]
Refusal = Callable[..., dict[str, Any]]


@pytest.fixture
def release(sosie_command: Command, tmp_path: Path) -> Release:
    """The released file of a run that only measures."""

    def run(source: Path, columns: str = "{}", ncp: int = 2) -> Path:
        config = tmp_path / "sosie.yaml"
        config.write_text(f"columns: {columns}\ntargets: {{mode: report}}\nattacks: {{attempts: 20}}\n")
        ended = sosie_command(
            *("anonymize", source, "--config", config, "--k", 5, "--ncp", ncp, "--seed", 0),
            *("--direct", "--out", tmp_path / "runs"),
        )
        assert ended.returncode == 0, ended.stderr
        (file,) = (Path(ended.stdout.splitlines()[-1]) / "release").glob("avatars.*")
        return file

    return run


@pytest.fixture
def refusal(sosie_command: Command, tmp_path: Path) -> Refusal:
    """The manifest of a run that was refused, and nothing beside it."""

    def run(content: str, name: str = "table.csv", k: int = 5) -> dict[str, Any]:
        source = tmp_path / name
        source.write_text(content)
        ended = sosie_command("anonymize", source, "--k", k, "--direct", "--out", tmp_path / "runs")
        assert ended.returncode == 2
        directory = Path(ended.stdout.splitlines()[-1])
        assert [path.name for path in directory.rglob("*")] == ["manifest.json"]
        manifest: dict[str, Any] = json.loads((directory / "manifest.json").read_text())
        assert manifest["status"] == "failed"
        (line,) = [line for line in ended.stderr.splitlines() if line.startswith("error[")]
        assert line == f"error[{manifest['code']}]: {manifest['message']}"
        return manifest

    return run


def test_true_and_false_are_written_as_they_were(
    release: Release, tmp_path: Path, keeps_contract: Check
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"smoker": rng.choice([True, False], 200), "age": rng.integers(20, 80, 200)})
    frame.to_csv(tmp_path / "table.csv", index=False)
    file = release(tmp_path / "table.csv")
    keeps_contract(frame, pd.read_csv(file))
    assert {line.split(",")[0] for line in file.read_text().splitlines()[1:]} == {"True", "False"}


def test_declared_codes_are_written_as_codes(release: Release, tmp_path: Path, keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"ward": rng.choice([11, 12, 30], 200), "kg": rng.normal(70, 9, 200).round(1)})
    frame.to_csv(tmp_path / "table.csv", index=False)
    file = release(tmp_path / "table.csv", "{ward: {type: category}}")
    keeps_contract(frame, pd.read_csv(file))
    assert {line.split(",")[0] for line in file.read_text().splitlines()[1:]} <= {"11", "12", "30"}


def test_whole_numbers_with_gaps_are_never_written_with_a_decimal(
    release: Release, tmp_path: Path, keeps_contract: Check
) -> None:
    rng = np.random.default_rng(0)
    visits = pd.Series(rng.integers(1, 9, 2000), dtype="Int64").mask(rng.random(2000) < 0.25)
    frame = pd.DataFrame({"visits": visits, "kg": rng.normal(70, 9, 2000).round(1)})
    frame.to_csv(tmp_path / "table.csv", index=False)
    file = release(tmp_path / "table.csv")
    avatars = pd.read_csv(file, dtype={"visits": "Int64"})
    keeps_contract(frame, avatars)
    assert abs(avatars["visits"].isna().mean() - visits.isna().mean()) <= 0.03
    assert not any("." in line.split(",")[0] for line in file.read_text().splitlines()[1:])


def test_parquet_comes_back_as_parquet_with_its_dtypes(
    release: Release, tmp_path: Path, keeps_contract: Check
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "level": rng.integers(0, 256, 300).astype(np.uint8),
            "visits": pd.Series(rng.integers(1, 9, 300), dtype="Int64").mask(rng.random(300) < 0.25),
            "ward": pd.Categorical(rng.choice(["b", "a"], 300), categories=["b", "a"]),
            "smoker": pd.array([True, False, None] * 100, dtype="boolean"),
            "place": rng.choice(["north", "south"], 300),
            "ratio": rng.normal(size=300).astype(np.float32),
        }
    )
    frame.to_parquet(tmp_path / "table.parquet")
    file = release(tmp_path / "table.parquet", ncp=5)
    assert file.name == "avatars.parquet"
    keeps_contract(frame, pd.read_parquet(file))


@pytest.mark.parametrize(
    "name", ['li\nne"q', "<script>alert(1)</script>", "$\\frac{1", "[/b]", "%s{0}", "é 😀", " "]
)
def test_any_name_of_a_column_comes_back_and_does_no_harm(
    name: str, release: Release, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {name: rng.normal(size=60).round(2), "ward": rng.choice(["[/b]", "<i>", "$x_{"], 60)}
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    file = release(tmp_path / "table.csv")
    assert list(pd.read_csv(file).columns) == [name, "ward"]
    assert "<script>alert(1)" not in (file.parent / "report.html").read_text(encoding="utf-8")
    assert json.loads((file.parent / "manifest.json").read_text())["columns"] == [name, "ward"]


@pytest.mark.parametrize("content", ["", "\n\n", "age,kg\n"])
def test_a_file_without_a_row_is_refused(content: str, refusal: Refusal) -> None:
    assert refusal(content)["code"] == "EMPTY_TABLE"


def test_too_few_rows_are_refused_with_the_largest_usable_k(refusal: Refusal) -> None:
    manifest = refusal("age,kg\n" + "".join(f"{row},{row / 2}\n" for row in range(6)), k=20)
    assert manifest["code"] == "TOO_FEW_ROWS"
    assert "6 row(s), k = 20" in manifest["message"]
    assert "largest usable k is 5" in manifest["message"]


def test_a_header_that_names_a_column_twice_is_refused(refusal: Refusal) -> None:
    manifest = refusal("age,bmi,age\n" + "31,22.5,32\n" * 30)
    assert manifest["code"] == "DUPLICATE_COLUMNS"
    assert "age" in manifest["message"]
    assert "positions 1 and 3" in manifest["message"]


def test_an_identifier_is_refused_without_being_shown(refusal: Refusal) -> None:
    manifest = refusal("ref,age\n" + "".join(f"P-{row:05d},{row % 60}\n" for row in range(200)))
    assert manifest["code"] == "IDENTIFIER_COLUMN"
    assert '"ref"' in manifest["message"]
    assert "P-0" not in json.dumps(manifest)


def test_infinite_numbers_in_a_file_are_refused(refusal: Refusal) -> None:
    manifest = refusal("x,y\n" + "".join(f"{row}.5,1\n" for row in range(60)) + "inf,2\n-inf,3\n")
    assert manifest["code"] == "NON_FINITE"
    assert "2 infinite" in manifest["message"]


def test_a_format_that_is_not_read_is_refused_with_those_that_are(refusal: Refusal) -> None:
    manifest = refusal("age,kg\n1,2\n", name="table.docx")
    assert manifest["code"] == "UNSUPPORTED_FORMAT"
    assert ".parquet" in manifest["message"]
