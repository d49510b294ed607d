"""The site, built once for all tests of it."""

import subprocess
import sys
from pathlib import Path

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
