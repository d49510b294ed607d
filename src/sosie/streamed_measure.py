"""Measuring avatars that are seen a block at a time: exact on all rows where counts add up, else on a stated sample.

Each individual of the sample is held against *every* avatar and every stranger, so that its own figures are those of
the whole table; an interval says how far the sample may be from all individuals.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from sosie.arranged import Arranged, Coordinates, arranged
from sosie.closeness import closeness_of
from sosie.columns import Floats, Table
from sosie.errors import Notice
from sosie.estimates import SIGMAS_95, Metric
from sosie.evaluation import Measures, Rows
from sosie.exposure import exposed_groups
from sosie.measure import Comparison, hellinger_metrics, measure, reference_metrics
from sosie.metrics.against_reference import MEDIAN, OUTLIER
from sosie.metrics.closest_distances_ratio import ratios
from sosie.metrics.hidden_rate import is_found
from sosie.metrics.isolation import farthest
from sosie.metrics.local_cloaking import DECILES
from sosie.neighbours import Integers, counts_within, nearest, paired_distances
from sosie.projection import Projection
from sosie.streamed_frequencies import Frequencies
from sosie.streamed_matches import matches, share_of

Tables = Callable[[], Iterable[Table]]


@dataclass(frozen=True)
class Everyone:
    """All rows of the three tables, a block at a time and again at each call, and how many each half has."""

    working: Tables
    avatars: Tables
    holdout: Tables
    rows: int


@dataclass(frozen=True, eq=False)
class Near:
    """What is known of each of the m individuals sampled.

    (m, 2) distances to the two closest avatars, strangers and originals (itself the first of these); (m,) distances to
    their own avatar, and their local cloaking.
    """

    avatars: Floats
    holdout: Floats
    originals: Floats
    own: Floats
    cloaking: Integers


def measure_streamed(
    sampled: Comparison,
    everyone: Everyone,
    projection: Projection,
    min_count: int,
    rng: np.random.Generator,
    workers: int = -1,
) -> Measures:
    """Every metric of the method's pages; `sampled` are individuals, their avatars and strangers out of `everyone`.

    Pictures, and the bins that distributions are compared in, are laid on the sample.
    """
    measures = measure(sampled, projection, min_count, rng, workers)
    if len(sampled.working) == everyone.rows:
        return measures
    near = _near(sampled, everyone, projection, workers)
    frequencies = Frequencies.laid_on(sampled.working, sampled.holdout)
    for side, tables in enumerate((everyone.working, everyone.avatars, everyone.holdout)):
        for table in tables():
            frequencies.add(side, table)
    variables = tuple(
        replace(variable, hellinger=score, missing=missing)
        for variable, score, missing in zip(
            measures.variables, frequencies.scores(), frequencies.missing(), strict=True
        )
    )
    found = near.cloaking == 0
    metrics = {
        **measures.metrics,
        **_linked_metrics(near),
        **_reference(near),
        **hellinger_metrics(variables),
        **matches(sampled, everyone.working),
    }
    return replace(
        measures,
        rows=Rows(everyone.rows, everyone.rows, everyone.rows),
        metrics=metrics,
        local_cloaking_deciles=tuple(np.percentile(near.cloaking, DECILES).tolist()),
        local_cloaking_most=None,
        variables=variables,
        closeness=closeness_of(near.avatars, near.holdout),
        exposed=exposed_groups(sampled.originals, found, min_count),
        notices=(*measures.notices, _told(len(sampled.working), everyone.rows)),
    )


def _told(sampled: int, rows: int) -> Notice:
    return Notice(
        "SAMPLED_FIGURES",
        None,
        f"{sampled} of {rows} individuals of each half were drawn to measure: distances are theirs to all avatars, "
        "attacks and utility rest on them and on their own avatars alone, which leaves fewer to hide among",
    )


def _near(sampled: Comparison, everyone: Everyone, projection: Projection, workers: int) -> Near:
    points = arranged(projection.coordinates(sampled.working), "working", workers)
    own = paired_distances(points, projection.coordinates(sampled.working_avatars))
    within = np.zeros(len(points), dtype=np.int64)
    avatars, holdout, originals = (np.full((len(points), 2), np.inf) for _ in range(3))
    for table in everyone.avatars():
        base = arranged(projection.coordinates(table), "avatars", workers)
        within += counts_within(points, base, own, workers)
        avatars = _closer(avatars, points, base, workers)
    for table in everyone.holdout():
        holdout = _closer(holdout, points, projection.coordinates(table), workers)
    for table in everyone.working():
        originals = _closer(originals, points, projection.coordinates(table), workers)
    return Near(avatars, holdout, originals, own, within - 1)


def _closer(known: Floats, points: Arranged, base: Coordinates, workers: int) -> Floats:
    """(m, 2) the two smallest distances, so far and to these rows."""
    there = arranged(base, "base", workers)
    found = nearest(points, there, min(2, len(there)), workers=workers)[0]
    return np.sort(np.hstack([known, found]), axis=1)[:, :2]


def _linked_metrics(near: Near) -> dict[str, Metric]:
    counts, rows = near.cloaking, len(near.cloaking)
    isolated = farthest(near.originals[:, 1])
    found = is_found(near.own, near.avatars[:, 0])
    chances = np.where(found, 1 / np.maximum(counts + 1, 1), 0.0)
    return {
        "local_cloaking": _middle(counts),
        "local_cloaking_zero_share": share_of(int((counts == 0).sum()), rows),
        "local_cloaking_isolated": _middle(counts[isolated]),
        "hidden_rate": _mean(100 * (1 - chances)),
        "hidden_rate_worst": share_of(rows - int(found.sum()), rows),
    }


def _middle(counts: Integers) -> Metric:
    low, high = _between(counts, MEDIAN)
    return Metric(float(np.median(counts)), interval=(low, high), attempts=len(counts))


def _mean(percents: Floats) -> Metric:
    value, half = float(percents.mean()), SIGMAS_95 * float(percents.std()) / np.sqrt(len(percents))
    return Metric(value, interval=(max(0.0, value - half), min(100.0, value + half)), attempts=len(percents))


def _between(values: Integers | Floats, percent: float) -> tuple[float, float]:
    """The 95 % interval of a percentile of all that these are a sample of: two order statistics (binomial)."""
    from scipy import stats  # long to import: only where used

    ordered, share = np.sort(values), percent / 100
    ends = np.asarray(stats.binom.ppf([0.025, 0.975], len(ordered), share), dtype=np.int64)
    low, high = np.clip(ends, 0, len(ordered) - 1)
    return float(ordered[low]), float(ordered[high])


def _reference(near: Near) -> dict[str, Metric]:
    """The scores against strangers, each with the interval that those of both percentiles leave (a wide one)."""
    metrics = reference_metrics(near.avatars, near.holdout)
    towards = {
        "distance_to_closest": (near.avatars[:, 0], near.holdout[:, 0]),
        "closest_distances_ratio": (ratios(near.avatars), ratios(near.holdout)),
    }
    for name, (avatars, strangers) in towards.items():
        for end, percent in (("median", MEDIAN), ("outlier", OUTLIER)):
            here, there = _between(avatars, percent), _between(strangers, percent)
            metric = metrics[f"{name}_{end}"]
            interval = (100 * here[0] / there[1], 100 * here[1] / there[0]) if there[0] > 0 else None
            metrics[f"{name}_{end}"] = replace(metric, interval=interval, attempts=len(avatars))
    return metrics
