"""`sosie purge` says in one line what went, and starts nothing."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sosie.tasks.store import DiskStore, open_store

KEY = "0123456789abcdef"
Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    store = open_store(tmp_path / "store")
    store.save(KEY, "x" * 1904)  # 2,000 bytes with what surrounds it
    return store


def test_one_line_says_what_went_and_what_stays(sosie_command: Command, store: DiskStore) -> None:
    kept = sosie_command("purge", "--store", store.folder)
    assert (kept.returncode, kept.stdout) == (0, "0 intermediate(s) removed, 0 bytes; 1 kept\n")
    gone = sosie_command("purge", "--store", store.folder, "--older-than", "0h")
    assert (gone.returncode, gone.stdout) == (0, "1 intermediate(s) removed, 2 kB; 0 kept\n")
    assert not store.has(KEY)


def test_the_environment_names_the_store(
    sosie_command: Command, store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOSIE_STORE", str(store.folder))
    assert sosie_command("purge", "--older-than", "0s").returncode == 0
    assert not store.has(KEY)


def test_json_is_one_object(sosie_command: Command, store: DiskStore) -> None:
    size = (store.folder / "values" / KEY).stat().st_size
    ended = sosie_command("purge", "--store", store.folder, "--older-than", "0m", "--json")
    assert json.loads(ended.stdout) == {
        "status": "purged",
        "removed": 1,
        "bytes": size,
        "kept": 0,
        "code": None,
        "warnings": [],
    }


@pytest.mark.parametrize("written", ["", "24", "h", "-1h", "1.5h", "1w", "24h7d", "1000000h"])
def test_what_is_no_duration_is_bad_input(sosie_command: Command, store: DiskStore, written: str) -> None:
    ended = sosie_command("purge", "--store", store.folder, f"--older-than={written}")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error[BAD_CONFIG]: a duration is a whole number and s, m, h or d")
    assert store.has(KEY)


def test_a_folder_that_is_no_store_is_bad_input(sosie_command: Command, tmp_path: Path) -> None:
    ended = sosie_command("purge", "--store", tmp_path, "--json")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error[BAD_CONFIG]: the folder is no store of sosie")
    assert json.loads(ended.stdout)["code"] == "BAD_CONFIG"


def test_a_store_that_cannot_be_used_is_no_fault_of_the_input(
    sosie_command: Command, store: DiskStore
) -> None:
    store.folder.chmod(0o777)
    ended = sosie_command("purge", "--store", store.folder, "--json")
    assert ended.returncode == 1
    assert ended.stderr.startswith("error[STORE_UNUSABLE]: others can write to the store's folder")
    assert json.loads(ended.stdout)["code"] == "STORE_UNUSABLE"


def test_prefect_is_not_even_loaded(store: DiskStore) -> None:
    script = (
        "import sys\nfrom sosie.cli import main\n"
        f"sys.argv = ['sosie', 'purge', '--store', {str(store.folder)!r}]\n"
        "try:\n    main()\nfinally:\n    print('prefect' in sys.modules)"
    )
    ended: Any = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "False"
