"""Publication is one transaction: `release/` and the destination, both or neither, whatever ends it half-way."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import psycopg
import pytest

from sosie.errors import InputError
from sosie.flows.runs import run_request
from sosie.schemas.request import Request
from sosie.sources import Prepared, UndecidedError, prepare, read_source, was_delivered
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.run import is_released, is_unsettled, make_directory, private_file, read_manifest
from sosie.tasks.transaction import publish_and_deliver, settle

Command = Callable[..., subprocess.CompletedProcess[str]]

OLD, NEW = "id,kg\n1,50.5\n2,60.5\n", "id,kg\n7,70.5\n8,80.5\n9,90.5\n"
KINDS = ["file", "object", "postgresql", "sqlite"]

# stages NEW as a run would, and publishes it; {kill} may replace a function by one that kills the process
PROGRAM = """
import os, signal, sys
from functools import partial
from pathlib import Path
import sosie.tasks.transaction as transaction
from sosie.sources import prepare, read_source
directory, destination = Path(sys.argv[1]), sys.argv[2]
def die(*arguments): os.kill(os.getpid(), signal.SIGKILL)
def after(act):
    def acted(*arguments): act(*arguments); die()
    return acted
source = read_source(directory / ".staging" / "avatars.csv")
waiting = prepare(source.frame, source.dialect, directory / ".staging" / "avatars.csv", destination, None, "run")
{kill}
transaction.publish_and_deliver(directory, waiting, destination, None)
"""
KILLS = {
    "before the promise": "transaction.private_file = die",
    "after the promise": "transaction.publish = die",
    "after the rename": "transaction.publish = after(transaction.publish)",
    "after the delivery": "object.__setattr__(waiting, 'commit', after(waiting.commit))",
}


@dataclass(frozen=True)
class Place:
    """A destination that holds OLD, the rows that it shows, and what lies beside it."""

    address: str
    rows: Callable[[], list[tuple[int, float]]]
    beside: Callable[[], list[str]]


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("PGPASSWORD", "Slartibartfast")  # as the fixture sets it
    made = _PLACES[request.param](request, tmp_path)
    (tmp_path / "old.csv").write_text(OLD)
    source = read_source(tmp_path / "old.csv")
    prepare(source.frame, source.dialect, tmp_path / "old.csv", made.address).commit()
    assert made.rows() == [(1, 50.5), (2, 60.5)]
    return made


def _rows(frame: pd.DataFrame) -> list[tuple[int, float]]:
    return sorted(frame.itertuples(index=False, name=None))


def _file(request: pytest.FixtureRequest, folder: Path) -> Place:
    path = folder / "out" / "avatars.csv"
    path.parent.mkdir()
    return Place(
        str(path),
        lambda: _rows(pd.read_csv(path)),
        lambda: sorted(each.name for each in path.parent.iterdir()),
    )


def _object(request: pytest.FixtureRequest, folder: Path) -> Place:
    bucket: Any = request.getfixturevalue("bucket")
    return Place(
        "s3://clinic/avatars.csv",
        lambda: _rows(read_source("s3://clinic/avatars.csv").frame),
        lambda: sorted(entry.key for entry in bucket.objects.all()),
    )


def _postgresql(request: pytest.FixtureRequest, folder: Path) -> Place:
    server: Any = request.getfixturevalue("postgresql")
    server.run("DROP SCHEMA IF EXISTS public CASCADE", "CREATE SCHEMA public")
    return Place(
        f"{server.url}?table=avatars",
        lambda: server.run("SELECT id, kg FROM avatars ORDER BY id"),
        lambda: ["avatars.csv"],
    )


def _sqlite(request: pytest.FixtureRequest, folder: Path) -> Place:
    path = folder / "out.db"
    return Place(
        f"{path}?table=avatars",
        lambda: _rows(read_source(f"{path}?table=avatars").frame),
        lambda: ["avatars.csv"],
    )


_PLACES = {"file": _file, "object": _object, "postgresql": _postgresql, "sqlite": _sqlite}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A run that has staged NEW."""
    directory = tmp_path / "run"
    make_directory(directory)
    private_file(directory, "run.json", b"{}")
    (directory / ".staging").mkdir(mode=0o700)
    (directory / ".staging" / "avatars.csv").write_text(NEW)
    return directory


