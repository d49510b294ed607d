"""Runs side by side."""

from dataclasses import replace

import pytest

from sosie.estimates import Metric
from sosie.evaluation import Evaluation
from sosie.reports.comparison import ComparedRun, make_comparison, render_comparison
from sosie.reports.language import load_language
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import judge
from sosie.schemas.targets import profile_targets

ENGLISH = load_language("en")


def run(evaluation: Evaluation, manifest: Manifest, **figures: Metric) -> ComparedRun:
    seen = replace(evaluation, metrics={**evaluation.metrics, **figures})
    return ComparedRun(manifest, judge(seen, {}, k=20, released=599), seen)


def test_only_parameters_that_differ_are_listed(evaluation: Evaluation, manifest: Manifest) -> None:
    other = manifest.model_copy(update={"parameters": {**(manifest.parameters or {}), "release": "working"}})
    page = make_comparison([run(evaluation, manifest), run(evaluation, other)], ENGLISH)
    assert [(row.name, row.cells) for row in page.parameters] == [("release", ("full", "working"))]


def test_every_figure_of_any_run_has_its_row(evaluation: Evaluation, manifest: Manifest) -> None:
    page = make_comparison([run(evaluation, manifest), run(evaluation, manifest, newer=Metric(3.0))], ENGLISH)
    rows = {row.name: row for row in page.figures}
    assert set(rows) == {*evaluation.metrics, "newer"}
    assert rows["newer"].cells == ("not measured", "3")
    assert not rows["hidden_rate"].differs


def test_the_scatter_names_the_safest_and_the_most_useful(evaluation: Evaluation, manifest: Manifest) -> None:
    safe = run(evaluation, manifest, hidden_rate=Metric(95.0), membership_auc=Metric(0.5))
    useful = run(evaluation, manifest, hellinger_mean=Metric(95.0))
    hidden, membership, distance = make_comparison([safe, useful], ENGLISH).scatters
    assert hidden.finding == membership.finding == "Safest by this figure: A; most useful: B."
    assert distance.drawn == ""


def test_an_uninformative_figure_is_no_point(evaluation: Evaluation, manifest: Manifest) -> None:
    vague = run(evaluation, manifest, hidden_rate=Metric(100.0, 100.0, "uninformative", "x"))
    scatter = make_comparison([vague, vague], ENGLISH).scatters[0]
    assert (scatter.drawn, scatter.finding) == (
        "",
        "Fewer than two runs have this figure, or it says nothing.",
    )


def test_other_sources_are_said(evaluation: Evaluation, manifest: Manifest) -> None:
    other = manifest.model_copy(update={"source_sha256": "cd" * 32})
    page = render_comparison([run(evaluation, manifest), run(evaluation, other)])
    assert "The runs do not have the same source" in page


def test_other_targets_are_said(evaluation: Evaluation, manifest: Manifest) -> None:
    said = "not held against the same targets"
    one, two = run(evaluation, manifest), run(evaluation, manifest)
    strict = replace(two, metrics=judge(evaluation, profile_targets("open"), k=20, released=599))
    assert said not in render_comparison([one, two])
    assert said in render_comparison([one, strict])


def test_one_run_has_nothing_beside_it(evaluation: Evaluation, manifest: Manifest) -> None:
    with pytest.raises(ValueError, match="two runs or more: 1"):
        make_comparison([run(evaluation, manifest)], ENGLISH)
