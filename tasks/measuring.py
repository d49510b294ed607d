"""The steps that measure avatars: the metrics of the method's pages, the attacks, what the avatars are good for."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from sosie.attacks import Attacks, attack
from sosie.columns import Table
from sosie.estimates import NotComputed
from sosie.evaluation import Evaluation, Measures
from sosie.evidence import gather, with_stability
from sosie.holdout import Split
from sosie.measure import Comparison, measure
from sosie.projection import Projection
from sosie.schemas.configuration import AttackPlan, SurvivalColumns, Use
from sosie.streams import stream
from sosie.tasks.stages import stage
from sosie.tasks.steps import Checked, Drawn, Linked, Projected
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


@stage(version=1)
def compare(checked: Checked, rows: Checked, halves: Split, projected: Projected, linked: Linked) -> Compared:
    """The avatars of `rows` beside these and the holdout, columns with the weights they were projected with."""
    columns = projected.projection.columns
    everyone, originals, avatars = (
        replace(table, columns=columns) for table in (checked.table, rows.table, linked.table)
    )
    holdout = everyone.take(halves.holdout)
    if halves.mode == "real":
        comparison = Comparison("real", True, originals, avatars, originals, avatars, holdout)
    else:
        working, some = originals.take(halves.working), avatars.take(halves.working)
        comparison = Comparison("approximate", True, originals, avatars, working, some, holdout)
    return Compared(comparison, projected.projection, everyone)


@stage(version=1, idle=("workers",))
def measure_avatars(compared: Compared, min_count: int, seed: int, workers: int) -> Measures:
    """The metrics of the method's pages."""
    rng = stream(seed, "attack base")
    return measure(compared.comparison, compared.projection, min_count, rng, workers)


@stage(version=1, idle=("workers",))
def attack_avatars(compared: Compared, asked: AttackPlan, min_count: int, seed: int, workers: int) -> Attacks:
    """What an attacker finds in the avatars."""
    comparison = compared.comparison
    return attack(
        comparison.working,
        comparison.working_avatars,
        comparison.holdout,
        compared.projection,
        comparison.mode,
        stream(seed, "attacks"),
        linked=comparison.linked,
        quasi_identifiers=column_names(compared.everyone, asked.quasi_identifiers),
        secrets=column_names(compared.everyone, asked.secrets),
        attempts=asked.attempts,
        min_count=min_count,
        workers=workers,
    )


@stage(version=1, idle=("workers",))
def measure_use(compared: Compared, asked: Use, min_count: int, seed: int, workers: int) -> Utility:
    """What the avatars are still good for."""
    comparison, table = compared.comparison, compared.everyone
    target = None if asked.target is None else column_names(table, (asked.target,))[0]
    return measure_utility(
        table,
        comparison.working,
        comparison.working_avatars,
        comparison.holdout,
        compared.projection,
        UtilityPlan(min_count, target, _survival_plan(asked.survival, table)),
        stream(seed, "utility"),
        workers,
    )


@stage(version=1)
def weigh(drawn: Drawn) -> WeightEvidence:
    """How much of an avatar comes from one neighbour."""
    return weight_evidence(drawn.barycentres)


@stage(version=1)
def gather_evidence(
    measures: Measures, attacks: Attacks, utility: Utility, weights: WeightEvidence | NotComputed
) -> Evaluation:
    """Everything measured on one table of avatars."""
    return gather(measures, attacks, utility, weights)


@stage(version=1)
def compare_draws(evaluation: Evaluation, *repeats: Evaluation) -> Evaluation:
    """The evaluation with the spread of its figures over itself and further draws."""
    return with_stability(evaluation, *repeats)


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
