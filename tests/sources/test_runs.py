"""Runs from a database or into a destination: what is delivered, when nothing is, and that no password is kept."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

PASSWORD = "Slartibartfast"  # as the fixture sets it
ROWS = """
INSERT INTO patients SELECT 20 + i % 50, round((50 + (i * 37 % 400) / 10.0)::numeric, 1),
    (ARRAY['north', 'south', NULL])[1 + i % 3]::ward, i % 7 = 0
FROM generate_series(1, 120) AS i
"""


@pytest.fixture
def server(postgresql: Any) -> Any:
    """The server with a table of 120 patients."""
    postgresql.run(
        "DROP SCHEMA IF EXISTS public CASCADE",
        "CREATE SCHEMA public",
        "CREATE TYPE ward AS ENUM ('south', 'north')",
        "CREATE TABLE patients (age smallint, kg numeric(5, 1), ward ward, smoker boolean)",
        ROWS,
    )
    return postgresql


@pytest.fixture
def configured(server: Any, tmp_path: Path) -> Callable[..., Path]:
    """A configuration whose source is the table of patients."""

    def write(**more: Any) -> Path:
        content = {
            "source": f"{server.url}?table=patients",
            "method": {"k": 5},
            "targets": {"mode": "report"},
            **more,
        }
        (tmp_path / "sosie.yaml").write_text(json.dumps(content))
        return tmp_path / "sosie.yaml"

    return write


def run(sosie_command: Command, config: Path) -> tuple[subprocess.CompletedProcess[str], Path]:
    ended = sosie_command(
        "anonymize", "--config", config, "--out", config.parent / "runs", "--direct", "--json"
    )
    return ended, Path(json.loads(ended.stdout)["run_directory"])


def kept(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_table_becomes_a_table_of_avatars_and_a_file(
    sosie_command: Command, configured: Callable[..., Path], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    ended, directory = run(sosie_command, configured(destination=f"{server.url}?table=avatars"))
    assert ended.returncode == 0, ended.stderr
    assert server.run("SELECT count(*), min(kg) >= 50, max(scale(kg)) FROM avatars") == [(120, True, 1)]
    types = """SELECT array_agg(format_type(atttypid, atttypmod)) FROM pg_attribute
        WHERE attrelid = '{}'::regclass AND attnum > 0"""
    assert server.run(types.format("avatars")) == server.run(types.format("patients"))
    released = pd.read_parquet(directory / "release" / "avatars.parquet")
    assert released["age"].sort_values().to_list() == [
        age for (age,) in server.run("SELECT age FROM avatars ORDER BY age")
    ]
    manifest = json.loads((directory / "release" / "manifest.json").read_text())
    assert manifest["source_name"] == "table patients"
    assert not {"source", "destination", "secrets"} & manifest["parameters"].keys()
    assert PASSWORD.encode() not in kept(directory)
    assert f":{server.port}".encode() not in kept(
        directory / "release"
    )  # its digits alone may be in a figure
    assert PASSWORD not in ended.stdout + ended.stderr


def test_a_password_may_come_from_a_secret_block_of_prefect(
    sosie_command: Command, configured: Callable[..., Path], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.blocks.system import Secret

    asked = []

    def load(name: str, **options: object) -> Any:
        asked.append(name)
        return Secret(value=PASSWORD)  # type: ignore[arg-type]

    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setattr(Secret, "load", load)
    blocks = {"source": "clinic-reader", "destination": "clinic-writer"}
    ended, directory = run(
        sosie_command, configured(destination=f"{server.url}?table=avatars", secrets=blocks)
    )
    assert ended.returncode == 0, ended.stderr
    assert set(asked) == {"clinic-reader", "clinic-writer"}
    assert server.run("SELECT count(*) FROM avatars") == [(120,)]
    assert PASSWORD.encode() not in kept(directory)


def test_a_secret_block_that_cannot_be_loaded_is_a_configuration_error(
    sosie_command: Command, configured: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.blocks.system import Secret

    def fail(name: str, **options: object) -> Any:
        raise ValueError(PASSWORD)

    monkeypatch.setattr(Secret, "load", fail)
    ended, directory = run(sosie_command, configured(secrets={"source": "absent"}))
    assert ended.returncode == 2
    assert (
        "error[BAD_CONFIG]: the Prefect Secret block 'absent' cannot be loaded (ValueError)" in ended.stderr
    )
    assert PASSWORD not in ended.stderr
    assert [path.name for path in directory.rglob("*")] == ["manifest.json"]


def test_a_rejected_run_delivers_nothing(
    sosie_command: Command,
    configured: Callable[..., Path],
    server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    impossible = {"hidden_rate": {"min": 100}}
    for to in (f"{server.url}?table=avatars", f"{tmp_path / 'a.db'}?table=t"):
        ended, directory = run(sosie_command, configured(destination=to, targets=impossible))
        assert ended.returncode == 3, ended.stderr
        assert not (directory / "release").exists()
    assert server.run("SELECT to_regclass('avatars')") == [(None,)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs", "sosie.yaml"]


def test_a_destination_that_fails_in_the_end_releases_nothing(
    sosie_command: Command, configured: Callable[..., Path], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    server.run(
        "CREATE TABLE avatars (age smallint, kg numeric, ward ward, smoker boolean CHECK (smoker IS NULL))"
    )
    ended, directory = run(sosie_command, configured(destination=f"{server.url}?table=avatars"))
    assert ended.returncode == 2
    assert (
        "error[BAD_CONFIG]: the destination's table avatars cannot be written (CheckViolation)"
        in ended.stderr
    )
    assert [path.name for path in directory.rglob("*")] == ["manifest.json"]
    assert server.run("SELECT count(*) FROM avatars") == [(0,)]


def test_a_destination_that_cannot_be_is_refused_before_anything(
    sosie_command: Command, configured: Callable[..., Path], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    ended, directory = run(sosie_command, configured(destination=f"{server.url}?table=patients"))
    assert ended.returncode == 2
    assert "error[BAD_CONFIG]: the destination is the source itself" in ended.stderr
    assert [path.name for path in directory.rglob("*")] == ["manifest.json"]
    assert server.run("SELECT count(*) FROM patients") == [(120,)]


@pytest.mark.parametrize("key", ["source", "destination"])
def test_a_password_in_the_configuration_is_refused(
    sosie_command: Command, configured: Callable[..., Path], key: str
) -> None:
    config = configured(**{key: f"postgresql://me:{PASSWORD}@host/db?table=t"})
    ended, directory = run(sosie_command, config)
    assert ended.returncode == 2
    assert "BAD_CONFIG" in ended.stderr
    assert "a password may not stand in a source or a destination" in ended.stderr
    assert PASSWORD.encode() not in kept(directory) + (ended.stdout + ended.stderr).encode()


@pytest.mark.parametrize("words", [("anonymize",), ("evaluate", "a.csv"), ("inspect",)])
def test_a_password_on_the_command_line_is_refused_before_prefect_starts(
    sosie_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = sosie_command(*words, f"postgresql://me:{PASSWORD}@host/db?table=t")
    assert ended.returncode == 2
    assert "error[BAD_CONFIG]: " in ended.stderr
    assert PASSWORD.encode() not in kept(tmp_path) + (ended.stdout + ended.stderr).encode()
    assert "start Prefect" not in ended.stderr


def test_a_server_that_is_away_fails_the_run(sosie_command: Command, configured: Callable[..., Path]) -> None:
    ended, directory = run(sosie_command, configured(source="postgresql://me@127.0.0.1:1/db?table=t"))
    assert (ended.returncode, json.loads(ended.stdout)["code"]) == (2, "UNREADABLE_SOURCE")
    assert json.loads((directory / "manifest.json").read_text())["source_name"] is None
