"""What a computation gives: a figure, with its reference or its interval, or the reason why there is none."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["measured", "uninformative", "not computed"]

NOT_LINKED = "rows are not linked"
NEEDS_REAL_HOLDOUT = "needs a real holdout"

SIGMAS_95 = 1.959964  # how many standard errors a 95 % interval reaches to each side


@dataclass(frozen=True)
class Metric:
    """One figure, or the reason why there is none.

    `reference` is the same figure where privacy or utility is perfect by construction (the holdout in place of the
    avatars), where it exists. `interval` is the 95 % interval of `value`; `baseline` what chance alone gives;
    `attempts` how many times an attack was tried. `reason` is a plain sentence whenever `status` is not "measured";
    `value` is None exactly when `status` is "not computed".
    """

    value: float | None
    reference: float | None = None
    status: Status = "measured"
    reason: str | None = None
    interval: tuple[float, float] | None = None
    baseline: float | None = None
    attempts: int | None = None


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95 % interval, both ends included."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class NotComputed:
    """A plain sentence in place of a figure; never to be read as safe or good."""

    reason: str
