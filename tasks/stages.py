"""Which steps are stages: their result is known by what it was made from, and may be taken from the store."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_STAGE, _FINGERPRINT = "__sosie_stage__", "__sosie_fingerprint__"


@dataclass(frozen=True)
class Stage:
    """A step's name and version: raise the version whenever the step would give other bytes for the same arguments.

    `idle` parameters change how long the step takes, never its result.
    """

    name: str
    version: int
    idle: frozenset[str]


def stage(version: int, idle: tuple[str, ...] = ()) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a step a stage."""

    def declared(step: Callable[P, R]) -> Callable[P, R]:
        setattr(step, _STAGE, Stage(step.__qualname__, version, frozenset(idle)))
        return step

    return declared


def always(fingerprint: Callable[[R], Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a step that always runs, since it looks outside; its result is known by this fingerprint of it."""

    def declared(step: Callable[P, R]) -> Callable[P, R]:
        setattr(step, _FINGERPRINT, fingerprint)
        return step

    return declared


def stage_of(step: Callable[..., Any]) -> Stage | None:
    """What a step was declared as; None for one that is run whenever it is called."""
    declared: Stage | None = getattr(step, _STAGE, None)
    return declared


def fingerprint_of(step: Callable[..., Any]) -> Callable[[Any], Any] | None:
    """What a step's result is known by; None unless it was declared."""
    fingerprint: Callable[[Any], Any] | None = getattr(step, _FINGERPRINT, None)
    return fingerprint
