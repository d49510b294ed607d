"""How a type's values are taken apart into simpler ones, and put together again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class DamagedError(ValueError):
    """What was read is not what this program would have written."""


@dataclass(frozen=True)
class Kind:
    """One kind of value: `apart` gives simpler values, `together` takes as many and gives an equal value back."""

    apart: Callable[[Any], tuple[object, ...]]
    together: Callable[..., object]
