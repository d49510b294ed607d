"""Targets: bounds, profiles, and that a gap is never a pass."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

import sosie
from sosie.errors import InputError
from sosie.estimates import Metric
from sosie.evaluation import Evaluation
from sosie.schemas.configuration import parse_configuration
from sosie.schemas.metrics import judge
from sosie.schemas.targets import METRICS, Profile, Target, profile_targets


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 60), "ward": rng.choice(["n", "s"], 60)})
    return sosie.anonymize(frame, k=5, ncp=2, seed=0).evaluation


def with_cloaking(evaluation: Evaluation, metric: Metric) -> Evaluation:
    return replace(evaluation, metrics={**evaluation.metrics, "local_cloaking": metric})


@pytest.mark.parametrize(
    ("target", "value", "met"),
    [
        (Target(min=5), 5.0, True),
        (Target(min=5), 4.999, False),
        (Target(max=5), 5.0, True),
        (Target(max=5), 5.001, False),
        (Target(min=1, max=2), 3.0, False),
    ],
)
def test_bounds_are_included(target: Target, value: float, met: bool) -> None:
    assert target.met_by(value) is met


@pytest.mark.parametrize(
    ("value", "reference", "met"),
    [(10.0, None, True), (30.0, None, False), (30.0, 40.0, True), (44.0, 40.0, True), (46.0, 40.0, False)],
)
def test_a_figure_hardly_above_the_holdouts_own_meets_a_target_that_allows_it(
    value: float, reference: float | None, met: bool
) -> None:
    assert Target(max=20, or_holdout=True).met_by(value, reference) is met
    assert Target(max=20).met_by(value, reference) is (value <= 20)


def _honest_tables() -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(0)
    wards, ages = rng.choice(["north", "south", "east"], 200), rng.integers(20, 90, 200)
    return {
        "a category and whole numbers": pd.DataFrame({"ward": wards, "age": ages}),
        "a rounded number among levels": pd.DataFrame(
            {"ward": wards, "ill": rng.random(200) < 0.5, "score": rng.normal(size=200).round(1)}
        ),
        "one category of which the holdout lacks a level": pd.DataFrame(
            {"code": pd.Categorical(np.random.default_rng(0).permutation(np.repeat(np.arange(50), 10)))}
        ),
        "constants beside a number": pd.DataFrame({"always": 7.0, "age": ages, "ward": wards}),
        "columns that decide each other": pd.DataFrame(
            {"dose": 12.5 + np.arange(200) % 40 / 4, "total": 1 + np.arange(200) / 1e6}
        ),
    }


@pytest.mark.parametrize("table", _honest_tables())
@pytest.mark.parametrize("profile", ["internal", "partner"])
def test_small_tables_of_few_values_are_not_refused_for_being_so(table: str, profile: Profile) -> None:
    release = sosie.anonymize(_honest_tables()[table], k=5, ncp=1, seed=0)
    assert judge(release.evaluation, profile_targets(profile), k=5, released=200).missed == ()


def test_rows_of_one_value_may_equal_an_original_unless_they_were_made_elsewhere() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, *range(3, 60)]})
    evaluation = sosie.anonymize(frame, k=5, ncp=2, seed=0).evaluation
    asked = {**profile_targets("partner"), "row_direct_match_own": Target(max=0)}
    judged = judge(evaluation, asked, k=5, released=60)
    assert judged.metrics["row_direct_match"].verdict == "info"
    assert judged.missed == ("row_direct_match_own",)  # the configuration's own
    elsewhere = judge(sosie.evaluate(frame, frame, ncp=1, seed=0), asked, k=None, released=60)
    assert elsewhere.metrics["row_direct_match"].verdict == "fail"


@pytest.mark.parametrize("table", ["a category and whole numbers", "a rounded number among levels"])
@pytest.mark.parametrize("profile", ["internal", "partner", "open"])
def test_copies_are_refused_by_every_profile(table: str, profile: Profile) -> None:
    frame = _honest_tables()[table]
    evaluation = sosie.evaluate(frame, frame, linked=False, ncp=1, seed=0)
    judged = judge(evaluation, profile_targets(profile), k=None, released=200)
    assert judged.metrics["row_direct_match"].verdict == "fail"


def test_a_target_without_a_bound_is_none() -> None:
    with pytest.raises(ValidationError, match="needs min or max"):
        Target()


@pytest.mark.parametrize("profile", ["internal", "partner", "open"])
def test_each_target_of_a_profile_says_where_it_comes_from(profile: Profile) -> None:
    targets = profile_targets(profile)
    assert targets
    assert all(target.source.startswith(f"profile {profile}: ") for target in targets.values())


def test_a_wider_audience_never_asks_for_less_privacy() -> None:
    profiles: tuple[Profile, ...] = ("internal", "partner", "open")
    inner, middle, outer = (profile_targets(profile) for profile in profiles)
    for name in inner:
        for narrow, wide in ((inner[name], middle[name]), (middle[name], outer[name])):
            assert (wide.min or 0) >= (narrow.min or 0), name
            assert (wide.max or 0) <= (narrow.max or 0), name


def test_targets_can_be_set_for_every_figure_that_is_measured_and_no_other(evaluation: Evaluation) -> None:
    assert set(METRICS) == set(evaluation.metrics)
    with pytest.raises(InputError, match="no metric is called hiden_rate"):
        parse_configuration({"targets": {"hiden_rate": {"min": 50}}})


def test_a_target_of_ones_own_takes_the_place_of_the_profiles() -> None:
    targets = parse_configuration(
        {"targets": {"profile": "open", "hidden_rate": {"min": 12}}}
    ).targets.by_metric()
    assert (targets["hidden_rate"].min, targets["hidden_rate"].source) == (12, "set in the configuration")
    assert targets["local_cloaking"] == profile_targets("open")["local_cloaking"]


def test_a_figure_without_a_target_is_for_information(evaluation: Evaluation) -> None:
    judged = judge(evaluation, {}, k=5, released=60)
    assert judged.missed == ()
    assert not {metric.verdict for metric in judged.metrics.values()} & {"pass", "fail"}


def test_a_target_on_a_figure_that_could_not_be_computed_is_missed(evaluation: Evaluation) -> None:
    gap = with_cloaking(evaluation, Metric(None, status="not computed", reason="rows are not linked"))
    judged = judge(gap, {"local_cloaking": Target(min=1)}, k=5, released=60)
    assert judged.metrics["local_cloaking"].verdict == "not computed"
    assert judged.metrics["local_cloaking"].reason == "rows are not linked"
    assert judged.missed == ("local_cloaking",)


def test_an_uninformative_figure_does_not_pass(evaluation: Evaluation) -> None:
    vague = with_cloaking(evaluation, Metric(100.0, status="uninformative", reason="nothing to compare with"))
    judged = judge(vague, {"local_cloaking": Target(min=1)}, k=5, released=60)
    assert judged.metrics["local_cloaking"].verdict == "uninformative"
