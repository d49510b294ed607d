"""How steps are called: one after the other in this process. Each call is named, timed and announced."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from sosie.tasks.heartbeat import beating
from sosie.tasks.results import Result, Results
from sosie.tasks.store import Store

P = ParamSpec("P")
R = TypeVar("R")


class Progress(Protocol):
    """What is told while a run works."""

    def __call__(self, title: str, done: bool, seconds: float = 0.0) -> None:
        """A step begins, or is done; or it is still at work, after so many seconds, which another thread tells."""
        ...


class Calls(Protocol):
    """A way of calling steps.

    What a call returns is handed on to later calls and not looked into, since it may be a reference to a value kept
    elsewhere; `look` gives the value itself. A value leaves memory when the flow holds nothing that refers to it.
    `seconds` is the wall time by title, all calls of one title together. `in_flow`: Prefect runs the steps, so that
    some seconds more to load a library are little.
    """

    in_flow: bool
    seconds: dict[str, float]

    def __call__(self, title: str, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """The step's result, or a reference to it."""
        ...

    def between(self, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """A value that is made where it is needed, too cheap to be named, timed or kept."""
        ...

    def look(self, result: R) -> R:
        """The value of a result."""
        ...

    def tell(self, progress: str) -> None:
        """Say how far the step at work is."""
        ...

    def keep(self, store: Store) -> None:
        """From here on take the results of stages from this store, and put them there."""
        ...


class DirectCalls:
    """Steps called in this process, without Prefect; in memory until there is a store."""

    in_flow = False

    def __init__(self, progress: Progress) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress
        self._told = ""
        self._results: Results | None = None

    def __call__(self, title: str, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """The step's result, or what refers to it where there is a store."""
        self.tell(title)
        with timed(self.seconds, title), beating(lambda seconds: self._progress(self._told, False, seconds)):
            result: Any
            if self._results is None:
                result = step(*args, **kwargs)
            else:
                result = self._results.expect(step, args, kwargs, kept=True)
                self._results.obtain(result)
        self._progress(title, True)
        return result  # type: ignore[no-any-return]

    def between(self, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """The value, or what makes it when it is needed."""
        if self._results is None:
            return step(*args, **kwargs)
        result: Any = self._results.expect(step, args, kwargs, kept=False)
        return result  # type: ignore[no-any-return]

    def look(self, result: R) -> R:
        """The value of a result."""
        return result if self._results is None else cast(R, self._results.value(cast(Result, result)))

    def tell(self, progress: str) -> None:
        """Say how far the step at work is."""
        self._told = progress
        self._progress(progress, False)

    def keep(self, store: Store) -> None:
        """Results are what refers to a value from here on."""
        self._results = Results(store)


@contextmanager
def timed(seconds: dict[str, float], title: str) -> Iterator[None]:
    """Adds the wall time of what is done inside, unless it fails."""
    started = time.perf_counter()
    yield
    seconds[title] = seconds.get(title, 0.0) + time.perf_counter() - started


def silent(title: str, done: bool, seconds: float = 0.0) -> None:
    """No progress shown."""
