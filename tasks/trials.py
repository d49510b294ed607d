"""The steps of a search: rows are sampled, a setting is tried on a split of them, trials are held against targets."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Category
from sosie.declarations import Declaration, declared_of
from sosie.decoding import Decoding
from sosie.design import Options
from sosie.generation import WeightLaw, ZeroDistance
from sosie.holdout import Split
from sosie.schemas.configuration import AttackPlan, Configuration, Use, parse_configuration
from sosie.schemas.metrics import missed_targets
from sosie.schemas.request import with_value
from sosie.schemas.targets import Target
from sosie.search import Point, Setting, Trial, parts_of_utility, point, shortfall
from sosie.streams import child_seed, stream
from sosie.tasks import measuring, steps
from sosie.tasks.stages import stage, stage_of
from sosie.tasks.steps import Checked, Projected

SAMPLED, FIRST_SPLIT = 999, 1_000  # parts of a seed, beyond those of a run and its repeats
MERGED = "other"


@dataclass(frozen=True)
class Tried:
    """What a trial depends on beside its rows and their projection."""

    k: int
    law: WeightLaw
    zero_distance: ZeroDistance
    batch_rows: int | None
    batches_by: Literal["local", "random"]
    decoding: Decoding
    min_count: int
    attacks: AttackPlan
    use: Use


def tried(configuration: Configuration) -> Tried:
    """What a trial of a configuration depends on."""
    method, batches = configuration.method, configuration.batches
    return Tried(
        method.k,
        method.weights,
        method.zero_distance,
        batches.rows,
        batches.by,
        Decoding(method.categories, method.integers),
        configuration.rare_values.min_count,
        configuration.attacks,
        configuration.utility,
    )


def changed(content: Mapping[str, Any], setting: Setting) -> dict[str, Any]:
    """A configuration's mapping with a setting's values in their places."""
    result = dict(content)
    for path, value in setting.changes:
        result = with_value(result, path, value)
    return result


def configured(content: Mapping[str, Any], setting: Setting) -> Configuration:
    """The configuration with a setting's values; InputError `BAD_CONFIG` for one that is not allowed."""
    return parse_configuration(changed(content, setting))


@stage(version=1)
def sample(checked: Checked, rows: int, seed: int) -> Checked:
    """At most so many rows, drawn without replacement, in their order."""
    n = len(checked.table)
    if n <= rows:
        return checked
    return Checked(checked.table.take(sampled(n, rows, seed)), checked.relations, checked.notices)


def sampled(n: int, rows: int, seed: int) -> NDArray[np.int64]:
    """The positions of at most so many of n rows, ascending."""
    drawn = stream(child_seed(seed, SAMPLED), "sample").choice(n, min(rows, n), replace=False)
    return np.sort(drawn)


@stage(version=1, idle=("workers",))
def try_setting(
    checked: Checked,
    rows: Checked,
    halves: Split,
    projected: Projected,
    asked: Tried,
    seed: int,
    inner: tuple[int, ...],  # noqa: ARG001 - versions of the stages called here, so that the key changes with them
    workers: int,
) -> Trial:
    """Avatars of the working half, measured, attacked and used as in a run."""
    started = time.perf_counter()
    drawn = steps.draw(
        projected, asked.k, asked.law, asked.zero_distance, asked.batch_rows, asked.batches_by, seed, workers
    )
    linked = steps.transform_back(rows, projected, drawn, asked.decoding, seed, workers)
    compared = measuring.compare(checked, rows, halves, projected, linked)
    evaluation = measuring.gather_evidence(
        measuring.measure_avatars(compared, asked.min_count, seed, workers),
        measuring.attack_avatars(compared, asked.attacks, asked.min_count, seed, workers),
        measuring.measure_use(compared, asked.use, asked.min_count, seed, workers),
        measuring.weigh(drawn),
    )
    columns = {variable.name: variable.hellinger for variable in evaluation.variables}
    return Trial(dict(evaluation.metrics), columns, time.perf_counter() - started)


def inner_versions() -> tuple[int, ...]:
    """The versions of the stages that a trial calls."""
    called: tuple[Callable[..., Any], ...] = (
        steps.draw,
        steps.transform_back,
        measuring.compare,
        measuring.measure_avatars,
        measuring.attack_avatars,
        measuring.measure_use,
        measuring.weigh,
        measuring.gather_evidence,
    )
    return tuple(found.version for found in map(stage_of, called) if found is not None)


def judged(
    setting: Setting, trials: Sequence[Trial], targets: Mapping[str, Target], parts: Sequence[str]
) -> Point:
    """The trials of a setting held against the targets; `parts` are those of the utility."""
    missed = [missed_targets(trial.figures, targets, len(trial.columns)) for trial in trials]
    short = [
        sum(_shortfall(trial, name, targets[name]) for name in names)
        for trial, names in zip(trials, missed, strict=True)
    ]
    return point(setting, trials, missed, float(np.mean(short)), parts)


def parts_of(trials: Sequence[Trial]) -> tuple[str, ...]:
    """The parts of the utility, by what could be computed of the first trial: the same for every setting."""
    return parts_of_utility(trials[0].figures)


def _shortfall(trial: Trial, name: str, target: Target) -> float:
    chance = 0.5 if "_auc" in name else 0.0
    return shortfall(trial.figures[name].value, target.min, target.max, chance)


def options(checked: Checked, declared: Mapping[str, Declaration], label: str | None) -> Options:
    """What may be tried of the columns; `label` is what rare levels are merged under already.

    A label is tried only where the rare levels that there are are texts; a weight not of a derived column.
    """
    columns = checked.table.columns
    rare = {notice.column for notice in checked.notices if notice.code == "RARE_VALUE"}
    levels = [column.levels for column in columns if isinstance(column, Category) and column.name in rare]
    texts = all(isinstance(level, str) for held in levels for level in held)
    entries = {name: declared_of(declared, name) for name in (str(column.name) for column in columns)}
    weights = {name: entry.weight for name, entry in entries.items() if entry.derived is None}
    return Options(MERGED if levels and texts and label is None else None, weights)
