"""Threads: how many a number of workers stands for."""

from os import cpu_count


def threads_of(workers: int) -> int:
    """As many threads as workers; below 0 as many as there are cores, as scipy reads it. At least 1."""
    return (cpu_count() or 1) if workers < 0 else max(1, workers)
