"""How steps are called: one after the other in this process. Each call is named, timed and announced."""

import time
from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Progress(Protocol):
    """What is told while a run works."""

    def __call__(self, title: str, done: bool) -> None:
        """A step begins, or is done."""
        ...


class Calls(Protocol):
    """A way of calling steps.

    What a call returns is handed on to later calls and not looked into, since it may be a reference to a value kept
    elsewhere; `look` gives the value itself. `seconds` is the wall time by title, all calls of one title together.
    """

    seconds: dict[str, float]

    def __call__(self, title: str, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """The step's result, or a reference to it."""
        ...

    def look(self, result: R) -> R:
        """The value of a result."""
        ...


class DirectCalls:
    """Steps called in this process, without Prefect."""

    def __init__(self, progress: Progress) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    def __call__(self, title: str, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """The step's result."""
        self._progress(title, False)
        started = time.perf_counter()
        result = step(*args, **kwargs)
        self.seconds[title] = self.seconds.get(title, 0.0) + time.perf_counter() - started
        self._progress(title, True)
        return result

    def look(self, result: R) -> R:
        """The result itself."""
        return result


def silent(title: str, done: bool) -> None:
    """No progress shown."""
