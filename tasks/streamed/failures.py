"""How a batch fails: with its number and the kind of error, and nothing of what it held."""

import os
import traceback
from collections.abc import Callable

from sosie.errors import InputError
from sosie.tasks.store import refusal_of


class BatchFailedError(InputError):
    """A batch that could not be done: `BATCH_FAILED`, which is no fault of the table's or the configuration's."""

    def __init__(self, number: int, failure: str) -> None:
        super().__init__("BATCH_FAILED", f"batch {number} failed: {failure}")
        self.number, self.failure = number, failure

    def __reduce__(self) -> tuple[type["BatchFailedError"], tuple[int, str]]:  # type: ignore[override]  # other arguments
        return type(self), (self.number, self.failure)


def unforeseen(number: int, error: BaseException) -> BatchFailedError:
    """What is told of an error that nobody foresaw: its type, since its message may quote a cell."""
    told = f"{type(error).__name__}; run again with --debug to see where (it may quote cells)"
    return BatchFailedError(number, told)


def worker_died(number: int) -> BatchFailedError:
    """What is told of a batch over which several workers died, one after the other."""
    return BatchFailedError(
        number,
        "its workers died again and again; mostly their memory is not enough: take smaller batches (batches.rows), "
        "fewer workers, or larger machines",
    )


def guarded(work: Callable[[int], int], number: int) -> int:
    """Do a batch where it is worked on; no error leaves that may quote a cell."""
    try:
        return work(number)
    except Exception as error:  # at this border: whatever else was raised may quote a cell
        if os.environ.get("SOSIE_DEBUG"):
            traceback.print_exception(error)
        raise refusal_of(error) or unforeseen(number, error) from None
