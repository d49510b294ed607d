"""Where batches are worked on: this process, several processes of this machine, or a Dask cluster."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol

from sosie.schemas.runner import Runner
from sosie.tasks.streamed.failures import BatchFailedError, guarded

Work = Callable[[int], int]

_ROUNDS = 3  # how often batches whose process died are given another one


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
        """The numbers as they are done."""
        left = list(numbers)
        for _ in range(_ROUNDS):
            try:
                for number in self._round(work, tuple(left)):
                    left.remove(number)
                    yield number
            except BrokenProcessPool:
                continue  # which batch its process died over is not known: all that are left go again
            return
        raise BatchFailedError(left[0], "a worker that died again and again")

    def _round(self, work: Work, numbers: Sequence[int]) -> Iterator[int]:
        context = multiprocessing.get_context("spawn")  # forking where threads run may hang
        with ProcessPoolExecutor(min(self.workers, len(numbers)), mp_context=context) as pool:
            waiting = [pool.submit(guarded, work, number) for number in numbers]
            try:
                for done in as_completed(waiting):
                    yield done.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
