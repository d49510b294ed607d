"""Measuring avatars as an attacker sees them: decoded, projected like the originals, held against a holdout."""

from dataclasses import dataclass, replace

import numpy as np

from sosie.arranged import Arranged, arranged
from sosie.closeness import closeness_of
from sosie.columns import (
    FIRST_CODE,
    GAP,
    MISSING,
    PRESENT,
    Category,
    Floats,
    Mask,
    Number,
    Numeric,
    States,
    Table,
)
from sosie.contributions import contributions
from sosie.distributions import bins, levels, missing_shares, plane
from sosie.errors import Notice
from sosie.estimates import NOT_LINKED, Metric
from sosie.evaluation import Bins, Levels, Measures, Rows, Variable
from sosie.exposure import exposed_groups
from sosie.holdout import HoldoutMode
from sosie.metrics.closest_distances_ratio import ratio_score
from sosie.metrics.direct_match import records_of, row_direct_match, row_direct_match_own
from sosie.metrics.distance_to_closest import distance_score
from sosie.metrics.frequencies import number_frequencies
from sosie.metrics.hellinger import (
    hellinger_distance,
    hellinger_of_codes,
    hellinger_of_numbers,
    hellinger_score,
    hellinger_summary,
)
from sosie.metrics.hidden_rate import both_hidden_rates
from sosie.metrics.local_cloaking import LocalCloaking, summary_and_counts
from sosie.neighbours import Integers, nearest
from sosie.projection import Projection
from sosie.threads import beside, each

REFERENCE_ZERO = "the holdout's own figure rests on distances of 0, so there is nothing to compare with"
TOO_FEW = "fewer than 2 rows on one side"


@dataclass(frozen=True, eq=False)
class Comparison:
    """The tables that are compared.

    `originals` are all rows that were anonymised and `avatars` what became of them (row i from row i when `linked`);
    `working` and `working_avatars` are those that are held against `holdout`: all of them with a real holdout, half of
    them with an approximate one.
    """

    mode: HoldoutMode
    linked: bool
    originals: Table
    avatars: Table
    working: Table
    working_avatars: Table
    holdout: Table


def measure(
    comparison: Comparison,
    projection: Projection,
    min_count: int,
    rng: np.random.Generator,
    workers: int = -1,
) -> Measures:
    """Every metric of the method's pages for one comparison.

    Distances are Euclidean in the projection of the anonymisation. `rng` subsamples the larger of working avatars and
    holdout to the smaller. Levels held by fewer than `min_count` originals are not named.
    """
    # equal attack bases: a larger one is nearer by chance alone
    base = min(len(comparison.working_avatars), len(comparison.holdout))
    avatar_rows, strangers = (
        _sample(table, base, rng) for table in (comparison.working_avatars, comparison.holdout)
    )
    tables = [comparison.originals, comparison.avatars, comparison.working, avatar_rows, strangers]
    originals, avatars, working, avatar_base, holdout = _coordinates(projection, tables, workers)
    # what works on one core goes on beside what searches on several
    with beside(workers) as calls:
        describing = calls.submit(_variables, comparison, min_count)
        matching = calls.submit(_direct_matches, comparison)
        drawing = calls.submit(plane, originals.rows, avatars.rows, min_count)
        sharing = calls.submit(contributions, projection, comparison.originals)
        counted = _counted(comparison.linked, originals, avatars, workers)
        near = _near(working, avatar_base, holdout, workers)
    variables = describing.result()
    closest = (
        near.avatars[:, 0] if near is not None and working is originals and avatar_base is avatars else None
    )
    linked = _linked(counted, originals, avatars, closest, workers)
    metrics = {
        **linked.metrics,
        **_reference_metrics(near),
        **hellinger_metrics(variables),
        **matching.result(),
    }
    return Measures(
        holdout=comparison.mode,
        rows=Rows(len(comparison.working), len(comparison.holdout), len(comparison.avatars)),
        ncp=projection.ncp,
        explained_variance_ratio=tuple(map(float, projection.explained_variance_ratio)),
        metrics=metrics,
        local_cloaking_deciles=linked.deciles,
        local_cloaking_most=linked.most,
        variables=variables,
        plane=drawing.result(),
        closeness=None if near is None else closeness_of(near.avatars, near.holdout),
        contributions=sharing.result(),
        exposed=() if linked.found is None else exposed_groups(comparison.originals, linked.found, min_count),
        notices=tuple(_notices(comparison.mode, metrics)),
    )


