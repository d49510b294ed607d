"""Asking what lies outside, a server or a store of objects: again after a while when it does not answer."""

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from sosie.errors import AwayError

P = ParamSpec("P")
R = TypeVar("R")

WAITS = (1.0, 4.0, 10.0)  # seconds before each further attempt


def patiently(ask: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """The answer, asked for up to three times more while there is none; AwayError when there is none then.

    For what is outside only: whatever computes gives the same error again.
    """
    for seconds in WAITS:
        try:
            return ask(*args, **kwargs)
        except AwayError:
            time.sleep(seconds)
    return ask(*args, **kwargs)
