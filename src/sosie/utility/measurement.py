"""Utility: what avatars are still good for, every figure beside what the holdout makes of it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sosie.columns import Table
from sosie.estimates import Estimate, Metric, NotComputed
from sosie.projection import Projection
from sosie.threads import beside
from sosie.utility.association_change import AssociationChange, association_change
from sosie.utility.discriminator import Discriminator, discriminate
from sosie.utility.learning import Learning, train_and_test
from sosie.utility.principal_space import PrincipalAgreement, principal_agreement
from sosie.utility.summaries import (
    NO_RANGE,
    NO_SPREAD,
    CategorySummary,
    NumberSummary,
    Summary,
    summarise,
)
from sosie.utility.survival import Survival, SurvivalPlan, survival

Part = TypeVar("Part")

NO_TARGET = "no target was named"
NO_DURATION = "no duration and event were named"
NO_VARIABLE = "there is no variable of this kind"
GAP = "it could not be computed for some variable"


@dataclass(frozen=True)
class UtilityPlan:
    """What is asked: figures resting on fewer than `min_count` people are withheld; `target` is learnt where named."""

    min_count: int
    target: Hashable | None = None
    survival: SurvivalPlan | None = None


@dataclass(frozen=True)
class Utility:
    """Everything measured of the avatars' use; aggregates only."""

    summaries: tuple[Summary, ...]
    associations: AssociationChange | NotComputed
    principal_space: PrincipalAgreement | NotComputed
    discriminator: Discriminator | NotComputed
    learning: Learning | NotComputed
    survival: Survival | NotComputed

    @property
    def metrics(self) -> dict[str, Metric]:
        """One figure for each part, under the names of `metrics.json`; a gap in a part is a gap here."""
        numbers = [summary for summary in self.summaries if isinstance(summary, NumberSummary)]
        categories = [summary for summary in self.summaries if isinstance(summary, CategorySummary)]
        return {
            "range_coverage_mean": _mean([summary.range_coverage for summary in numbers]),
            "sd_ratio_mean": _mean([summary.sd_ratio for summary in numbers]),
            "level_coverage_mean": _mean([summary.coverage for summary in categories]),
            "association_difference_mean": _of(self.associations, lambda part: part.mean_difference),
            "association_difference_max": _of(self.associations, lambda part: part.max_difference),
            "principal_space_agreement": _of(self.principal_space, lambda part: part.agreement),
            "discriminator_auc": _of(self.discriminator, lambda part: _beside(part.avatars, part.control)),
            "learning_score": _of(
                self.learning, lambda part: _beside(part.models[0].avatars, part.models[0].originals)
            ),
        }


def measure_utility(
    originals: Table,
    working: Table,
    avatars: Table,
    holdout: Table,
    projection: Projection,
    plan: UtilityPlan,
    rng: np.random.Generator,
    workers: int = -1,
) -> Utility:
    """Every part for the avatars of the working half; `originals` are all real rows, which survival is shown for.

    `projection` is the one fitted on the working half. `rng` draws rows, folds and resamples, each part its own.
    InputError `UNKNOWN_COLUMN` when the plan names a column that the tables lack.
    """
    draws = rng.spawn(4)
    # models train in one thread, and go on beside what is counted
    with beside(workers) as calls:
        told_apart = calls.submit(discriminate, working, avatars, holdout, draws[2])
        learnt = (
            None
            if plan.target is None
            else calls.submit(train_and_test, working, avatars, holdout, plan.target, draws[3])
        )
        return Utility(
            summaries=summarise(working, avatars, holdout, plan.min_count),
            associations=association_change(working, avatars, holdout, draws[0]),
            principal_space=principal_agreement(working, avatars, holdout, projection, draws[1]),
            survival=NotComputed(NO_DURATION)
            if plan.survival is None
            else survival(originals, avatars, plan.survival, plan.min_count),
            discriminator=told_apart.result(),
            learning=NotComputed(NO_TARGET) if learnt is None else learnt.result(),
        )


def _of(part: Part | NotComputed, figure: Callable[[Part], Metric]) -> Metric:
    if isinstance(part, NotComputed):
        return Metric(None, status="not computed", reason=part.reason)
    return figure(part)


def _beside(figure: Estimate, reference: Estimate) -> Metric:
    return Metric(figure.value, reference.value, interval=(figure.low, figure.high))


def _mean(metrics: list[Metric]) -> Metric:
    """The mean over variables that vary; a failed one leaves no mean."""
    asked = [metric for metric in metrics if metric.reason not in (NO_RANGE, NO_SPREAD)]
    if not asked:
        return Metric(None, status="not computed", reason=NO_VARIABLE)
    values = [metric.value for metric in asked if metric.value is not None]
    if len(values) < len(asked):
        return Metric(None, status="not computed", reason=GAP)
    references = [metric.reference for metric in asked if metric.reference is not None]
    complete = len(references) == len(asked)
    return Metric(float(np.mean(values)), float(np.mean(references)) if complete else None)
