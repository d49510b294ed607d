"""Threads: one piece of work for each of many parts, several at once."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TypeVar

from threadpoolctl import threadpool_limits

_Part = TypeVar("_Part")
_Found = TypeVar("_Found")


def threads_of(workers: int) -> int:
    """As many threads as workers; below 0 as many as there are cores, as scipy reads it. At least 1."""
    return (cpu_count() or 1) if workers < 0 else max(1, workers)


def each(work: Callable[[_Part], _Found], parts: Iterable[_Part], workers: int) -> list[_Found]:
    """What `work` gives for each part, in their order. Matrix products inside it have no threads of their own."""
    threads = threads_of(workers)
    with threadpool_limits(limits=1, user_api="blas"):
        if threads == 1:
            return list(map(work, parts))
        with ThreadPoolExecutor(threads) as executor:
            return list(executor.map(work, parts))
