"""The time that a run may take."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sosie.errors import InputError

_AGAIN = 5.0  # seconds after which a run that went on all the same is told once more


class _LateError(BaseException):
    """Raised wherever the run is; no step catches it, since it is no Exception."""


@contextmanager
def time_limit(minutes: float | None) -> Iterator[None]:
    """Stops what is inside after so many minutes (None: never): InputError `TIME_LIMIT`.

    A call into a library that does not come back to Python is stopped when it does.
    """
    if minutes is None:
        yield
        return
    main = threading.current_thread() is threading.main_thread()
    try:
        with _alarm(60 * minutes) if main else _timer(60 * minutes):
            yield
    except _LateError:
        raise InputError(
            "TIME_LIMIT",
            f"the run took longer than the {minutes:g} minute(s) of limits: it was stopped and released nothing; allow "
            "more, or ask for less (rows, repeats, attempts)",
        ) from None


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def late(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        raise _LateError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    """Python takes signals in its main thread only; in another the interpreter is asked to raise."""
    thread = ctypes.c_ulong(threading.get_ident())
    timer = threading.Timer(
        seconds, ctypes.pythonapi.PyThreadState_SetAsyncExc, (thread, ctypes.py_object(_LateError))
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
