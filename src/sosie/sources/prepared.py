"""Avatars made ready for a destination: what is left to do is one step, which is done or is not."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedReader

from sosie.errors import InputError


class UndecidedError(InputError):
    """The destination broke off in the last step, and cannot be asked now whether it was done."""


def undecided(name: str) -> UndecidedError:
    """The error for a destination of this name."""
    return UndecidedError(
        "BAD_CONFIG",
        f"{name} broke off while it received the avatars and does not say whether it did: resume this run when it is "
        "back",
    )


@dataclass(frozen=True)
class Prepared:
    """Avatars that wait beside a destination, which is as it was until `commit`.

    `commit` raises InputError when the destination stays as it was, UndecidedError when nobody knows; `abandon` takes
    what waits away. `receipt` holds no cell: by it `was_delivered` finds out later, in another process, which of the
    two happened.
    """

    receipt: str
    commit: Callable[[], None]
    abandon: Callable[[], None]


def content_receipt(content: BufferedReader) -> str:
    """The receipt of a file or an object: the sha256 of what it holds once it was delivered."""
    return hashlib.file_digest(content, "sha256").hexdigest()
