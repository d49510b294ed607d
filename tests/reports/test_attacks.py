"""What attacks found, in words: never safe where nothing is known."""

from dataclasses import replace

import pytest

from sosie.attacks import Attack, Attacks, NotComputed, Rate
from sosie.evaluation import Evaluation
from sosie.reports import render_report
from sosie.reports.attacks import attacked
from sosie.reports.language import load_language
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile

ENGLISH = load_language("en")
NOTHING = Attack(Rate(12, 100), Rate(11, 100), Rate(20, 100), None, 0.5)


def test_attacks_that_find_something_are_counted_and_named(attacks: Attacks) -> None:
    found = attacked(attacks, ENGLISH)
    assert found.summary == "1 of 5 attacks works better on people who were used than on strangers."
    assert found.advantages == ("Inference, most exposed column",)


def test_finding_nothing_is_not_called_safe(attacks: Attacks) -> None:
    quiet = replace(attacks, inference=NotComputed("x"))
    assert attacked(quiet, ENGLISH).summary.endswith("That is not a proof of safety.")


def test_where_no_attack_ran_nothing_is_known(attacks: Attacks) -> None:
    reason = NotComputed("x")
    none = Attacks(*[reason] * 8)
    assert attacked(none, ENGLISH).summary.startswith("No attack could be run")
    assert attacked(none, ENGLISH).roc is None


def test_numbers_stand_beside_control_and_chance(attacks: Attacks) -> None:
    inference = attacked(attacks, ENGLISH).criteria[2].rows[0]
    assert (inference.main, inference.control, inference.baseline) == ("60.0%", "20.0%", "15.0%")
    assert inference.gain == "50.0%"
    assert inference.worst == "ward"
    assert inference.finding.detected
    assert inference.finding.text == f"advantage detected (n = {inference.attempts})"


def test_no_advantage_says_among_how_many(attacks: Attacks) -> None:
    row = attacked(attacks, ENGLISH).criteria[1].rows[0]
    assert row.finding.text == "no advantage detected (n = 100)"


def test_an_attack_that_guessing_beats_says_little(attacks: Attacks) -> None:
    row = attacked(replace(attacks, linkability=NOTHING), ENGLISH).criteria[1].rows[0]
    assert row.finding.text.endswith("it did not beat guessing, so it says little")


def test_what_could_not_be_run_says_why_on_the_page(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    page = render_report(evaluation, metrics, manifest)
    assert "no combination fits" in page
    assert "the attack says nothing about anybody" in page


def test_secrets_are_listed_for_insiders_only(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    assert "Inference, column by column" not in render_report(evaluation, metrics, manifest)
    internal = render_report(evaluation, metrics, manifest, audience="internal")
    assert "Inference, column by column" in internal


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_roc_picture_states_its_finding(attacks: Attacks, language: str) -> None:
    roc = attacked(attacks, load_language(language)).roc
    assert roc is not None
    assert roc.finding in roc.drawn
    assert ("0.531" in roc.finding) is (language == "en")


def test_groups_that_are_found_most_are_named_for_insiders_only(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    assert "Groups that are found most often" not in render_report(evaluation, metrics, manifest)
    internal = render_report(evaluation, metrics, manifest, audience="internal")
    assert '<td>60 to 79</td><td class="number">75</td><td class="number">18.0%</td>' in internal
