"""How far two sets of scores are apart: AUC, true positives at few false ones, with intervals and exact chances.

Members should score high. Ties count one half in the AUC (0.5: no separation, 1: complete); a true-positive rate
takes the lowest threshold whose false-positive rate among the others does not pass the level, ties all or none.
"""

from dataclasses import dataclass

import numpy as np

from sosie.attacks.rates import CONFIDENCE, NotMeasurableError, Rate
from sosie.columns import Floats
from sosie.estimates import Estimate, NotComputed

FEWEST = 5  # on either side: below it an interval spans nearly everything
_REPLICATES = 400
_POINTS = 101
_CELLS = 2**20  # of all replicates held at once


@dataclass(frozen=True)
class Separation:
    """How well scores tell `members` rows from `others` rows: the AUC and the true-positive rates, each 0–1.

    `true_positives` is (false-positive level, rate or why not). `p_value` is the chance of so much if members and
    others scored alike, for whichever of the AUC and the rate at 1 % is the more striking, counted twice for the
    choice.
    """

    members: int
    others: int
    auc: Estimate
    true_positives: tuple[tuple[float, Estimate | NotComputed], ...]
    p_value: float


LEVELS = (0.01, 0.001)


def separation(members: Floats, others: Floats, rng: np.random.Generator) -> Separation:
    """Both kinds of figure, with 95 % intervals from 400 bootstrap draws of each side on its own.

    A rate's interval is widened to Wilson's: a bootstrap of 0 among n never leaves 0. NotMeasurableError for fewer
    than 5 rows on a side, scores that are not finite, or scores that are all equal.
    """
    here, there = _classes(members, others)
    areas, counts = _bootstrap(here, there, rng)
    auc, (low, high) = float(_areas(here, there)), _percentiles(areas)
    rates = [_rate(here, there, level) for level in LEVELS]
    figures: list[tuple[float, Estimate | NotComputed]] = []
    for level, rate, redrawn in zip(LEVELS, rates, counts, strict=True):
        if isinstance(rate, NotComputed):
            figures.append((level, rate))
        else:
            least, most = _percentiles(redrawn / len(members))
            figures.append((level, Estimate(rate.value, min(least, rate.low), max(most, rate.high))))
    return Separation(
        members=len(members),
        others=len(others),
        auc=Estimate(auc, min(low, auc), max(high, auc)),
        true_positives=tuple(figures),
        p_value=_p_value(members, others, rates[0]),
    )


def area_under_curve(members: Floats, others: Floats) -> float:
    """The chance that a member scores above another, ties ½. NotMeasurableError as for `separation`."""
    return float(_areas(*_classes(members, others)))


def true_positive_rate(members: Floats, others: Floats, level: float) -> Rate:
    """Members above the threshold at that false-positive level.

    NotMeasurableError when the others are fewer than 1 / level, or so many of them share the highest score that no
    threshold stays below the level.
    """
    rate = _rate(*_classes(members, others), level)
    if isinstance(rate, NotComputed):
        raise NotMeasurableError(rate.reason)
    return rate


def roc_points(members: Floats, others: Floats) -> tuple[tuple[float, float], ...]:
    """At most 101 points (false, true positive rate) from (0, 0) to (1, 1), for a picture."""
    here, there = _classes(members, others)
    false = np.concatenate([[0.0], np.cumsum(there) / there.sum()])
    true = np.concatenate([[0.0], np.cumsum(here) / here.sum()])
    kept = np.unique(np.searchsorted(false, np.linspace(0, 1, _POINTS - 1), side="right") - 1)
    kept = np.union1d(kept, [0])[:_POINTS]
    return tuple((float(x), float(y)) for x, y in zip(false[kept], true[kept], strict=True))