def prepared(directory: Path, place: Place) -> Prepared:
    staged = directory / ".staging" / "avatars.csv"
    source = read_source(staged)
    return prepare(source.frame, source.dialect, staged, place.address, None, directory.name)


def entries(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_both_happen(place: Place, directory: Path) -> None:
    waiting = prepared(directory, place)
    assert place.rows() == [(1, 50.5), (2, 60.5)]
    publish_and_deliver(directory, waiting, place.address, None)
    assert place.rows() == [(7, 70.5), (8, 80.5), (9, 90.5)]
    assert entries(directory) == ["private/run.json", "release/avatars.csv"]
    assert place.beside() == ["avatars.csv"]
    assert is_released(directory)


@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_a_rename_that_fails_leaves_the_destination_as_it_was(
    place: Place, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = prepared(directory, place)

    def fail(*arguments: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as full:
        full.setattr("sosie.tasks.transaction.publish", fail)
        with pytest.raises(OSError, match="no space left"):
            publish_and_deliver(directory, waiting, place.address, None)
    assert place.rows() == [(1, 50.5), (2, 60.5)]
    assert place.beside() == ["avatars.csv"]
    assert not is_unsettled(directory)


@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_a_destination_that_refuses_in_the_last_step_takes_the_release_back(
    place: Place, directory: Path
) -> None:
    waiting = prepared(directory, place)

    def refuse() -> None:
        waiting.abandon()
        raise InputError("BAD_CONFIG", "refused")

    with pytest.raises(InputError, match="refused"):
        publish_and_deliver(directory, replace(waiting, commit=refuse), place.address, None)
    assert place.rows() == [(1, 50.5), (2, 60.5)]
    assert place.beside() == ["avatars.csv"]
    assert entries(directory) == [".staging/avatars.csv", "private/run.json"]


@pytest.mark.parametrize("kill", KILLS)
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_a_process_killed_anywhere_leaves_both_or_neither_once_it_is_settled(
    place: Place, directory: Path, kill: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{kill}", KILLS[kill]), directory, place.address],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert not is_released(directory)
    settle(directory)
    assert not is_unsettled(directory)
    if kill == "after the delivery":
        assert is_released(directory)
        assert place.rows() == [(7, 70.5), (8, 80.5), (9, 90.5)]
        return
    assert not (directory / "release").exists()
    assert place.rows() == [(1, 50.5), (2, 60.5)]
    publish_and_deliver(directory, prepared(directory, place), place.address, None)
    assert is_released(directory)
    assert place.rows() == [(7, 70.5), (8, 80.5), (9, 90.5)]
    assert place.beside() == ["avatars.csv"]


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_connection_cut_before_the_commit_leaves_neither(
    place: Place, directory: Path, postgresql: Any
) -> None:
    waiting = prepared(directory, place)
    postgresql.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    with pytest.raises(InputError, match="cannot be written") as caught:
        publish_and_deliver(directory, waiting, place.address, None)
    assert not isinstance(caught.value, UndecidedError)
    assert place.rows() == [(1, 50.5), (2, 60.5)]
    assert not (directory / "release").exists()


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_connection_cut_after_the_commit_is_a_delivery(
    place: Place, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = prepared(directory, place)
    commit = psycopg.Connection.commit

    def cut(connection: Any) -> None:
        monkeypatch.undo()
        monkeypatch.setenv("PGPASSWORD", "Slartibartfast")
        commit(connection)
        raise psycopg.OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr(psycopg.Connection, "commit", cut)
    publish_and_deliver(directory, waiting, place.address, None)
    assert is_released(directory)
    assert place.rows() == [(7, 70.5), (8, 80.5), (9, 90.5)]


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_server_that_goes_away_in_the_commit_leaves_the_run_undecided_until_it_is_back(
    place: Place, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = prepared(directory, place)
    with pytest.MonkeyPatch.context() as away:
        commit = psycopg.Connection.commit

        def cut(connection: Any) -> None:
            commit(connection)
            away.setenv("PGPASSWORD", "no longer")
            raise psycopg.OperationalError("the server closed the connection unexpectedly")

        away.setattr(psycopg.Connection, "commit", cut)
        with pytest.raises(UndecidedError, match="does not say whether it did: resume this run"):
            publish_and_deliver(directory, waiting, place.address, None)
        assert is_unsettled(directory)
        with pytest.raises(FileNotFoundError, match="its publication broke off"):
            read_manifest(directory)
        with pytest.raises(InputError, match="cannot be opened"):
            settle(directory)
        assert is_unsettled(directory)
    settle(directory)
    assert is_released(directory)


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_two_deliveries_at_once_leave_the_rows_of_one(place: Place, directory: Path, tmp_path: Path) -> None:
    first = prepared(directory, place)
    other = tmp_path / "other.csv"
    other.write_text("id,kg\n3,30.5\n")
    program = (
        "import sys; from sosie.sources import prepare, read_source; from pathlib import Path; "
        "source = read_source(sys.argv[1]); print('starts', flush=True); "
        "prepare(source.frame, source.dialect, Path(sys.argv[1]), sys.argv[2]).commit()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, other, place.address], stdout=subprocess.PIPE, text=True
    ) as second:
        assert second.stdout is not None
        second.stdout.readline()
        first.commit()
        assert second.wait(120) == 0
    assert place.rows() == [(3, 30.5)]


@pytest.mark.parametrize("place", ["file"], indirect=True)
def test_a_run_that_was_killed_while_it_published_ends_as_if_it_had_not(
    place: Place, patients: pd.DataFrame, tmp_path: Path
) -> None:
    patients[:120].to_csv(tmp_path / "patients.csv", index=False)
    wanted = {
        "source": str(tmp_path / "patients.csv"),
        "destination": place.address,
        "method": {"k": 5},
        "targets": {"mode": "report"},
        "attacks": {"attempts": 20},
    }
    (tmp_path / "sosie.yaml").write_text(json.dumps(wanted))
    program = """
import os, signal, sys
from pathlib import Path
import sosie.tasks.transaction as transaction
from sosie.flows.runs import run_request
from sosie.schemas.request import Request
from sosie.tasks.calls import DirectCalls, silent
publish = transaction.publish
def killed(directory): publish(directory); os.kill(os.getpid(), signal.SIGKILL)
transaction.publish = killed
run_request(Request(config=sys.argv[1]), Path(sys.argv[2]), DirectCalls(silent))
"""
    directory = tmp_path / "run"
    ended = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "sosie.yaml", directory],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    killed = (directory / "release" / "avatars.csv").read_bytes()
    assert place.rows() == [(1, 50.5), (2, 60.5)]
    manifest = run_request(Request(config=str(tmp_path / "sosie.yaml")), directory, DirectCalls(silent))
    assert manifest.status == "released"
    assert (directory / "release" / "avatars.csv").read_bytes() == killed
    assert Path(place.address).read_bytes() == killed
    assert place.beside() == ["avatars.csv"]


@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_a_receipt_tells_a_delivery_from_what_was_there(place: Place, directory: Path) -> None:
    waiting = prepared(directory, place)
    waiting.abandon()
    assert not was_delivered(place.address, waiting.receipt)
    waiting = prepared(directory, place)
    waiting.commit()
    assert was_delivered(place.address, waiting.receipt)
