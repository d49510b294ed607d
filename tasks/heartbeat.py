"""A sign of life during long steps."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context

EVERY = 4.0  # seconds: whoever watches is to see something at least every 5


@contextmanager
def beating(beat: Callable[[float], None], every: float = EVERY) -> Iterator[None]:
    """Calls `beat` with the seconds gone by, every so many seconds while what is inside works; its thread ends with it.

    `beat` is called from another thread, and must not raise.
    """
    ended, began = threading.Event(), time.monotonic()

    def go_on() -> None:
        while not ended.wait(every):
            beat(time.monotonic() - began)

    # in the caller's context, where Prefect finds the flow run and its client
    thread = threading.Thread(target=copy_context().run, args=(go_on,), name="sosie-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
