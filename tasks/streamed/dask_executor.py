"""Batches on a Dask cluster: one that runs already, or one of this machine for the time of the run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from sosie.errors import InputError
from sosie.tasks.streamed.failures import guarded, unforeseen, worker_died

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
            asked, blamed = partial(_asked, distributed, client, work), []
            for number, failed in asked(numbers):
                if failed is None:
                    yield number
                elif _is_death(failed):  # whoever waited for the same worker is blamed as well
                    blamed.append(number)
                else:
                    raise _plain(failed, number) from None
            for suspect in blamed:
                for number, failed in asked([suspect]):
                    if failed is not None:
                        raise _plain(failed, number) from None
                    yield number

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


def _asked(
    distributed: Any, client: Any, work: Callable[[int], int], numbers: Sequence[int]
) -> Iterator[tuple[int, BaseException | None]]:
    """Each batch as it ends, and what went wrong."""
    # not pure: a batch that was done before may have been damaged since
    tasks = {client.submit(guarded, work, number, pure=False): number for number in numbers}
    for task in distributed.as_completed(tasks):
        yield tasks[task], task.exception()


def _is_death(failed: BaseException) -> bool:
    return type(failed).__name__ == "KilledWorker"


def _plain(failed: BaseException, number: int) -> InputError:
    """What went wrong, without the cells that a stranger's error may quote."""
    if isinstance(failed, InputError):
        return failed
    return worker_died(number) if _is_death(failed) else unforeseen(number, failed)
