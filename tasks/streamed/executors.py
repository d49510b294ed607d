"""Where batches are worked on: this process, several processes of this machine, or a Dask cluster."""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol

from sosie.schemas.runner import Runner
from sosie.tasks.streamed.batch import BatchFailedError, BatchWork, make_batch

_TRIES = 3  # of a batch whose process died


class Executor(Protocol):
    """A way of having batches done. Batches are idempotent, so that one whose worker died is simply done again."""

    def __call__(self, work: BatchWork, numbers: Sequence[int]) -> Iterator[int]:
        """The numbers of the batches as they are done; BatchFailedError or InputError for one that cannot be."""
        ...


def executor_of(runner: Runner) -> Executor:
    """The executor that is asked for; InputError `BAD_CONFIG` where Dask is not installed or not reached."""
    if runner.kind == "dask":
        # imported where it is used: an optional dependency, and slow to load
        from sosie.tasks.streamed.dask_executor import OnDask

        return OnDask(runner.address, runner.workers)
    return InThisProcess() if runner.workers == 1 else InProcesses(runner.workers)


class InThisProcess:
    """One batch after the other, each with all the threads that the run may use."""

    def __call__(self, work: BatchWork, numbers: Sequence[int]) -> Iterator[int]:
        """The numbers in order."""
        return (make_batch(work, number) for number in numbers)


@dataclass(frozen=True)
class InProcesses:
    """Several batches at once, each in a process of its own; their scripts need the `__main__` guard."""

    workers: int

    def __call__(self, work: BatchWork, numbers: Sequence[int]) -> Iterator[int]:
        """The numbers as they are done."""
        left = list(numbers)
        for last in [False] * (_TRIES - 1) + [True]:
            try:
                for number in self._round(work, left):
                    left.remove(number)
                    yield number
            except (
                BrokenProcessPool
            ):  # a process died: what it worked on is not known, all that is left goes again
                if last:
                    raise BatchFailedError(left[0], "a worker that died again and again") from None
            else:
                return

    def _round(self, work: BatchWork, numbers: Sequence[int]) -> Iterator[int]:
        context = multiprocessing.get_context("spawn")  # forking after threads were started may hang
        with ProcessPoolExecutor(self.workers, mp_context=context) as pool:
            waiting = [pool.submit(make_batch, work, number) for number in numbers]
            try:
                for done in as_completed(waiting):
                    yield done.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
