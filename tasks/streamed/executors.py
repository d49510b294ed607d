"""Where batches are worked on: this process, several processes of this machine, or a Dask cluster."""

import multiprocessing
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol

from sosie.schemas.runner import Runner
from sosie.tasks.streamed.failures import guarded, worker_died

Work = Callable[[int], int]

_DEATHS = 3  # of processes over one batch


class Executor(Protocol):
    """A way of having batches done. They are idempotent: one whose worker died is simply done again."""

    def __call__(self, work: Work, numbers: Sequence[int]) -> Iterator[int]:
        """The numbers of the batches as they are done; BatchFailedError or InputError for one that cannot be."""
        ...


def executor_of(runner: Runner) -> Executor:
    """The executor that is asked for; InputError `BAD_CONFIG` where Dask is not installed or not reached."""
    if runner.kind == "dask":
        # an optional library, and slow to load: only where it is asked for
        from sosie.tasks.streamed.dask_executor import OnDask

        return OnDask(runner.address, runner.workers)
    return InThisProcess() if runner.workers == 1 else InProcesses(runner.workers)


class InThisProcess:
    """One batch after the other, each with all the threads that the run may use."""

    def __call__(self, work: Work, numbers: Sequence[int]) -> Iterator[int]:
        """The numbers in order."""
        return (guarded(work, number) for number in numbers)


@dataclass(frozen=True)
class InProcesses:
    """Several batches at once, each in a process of its own; scripts that start one need the `__main__` guard."""

    workers: int

    def __call__(self, work: Work, numbers: Sequence[int]) -> Iterator[int]:
        """The numbers as they are done; a process that dies costs the batch it worked on."""
        waiting, deaths = deque(numbers), Counter[int]()
        idle: list[ProcessPoolExecutor] = []
        at_work: dict[Future[int], tuple[int, ProcessPoolExecutor]] = {}
        try:
            while waiting or at_work:
                while waiting and len(at_work) < self.workers:
                    number, process = waiting.popleft(), idle.pop() if idle else _process()
                    at_work[process.submit(guarded, work, number)] = number, process
                for done in wait(at_work, return_when=FIRST_COMPLETED).done:
                    number, process = at_work.pop(done)
                    try:
                        done.result()
                    except BrokenProcessPool:
                        deaths[number] += 1
                        if deaths[number] == _DEATHS:
                            raise worker_died(number) from None
                        waiting.append(number)
                        continue
                    idle.append(process)
                    yield number
        finally:
            for process in (*idle, *(process for _, process in at_work.values())):
                process.shutdown(cancel_futures=True)


def _process() -> ProcessPoolExecutor:
    """A process that ends with this one; in a pool of its own, or nobody could tell over which batch it died."""
    context = multiprocessing.get_context("spawn")  # forking where threads run may hang
    return ProcessPoolExecutor(1, mp_context=context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """See that this process does not outlive the one that started it, which may be killed."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
