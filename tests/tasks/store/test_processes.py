"""Several processes and threads on one store: one works on a key, and what dies leaves no trace for long."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from sosie.tasks.store import DiskStore, is_missing, open_store

KEY = "0123456789abcdef"

HOLDER = """
import sys
from pathlib import Path
from sosie.tasks.store import open_store
store = open_store(Path(sys.argv[1]))
with store.holding(sys.argv[2]):
    print("holding", flush=True)
    sys.stdin.read()
"""
WRITER = """
import sys
from pathlib import Path
from sosie.tasks.store import container, disk, open_store
def stopping(value, file):
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
disk.write_value = stopping
open_store(Path(sys.argv[1])).save(sys.argv[2], "never whole")
"""
COMPUTER = """
import os, sys
from pathlib import Path
from sosie.tasks.store import is_missing, open_store
store = open_store(Path(sys.argv[1]))
with store.holding(sys.argv[2]):
    if is_missing(store.load(sys.argv[2])):
        print("computed", flush=True)
        store.save(sys.argv[2], os.getpid())
"""


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    return open_store(tmp_path / "store")


@contextmanager
def process(script: str, store: DiskStore) -> Iterator["subprocess.Popen[str]"]:
    """A process that works on the key; it has said that it does."""
    words = [sys.executable, "-c", script, str(store.folder), KEY]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline()
        try:
            yield running
        finally:
            running.kill()


def files_in(store: DiskStore, folder: str) -> list[str]:
    return sorted(os.listdir(store.folder / folder))


def test_a_lock_is_taken_back_from_a_process_killed_and_its_file_goes(store: DiskStore) -> None:
    with process(HOLDER, store) as running:
        assert files_in(store, "locks") == [KEY]
        running.send_signal(signal.SIGKILL)
        running.wait()
        with store.holding(KEY):
            store.save(KEY, 1)
    assert files_in(store, "locks") == []
    assert store.load(KEY) == 1


def test_opening_the_store_sweeps_what_a_killed_process_left(store: DiskStore) -> None:
    with process(HOLDER, store) as holder, process(WRITER, store) as writer:
        open_store(store.folder)
        assert (len(files_in(store, "locks")), len(files_in(store, "temporary"))) == (1, 1)
        for running in (holder, writer):
            running.kill()
            running.wait()
    open_store(store.folder)
    assert (files_in(store, "locks"), files_in(store, "temporary")) == ([], [])
    assert is_missing(store.load(KEY))


def test_purging_counts_what_a_killed_process_left_but_not_what_is_being_written(store: DiskStore) -> None:
    with process(WRITER, store) as writer:
        assert store.purge(timedelta(0)).removed == 0
        writer.kill()
        writer.wait()
    purged = store.purge(timedelta(0))
    assert (purged.removed, purged.bytes) == (1, len(b"half"))


def test_a_value_that_is_being_worked_on_is_not_purged(store: DiskStore) -> None:
    store.save(KEY, 1)
    with process(HOLDER, store):
        assert store.purge(timedelta(0)).kept == 1
    assert store.purge(timedelta(0)).removed == 1


def test_of_several_processes_one_computes_and_the_others_find_it(store: DiskStore) -> None:
    words = [sys.executable, "-c", COMPUTER, str(store.folder), KEY]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [one.communicate()[0] for one in running]
    assert sorted(said) == ["", "", "computed\n"]
    assert [one.returncode for one in running] == [0, 0, 0]
    assert files_in(store, "locks") == []


def test_threads_exclude_each_other_too(store: DiskStore) -> None:
    working, most = [0], []

    def work() -> None:
        with store.holding(KEY):
            working[0] += 1
            most.append(working[0])
            store.save(KEY, len(most))
            working[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8
    assert store.load(KEY) == 8
    assert files_in(store, "locks") == []


def test_several_that_open_a_new_store_at_once_share_one_key(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)
    opened: list[DiskStore] = []

    def open_it() -> None:
        barrier.wait()
        opened.append(open_store(tmp_path / "deep" / "store"))

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({store.identity("fit", 1, {"k": 20}) for store in opened}) == 1
    assert len(opened) == 8
    assert sorted(os.listdir(tmp_path / "deep" / "store")) == [
        "locks",
        "sosie-store.key",
        "temporary",
        "values",
    ]


def test_a_lock_is_free_again_after_an_error(store: DiskStore) -> None:
    with pytest.raises(ZeroDivisionError), store.holding(KEY):
        raise ZeroDivisionError
    with store.holding(KEY):
        assert files_in(store, "locks") == [KEY]