def _coordinates(projection: Projection, tables: list[Table], workers: int) -> list[Arranged]:
    """Those of each table, arranged once where it is given several times."""
    distinct = list(dict.fromkeys(tables))
    points = each(lambda table: arranged(projection.coordinates(table), "rows", workers=1), distinct, workers)
    found = dict(zip(distinct, points, strict=True))
    return [found[table] for table in tables]


def _sample(table: Table, size: int, rng: np.random.Generator) -> Table:
    if len(table) == size:
        return table
    return table.take(np.sort(rng.choice(len(table), size, replace=False)))


@dataclass(frozen=True, eq=False)
class _Linked:
    """What the link between individuals and avatars says; `found` marks whose own avatar is the closest, alone."""

    metrics: dict[str, Metric]
    deciles: tuple[float, ...] | None
    most: int | None
    found: Mask | None


@dataclass(frozen=True, eq=False)
class _Counted:
    """Local cloaking, and the (n,) counts that it rests on."""

    cloaking: LocalCloaking
    counts: Integers


def _counted(linked: bool, originals: Arranged, avatars: Arranged, workers: int) -> _Counted | Metric:
    """The metric that says why not, where rows do not belong together or are fewer than 2."""
    if not linked or len(originals) < 2:
        return _not_computed(TOO_FEW if linked else NOT_LINKED)
    return _Counted(*summary_and_counts(originals, avatars, workers))


def _linked(
    counted: _Counted | Metric, originals: Arranged, avatars: Arranged, closest: Floats | None, workers: int
) -> _Linked:
    """`closest`: the distance of each original to the nearest avatar, where it is known."""
    names = (
        "local_cloaking",
        "local_cloaking_zero_share",
        "local_cloaking_isolated",
        "hidden_rate",
        "hidden_rate_worst",
    )
    if isinstance(counted, Metric):
        return _Linked(dict.fromkeys(names, counted), None, None, None)
    cloaking, counts = counted.cloaking, counted.counts
    if closest is None:
        closest = nearest(originals, avatars, 1, workers=workers)[0][:, 0]
    values = (
        cloaking.median,
        cloaking.zero_share,
        cloaking.isolated_median,
        *both_hidden_rates(originals, avatars, closest, counts, cloaking.most, workers),
    )
    metrics = {name: Metric(value) for name, value in zip(names, values, strict=True)}
    return _Linked(metrics, cloaking.deciles, cloaking.most, counts == 0)


@dataclass(frozen=True, eq=False)
class _Near:
    """(n, 2) distances from the working individuals to the two closest avatars and the two closest holdout rows."""

    avatars: Floats
    holdout: Floats


def _near(working: Arranged, avatars: Arranged, holdout: Arranged, workers: int) -> _Near | None:
    """None where one side has fewer than 2 rows."""
    if min(len(working), len(avatars), len(holdout)) < 2:
        return None
    return _Near(*(nearest(working, base, 2, workers=workers)[0] for base in (avatars, holdout)))


def _reference_metrics(near: _Near | None) -> dict[str, Metric]:
    if near is not None:
        return reference_metrics(near.avatars, near.holdout)
    names = ("closest_distances_ratio", "distance_to_closest")
    ends = ("median", "outlier")
    return {f"{name}_{end}": _not_computed(TOO_FEW) for name in names for end in ends}


def reference_metrics(towards_avatars: Floats, towards_holdout: Floats) -> dict[str, Metric]:
    """The scores against strangers, from (n, 2) distances to the two closest."""
    metrics = {}
    for name, score in (
        ("closest_distances_ratio", ratio_score),
        ("distance_to_closest", distance_score),
    ):
        scores = score(towards_avatars, towards_holdout)
        metrics[f"{name}_median"] = _against_holdout(scores.median, scores.median_informative)
        metrics[f"{name}_outlier"] = _against_holdout(scores.outlier, scores.outlier_informative)
    return metrics


