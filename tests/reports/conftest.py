"""A small evaluation with every kind of figure and column, and what surrounds it in a run."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sosie.errors import Notice
from sosie.estimates import Metric
from sosie.evaluation import Bins, Evaluation, Levels, Missing, Plane, Rows, Variable
from sosie.schemas.manifest import Manifest, ManifestWarning
from sosie.schemas.metrics import MetricsFile, judge
from sosie.schemas.targets import Target

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
def evaluation(age: Variable, ward: Variable) -> Evaluation:
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
        },
        local_cloaking_deciles=(0.0, 1.0, 3.0, 8.0, 12.5, 17.0, 22.0, 31.0, 55.0),
        variables=(age, ward),
        plane=Plane((-1.0, 0.0, 1.0), (-1.0, 0.0, 1.0), density, density),
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
