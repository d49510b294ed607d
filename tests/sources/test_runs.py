"""Runs from a database or into a destination: what is delivered, when nothing is, and that no password is kept."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from sosie.schemas.search import read_search

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


def run(sosie_command: Command, config: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    ended = sosie_command(
        "anonymize", "--config", config, "--out", config.parent / "runs", "--direct", "--json", *words
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


@pytest.mark.parametrize("rest", ["table=patients", "query=SELECT * FROM patients WHERE age > 30"])
def test_a_table_that_is_streamed_becomes_the_file_that_it_becomes_in_memory(
    sosie_command: Command,
    configured: Callable[..., Path],
    server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rest: str,
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    asked = {"source": f"{server.url}?{rest}", "holdout": {"mode": "real"}}
    asked |= {"store": {"directory": str(tmp_path / "store")}, "destination": str(tmp_path / "to.parquet")}
    found = []
    for most in (1000, 50):
        config = configured(**asked, batches={"rows": 40, "in_memory": most})
        ended, directory = run(sosie_command, config, "--seed", "5")
        assert ended.returncode == 0, ended.stderr
        released = {path.name: path.read_bytes() for path in (directory / "release").iterdir()}
        assert (tmp_path / "to.parquet").read_bytes() == released["avatars.parquet"]
        told = json.loads(released["manifest.json"])
        assert ("recognise and encode" in told["stage_seconds"]) == (most == 50)
        found.append(
            (released["avatars.parquet"], released["metrics.json"], told["source_sha256"], told["warnings"])
        )
        assert PASSWORD.encode() not in kept(tmp_path) + (ended.stdout + ended.stderr).encode()
    assert found[0] == found[1]
    assert not any((tmp_path / "store" / "streamed").iterdir())


def test_a_search_on_a_streamed_table_is_that_on_the_table_in_memory(
    sosie_command: Command,
    configured: Callable[..., Path],
    server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    words = ("--rows", 90, "--splits", 2, "--settings", 2, "--seed", 4, "--direct")
    found = []
    for streamed in ("always", "never"):
        config = configured(batches={"streamed": streamed}, attacks={"attempts": 10})
        ended = sosie_command("advise", "-c", config, "--out", tmp_path / streamed, *words)
        assert ("read some of the table" in ended.stderr) == (streamed == "always")
        (path,) = (tmp_path / streamed).rglob("search.json")
        search = read_search(path.read_bytes())
        found.append((search.points, search.proposal, search.rows, search.of_rows, search.sha256))
    assert found[0] == found[1]
    assert found[0][2:4] == (90, 120)


def streamed(to: str) -> dict[str, Any]:
    return {"destination": to, "holdout": {"mode": "real"}, "batches": {"rows": 40, "streamed": "always"}}


def test_a_streamed_table_becomes_the_table_of_avatars_that_it_becomes_in_memory(
    sosie_command: Command, configured: Callable[..., Path], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    monkeypatch.setattr("sosie.sources.streamed_parquet.ROWS_IN_GROUP", 50)
    server.run(
        "ALTER TABLE patients ADD born date, ADD seen timestamp, ADD lasted interval",
        "UPDATE patients SET born = date '1950-02-03' + age * 30, lasted = age * interval '25 hours'",
        "UPDATE patients SET seen = born + time '10:11:12.5' WHERE age > 25",
    )
    for name, batches in (("streamed", "always"), ("whole", "never")):
        asked = streamed(f"{server.url}?table={name}")
        asked["batches"]["streamed"] = batches
        ended, directory = run(sosie_command, configured(**asked), "--seed", "5")
        assert ended.returncode == 0, ended.stderr
        groups = pq.read_metadata(directory / "release" / "avatars.parquet").num_row_groups
        assert groups == (3 if name == "streamed" else 1)
    count, differ = (
        server.run(f"SELECT count(*) FROM {rows}")[0][0]
        for rows in (
            "streamed",
            "((TABLE streamed EXCEPT ALL TABLE whole) UNION ALL (TABLE whole EXCEPT ALL TABLE streamed)) AS d",
        )
    )
    assert (count, differ) == (120, 0)
    types = """SELECT array_agg(format_type(atttypid, atttypmod) ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = '{}'::regclass AND attnum > 0"""
    assert server.run(types.format("streamed")) == server.run(types.format("patients"))


@pytest.mark.parametrize(
    ("to", "code", "sentence"),
    [
        ("{server}?table=patients", "BAD_CONFIG", "the destination is the source itself"),
        ("{server}?table=precious", "BAD_CONFIG", "rows that sosie did not write"),
        ("{server}?table=narrow", "SCHEMA_MISMATCH", "lacks column(s) 'kg', 'ward', 'smoker'"),
        ("{folder}/a.db?table=t", "BAD_CONFIG", "no .parquet file or object needs the whole table"),
    ],
)
def test_a_destination_that_cannot_take_a_streamed_table_is_refused_before_anything_is_computed(
    sosie_command: Command,
    configured: Callable[..., Path],
    server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    to: str,
    code: str,
    sentence: str,
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    server.run("CREATE TABLE narrow (age smallint)", "CREATE TABLE precious AS TABLE patients")
    asked = streamed(to.format(server=server.url, folder=tmp_path))
    ended, directory = run(sosie_command, configured(**asked))
    assert (ended.returncode, json.loads(ended.stdout)["code"]) == (2, code)
    assert sentence in ended.stderr
    told = json.loads((directory / "manifest.json").read_text())
    assert "set the holdout apart" not in told["stage_seconds"]


def test_a_streamed_table_that_the_destination_refuses_in_the_end_is_not_released(
    sosie_command: Command, configured: Callable[..., Path], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    server.run("CREATE TABLE avatars (age smallint CHECK (age < 0), kg numeric, ward ward, smoker boolean)")
    ended, directory = run(sosie_command, configured(**streamed(f"{server.url}?table=avatars")))
    assert ended.returncode == 2
    assert "the destination's table avatars cannot be written (CheckViolation)" in ended.stderr
    assert [path.name for path in directory.rglob("*")] == ["manifest.json"]
    assert server.run("SELECT count(*) FROM avatars") == [(0,)]


def test_a_streamed_table_whose_cells_do_not_fit_is_refused_without_one(
    sosie_command: Command, configured: Callable[..., Path], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    server.run("ALTER TABLE patients ADD name text DEFAULT 'Zaphod'", "ALTER TABLE patients ADD born date")
    server.run("UPDATE patients SET born = 'infinity' WHERE age = 40")
    ended, directory = run(sosie_command, configured(batches={"streamed": "always"}))
    assert (ended.returncode, json.loads(ended.stdout)["code"]) == (2, "UNSUPPORTED_FORMAT")
    assert "values in column 'born' that no calendar or number holds" in ended.stderr
    assert b"Zaphod" not in kept(directory) + (ended.stdout + ended.stderr).encode()
    assert [path.name for path in directory.rglob("*")] == ["manifest.json"]


@pytest.mark.parametrize(
    ("to", "batches"),
    [("{server}?table=avatars", {}), ("{server}?table=avatars", {"rows": 40, "in_memory": 50})],
    ids=["in memory", "streamed"],
)
def test_a_password_may_come_from_a_secret_block_of_prefect(
    sosie_command: Command,
    configured: Callable[..., Path],
    server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    to: str,
    batches: dict[str, Any],
) -> None:
    from prefect.blocks.system import Secret

    asked = []

    def load(name: str, **options: object) -> Any:
        asked.append(name)
        return Secret(value=PASSWORD)  # type: ignore[arg-type]

    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setattr(Secret, "load", load)
    blocks = {"source": "clinic-reader", "destination": "clinic-writer"}
    destination = to.format(server=server.url, folder=tmp_path)
    holdout = {"mode": "real"}
    config = configured(destination=destination, secrets=blocks, batches=batches, holdout=holdout)
    ended, directory = run(sosie_command, config)
    assert ended.returncode == 0, ended.stderr
    assert set(asked) == {"clinic-reader", "clinic-writer"}
    manifest = json.loads((directory / "release" / "manifest.json").read_text())
    assert ("recognise and encode" in manifest["stage_seconds"]) == bool(batches)
    assert len(pd.read_parquet(directory / "release" / "avatars.parquet")) == 120
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