def _classes(members: Floats, others: Floats) -> tuple[Floats, Floats]:
    """How many members and how many others have each distinct score, highest first."""
    if min(len(members), len(others)) < FEWEST:
        raise NotMeasurableError(
            f"telling members from others needs at least {FEWEST} rows on each side: {len(members)} and {len(others)}"
        )
    scores = np.concatenate([members, others])
    if not np.isfinite(scores).all():
        raise NotMeasurableError(f"scores must be finite: {int((~np.isfinite(scores)).sum())} are not")
    distinct, places = np.unique(-scores, return_inverse=True)
    if len(distinct) == 1:
        raise NotMeasurableError(
            f"all {len(scores)} rows score the same: the attack says nothing about anybody"
        )
    here = np.bincount(places[: len(members)], minlength=len(distinct))
    there = np.bincount(places[len(members) :], minlength=len(distinct))
    return here.astype(np.float64), there.astype(np.float64)


def _bootstrap(here: Floats, there: Floats, rng: np.random.Generator) -> tuple[Floats, list[Floats]]:
    """The area, and the members found at each level, of each replicate."""
    areas, found = [], []
    at_once = max(1, _CELLS // len(here))
    for start in range(0, _REPLICATES, at_once):
        drawn = [
            rng.multinomial(
                int(side.sum()), side / side.sum(), size=min(at_once, _REPLICATES - start)
            ).astype(float)
            for side in (here, there)
        ]
        areas.append(_areas(drawn[0], drawn[1]))
        found.append([_found(drawn[0], drawn[1], level) for level in LEVELS])
    return np.concatenate(areas), [np.concatenate(parts) for parts in zip(*found, strict=True)]


def _areas(here: Floats, there: Floats) -> Floats:
    """The area under the curve of counts along the last axis."""
    below = there.sum(axis=-1, keepdims=True) - np.cumsum(there, axis=-1)
    pairs = (here * (below + there / 2)).sum(axis=-1)
    return np.asarray(pairs / (here.sum(axis=-1) * there.sum(axis=-1)))


def _found(here: Floats, there: Floats, level: float) -> Floats:
    """Members above the threshold of a level, along the last axis."""
    allowed = _allowed(level, round(float(there.sum(axis=-1).max())))
    return np.asarray((here * (np.cumsum(there, axis=-1) <= allowed)).sum(axis=-1))


def _rate(here: Floats, there: Floats, level: float) -> Rate | NotComputed:
    allowed = _allowed(level, int(there.sum()))
    if allowed < 1:
        return NotComputed(_too_few(level, int(there.sum())))
    if there[0] > allowed:
        # 0 found would read as safe, and a perfect copy of a table of many equal rows would score it
        return NotComputed(
            f"{int(there[0])} holdout rows share the highest score: no threshold keeps false positives to {level:.1%}"
        )
    return Rate(int(_found(here, there, level)), int(here.sum()))


def _allowed(level: float, others: int) -> int:
    """How many false positives a level allows."""
    return int(np.floor(level * others + 1e-9))


def _p_value(members: Floats, others: Floats, rate: Rate | NotComputed) -> float:
    from scipy import stats  # long to import: only where used

    ranks = float(stats.mannwhitneyu(members, others, alternative="greater", method="asymptotic").pvalue)
    if isinstance(rate, NotComputed):
        return ranks
    # Equal sides are dealt in any order: the members met before the r-th other are negative hypergeometric, and at
    # least x of them are met before it exactly when x of the first x + r − 1 cards are members.
    drawn = rate.successes + _allowed(LEVELS[0], len(others))
    total = len(members) + len(others)
    found = float(stats.hypergeom.sf(rate.successes - 1, total, len(members), min(drawn, total)))
    return min(1.0, 2 * min(ranks, found))


def _percentiles(values: Floats) -> tuple[float, float]:
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(values, [tail, 100 - tail])
    return float(low), float(high)


def _too_few(level: float, others: int) -> str:
    return f"a false-positive rate of {level:.1%} needs at least {round(1 / level)} holdout rows: {others}"
