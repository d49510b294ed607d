"""Survival figures from durations and events: the Kaplan–Meier estimate and Cox's hazard ratios between groups."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from sosie.columns import Floats
from sosie.estimates import SIGMAS_95, Estimate, NotComputed

Integers = NDArray[np.int64]

NO_EVENT = "a group has no event"
SEPARATED = "one group's events all come before or after the others', so a hazard ratio has no finite value"
_STEPS = 40
_LARGEST = 15.0  # a log hazard ratio beyond it is a likelihood without a maximum


@dataclass(frozen=True, eq=False)
class Followed:
    """n individuals followed for `durations` (n,) >= 0, `events` (n,) saying who had the event at the end of it."""

    durations: Floats
    events: NDArray[np.bool_]


def kaplan_meier(followed: Followed, times: Floats) -> Floats:
    """The share (0–1) still without the event at each time: Π (1 − d/r) over event times up to it.

    Kaplan & Meier, 1958; at a common time, events come before the ends of observation.
    """
    moments, deaths = np.unique(followed.durations[followed.events], return_counts=True)
    at_risk = len(followed.durations) - np.searchsorted(np.sort(followed.durations), moments, side="left")
    survival = np.concatenate([[1.0], np.cumprod(1 - deaths / np.maximum(at_risk, 1))])
    shares: Floats = survival[np.searchsorted(moments, times, side="right")]
    return shares


def hazard_ratios(followed: Followed, groups: Integers, count: int) -> list[Estimate] | NotComputed:
    """The hazard of groups 1…count−1 divided by that of group 0, with 95 % Wald intervals of the logarithm.

    Cox's proportional hazards, ties by Efron, 1977; `groups` is (n,). 1: no difference; below: a lower risk.
    """
    if np.bincount(groups[followed.events], minlength=count).min() == 0:
        return NotComputed(NO_EVENT)
    at_risk = _at_risk(followed, groups, count)
    deaths = np.bincount(groups[followed.events], minlength=count)[1:].astype(float)
    beta = np.zeros(count - 1)
    for _ in range(_STEPS):
        gradient, information = _slope(at_risk, deaths, beta)
        if (
            not np.isfinite(information).all()
            or np.linalg.matrix_rank(information, hermitian=True) < count - 1
        ):
            return NotComputed(SEPARATED)
        step = linalg.solve(information, gradient, assume_a="sym")
        beta = beta + step
        if np.abs(beta).max() > _LARGEST:
            return NotComputed(SEPARATED)
        if np.abs(step).max() < 1e-10:
            return _estimates(beta, information)
    return NotComputed(SEPARATED)


def _at_risk(followed: Followed, groups: Integers, count: int) -> Floats:
    """(events, groups): who is at risk at each event; of d at one time, the l-th leaves l/d of them out (Efron)."""
    moments, place = np.unique(followed.durations[followed.events], return_inverse=True)
    deaths = np.zeros((len(moments), count))
    np.add.at(deaths, (place, groups[followed.events]), 1.0)
    alive = np.column_stack(
        [
            (groups == group).sum()
            - np.searchsorted(np.sort(followed.durations[groups == group]), moments, side="left")
            for group in range(count)
        ]
    )
    together = deaths.sum(axis=1).astype(np.int64)
    moment = np.repeat(np.arange(len(moments)), together)
    order = np.arange(len(moment)) - np.repeat(np.cumsum(together) - together, together)
    left_out: Floats = (order / together[moment])[:, None] * deaths[moment]
    return alive[moment] - left_out


def _slope(at_risk: Floats, deaths: Floats, beta: Floats) -> tuple[Floats, Floats]:
    """The gradient of the log partial likelihood and its information, both without group 0."""
    risk = at_risk * np.exp(np.concatenate([[0.0], beta]))
    shares = (risk / risk.sum(axis=1, keepdims=True))[:, 1:]
    expected = shares.sum(axis=0)
    return deaths - expected, np.diag(expected) - shares.T @ shares


def _estimates(beta: Floats, information: Floats) -> list[Estimate]:
    errors = np.sqrt(np.diag(linalg.inv(information)))
    return [
        Estimate(
            float(np.exp(middle)),
            float(np.exp(middle - SIGMAS_95 * error)),
            float(np.exp(middle + SIGMAS_95 * error)),
        )
        for middle, error in zip(beta, errors, strict=True)
    ]
