"""Wherever batches are worked on they give the same bytes; dead workers and poisoned batches."""

import pickle
import struct
import subprocess
import sys
import time
from collections import Counter
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
import os, signal, time, uuid

def done(folder, number):
    with open(f"{folder}/{number}.{uuid.uuid4().hex}", "w"):
        return number

def begun(folder, number):
    return len([name for name in os.listdir(folder) if name.startswith(f"{number}.")])

def dies(folder, number, times=99):
    done(folder, number)
    if number == 3 and begun(folder, 3) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return number

def dies_once(folder, number):
    return dies(folder, number, times=1)

# batch 3 dies while 2 is at work, which ends only once 3 was begun again
def beside(folder, number, times=99):
    while number == 3 and not begun(folder, 2):
        time.sleep(0.01)
    dies(folder, number, times)
    while number == 2 and begun(folder, 3) < 2:
        time.sleep(0.01)
    return number

def once_beside(folder, number):
    return beside(folder, number, times=1)

def waits(folder, number):
    with open(f"{folder}/{number}.new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(f"{folder}/{number}.new", f"{folder}/{number}.pid")
    while True:
        time.sleep(1)

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
    [{"workers": 2}, {"workers": 4}, *({"kind": "dask", "workers": workers} for workers in (1, 2, 4))],
    ids=str,
)
def test_any_number_of_workers_gives_the_same_bytes(case: Any, runner: dict[str, Any]) -> None:
    assert case.streamed("other", **ASKED, runner=runner) == case.in_memory(**ASKED)


def test_a_cluster_that_runs_already_gives_the_same_bytes(case: Any) -> None:
    distributed: Any = import_module("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        runner = {
            "kind": "dask",
            "address": cluster.scheduler_address,
            "share": f"file://{case.folder}/share",
        }
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


def begun_of(folder: Path) -> Counter[str]:
    return Counter(file.name[0] for file in folder.iterdir())


@pytest.mark.parametrize("name", ["dies_once", "once_beside"])
def test_a_process_that_is_killed_costs_its_batch_and_no_other(
    name: str, work: Callable[[str], Callable[[int], int]], tmp_path: Path
) -> None:
    assert sorted(InProcesses(2)(work(name), range(6))) == list(range(6))
    assert begun_of(tmp_path / "done") == {**dict.fromkeys("01245", 1), "3": 2}


def test_a_worker_of_dask_that_is_killed_costs_a_batch(
    work: Callable[[str], Callable[[int], int]], tmp_path: Path
) -> None:
    assert sorted(OnDask(None, 2)(work("dies_once"), range(6))) == list(range(6))
    # a batch that was done may be asked for again, with the answer that was lost: it is found done on the shelf
    assert begun_of(tmp_path / "done")["3"] == 2


@pytest.mark.parametrize(
    ("executor", "name"),
    [(InProcesses(2), "dies"), (InProcesses(4), "beside"), (OnDask(None, 2), "dies")],
    ids=["processes", "processes beside others", "dask"],
)
def test_a_batch_that_kills_every_worker_fails_the_run_and_is_the_one_that_is_named(
    executor: Executor, name: str, work: Callable[[str], Callable[[int], int]]
) -> None:
    with pytest.raises(
        BatchFailedError, match=r"^batch 3 failed: its workers died again and again"
    ) as caught:
        list(executor(work(name), range(6)))
    assert caught.value.code == "BATCH_FAILED"


def test_processes_do_not_outlive_the_run_that_started_them(
    work: Callable[[str], Callable[[int], int]], tmp_path: Path
) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import work_of_tests
from functools import partial
from sosie.tasks.streamed.executors import InProcesses
if __name__ == "__main__":
    list(InProcesses(2)(partial(work_of_tests.waits, {str(tmp_path / "done")!r}), range(2)))
"""
    (tmp_path / "script.py").write_text(script)
    at_work = subprocess.Popen([sys.executable, str(tmp_path / "script.py")])
    workers: set[int] = set()
    while len(workers) < 2:
        assert at_work.poll() is None
        workers = {int(file.read_text()) for file in (tmp_path / "done").glob("*.pid")}
        time.sleep(0.01)
    at_work.kill()
    at_work.wait()
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        time.sleep(0.01)


@executors
def test_a_poisoned_batch_fails_the_run_with_its_number_and_no_cell(
    executor: Executor, work: Callable[[str], Callable[[int], int]]
) -> None:
    with pytest.raises(
        BatchFailedError, match=r"^batch 2 failed: ValueError; run again with --debug"
    ) as caught:
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
