"""Batches on a Dask cluster: one that runs already, or one of this machine for the time of the run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sosie.errors import InputError
from sosie.tasks.streamed.failures import BatchFailedError, guarded

_DEATHS = 2  # of workers over one batch, on a cluster of this machine; others have their own rule


@dataclass(frozen=True)
class OnDask:
    """The cluster at `address`, else a local one of so many workers; scripts need the `__main__` guard."""

    address: str | None
    workers: int

    def __call__(self, work: Callable[[int], int], numbers: Sequence[int]) -> Iterator[int]:
        """The numbers as they are done."""
        distributed = _distributed()
        with ExitStack() as opened:
            client = self._client(distributed, opened)
            # not pure: a batch that was done before may have been damaged since
            tasks = {client.submit(guarded, work, number, pure=False): number for number in numbers}
            for task in distributed.as_completed(tasks):
                failed = task.exception()
                if failed is not None:
                    raise _plain(failed, tasks[task]) from None
                yield tasks[task]

    def _client(self, distributed: Any, opened: ExitStack) -> Any:
        try:
            if self.address is not None:
                return opened.enter_context(distributed.Client(self.address, timeout="30s"))
            dask = import_module("dask")
            opened.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": _DEATHS}))
            cluster = opened.enter_context(
                distributed.LocalCluster(
                    n_workers=self.workers,
                    threads_per_worker=1,
                    dashboard_address=None,  # pages about a run that nobody asked for
                )
            )
            return opened.enter_context(distributed.Client(cluster))
        except OSError:
            raise InputError(
                "BAD_CONFIG",
                "the Dask scheduler cannot be reached: check runner.address and that the scheduler runs",
            ) from None


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError(
            "BAD_CONFIG", "runner.kind dask needs a library that is not installed: pip install 'sosie[dask]'"
        ) from None
    return distributed


def _plain(failed: BaseException, number: int) -> InputError | BatchFailedError:
    """What went wrong, without the cells that a stranger's error may quote."""
    if isinstance(failed, InputError | BatchFailedError):
        return failed
    if type(failed).__name__ == "KilledWorker":
        return BatchFailedError(number, "a worker that died again and again")
    return BatchFailedError(number, type(failed).__name__)
