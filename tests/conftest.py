"""What the tests of the upper layers share: the command line in this process, and a Prefect of their own."""

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from pandas.api import types

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_PREFECT = {
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "true",  # the worst an operator can set: nothing may be stored even so
}


def pytest_configure() -> None:
    """Give Prefect a home and runs a store of their own: no test touches the developer's database, server or store."""
    for name in [name for name in os.environ if name.startswith(("PREFECT_", "SOSIE_"))]:
        del os.environ[name]
    home, store = (tempfile.mkdtemp(prefix=f"sosie-tests-{of}-") for of in ("prefect", "store"))
    atexit.register(shutil.rmtree, store, ignore_errors=True)
    atexit.register(
        shutil.rmtree, home, ignore_errors=True
    )  # registered first, so run after the server has stopped
    os.environ.update(_PREFECT, PREFECT_HOME=home, SOSIE_STORE=store)
    # what is started in the background ignores Ctrl-C, and so would every program that a test starts and interrupts
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def sosie_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line, run in this process: `sosie_command("inspect", path)`."""
    from sosie.cli import main

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = ["sosie", *map(str, arguments)]
        monkeypatch.setattr("sys.argv", words)
        monkeypatch.setenv("COLUMNS", "200")
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        code = ended.value.code
        return subprocess.CompletedProcess(words, code if isinstance(code, int) else 0, shown.out, shown.err)

    return run


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Debian's Chromium; closed with the module, since Playwright's event loop bears no other beside it."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or "/usr/bin/chromium", args=flags
        )
        yield running
        running.close()


@pytest.fixture
def write_table(tmp_path: Path) -> Callable[[pd.DataFrame], Path]:
    """A frame as `table.csv` in the test's own folder."""

    def write(frame: pd.DataFrame) -> Path:
        path = tmp_path / "table.csv"
        frame.to_csv(path, index=False)
        return path

    return write


@pytest.fixture
def write_configuration(tmp_path: Path) -> Callable[[str], Path]:
    """A configuration file in the test's own folder."""

    def write(text: str) -> Path:
        path = tmp_path / "sosie.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def patients() -> pd.DataFrame:
    """600 made-up rows of four kinds of column, enough for a real holdout."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 600)
    return pd.DataFrame(
        {
            "age": age,
            "kg": (age / 4 + rng.normal(55, 9, 600)).round(1),
            "ward": rng.choice(["north", "south", "east"], 600),
            "smoker": rng.choice([True, False], 600),
        }
    )


@pytest.fixture(scope="session")
def keeps_contract() -> Callable[[pd.DataFrame, pd.DataFrame], None]:
    """Asserts what every release promises: same shape and dtypes, nothing outside the originals, a fresh index."""

    def check(originals: pd.DataFrame, avatars: pd.DataFrame) -> None:
        assert list(avatars.columns) == list(originals.columns)
        assert avatars.dtypes.to_list() == originals.dtypes.to_list()
        assert avatars.index.equals(pd.RangeIndex(len(originals)))
        for name in originals.columns:
            before, after = originals[name].dropna(), avatars[name].dropna()
            if before.size == len(originals):
                assert after.size == len(avatars), f"{name} had no gap"
            if types.is_numeric_dtype(before.dtype) and not types.is_bool_dtype(before.dtype):
                assert ((after >= before.min()) & (after <= before.max())).all(), f"{name} leaves its range"
            else:
                assert set(after) <= set(before), f"{name} has a level that never was"

    return check
