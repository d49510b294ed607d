"""What is asked of a store, and one that keeps nothing."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol


class Missing:
    """What `load` gives for a key that nothing is kept under."""


MISSING = Missing()


def is_missing(value: object) -> bool:
    """Whether nothing was kept."""
    return isinstance(value, Missing)


class Keeping(Protocol):
    """What is asked of a store."""

    def has(self, key: str) -> bool:
        """Whether a value is kept under a key; it is not read, and may turn out to be damaged."""
        ...

    def load(self, key: str) -> Any:
        """The value kept under a key, else MISSING."""
        ...

    def save(self, key: str, value: object) -> None:
        """Keep a value under a key."""
        ...

    def holding(self, key: str) -> AbstractContextManager[None]:
        """Be the only one who works on a key."""
        ...

    def identity(self, stage: str, version: int, parameters: object, inputs: Sequence[str] = ()) -> str:
        """The key of what a stage gives for these parameters and for the values of these keys."""
        ...


class ForgetfulStore:
    """A store that keeps nothing: what a run needs it computes, and holds in memory itself."""

    def has(self, key: str) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def load(self, key: str) -> Any:  # noqa: ARG002
        """MISSING."""
        return MISSING

    def save(self, key: str, value: object) -> None:
        """Nothing is kept."""

    def holding(self, key: str) -> AbstractContextManager[None]:  # noqa: ARG002
        """Nobody waits: there is nothing to share."""
        return nullcontext()

    def identity(self, stage: str, version: int, parameters: object, inputs: Sequence[str] = ()) -> str:
        """Not looked at, since nothing is kept."""
        return f"{stage} {version} {inputs}" if parameters is None else stage
