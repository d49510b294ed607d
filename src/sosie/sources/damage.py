"""What is said when a file is not what its suffix says, whatever the parser stumbled over."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sosie.errors import InputError


@contextmanager
def refusing_damage(name: str, kind: str) -> Iterator[None]:
    """A block in which anything a parser raises on the file `name` becomes InputError UNREADABLE_SOURCE.

    `kind` completes "is not …". Parsers raise whatever their code stumbles over in damaged bytes, and may quote
    cells in it, also in warnings: nothing of either passes. Put no computation of our own in the block.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except InputError:
        raise
    except Exception:  # at this border: damaged bytes raise anything, also MemoryError for a huge length
        raise InputError("UNREADABLE_SOURCE", f"{name} is not {kind} or is damaged; write it again") from None
