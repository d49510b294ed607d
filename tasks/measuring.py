"""The steps that measure avatars: the metrics of the method's pages, the attacks, what the avatars are good for."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sosie.attacks import Attacks, attack
from sosie.columns import Table
from sosie.evaluation import Measures
from sosie.holdout import Split
from sosie.measure import Comparison, measure
from sosie.projection import Projection
from sosie.schemas.configuration import SurvivalColumns
from sosie.streams import stream
from sosie.tasks.job import Job
from sosie.tasks.steps import Checked, Drawn, Projected
from sosie.utility import (
    SurvivalPlan,
    Utility,
    UtilityPlan,
    WeightEvidence,
    measure_utility,
    weight_evidence,
)


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison, the projection it is measured in, and all real rows."""

    comparison: Comparison
    projection: Projection
    everyone: Table


def compare(checked: Checked, halves: Split, projected: Projected, avatars: Table) -> Compared:
    """The avatars beside their originals and the holdout."""
    table = checked.table
    holdout = table.take(halves.holdout)
    if halves.mode == "real":
        originals = table.take(halves.working)
        comparison = Comparison("real", True, originals, avatars, originals, avatars, holdout)
    else:
        comparison = Comparison(
            "approximate",
            True,
            table,
            avatars,
            table.take(halves.working),
            avatars.take(halves.working),
            holdout,
        )
    return Compared(comparison, projected.projection, table)


def measure_avatars(compared: Compared, job: Job) -> Measures:
    """The metrics of the method's pages."""
    return measure(
        compared.comparison,
        compared.projection,
        job.configuration.rare_values.min_count,
        stream(job.seed, "attack base"),
        job.configuration.workers,
    )


def attack_avatars(compared: Compared, job: Job) -> Attacks:
    """What an attacker finds in the avatars."""
    comparison, asked = compared.comparison, job.configuration.attacks
    return attack(
        comparison.working,
        comparison.working_avatars,
        comparison.holdout,
        compared.projection,
        comparison.mode,
        stream(job.seed, "attacks"),
        linked=comparison.linked,
        quasi_identifiers=column_names(compared.everyone, asked.quasi_identifiers),
        secrets=column_names(compared.everyone, asked.secrets),
        attempts=asked.attempts,
        min_count=job.configuration.rare_values.min_count,
        workers=job.configuration.workers,
    )


def measure_use(compared: Compared, job: Job) -> Utility:
    """What the avatars are still good for."""
    comparison, asked = compared.comparison, job.configuration.utility
    table = compared.everyone
    target = None if asked.target is None else column_names(table, (asked.target,))[0]
    return measure_utility(
        table,
        comparison.working,
        comparison.working_avatars,
        comparison.holdout,
        compared.projection,
        UtilityPlan(job.configuration.rare_values.min_count, target, _survival_plan(asked.survival, table)),
        stream(job.seed, "utility"),
    )


def weigh(drawn: Drawn) -> WeightEvidence:
    """How much of an avatar comes from one neighbour."""
    return weight_evidence(drawn.barycentres)


def _survival_plan(asked: SurvivalColumns | None, table: Table) -> SurvivalPlan | None:
    if asked is None:
        return None
    named = (asked.duration, asked.event, *([] if asked.group is None else [asked.group]))
    duration, event, *group = column_names(table, named)
    return SurvivalPlan(duration, event, group[0] if group else None, asked.reference, asked.event_values)


def column_names(table: Table, named: Sequence[str | int]) -> tuple[Hashable, ...]:
    """The table's own names for columns that the configuration names, maybe by their text."""
    own: dict[Hashable, Hashable] = {str(column.name): column.name for column in table.columns}
    own |= {column.name: column.name for column in table.columns}
    return tuple(own.get(name, name) for name in named)
