"""A small evaluation with every kind of figure and column, and what surrounds it in a run."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sosie.attacks import (
    Attack,
    Attacks,
    ColumnCopies,
    Copies,
    Inference,
    Membership,
    Rate,
    Separation,
    Survivors,
)
from sosie.errors import Notice
from sosie.estimates import Estimate, Metric, NotComputed
from sosie.evaluation import (
    Bins,
    Closeness,
    Contribution,
    Evaluation,
    LevelGroup,
    Levels,
    Missing,
    Percentiles,
    Plane,
    RangeGroup,
    Rows,
    Variable,
)
from sosie.schemas.manifest import Manifest, ManifestWarning
from sosie.schemas.metrics import MetricsFile, judge
from sosie.schemas.targets import Target
from sosie.utility import AssociationChange, CategorySummary, NumberSummary, Utility
from sosie.utility.association_change import Pair
from sosie.utility.summaries import Moments, Quantile

NONE_MISSING = Missing(0.0, 0.0, 0.0)


@pytest.fixture
def age() -> Variable:
    """A number, well kept, sometimes missing."""
    bins = Bins((0.0, 20.0, 40.0, 100.0), (0.1, 0.4, 0.4), (0.05, 0.5, 0.35), (0.1, 0.35, 0.45))
    return Variable("age", "integer", 96.44, Missing(0.1, 0.1, 0.1), bins)


@pytest.fixture
def ward() -> Variable:
    """A category, less well kept, two of its levels merged."""
    levels = Levels(("north", "south", ""), (0.6, 0.3, 0.1), (0.7, 0.25, 0.05), (0.58, 0.31, 0.11), merged=2)
    return Variable("ward", "category", 81.05, NONE_MISSING, levels)


@pytest.fixture
def attacks() -> Attacks:
    """One attack that finds something, several that do not, and one that could not be run."""
    nothing = Attack(Rate(12, 100), Rate(11, 100), Rate(2, 100), None, 0.5)
    worst = Attack(Rate(60, 100), Rate(20, 100), Rate(15, 100), "ward", 0.0001)
    separation = Separation(
        300,
        299,
        Estimate(0.5312, 0.49, 0.57),
        ((0.01, Estimate(0.023, 0.01, 0.05)), (0.001, NotComputed("too few holdout rows"))),
        0.3,
    )
    membership = Membership(
        "nearest avatar, projected",
        separation,
        NotComputed("too few isolated rows"),
        ((0.0, 0.0), (0.5, 0.55), (1.0, 1.0)),
        False,
        0.3,
    )
    few = Survivors(7, 3, 2, 1, 5, 2)
    return Attacks(
        singling_out_univariate=nothing,
        singling_out_multivariate=NotComputed("no combination fits"),
        linkability=nothing,
        inference=Inference(worst, (("age", nothing), ("ward", worst))),
        membership_projected=membership,
        membership_raw=membership,
        membership_density=NotComputed("the attack says nothing about anybody"),
        copies=Copies(
            0.0, 0.0, 0.4, (ColumnCopies("age", 99.0, 98.0, NotComputed("x")),), few, few, (1, 1), few
        ),
    )


@pytest.fixture
def utility() -> Utility:
    """Summaries and associations; nothing else was asked."""
    moments = Moments(
        270, 44.2, 12.1, (Quantile(5, 20.0), Quantile(50, 44.0), Quantile(95, NotComputed("few")))
    )
    matrix = ((1.0, -0.25), (-0.25, 1.0))
    return Utility(
        summaries=(
            NumberSummary("age", moments, moments, moments, Metric(97.0, 99.0), Metric(0.91, 1.0)),
            CategorySummary("ward", 4, 1, 0, 0, Metric(99.5, 100.0)),
        ),
        associations=AssociationChange(
            Metric(0.05, 0.04),
            Metric(0.05, 0.04),
            Pair("age", "ward", 0.3, 0.25),
            1,
            1,
            (),
            300,
            ("age", "ward"),
            matrix,
            matrix,
            matrix,
            ((0.0, -0.05), (-0.05, None)),
        ),
        principal_space=NotComputed("x"),
        discriminator=NotComputed("x"),
        learning=NotComputed("no target was named"),
        survival=NotComputed("no duration and event were named"),
    )


@pytest.fixture
def evaluation(age: Variable, ward: Variable, attacks: Attacks, utility: Utility) -> Evaluation:
    """Figures that meet, that miss, that say nothing and that are not there."""
    density = ((0.0, 0.2, 0.0), (0.2, 1.0, 0.2), (0.0, 0.2, 0.0))
    return Evaluation(
        holdout="real",
        rows=Rows(300, 299, 300),
        ncp=2,
        explained_variance_ratio=(0.425, 0.2),
        metrics={
            "local_cloaking": Metric(12.5),
            "local_cloaking_zero_share": Metric(8.123),
            "hidden_rate": Metric(91.26),
            "closest_distances_ratio_median": Metric(97.34, reference=100.0),
            "closest_distances_ratio_outlier": Metric(100.0, 100.0, "uninformative", "the reference is 0"),
            "hellinger_mean": Metric(88.745, reference=100.0),
            "row_direct_match": Metric(0.0351, reference=0.4),
            "row_direct_match_own": Metric(None, None, "not computed", "rows are not linked"),
            "inference": Metric(50.0, 20.0, interval=(37.5, 62.5), baseline=15.0, attempts=100),
            "membership_auc": Metric(0.5312, 0.5, interval=(0.49, 0.57), baseline=0.5, attempts=300),
            "association_difference_mean": Metric(0.05, 0.04),
        },
        local_cloaking_deciles=(0.0, 1.0, 3.0, 8.0, 12.5, 17.0, 22.0, 31.0, 55.0),
        local_cloaking_most=None,
        variables=(age, ward),
        plane=Plane((-1.0, 0.0, 1.0), (-1.0, 0.0, 1.0), density, density),
        closeness=Closeness(
            Percentiles((2.5, 50.0, 90.0), (0.1, 1.0, 2.0), (0.5, 1.2, 2.1)),
            Percentiles((2.5, 50.0, 90.0), (0.2, 0.7, 0.9), (0.4, 0.8, 0.95)),
        ),
        contributions=(Contribution("age", (0.7, 0.2)), Contribution("ward", (0.3, 0.8))),
        exposed=(LevelGroup("ward", "south", 90, 21.25), RangeGroup("age", "integer", 60.0, 79.0, 75, 18.0)),
        attacks=attacks,
        utility=utility,
        weights=NotComputed("the avatars were made elsewhere"),
        stability=NotComputed("only one draw was asked for"),
        notices=(Notice("UNINFORMATIVE_METRIC", None, "one figure is uninformative"),),
    )


@pytest.fixture
def targets() -> dict[str, Target]:
    """Targets that the evaluation meets."""
    return {
        "local_cloaking": Target(min=5),
        "local_cloaking_zero_share": Target(max=25),
        "hidden_rate": Target(min=75),
        "hellinger_mean": Target(min=80),
    }


@pytest.fixture
def metrics(evaluation: Evaluation, targets: dict[str, Target]) -> MetricsFile:
    """The evaluation held against its targets."""
    return judge(evaluation, targets, k=20, released=599)


@pytest.fixture
def missed(evaluation: Evaluation, targets: dict[str, Target]) -> MetricsFile:
    """The same with one figure too low."""
    low = {**evaluation.metrics, "hidden_rate": Metric(74.97)}
    return judge(replace(evaluation, metrics=low), targets, k=20, released=599)


@pytest.fixture
def make_manifest() -> Callable[..., Manifest]:
    """A manifest with some of its fields changed."""

    def make(mode: str = "enforce", **changes: Any) -> Manifest:
        method = {"k": 20, "ncp": 2, "seed": 987654321}
        fields: dict[str, Any] = {
            "status": "released",
            "code": None,
            "run": "20260301T100000Z-abcd",
            "started": "2026-03-01T10:00:00+00:00",
            "source_name": "patients.csv",
            "source_sha256": "ab" * 32,
            "rows": 599,
            "columns": ("age", "ward"),
            "parameters": {
                "method": method,
                "release": "full",
                "rare_values": {"label": None},
                "targets": {"mode": mode, "profile": "partner"},
            },
            "versions": {"sosie": "0.1.0", "python": "3.11.9"},
            "stage_seconds": {"read the table": 0.123},
            "warnings": (
                ManifestWarning(code="RARE_VALUE", column="ward", message="2 values below 5 individuals"),
            ),
        }
        return Manifest.model_validate(fields | changes)

    return make


@pytest.fixture
def manifest(make_manifest: Callable[..., Manifest]) -> Manifest:
    """The manifest of a released run."""
    return make_manifest()
