"""What a computation gives: a figure with its interval, or the reason why there is none."""

from dataclasses import dataclass

from sosie.evaluation import Metric


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95 % interval, both ends included."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class NotComputed:
    """A plain sentence in place of a figure; never to be read as good or bad."""

    reason: str


def metric_of(figure: float | NotComputed, reference: float | NotComputed) -> Metric:
    """The figure as a `Metric`, beside its reference where that could be computed."""
    known = None if isinstance(reference, NotComputed) else reference
    if isinstance(figure, NotComputed):
        return Metric(None, reference=known, status="not computed", reason=figure.reason)
    return Metric(figure, reference=known)