def _against_holdout(value: float, informative: bool) -> Metric:
    if informative:
        return Metric(value, reference=100.0)
    return Metric(value, reference=100.0, status="uninformative", reason=REFERENCE_ZERO)


def hellinger_metrics(variables: tuple[Variable, ...]) -> dict[str, Metric]:
    """The scores of all variables taken together."""
    summary = hellinger_summary({position: variable.hellinger for position, variable in enumerate(variables)})
    return {
        "hellinger_mean": Metric(summary.mean, reference=100.0),
        "hellinger_std": Metric(summary.std),
        "hellinger_worst": Metric(summary.worst, reference=100.0),
    }


def _direct_matches(comparison: Comparison) -> dict[str, Metric]:
    originals, avatars = records_of(comparison.originals), records_of(comparison.avatars)
    reference = row_direct_match(records_of(comparison.working), records_of(comparison.holdout))
    own = (
        Metric(row_direct_match_own(originals, avatars).row)
        if comparison.linked
        else _not_computed(NOT_LINKED)
    )
    return {
        "row_direct_match": Metric(row_direct_match(originals, avatars), reference=reference),
        "row_direct_match_own": own,
    }


def _variables(comparison: Comparison, min_count: int) -> tuple[Variable, ...]:
    """Every column in the table's order."""
    working, avatars, holdout = comparison.working, comparison.working_avatars, comparison.holdout
    variables = []
    distribution: Bins | Levels
    number, code = 0, 0
    for column in working.columns:
        if not isinstance(column, Category):
            trio = (
                column.axis(working.numbers[:, number]),
                column.axis(avatars.numbers[:, number]),
                column.axis(holdout.numbers[:, number]),
            )
            states = tuple(table.states[:, number] for table in (working, avatars, holdout))
            hellinger = _hellinger_of_numbers(column, trio, states)
            absent = missing_shares([cells != PRESENT for cells in states])
            distribution = _placed(bins(*trio, min_count), column)
            number += 1
        else:
            triplet = working.codes[:, code], avatars.codes[:, code], holdout.codes[:, code]
            hellinger = hellinger_of_codes(*(cells.astype(np.int64) for cells in triplet))
            absent = missing_shares([cells == MISSING for cells in triplet])
            distribution = levels(column, *triplet, min_count)
            code += 1
        variables.append(Variable(str(column.name), column.kind, hellinger, absent, distribution))
    return tuple(variables)


Trio = tuple[Floats, Floats, Floats]


def _hellinger_of_numbers(column: Numeric, trio: Trio, states: tuple[States, ...]) -> float:
    """The score of a numeric column; each missing code is a class of its own."""
    if not column.missing_codes:
        return hellinger_of_numbers(*trio)
    kinds = np.arange(GAP, FIRST_CODE + len(column.missing_codes))
    working, avatars, holdout = (
        np.concatenate([frequencies[:-1], (cells[:, None] == kinds).mean(axis=0)])
        for frequencies, cells in zip(number_frequencies(*trio), states, strict=True)
    )
    return hellinger_score(hellinger_distance(avatars, holdout), hellinger_distance(working, holdout))


def _placed(distribution: Bins, column: Numeric) -> Bins:
    """The bins with their edges where the values are: large integers are counted from an origin."""
    if not isinstance(column, Number) or not column.origin:
        return distribution
    return replace(distribution, edges=tuple(edge + column.origin for edge in distribution.edges))


def _not_computed(reason: str) -> Metric:
    return Metric(None, status="not computed", reason=reason)


def _notices(mode: HoldoutMode, metrics: dict[str, Metric]) -> list[Notice]:
    notices = []
    if mode == "approximate":
        notices.append(
            Notice(
                "APPROXIMATE_HOLDOUT",
                None,
                "the holdout rows influenced the avatars, so comparisons with them lean towards safe",
            )
        )
    vague = [name for name, metric in metrics.items() if metric.status == "uninformative"]
    if vague:
        notices.append(
            Notice(
                "UNINFORMATIVE_METRIC",
                None,
                f"{', '.join(vague)}: {REFERENCE_ZERO}; do not read them as safe",
            )
        )
    return notices
