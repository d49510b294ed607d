"""What avatars are good for: associations, learning, survival."""

from dataclasses import replace

from sosie.estimates import Estimate, NotComputed
from sosie.evaluation import Evaluation
from sosie.reports import render_report
from sosie.reports.language import load_language
from sosie.reports.lines import round_ticks
from sosie.reports.matrix import draw_matrix
from sosie.reports.spreads import spreads
from sosie.reports.use import use
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile
from sosie.utility import Discriminator, Learning, Survival, Utility
from sosie.utility.learning import ModelScores
from sosie.utility.survival import Curve, GroupCurve, HazardRatios

ENGLISH = load_language("en")
GOOD = Estimate(0.9, 0.85, 0.95)
TOLD_APART = Discriminator(GOOD, GOOD, rows=300)


def test_associations_name_the_pair_that_changed_most(utility: Utility) -> None:
    told = use(utility, ENGLISH).associations
    assert told.finding.startswith("Largest change: age and ward, 0.30 among originals, 0.25 among avatars.")
    assert [picture.title for picture in told.pictures] == ["Originals", "Avatars", "Difference"]
    assert all(told.finding in picture.drawn for picture in told.pictures)


def test_associations_that_could_not_be_computed_say_why(utility: Utility) -> None:
    told = use(replace(utility, associations=NotComputed("a pair needs two variables")), ENGLISH).associations
    assert (told.pictures, told.finding) == ((), "a pair needs two variables")


def test_the_rows_that_figures_rest_on_are_said(utility: Utility) -> None:
    assert "of 300 rows of each side" in use(replace(utility, discriminator=TOLD_APART), ENGLISH).sizes
    nothing = NotComputed("x")
    silent = replace(utility, associations=nothing, principal_space=nothing, discriminator=nothing)
    assert use(silent, ENGLISH).sizes == ""


def test_strength_negatives_and_gaps_are_told_apart_without_colour() -> None:
    drawn = draw_matrix(((1.0, -0.4), (None, 0.01)), ["a", "b"], "")
    assert drawn.count('class="strength') == 2
    assert 'class="negative"' in drawn
    assert 'class="absent"' in drawn


def test_learning_and_survival_are_shown_when_they_were_asked_for(
    evaluation: Evaluation, utility: Utility, metrics: MetricsFile, manifest: Manifest
) -> None:
    plain = render_report(evaluation, metrics, manifest)
    assert "Trained on avatars" not in plain
    asked = replace(
        utility,
        learning=Learning(
            "ward", "auc", 300, 299, (ModelScores("linear", GOOD, GOOD, Estimate(0, -0.1, 0.1)),)
        ),
        survival=Survival(
            "days",
            "died",
            "ward",
            (
                GroupCurve("north", Curve((0.0, 10.0), (1.0, 0.8), (1.0, 0.75))),
                GroupCurve("south", NotComputed("a duration is negative")),
            ),
            HazardRatios("north", ("south",), (GOOD,), NotComputed("a group has no event")),
            1,
        ),
    )
    page = render_report(replace(evaluation, utility=asked), metrics, manifest)
    for part in (
        "0.900 (0.850 to 0.950)",
        "At the end: 80.0% of originals, 75.0% of avatars.",
        "a duration is negative",
        "a group has no event",
        "1 group with too few events is not shown.",
    ):
        assert part in page, part


def test_spreads_state_the_median_and_the_exposed_end(evaluation: Evaluation) -> None:
    cloaking, distance, ratio = spreads(evaluation, ENGLISH)
    assert "at most 0 for one individual in ten, at most 12.5 for half" in cloaking.finding
    assert distance.finding.startswith(
        "Median: 1 towards avatars, 1.2 towards the holdout; at percentile 2.5: 0.1"
    )
    assert ratio.finding in ratio.drawn


def test_what_was_not_measured_has_no_spread(evaluation: Evaluation) -> None:
    assert spreads(replace(evaluation, local_cloaking_deciles=None, closeness=None), ENGLISH) == ()


def test_ticks_are_round() -> None:
    assert round_ticks(0, 1) == (0, 0.2, 0.4, 0.6, 0.8, 1)
    assert round_ticks(0, 2.7) == (0, 1, 2)
    assert round_ticks(3, 3) == (3,)
