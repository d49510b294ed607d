"""What the tests of sources share: a PostgreSQL server and a store of objects of their own, on this machine only."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

PASSWORD = "Slartibartfast"


@dataclass(frozen=True)
class Server:
    """A PostgreSQL server on loopback: `url` without options, for a user whose password is `PASSWORD`."""

    port: int

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def run(self, *statements: str) -> list[Any]:
        """The rows of the last statement."""
        with psycopg.connect(self.url, password=PASSWORD, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


def server_program(name: str) -> str:
    """Where a program of the server lies: Debian keeps them off the path."""
    found = shutil.which(name) or next(
        (str(path) for path in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)), None
    )
    if found is None:
        raise FileNotFoundError(f"{name} is not installed: apt-get install postgresql")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def run_as_server() -> Callable[..., None]:
    """Runs a program as an ordinary user: the server refuses to run as root."""
    account = pwd.getpwnam("postgres") if os.getuid() == 0 else None

    def run(*words: str) -> None:
        rights: dict[str, Any] = (
            {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
        )
        done = subprocess.run(
            words, cwd="/", capture_output=True, text=True, check=False, timeout=120, **rights
        )
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture(scope="session")
def postgresql(run_as_server: Callable[..., None]) -> Iterator[Server]:
    """A server in a folder of its own, ended with the session."""
    folder = Path(tempfile.mkdtemp(prefix="sosie-tests-postgresql-"))
    (folder / "password").write_text(PASSWORD)
    if os.getuid() == 0:
        for path in (folder, folder / "password"):
            shutil.chown(path, "postgres")
    cluster = str(folder / "cluster")
    control = server_program("pg_ctl")
    try:
        run_as_server(
            *(
                server_program("initdb"),
                "-D",
                cluster,
                "-U",
                "postgres",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ),
            *("--auth-local=reject", "--auth-host=scram-sha-256", f"--pwfile={folder / 'password'}"),
        )
        server = Server(free_port())
        settings = f"listen_addresses=127.0.0.1 port={server.port} unix_socket_directories={folder} fsync=off"
        options = " ".join(f"-c {setting}" for setting in settings.split())
        run_as_server(control, "-D", cluster, "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield server
        finally:
            run_as_server(control, "-D", cluster, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """A server on loopback that speaks S3, ended with the session."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@pytest.fixture
def bucket(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty bucket `clinic`, reached with the credentials of the environment."""
    import boto3

    for name, value in {
        "AWS_ENDPOINT_URL": s3_endpoint,
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": PASSWORD,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    store = boto3.resource("s3", endpoint_url=s3_endpoint)
    clinic = store.Bucket("clinic")
    clinic.create()
    clinic.objects.delete()
    return clinic
