"""A full disk or an unwritable folder is one plain error, and nothing half-written; these hold for root too."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from sosie.errors import InputError
from sosie.tasks.store import DiskStore, StoreError, is_missing, open_store, places

KEY = "0123456789abcdef"
OTHER = "fedcba9876543210"


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    return open_store(tmp_path / "store")


def files_of(store: DiskStore) -> list[str]:
    return sorted(str(path.relative_to(store.folder)) for path in store.folder.rglob("*") if path.is_file())


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The operating system writes no byte beyond this place of a file, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("room", [0, 10, 100, 50_000])
def test_a_full_disk_is_one_plain_error_and_leaves_what_was_there(store: DiskStore, room: int) -> None:
    store.save(OTHER, "kept")
    store.save(KEY, "earlier")
    with files_of_at_most(room), pytest.raises(StoreError, match="disk is full: make room") as refused:
        store.save(KEY, np.arange(100_000))
    assert refused.value.code == "STORE_UNUSABLE"
    assert isinstance(refused.value, InputError)
    assert str(store.folder) not in str(refused.value)
    assert files_of(store) == ["sosie-store.key", f"values/{KEY}", f"values/{OTHER}"]
    assert (store.load(KEY), store.load(OTHER)) == ("earlier", "kept")


def test_a_disk_too_full_for_a_key_leaves_a_folder_that_opens_later(tmp_path: Path) -> None:
    with files_of_at_most(10), pytest.raises(StoreError, match="disk is full"):
        open_store(tmp_path / "store")
    store = open_store(tmp_path / "store")
    assert files_of(store) == ["sosie-store.key"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_whatever_says_that_there_is_no_room_is_a_full_disk(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def full(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)  # some disks tell only then
    with pytest.raises(StoreError, match="disk is full"):
        store.save(KEY, "text")
    assert files_of(store) == ["sosie-store.key"]


@pytest.mark.parametrize("folder", ["values", "temporary", "locks"])
def test_a_file_in_a_folders_place_is_one_plain_error(store: DiskStore, folder: str) -> None:
    (store.folder / folder).rmdir()
    (store.folder / folder).write_text("in the way")
    with pytest.raises(StoreError, match="is no folder"):
        open_store(store.folder)
    with pytest.raises(StoreError, match="cannot be written to"), store.holding(KEY):
        store.save(KEY, "text")
    assert files_of(store) == sorted([folder, "sosie-store.key"])


@pytest.mark.parametrize("inside", [False, True])
def test_a_file_in_the_stores_place_is_one_plain_error(tmp_path: Path, inside: bool) -> None:
    (tmp_path / "file").write_text("thesis")
    with pytest.raises(StoreError, match="folder"):
        open_store(tmp_path / "file" / "store" if inside else tmp_path / "file")
    assert (tmp_path / "file").read_text() == "thesis"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (errno.EROFS, "cannot be written to"),
        (errno.EACCES, "cannot be written to"),
        (errno.EIO, r"cannot be used \(EIO\)"),
    ],
)
def test_a_disk_that_takes_nothing_is_one_plain_error(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch, code: int, told: str
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(code, os.strerror(code), str(store.folder))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError, match=told):
        store.save(KEY, "text")
    with pytest.raises(StoreError, match=told), store.holding(KEY):
        pass
    with pytest.raises(StoreError, match=told):
        store.load(KEY)
    monkeypatch.undo()
    assert files_of(store) == ["sosie-store.key"]


def test_an_interrupted_writing_leaves_nothing(store: DiskStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.save(KEY, "text")
    assert files_of(store) == ["sosie-store.key"]
    assert is_missing(store.load(KEY))


def test_a_user_without_a_home_is_told_to_name_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("SOSIE_STORE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(StoreError, match="no cache folder"):
        places.store_folder()
