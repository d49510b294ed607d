"""Stability: how much every figure changes when only the draw does.

The same table anonymised R times; the spread is what choosing a seed could gain or lose.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sosie.estimates import Metric, NotComputed

ONE_REPEAT = "a spread needs two repeats"
NOT_IN_ALL = "not computed in every repeat"
UNINFORMATIVE = "uninformative in some repeats"


@dataclass(frozen=True)
class Spread:
    """One figure over the repeats; `sd` is the sample's (R − 1), 0 where every draw gives the same."""

    mean: float
    sd: float
    least: float
    most: float


@dataclass(frozen=True)
class Stability:
    """Every figure's spread over `repeats`, by the figure's name."""

    repeats: int
    metrics: Mapping[str, Spread | NotComputed]


def stability(repeats: Sequence[Mapping[str, Metric]]) -> Stability:
    """The spread of each figure that any repeat names; ValueError without a repeat.

    A figure that some repeat lacks has no spread: the others alone would hide the failure.
    """
    if not repeats:
        raise ValueError("stability needs at least one repeat: 0 repeats")
    names = dict.fromkeys(name for metrics in repeats for name in metrics)
    return Stability(
        len(repeats), {name: _spread([metrics.get(name) for metrics in repeats]) for name in names}
    )


def _spread(repeats: list[Metric | None]) -> Spread | NotComputed:
    values = [metric.value for metric in repeats if metric is not None and metric.value is not None]
    if len(values) < len(repeats):
        return NotComputed(NOT_IN_ALL)
    if any(metric is not None and metric.status == "uninformative" for metric in repeats):
        return NotComputed(UNINFORMATIVE)
    if len(values) < 2:
        return NotComputed(ONE_REPEAT)
    return Spread(float(np.mean(values)), float(np.std(values, ddof=1)), min(values), max(values))
