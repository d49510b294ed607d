"""Numbers become words without losing what they say."""

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import sosie
from sosie.errors import Notice
from sosie.estimates import Metric
from sosie.evaluation import Bins, Evaluation, Levels, Missing, Variable
from sosie.reports.figures import Figure, figures
from sosie.reports.language import load_language
from sosie.reports.provenance import parameters, warning_groups
from sosie.reports.variables import variable_cards, worst_first
from sosie.schemas.manifest import Manifest, ManifestWarning
from sosie.schemas.metrics import MetricsFile, judge
from sosie.schemas.targets import Target

ENGLISH = load_language("en")


def told(evaluation: Evaluation, name: str, metric: Metric, target: Target | None) -> Figure:
    one = replace(evaluation, metrics={name: metric})
    metrics = judge(one, {name: target} if target else {}, k=20, released=1)
    return figures(metrics, evaluation, ENGLISH)[0]


@pytest.mark.parametrize(
    ("value", "printed"), [(74.9, "74.9%"), (74.97, "74.97%"), (74.9996, "74.9996%"), (75.0, "75.0%")]
)
def test_a_missed_target_never_prints_as_met(evaluation: Evaluation, value: float, printed: str) -> None:
    assert told(evaluation, "hidden_rate", Metric(value), Target(min=75)).value == printed


@pytest.mark.parametrize(
    ("value", "printed"),
    [(100.00000000000001, "100.0%"), (0.0, "0.0%"), (0.0351, "0.04%"), (99.96, "99.96%"), (100.0, "100.0%")],
)
def test_almost_nothing_and_almost_all_are_not_rounded_to_the_end(
    evaluation: Evaluation, value: float, printed: str
) -> None:
    assert told(evaluation, "row_direct_match", Metric(value), None).value == printed


def test_a_figure_is_explained_at_its_own_target(evaluation: Evaluation) -> None:
    figure = told(evaluation, "local_cloaking", Metric(4.0), Target(min=3, source="profile partner: why"))
    assert figure.at_target == "half of the individuals hide behind 3 or more avatars of others"
    assert (figure.target, figure.source) == ("at least 3", "profile partner: why")


def test_explained_figures_come_first_and_none_is_lost(evaluation: Evaluation, metrics: MetricsFile) -> None:
    later = metrics.model_copy(update={"metrics": {"new": metrics.metrics["hidden_rate"], **metrics.metrics}})
    names = [figure.name for figure in figures(later, evaluation, ENGLISH)]
    assert names[0] == "local_cloaking"
    assert names[-1] == "new"
    assert set(names) == set(later.metrics)


def test_worst_columns_come_first(age: Variable, ward: Variable) -> None:
    assert [variable.name for variable in worst_first([age, ward])] == ["ward", "age"]


def test_the_finding_is_the_largest_difference(age: Variable) -> None:
    (card,) = variable_cards([age], {}, ENGLISH)
    assert card.finding == "Largest difference: 20 to 39, 40.0% of originals, 50.0% of avatars."


def test_missing_cells_count_as_a_difference(age: Variable) -> None:
    (card,) = variable_cards([replace(age, missing=Missing(0.1, 0.6, 0.1))], {}, ENGLISH)
    assert card.finding == "Largest difference: missing, 10.0% of originals, 60.0% of avatars."


def test_end_bins_are_told_as_open(age: Variable) -> None:
    charts = "".join(variable_cards([age], {}, ENGLISH)[0].charts)
    assert ">at most 19<" in charts
    assert ">at least 40<" in charts


def test_a_column_without_a_value_has_no_distribution_to_draw() -> None:
    empty = Variable("x", "float", 100.0, Missing(1, 1, 1), Bins((0.0, 1.0), (0.0,), (0.0,), (0.0,)))
    (card,) = variable_cards([empty], {}, ENGLISH)
    assert len(card.charts) == 1
    assert card.finding == "Originals and avatars have the same shares."


def test_many_levels_are_drawn_as_the_commonest_and_the_rest() -> None:
    share = tuple([0.05] * 20)
    levels = Levels((*(f"level {place}" for place in range(19)), ""), share, share, None, merged=30)
    (card,) = variable_cards([Variable("x", "category", 100.0, Missing(0, 0, None), levels)], {}, ENGLISH)
    assert card.charts[0].count("<title>") == 12
    assert "38 other levels" in card.charts[0]  # 8 named ones and 30 merged before


def test_warnings_are_grouped_by_code_and_said_once(
    evaluation: Evaluation, make_manifest: Callable[..., Manifest]
) -> None:
    notice = evaluation.notices[0]
    rare = [ManifestWarning(code="RARE_VALUE", column=name, message="few") for name in ("a", "b")]
    repeated = ManifestWarning(code=notice.code, column=None, message=notice.message)
    groups = warning_groups(make_manifest(warnings=(*rare, repeated)), evaluation.notices, ENGLISH)
    assert [(group.title, group.columns, len(group.details)) for group in groups] == [
        ("Rare values", ("a", "b"), 2),
        ("Uninformative figures", (), 1),
    ]


def test_parameters_are_listed_without_the_seed(manifest: Manifest) -> None:
    listed = {fact.name: fact.value for fact in parameters(manifest, ENGLISH)}
    assert listed == {
        "method.k": "20",
        "method.ncp": "2",
        "release": "full",
        "rare_values.label": "not set",
        "targets.mode": "enforce",
        "targets.profile": "partner",
    }


def test_warnings_name_figures_by_their_titles(
    evaluation: Evaluation, make_manifest: Callable[..., Manifest]
) -> None:
    vague = Notice("UNINFORMATIVE_METRIC", None, "hidden_rate, hellinger_mean: x; do not read them as safe")
    (group,) = warning_groups(make_manifest(warnings=()), (vague,), ENGLISH)
    said = "Hidden rate, Hellinger score, mean over columns: x; do not read them as safe"
    assert [detail.message for detail in group.details] == [said]


def test_every_warning_of_the_core_is_explained(make_manifest: Callable[..., Manifest]) -> None:
    core = Path(sosie.__file__).parent
    codes = {
        node.args[0].value
        for path in core.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Notice"
        if isinstance(node.args[0], ast.Constant)
    }
    assert {"RARE_VALUE", "APPROXIMATE_HOLDOUT"} <= codes
    groups = warning_groups(
        make_manifest(warnings=()), [Notice(str(code), None, "x") for code in codes], ENGLISH
    )
    assert [group.code for group in groups if group.title == group.code] == []
