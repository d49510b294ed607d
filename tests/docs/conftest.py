"""The site, built once for all tests of it, and a database for the page that reads one."""

import subprocess
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import psycopg
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the finished site; a warning of the build fails every test that asks for it."""
    out = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "build.py"), "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    return out


def _fixtures_of_sources() -> Any:
    """The sources' conftest, which has a PostgreSQL server: fixtures serve the folder of their conftest alone."""
    spec = spec_from_file_location("tests_sources_conftest", ROOT / "tests" / "sources" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


_sources = _fixtures_of_sources()
PASSWORD = _sources.PASSWORD
run_as_server, postgresql = _sources.run_as_server, _sources.postgresql


@pytest.fixture
def clinic(postgresql: Any) -> dict[str, str]:
    """A database with the table of the guides, and what in a page is to be read as its address and password."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, str(ROOT / "docs" / "tables" / "hospital.py")], cwd=folder, check=True
        )
        rows = Path(folder, "hospital.csv").read_text(encoding="utf-8")
    names = rows.split("\n", 1)[0].split(",")
    types = {"stage": "integer", "admitted": "date", "discharged": "date", "income": "double precision"}
    types |= dict.fromkeys(("height_cm", "weight_kg", "bmi"), "double precision")
    columns = ", ".join(f"{name} {types.get(name, 'text')}" for name in names)
    postgresql.run(f"DROP TABLE IF EXISTS patients, avatars; CREATE TABLE patients ({columns})")
    copy = "COPY patients FROM STDIN WITH (FORMAT csv, HEADER)"
    with (
        psycopg.connect(postgresql.url, password=PASSWORD, autocommit=True) as connection,
        connection.cursor().copy(copy) as copying,
    ):
        copying.write(rows)
    return {
        "postgresql://reader@db.example.org/clinic": postgresql.url,
        "PGPASSWORD=…": f"PGPASSWORD={PASSWORD}",
    }
