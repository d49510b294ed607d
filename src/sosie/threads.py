"""Threads: one piece of work for each of many parts, or some beside others."""

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cache
from os import cpu_count
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

_Part = TypeVar("_Part")
_Found = TypeVar("_Found")
_Asked = ParamSpec("_Asked")


def threads_of(workers: int) -> int:
    """As many threads as workers; below 0 as many as there are cores, as scipy reads it. At least 1."""
    return (cpu_count() or 1) if workers < 0 else max(1, workers)


@contextmanager
def one_thread_a_product() -> Iterator[None]:
    """Where matrix products have no threads of their own, so that their sums are the same on any machine."""
    with _libraries("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries(with_scipy: bool) -> ThreadpoolController:  # noqa: ARG001  # which brings a library of its own
    return ThreadpoolController()  # looks through all that is loaded, which takes milliseconds


def each(work: Callable[[_Part], _Found], parts: Iterable[_Part], workers: int) -> list[_Found]:
    """What `work` gives for each part, in their order. Matrix products inside it have no threads of their own."""
    threads = threads_of(workers)
    with one_thread_a_product():
        if threads == 1:
            return list(map(work, parts))
        with ThreadPoolExecutor(threads) as executor:
            return list(executor.map(work, parts))


def each_in_pieces(
    begin: Callable[[_Part], Iterable[_Found]],
    finish: Callable[[_Found], object],
    parts: Iterable[_Part],
    workers: int,
) -> None:
    """What `begin` leaves of each part to `finish`, piece by piece: no thread waits for another one's part.

    After an error, or when interrupted, no further one is begun.
    """
    threads = threads_of(workers)
    with one_thread_a_product():
        if threads == 1:
            for part in parts:
                for piece in begin(part):
                    finish(piece)
            return
        executor = ThreadPoolExecutor(threads)
        try:
            begun = [executor.submit(begin, part) for part in parts]
            left = [executor.submit(finish, piece) for one in as_completed(begun) for piece in one.result()]
            for finished in left:
                finished.result()
        finally:
            executor.shutdown(cancel_futures=True)


@contextmanager
def beside(workers: int) -> Iterator[Executor]:
    """What takes calls that go on, one after the other, beside what is done inside; one worker makes each at once.

    Matrix products of both have no threads of their own.
    """
    with (
        one_thread_a_product(),
        AT_ONCE if threads_of(workers) == 1 else ThreadPoolExecutor(1) as executor,
    ):
        yield executor


class _AtOnce(Executor):
    """Calls made where they are submitted."""

    def submit(
        self, call: Callable[_Asked, _Found], /, *args: _Asked.args, **kwargs: _Asked.kwargs
    ) -> Future[_Found]:
        """The call's result, which is there already."""
        done: Future[_Found] = Future()
        done.set_result(call(*args, **kwargs))
        return done


AT_ONCE: Executor = _AtOnce()
