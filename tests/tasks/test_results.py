"""Results as references: found in the store, made once, made again when lost, and let go of."""

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sosie.errors import InputError
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.results import Results
from sosie.tasks.stages import always, stage
from sosie.tasks.store import DiskStore, ForgetfulStore, open_store

ran: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    return open_store(tmp_path / "store")


def calls(store: DiskStore | ForgetfulStore) -> DirectCalls:
    call = DirectCalls(silent)
    call.keep(store)
    return call


@always(fingerprint=lambda text: text)
def read(text: str) -> str:
    ran.append("read")
    return text


@stage(version=1)
def measure(text: str) -> int:
    ran.append("measure")
    return len(text)


@stage(version=1, idle=("workers",))
def add(one: int, other: int, workers: int) -> int:
    ran.append("add")
    return one + other


@stage(version=1)
def total(*parts: int) -> int:
    ran.append("total")
    return sum(parts)


@stage(version=1)
def large(size: int) -> "np.ndarray[Any, Any]":
    ran.append("large")
    return np.zeros(size)


@stage(version=1)
def size_of(array: "np.ndarray[Any, Any]") -> int:
    ran.append("size_of")
    return len(array)


def shout(number: int) -> str:
    ran.append("shout")
    return f"{number}!"


def sum_of(call: DirectCalls, text: str, other: int, workers: int = 1) -> int:
    length = call("measure", measure, call("read", read, text))
    return call.look(call("add", add, length, other, workers))


def what_ran(work: Callable[[], object]) -> list[str]:
    ran.clear()
    work()
    return list(ran)


def test_a_second_run_takes_stages_from_the_store_and_reads_its_source_again(store: DiskStore) -> None:
    assert what_ran(lambda: sum_of(calls(store), "four", 3)) == ["read", "measure", "add"]
    assert what_ran(lambda: sum_of(calls(store), "four", 3)) == ["read"]
    assert sum_of(calls(store), "four", 3) == 7


def test_a_changed_parameter_runs_its_stage_and_those_after_it_only(store: DiskStore) -> None:
    sum_of(calls(store), "four", 3)
    assert what_ran(lambda: sum_of(calls(store), "four", 4)) == ["read", "add"]


def test_a_changed_source_runs_everything(store: DiskStore) -> None:
    sum_of(calls(store), "four", 3)
    assert what_ran(lambda: sum_of(calls(store), "five5", 3)) == ["read", "measure", "add"]


def test_an_idle_parameter_changes_nothing(store: DiskStore) -> None:
    sum_of(calls(store), "four", 3, workers=1)
    assert what_ran(lambda: sum_of(calls(store), "four", 3, workers=8)) == ["read"]


def test_a_raised_version_runs_again(store: DiskStore) -> None:
    sum_of(calls(store), "four", 3)
    call = calls(store)
    newer = stage(version=2)(lambda text: measure(text))
    newer.__qualname__ = measure.__qualname__
    assert what_ran(lambda: call("measure", newer, call("read", read, "four"))) == ["read", "measure"]


def test_another_version_of_the_program_or_of_a_library_runs_everything(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sum_of(calls(store), "four", 3)
    monkeypatch.setattr("sosie.tasks.results.what_computes", lambda: ("other code", "numpy 1.0"))
    assert what_ran(lambda: sum_of(calls(store), "four", 3)) == ["read", "measure", "add"]


def test_what_is_not_declared_a_stage_runs_every_time(store: DiskStore) -> None:
    for _ in range(2):
        call = calls(store)
        assert what_ran(lambda call=call: call("shout", shout, 3)) == ["shout"]  # type: ignore[misc]


def test_what_rests_on_something_not_declared_a_stage_is_not_kept(store: DiskStore) -> None:
    for _ in range(2):
        call = calls(store)
        assert what_ran(lambda call=call: call("measure", measure, call("shout", shout, 3))) == [  # type: ignore[misc]
            "shout",
            "measure",
        ]


def test_results_inside_many_arguments_are_told_apart(store: DiskStore) -> None:
    def work(*texts: str) -> int:
        call = calls(store)
        return call.look(
            call("total", total, *[call("measure", measure, call("read", read, t)) for t in texts])
        )

    assert work("a", "bb") == 3
    assert "total" in what_ran(lambda: work("bb", "a"))
    assert what_ran(lambda: work("a", "bb")) == ["read", "read"]


def damaged(file: Path) -> None:
    file.write_bytes(b"nonsense")


@pytest.mark.parametrize("ruin", [Path.unlink, damaged])
def test_a_result_gone_or_damaged_is_made_again_when_it_is_needed(
    ruin: Callable[[Path], None], store: DiskStore
) -> None:
    sum_of(calls(store), "four", 3)
    call = calls(store)
    length = call("measure", measure, call("read", read, "four"))
    for file in (store.folder / "values").iterdir():
        ruin(file)
    assert what_ran(lambda: call("add", add, length, 9, 1)) == ["read", "measure", "add"]
    assert what_ran(lambda: sum_of(calls(store), "four", 9)) == ["read"]


def test_a_source_that_changed_under_a_run_is_refused(store: DiskStore) -> None:
    contents = iter(["four", "fives"])
    changing = always(fingerprint=lambda text: text)(lambda: next(contents))
    call = calls(store)
    length = call("measure", measure, call("read", changing))
    length.values = ()  # type: ignore[attr-defined]  # as if it had been found in the store
    for file in (store.folder / "values").iterdir():
        file.unlink()
    with pytest.raises(InputError, match="changed during the run"):
        call.look(length)


def test_a_value_leaves_memory_when_the_flow_lets_go_of_it_though_another_is_made_from_it(
    store: DiskStore,
) -> None:
    call = calls(store)
    array = call("large", large, 1000)
    value = weakref.ref(call.look(array))
    size = call("size", size_of, array)
    assert value() is not None
    del array
    gc.collect()
    assert value() is None
    assert call.look(size) == 1000


def test_a_value_between_is_made_where_it_is_needed_and_once(store: DiskStore) -> None:
    call = calls(store)
    length = call.between(measure, call("read", read, "four"))
    assert ran == ["read"]
    assert call.look(call("add", add, length, 1, 1)) == 5
    assert call.look(length) == 4
    assert ran == ["read", "measure", "add"]
    assert what_ran(lambda: sum_of(calls(store), "four", 1)) == ["read", "measure"]


def test_without_a_place_to_keep_them_results_stay_in_memory_alone() -> None:
    for _ in range(2):
        assert what_ran(lambda: sum_of(calls(ForgetfulStore()), "four", 3)) == ["read", "measure", "add"]


def test_a_stage_that_fails_keeps_nothing(store: DiskStore) -> None:
    call = calls(store)
    with pytest.raises(ValueError, match="negative"):
        call("large", large, -1)
    assert list((store.folder / "values").iterdir()) == []


def test_two_results_of_one_stage_are_made_once(store: DiskStore) -> None:
    results = Results(store)
    first, second = (results.expect(measure, ("four",), {}, kept=True) for _ in range(2))
    assert [results.obtain(first), results.obtain(second)] == [False, True]
    assert ran == ["measure"]
    assert results.value(second) == 4
