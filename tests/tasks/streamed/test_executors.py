"""Wherever batches are worked on they give the same bytes; dead workers and poisoned batches."""

import pickle
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.errors import InputError
from sosie.schemas.runner import Runner
from sosie.tasks.streamed import making
from sosie.tasks.streamed.dask_executor import OnDask
from sosie.tasks.streamed.executors import Executor, InProcesses, InThisProcess, executor_of
from sosie.tasks.streamed.failures import BatchFailedError

ASKED: dict[str, Any] = {
    "batches": {"rows": 700},
    "columns": {
        "kg": {"transform": "quantile"},
        "most_kg": {"transform": "log"},
        "stay": {"derived": "days(seen, left)"},
        "old": {"derived": "age > 50"},
    },
    "constraints": ["seen <= left", "kg <= most_kg"],
}
WORK = """
import os, signal

def done(folder, number):
    with open(f"{folder}/{number}.{os.getpid()}", "w"):
        return number

def dies_once(folder, number):
    if number == 2 and not os.path.exists(f"{folder}/died"):
        open(f"{folder}/died", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return done(folder, number)

def dies(folder, number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return done(folder, number)

def poisoned(folder, number):
    if number == 2:
        raise ValueError("the cell 1984-02-29 of somebody")
    return done(folder, number)

def refused(folder, number):
    from sosie.errors import InputError
    raise InputError("BAD_CONFIG", "round_to leaves no room", ("kg",))
"""

executors = pytest.mark.parametrize(
    "executor",
    [InThisProcess(), InProcesses(2), OnDask(None, 2)],
    ids=["this process", "processes", "dask"],
)
others = pytest.mark.parametrize("executor", [InProcesses(2), OnDask(None, 2)], ids=["processes", "dask"])


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Callable[[int], int]]:
    """A function by name, in a module that workers find too, that leaves a file for each batch done."""
    (tmp_path / "work_of_tests.py").write_text(WORK)
    (tmp_path / "done").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "work_of_tests", raising=False)
    return lambda name: partial(getattr(import_module("work_of_tests"), name), str(tmp_path / "done"))


@pytest.mark.parametrize(
    "runner",
    [{"workers": 2}, {"workers": 4}, {"kind": "dask", "workers": 4}],
    ids=str,
)
def test_any_number_of_workers_gives_the_same_bytes(case: Any, runner: dict[str, Any]) -> None:
    assert case.streamed("other", **ASKED, runner=runner) == case.in_memory(**ASKED)


def test_a_scheduler_is_given_the_ends_of_a_column_and_none_of_its_other_numbers(
    case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def listening(_: Runner) -> Executor:
        def execute(work: Callable[[int], int], numbers: Sequence[int]) -> Iterator[int]:
            given.append(pickle.dumps(work))
            return InThisProcess()(work, numbers)

        return execute

    monkeypatch.setattr(making, "executor_of", listening)
    case.streamed(**ASKED)
    kg = pd.read_parquet(case.source)["kg"].dropna()
    kg = kg[kg % 1 > 0]  # whole ones are ends of other columns too
    numbers = {order: {x for x in kg if struct.pack(f"{order}d", x) in given[0]} for order in "<>"}
    assert numbers["<"] | numbers[">"] == {kg.min(), kg.max()}


@executors
def test_every_batch_is_done_once(
    executor: Executor, work: Callable[[str], Callable[[int], int]], tmp_path: Path
) -> None:
    assert sorted(executor(work("done"), range(6))) == list(range(6))
    assert sorted(file.name[0] for file in (tmp_path / "done").iterdir()) == list("012345")


@others
def test_a_worker_that_is_killed_costs_a_batch(
    executor: Executor, work: Callable[[str], Callable[[int], int]]
) -> None:
    assert sorted(executor(work("dies_once"), range(6))) == list(range(6))


@others
def test_a_batch_that_kills_every_worker_fails_the_run(
    executor: Executor, work: Callable[[str], Callable[[int], int]]
) -> None:
    with pytest.raises(BatchFailedError, match=r"^batch \d failed with a worker that died again and again$"):
        list(executor(work("dies"), range(3)))


@executors
def test_a_poisoned_batch_fails_the_run_with_its_number_and_no_cell(
    executor: Executor, work: Callable[[str], Callable[[int], int]]
) -> None:
    with pytest.raises(BatchFailedError, match=r"^batch 2 failed with ValueError$") as caught:
        list(executor(work("poisoned"), range(4)))
    assert caught.value.__cause__ is None or "1984" not in str(caught.value.__cause__)


@executors
def test_a_refusal_in_a_batch_is_the_runs(
    executor: Executor, work: Callable[[str], Callable[[int], int]]
) -> None:
    with pytest.raises(InputError, match="round_to leaves no room") as caught:
        list(executor(work("refused"), range(2)))
    assert (caught.value.code, caught.value.columns) == ("BAD_CONFIG", ("kg",))


def test_a_scheduler_that_is_not_there_is_a_matter_of_configuration() -> None:
    executor = executor_of(Runner(kind="dask", address="tcp://127.0.0.1:9"))
    with pytest.raises(InputError, match="cannot be reached") as caught:
        list(executor(abs, range(2)))
    assert caught.value.code == "BAD_CONFIG"
