"""The store on disk: private, whole or absent, never a wrong value."""

import os
import stat
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from sosie.tasks.store import MISSING, DiskStore, ForgetfulStore, StoreError, is_missing, open_store

KEY = "0123456789abcdef"
OTHER = "fedcba9876543210"


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    return open_store(tmp_path / "store")


def kept_file(store: DiskStore) -> Path:
    return store.folder / "values" / KEY


def files_of(store: DiskStore) -> list[str]:
    return sorted(str(path.relative_to(store.folder)) for path in store.folder.rglob("*") if path.is_file())


def test_what_was_saved_is_loaded_by_whoever_opens_the_folder(store: DiskStore) -> None:
    store.save(KEY, ("text", 3))
    assert open_store(store.folder).load(KEY) == ("text", 3)


def test_a_key_that_nothing_was_saved_under_is_missing_and_so_is_not_a_kept_none(store: DiskStore) -> None:
    store.save(OTHER, None)
    assert store.load(KEY) is MISSING
    assert is_missing(store.load(KEY))
    assert store.load(OTHER) is None


def test_a_later_value_takes_the_place_of_an_earlier_one(store: DiskStore) -> None:
    store.save(KEY, 1)
    store.save(KEY, 2)
    assert store.load(KEY) == 2
    assert files_of(store) == ["sosie-store.key", f"values/{KEY}"]


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_nothing_can_be_read_by_others_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = open_store(tmp_path / "deep" / "store")
        with store.holding(KEY):
            store.save(KEY, "private")
            modes = {
                path: stat.S_IMODE(path.lstat().st_mode)
                for path in [tmp_path / "deep", *(tmp_path / "deep").rglob("*")]
            }
    finally:
        os.umask(before)
    assert len(modes) == 8  # deep, store and its three folders; key, lock and value
    assert {path: mode for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == {}


def test_an_existing_empty_folder_becomes_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    open_store(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(StoreError, match="others can write to") as refused:
        open_store(tmp_path)
    assert refused.value.code == "STORE_UNUSABLE"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(StoreError, match="belongs to another user"):
        open_store(tmp_path)


def test_a_folder_that_holds_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("chapter")
    with pytest.raises(StoreError, match="holds something else"):
        open_store(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_link_in_a_folders_place_is_refused(store: DiskStore, tmp_path: Path) -> None:
    (store.folder / "values").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (store.folder / "values").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="is no folder"):
        open_store(store.folder)


@pytest.mark.parametrize("content", [b"", b"short", bytes(33)])
def test_a_damaged_key_is_one_plain_error(store: DiskStore, content: bytes) -> None:
    (store.folder / "sosie-store.key").write_bytes(content)
    with pytest.raises(StoreError, match="key is damaged"):
        open_store(store.folder)


def test_a_key_that_others_can_read_is_one_plain_error(store: DiskStore) -> None:
    (store.folder / "sosie-store.key").chmod(0o644)
    with pytest.raises(StoreError, match="not private"):
        open_store(store.folder)


@pytest.mark.parametrize("place", [0, 20, 64, 200, -1])
def test_one_changed_byte_makes_a_value_missing_and_removes_it(store: DiskStore, place: int) -> None:
    store.save(KEY, (np.arange(100), "text"))
    content = bytearray(kept_file(store).read_bytes())
    content[place] ^= 1
    kept_file(store).write_bytes(content)
    assert store.load(KEY) is MISSING
    assert not kept_file(store).exists()


def test_a_file_cut_short_anywhere_is_missing(store: DiskStore) -> None:
    store.save(KEY, (np.arange(3), "text"))
    whole = kept_file(store).read_bytes()
    for length in range(len(whole)):
        kept_file(store).write_bytes(whole[:length])
        assert store.load(KEY) is MISSING
    kept_file(store).write_bytes(whole + b"\0")
    assert store.load(KEY) is MISSING


def test_a_value_of_a_class_that_is_there_no_more_is_missing(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sosie.columns import grid

    store.save(KEY, grid.Grid(0.0, 1.0, 2))
    monkeypatch.delattr(grid, "Grid")
    assert store.load(KEY) is MISSING
    assert not kept_file(store).exists()


def test_what_cannot_be_kept_leaves_nothing_behind(store: DiskStore) -> None:
    with pytest.raises(TypeError, match="keeps no builtins"):
        store.save(KEY, (np.arange(100), object()))
    assert files_of(store) == ["sosie-store.key"]


def test_a_key_is_no_path(store: DiskStore) -> None:
    for key in ("", "../secret", "0123456789ABCDEF", "0123", KEY + "/x", KEY + "\n"):
        with pytest.raises(ValueError, match="hexadecimal"):
            store.load(key)
        with pytest.raises(ValueError, match="hexadecimal"):
            store.save(key, 1)


def test_a_mapped_value_outlives_its_file(store: DiskStore) -> None:
    store.save(KEY, np.arange(1_000_000))
    loaded = store.load(KEY)
    assert store.purge(timedelta(0)).removed == 1
    assert loaded.sum() == 499_999_500_000


def test_writing_into_a_loaded_array_changes_no_file(store: DiskStore) -> None:
    store.save(KEY, (np.zeros(10), np.zeros(1_000_000)))
    small, large = store.load(KEY)
    small[:], large[:] = 1.0, 1.0
    again = store.load(KEY)
    assert again[0].sum() == again[1].sum() == 0.0


def test_a_store_that_forgets_has_nothing_and_writes_nothing(tmp_path: Path) -> None:
    store = ForgetfulStore()
    with store.holding(KEY):
        store.save(KEY, 1)
    assert store.load(KEY) is MISSING
    assert store.purge(timedelta(0)).removed == 0
    assert store.identity("fit", 1, {"k": 20}) == store.identity("fit", 1, {"k": 20})
    assert store.identity("fit", 1, {"k": 20}) != ForgetfulStore().identity("fit", 1, {"k": 20})
