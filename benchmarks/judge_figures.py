"""What the judge says of one table of avatars: the product's own figures, and two more made of its evaluation."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from judged_tables import RealTable
from makers import THREADS, Made, declared

import sosie
from sosie.attacks import Membership
from sosie.estimates import Metric, NotComputed
from sosie.evaluation import Evaluation
from sosie.utility import Survival

Figures = Mapping[str, Metric]
MOST_HOLDOUT = 20_000  # rows that judge, the first of a larger half, which are random ones
ISOLATED_FOUND, HAZARDS = "membership_raw_found_at_1_isolated", "hazard_ratio_difference"


def judge(table: RealTable, made: Made, seed: int) -> Figures:
    """Every figure of these avatars, on the real holdout."""
    survival = {"survival": dict(table.survival)} if table.survival else {}
    evaluation = sosie.evaluate(
        made.working,
        made.avatars,
        linked=made.linked,
        holdout=made.holdout.head(MOST_HOLDOUT),
        ncp=table.ncp,
        seed=seed,
        columns=declared(table.categories),
        utility={"target": table.target, **survival},
        attacks={"attempts": table.attempts},
        workers=THREADS,
    )
    return {**evaluation.metrics, ISOLATED_FOUND: isolated_found(evaluation), HAZARDS: hazards(evaluation)}


def judge_links(table: RealTable, avatars: pd.DataFrame, seed: int) -> Figures:
    """The figures of avatars of the whole table, row i from row i; no row is left for a real holdout."""
    return sosie.evaluate(
        table.frame,
        avatars,
        linked=True,
        ncp=table.ncp,
        seed=seed,
        columns=declared(table.categories),
        attacks={"attempts": 10},
        workers=THREADS,
    ).metrics


def isolated_found(evaluation: Evaluation) -> Metric:
    """Members found at 1 % false positives among the isolated rows of both sides, %."""
    attacks = evaluation.attacks
    found = attacks if isinstance(attacks, NotComputed) else attacks.membership_raw
    apart = found.isolated if isinstance(found, Membership) else found
    rate = apart if isinstance(apart, NotComputed) else dict(apart.true_positives)[0.01]
    return _missing(rate) if isinstance(rate, NotComputed) else Metric(100 * rate.value)


def hazards(evaluation: Evaluation) -> Metric:
    """The mean over groups of |ln hazard ratio among avatars − ln hazard ratio among the rows they were made of|."""
    utility = evaluation.utility
    survival = utility if isinstance(utility, NotComputed) else utility.survival
    ratios = survival.hazard_ratios if isinstance(survival, Survival) else survival
    if isinstance(ratios, NotComputed):
        return _missing(ratios)
    before, after = ratios.originals, ratios.avatars
    if isinstance(before, NotComputed):
        return _missing(before)
    if isinstance(after, NotComputed):
        return _missing(after)
    changes = [abs(np.log(b.value / a.value)) for b, a in zip(before, after, strict=True)]
    return Metric(float(np.mean(changes)))


def _missing(why: NotComputed) -> Metric:
    return Metric(None, status="not computed", reason=why.reason)
