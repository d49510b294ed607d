"""How a batch fails: with its number and the kind of error, and nothing of what it held."""

from collections.abc import Callable

from sosie.errors import InputError


class BatchFailedError(RuntimeError):
    """A batch that could not be done."""

    def __init__(self, number: int, kind: str) -> None:
        super().__init__(number, kind)  # what it is pickled by, on its way from a worker
        self.number, self.kind = number, kind

    def __str__(self) -> str:
        return f"batch {self.number} failed with {self.kind}"


def guarded(work: Callable[[int], int], number: int) -> int:
    """Do a batch where it is worked on; no error leaves that may quote a cell."""
    try:
        return work(number)
    except InputError:  # its sentence names columns and counts
        raise
    except Exception as error:  # at this border: whatever else was raised may quote a cell
        raise BatchFailedError(number, type(error).__name__) from None
