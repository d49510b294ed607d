"""Where the store lies, what expires, and what purging removes."""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sosie.errors import InputError
from sosie.schemas.configuration import Keeping
from sosie.tasks.store import (
    DiskStore,
    ForgetfulStore,
    Purged,
    StoreError,
    is_missing,
    open_store,
    purge_intermediates,
    store_folder,
    store_of,
)

KEY = "0123456789abcdef"
OTHER = "fedcba9876543210"


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    return open_store(tmp_path / "store")


def used(store: DiskStore, key: str, *, hours_ago: float) -> None:
    moment = time.time() - hours_ago * 3600
    os.utime(store.folder / "values" / key, (moment, moment))


def test_the_place_is_the_one_given_else_the_environments_else_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOSIE_STORE", "/srv/sosie")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store_folder("/given") == Path("/given")
    assert store_folder("~/given") == tmp_path / "given"
    assert store_folder("given") == Path.cwd() / "given"
    assert store_folder() == Path("/srv/sosie")
    monkeypatch.setenv("SOSIE_STORE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert store_folder() == Path("/cache/sosie")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, which the specification says to ignore")
    assert store_folder() == tmp_path / ".cache" / "sosie"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert store_folder() == tmp_path / ".cache" / "sosie"


def test_purging_removes_what_was_last_used_so_long_ago_or_longer(store: DiskStore) -> None:
    store.save(KEY, "old")
    store.save(OTHER, "recent")
    size = (store.folder / "values" / KEY).stat().st_size
    used(store, KEY, hours_ago=25)
    used(store, OTHER, hours_ago=23)
    assert store.purge(timedelta(hours=24)) == Purged(removed=1, bytes=size, kept=1)
    assert is_missing(store.load(KEY))
    assert store.load(OTHER) == "recent"


@pytest.mark.parametrize("use", ["load", "has"])
def test_use_counts_from_the_last_time_that_a_value_was_asked_for(store: DiskStore, use: str) -> None:
    store.save(KEY, "old")
    used(store, KEY, hours_ago=25)
    assert getattr(store, use)(KEY)
    assert store.purge(timedelta(hours=24)).kept == 1


def test_nothing_is_older_than_nothing_whatever_the_clock(store: DiskStore) -> None:
    store.save(KEY, "of a clock that went ahead")
    used(store, KEY, hours_ago=-5)
    assert store.purge(timedelta(0)).removed == 1


def test_purging_leaves_every_file_that_is_not_the_stores(store: DiskStore, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine")
    for folder in ("", "values", "temporary", "locks"):
        (store.folder / folder / "notes.txt").write_text("mine")
    (store.folder / "values" / KEY).mkdir()
    (store.folder / "values" / OTHER).symlink_to(tmp_path / "elsewhere")
    before = sorted(store.folder.rglob("*"))
    assert store.purge(timedelta(0)) == Purged(0, 0, 0)
    assert sorted(store.folder.rglob("*")) == before


def test_purging_as_a_function_finds_the_store_by_itself(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOSIE_STORE", str(store.folder))
    store.save(KEY, np.arange(3))
    assert purge_intermediates(timedelta(hours=1)) == Purged(0, 0, 1)
    assert purge_intermediates(timedelta(0), store.folder).removed == 1


def test_where_there_is_no_store_nothing_is_purged_and_none_is_made(tmp_path: Path) -> None:
    assert purge_intermediates(timedelta(0), tmp_path / "none") == Purged(0, 0, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [[], ["thesis.tex"], ["values"]])
def test_a_folder_that_is_no_store_is_refused_and_left_as_it_is(tmp_path: Path, content: list[str]) -> None:
    for name in content:
        (tmp_path / name).mkdir()
        (tmp_path / name / KEY).write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="no store of sosie: nothing was removed") as refused:
        purge_intermediates(timedelta(0), tmp_path)
    assert refused.value.code == "BAD_CONFIG"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_store_that_others_can_write_to_is_not_purged(store: DiskStore) -> None:
    store.save(KEY, "text")
    store.folder.chmod(0o777)
    with pytest.raises(StoreError, match="others can write"):
        purge_intermediates(timedelta(0), store.folder)
    assert (store.folder / "values" / KEY).exists()


def test_a_run_keeps_what_its_configuration_says(store: DiskStore) -> None:
    store.save(KEY, "old")
    store.save(OTHER, "recent")
    used(store, KEY, hours_ago=3)
    opened = store_of(Keeping(directory=str(store.folder), expire="2h"))
    assert isinstance(opened, DiskStore)
    assert not opened.has(KEY)
    assert opened.load(OTHER) == "recent"


def test_a_run_that_keeps_nothing_makes_no_folder(tmp_path: Path) -> None:
    store = store_of(Keeping(directory=str(tmp_path / "store"), keep=False))
    assert isinstance(store, ForgetfulStore)
    store.save(KEY, "text")
    assert not store.has(KEY)
    assert list(tmp_path.iterdir()) == []


def test_an_identity_depends_on_stage_version_parameters_inputs_and_the_store(
    store: DiskStore, tmp_path: Path
) -> None:
    def identity(
        stage: str = "fit", version: int = 1, parameters: Any = None, inputs: Any = ("a", "b")
    ) -> str:
        return store.identity(stage, version, {"k": 20} if parameters is None else parameters, inputs)

    others: list[Callable[[], str]] = [
        lambda: identity(stage="draw"),
        lambda: identity(version=2),
        lambda: identity(parameters={"k": 21}),
        lambda: identity(parameters={}),
        lambda: identity(inputs=("b", "a")),
        lambda: identity(inputs=("ab",)),
        lambda: open_store(tmp_path / "other").identity("fit", 1, {"k": 20}, ("a", "b")),
    ]
    assert identity() == open_store(store.folder).identity("fit", 1, {"k": 20}, ["a", "b"])
    assert len({identity(), *(other() for other in others)}) == 8
    assert len(identity()) == 64
    assert "secret" not in repr(store)
