"""What can be wrong with a table or a configuration, without ever quoting a cell."""

import errno
from collections.abc import Hashable
from typing import NamedTuple

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # what the system says where a disk or a quota is full


class InputError(ValueError):
    """A refused table, file or configuration.

    `code` is one of the documented codes, `columns` the columns concerned. The message is one plain sentence
    naming columns, counts and the remedy; it never holds a cell's value.
    """

    def __init__(self, code: str, message: str, columns: tuple[Hashable, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.columns = columns

    @property
    def message(self) -> str:
        """The sentence without its code."""
        return str(self.args[0])

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str, tuple[Hashable, ...]]]:
        return type(self), (self.code, self.message, self.columns)


class AwayError(InputError):
    """A server or a store that did not answer: the same may work a moment later."""


class Notice(NamedTuple):
    """Something the user should know that does not stop the run: a warning's code, its column and a sentence."""

    code: str
    column: Hashable | None
    message: str
