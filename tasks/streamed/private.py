"""What a batch is told on the shelf, and by nobody else: no scheduler sees it."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sosie.space import Space
from sosie.tasks.store.codec import Builder, Describer
from sosie.tasks.streamed.shelf import Shelf

_NAME = "private.json"


@dataclass(frozen=True)
class Private:
    """The part's seed, the key that marks are made with, and the space, which holds ends and quantiles of columns."""

    seed: int = field(repr=False)
    key: bytes = field(repr=False)
    space: Space = field(repr=False)


def leave_private(shelf: Shelf, private: Private) -> None:
    """Put it where whoever works on a batch finds it."""
    with shelf.writing(_NAME, "", {}) as sink:
        sink.write(json.dumps(Describer(_text).document(private)).encode())


def read_private(shelf: Shelf) -> Private:
    """What was left on the shelf."""
    with shelf.reading(_NAME) as file:
        found = Builder(_array).build(json.loads(file.read()))
    if not isinstance(found, Private):
        raise TypeError("another thing lies on the shelf")
    return found


def _text(array: NDArray[Any]) -> str:
    return np.ascontiguousarray(array).tobytes().hex()


def _array(dtype: Any, shape: tuple[int, ...], text: str) -> NDArray[Any]:
    return np.frombuffer(bytes.fromhex(text), dtype).reshape(shape)
