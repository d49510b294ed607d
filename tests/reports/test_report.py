"""The page as a whole: its facts, its verdicts, and that it needs and tells nothing else."""

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from jinja2 import UndefinedError

from sosie.estimates import Metric
from sosie.evaluation import Evaluation, Levels, Variable
from sosie.reports import render_report
from sosie.reports.rendering import environment
from sosie.schemas.manifest import Manifest, ManifestWarning
from sosie.schemas.metrics import MetricsFile, judge
from sosie.schemas.targets import Target


class Reader(HTMLParser):
    """The tags of a page with their attributes, and its text with spaces made single and breaking."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.pieces: list[str] = []
        self._hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._hidden = tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.pieces).split())


def cell(page: str, attribute: str) -> str:
    """The text of the element that carries an attribute."""
    found = re.search(rf"<\w+[^>]* {re.escape(attribute)}>([^<]*)<", page)
    assert found is not None, attribute
    return found[1]


def test_figures_equal_the_metrics_file_to_the_printed_digit(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    page = render_report(evaluation, metrics, manifest)
    printed = {name: cell(page, f'data-metric="{name}"') for name in metrics.metrics}
    assert printed == {
        "local_cloaking": "12.5",
        "local_cloaking_zero_share": "8.1%",
        "hidden_rate": "91.3%",
        "closest_distances_ratio_median": "97.3%",
        "closest_distances_ratio_outlier": "100.0%",
        "hellinger_mean": "88.7",
        "row_direct_match": "0.04%",
        "row_direct_match_own": "not computed",
        "inference": "50.0%",
        "membership_auc": "0.531",
        "association_difference_mean": "0.050",
    }
    assert cell(page, 'data-variable="age"') == "96.4"


def test_french_figures_are_written_as_the_french_do(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    page = render_report(evaluation, metrics, manifest, language="fr")
    assert cell(page, 'data-metric="hidden_rate"') == "91,3\u00a0%"
    assert '<html lang="fr">' in page
    assert "Diffusé" in page


def test_a_released_table_says_so_first(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    text = Reader(render_report(evaluation, metrics, manifest)).text
    assert "The avatars were released. None of the 4 targets is missed." in text
    assert "Targets are conventions, not law" in text
    assert text.index("Released") < text.index("Privacy") < text.index("Utility") < text.index("Limits ")


def test_a_rejected_table_names_the_miss_and_what_usually_helps(
    evaluation: Evaluation, missed: MetricsFile, make_manifest: Callable[..., Manifest]
) -> None:
    manifest = make_manifest(status="rejected", code="TARGET_NOT_MET")
    text = Reader(render_report(evaluation, missed, manifest)).text
    assert "No avatars were released. 1 of 4 targets is missed." in text
    assert "Hidden rate : 74.97% , target at least 75%" in text
    assert "A larger k" in text


def test_targets_that_are_only_reported_do_not_read_as_met(
    evaluation: Evaluation, missed: MetricsFile, make_manifest: Callable[..., Manifest]
) -> None:
    text = Reader(render_report(evaluation, missed, make_manifest(mode="report"))).text
    assert "Released, targets not enforced" in text
    assert "1 of 4 targets is missed." in text


def test_avatars_made_elsewhere_are_measured_only(
    evaluation: Evaluation, targets: dict[str, Target], manifest: Manifest
) -> None:
    metrics = judge(evaluation, targets, k=None, released=0)
    text = Reader(render_report(evaluation, metrics, manifest)).text
    assert "Measured only" in text
    assert "The avatars were made elsewhere" in text


def test_a_failed_run_has_no_report(
    evaluation: Evaluation, metrics: MetricsFile, make_manifest: Callable[..., Manifest]
) -> None:
    with pytest.raises(ValueError, match="a failed run has no figures"):
        render_report(evaluation, metrics, make_manifest(status="failed", code="MIXED_TYPES"))


def test_a_target_that_cannot_be_judged_is_said_in_the_verdict(
    evaluation: Evaluation, targets: dict[str, Target], manifest: Manifest
) -> None:
    aimed = targets | {"closest_distances_ratio_outlier": Target(min=50)}
    text = Reader(render_report(evaluation, judge(evaluation, aimed, k=20, released=599), manifest)).text
    assert "Could not be held against their target: Closest distances ratio, most exposed individuals" in text
    assert "uninformative (the reference is 0)" in text


def test_an_approximate_holdout_is_flagged_at_every_figure_that_leans_on_it(
    evaluation: Evaluation, targets: dict[str, Target], manifest: Manifest
) -> None:
    approximate = replace(evaluation, holdout="approximate")
    metrics = judge(approximate, targets, k=20, released=599)
    page = render_report(approximate, metrics, manifest)
    assert page.count("so this figure leans towards safe") == 3
    assert page.count("so this figure flatters a little") == 2
    assert "Approximate holdout." in page
    assert "Approximate holdout" not in render_report(
        evaluation, judge(evaluation, targets, k=20, released=599), manifest
    )


@pytest.mark.parametrize("language", ["en", "fr"])
def test_markup_in_names_is_text(
    evaluation: Evaluation,
    ward: Variable,
    targets: dict[str, Target],
    make_manifest: Callable[..., Manifest],
    language: str,
) -> None:
    canary = "\"><img src=x onerror=alert(1)>'&{{ 7*7 }}%(x)s%"
    assert isinstance(ward.distribution, Levels)
    levels = replace(ward.distribution, labels=(canary, "south", ""))
    marked = replace(evaluation, variables=(replace(ward, name=canary, distribution=levels),))
    manifest = make_manifest(
        source_name=canary,
        versions={canary: canary},
        warnings=(ManifestWarning(code="RARE_VALUE", column=canary, message=canary),),
    )
    metrics = judge(marked, targets, k=20, released=599)
    page = render_report(marked, metrics, manifest, language=language, audience="internal")  # type: ignore[arg-type]
    assert "<img" not in page
    assert not [attributes for _, attributes in Reader(page).tags if "onerror" in attributes]
    assert "&lt;img src=x onerror=alert(1)&gt;&#39;&amp;{{ 7*7 }}%(x)s%" in page


def test_the_page_asks_for_nothing(evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest) -> None:
    page = render_report(evaluation, metrics, manifest)
    assert not re.search(r"https?://|//\w|@import|url\(", page)
    for tag, attributes in Reader(page).tags:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base")
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            assert (attributes.get(name) or "#").startswith("#")


def test_the_policy_lets_only_the_pages_own_script_run(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    page = render_report(evaluation, metrics, manifest)
    policy = next(tag["content"] or "" for _, tag in Reader(page).tags if "http-equiv" in tag)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert f"script-src 'sha256-{digest}'" in policy
    assert not [
        tag for tag, attributes in Reader(page).tags if any(name.startswith("on") for name in attributes)
    ]


def test_headings_are_in_order_and_names_of_places_are_unique(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    tags = Reader(render_report(evaluation, metrics, manifest)).tags
    depths = [int(tag[1]) for tag, _ in tags if re.fullmatch("h[1-6]", tag)]
    assert depths[0] == 1
    assert depths.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(depths))
    places = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(places) == len(set(places))
    pointed = {(attributes.get("href") or "#")[1:] for _, attributes in tags} - {""}
    pointed |= {
        attributes["aria-labelledby"] or "" for _, attributes in tags if "aria-labelledby" in attributes
    }
    assert pointed <= set(places)


def test_every_picture_has_a_text_alternative(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    pictures = [
        attributes
        for tag, attributes in Reader(render_report(evaluation, metrics, manifest)).tags
        if tag == "svg" and "aria-hidden" not in attributes and attributes.get("role") != "img"
    ]
    labels = re.findall(r'role="img"[^>]* aria-label="([^"]*)"', render_report(evaluation, metrics, manifest))
    assert "ward, distribution. Largest difference: north, 60.0% of originals, 70.0% of avatars." in labels
    assert all(labels)
    # what is neither hidden nor an image is the key of the pictures, itself hidden or beside its own words
    assert all(set(attributes) <= {"viewbox"} for attributes in pictures)


def test_only_the_internal_page_has_the_banner_and_the_warnings_in_full(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    shareable = render_report(evaluation, metrics, manifest)
    internal = render_report(evaluation, metrics, manifest, audience="internal")
    for sentence in ("Internal: do not hand out.", "2 values below 5 individuals"):
        assert sentence in internal
        assert sentence not in shareable
    assert "Rare values" in shareable


@pytest.mark.parametrize("audience", ["shareable", "internal"])
def test_the_seed_is_never_shown(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest, audience: str
) -> None:
    page = render_report(evaluation, metrics, manifest, audience=audience)  # type: ignore[arg-type]
    assert "987654321" not in page


def test_what_is_not_computed_is_neither_met_nor_missed(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    page = render_report(evaluation, metrics, manifest)
    card = page[page.index('id="row_direct_match_own"') : page.index('id="attacks"')]
    assert 'badge not-computed"' in card
    assert "rows are not linked" in card
    assert 'path class="value' not in card


def test_a_figure_that_nobody_explained_is_shown_all_the_same(
    evaluation: Evaluation, targets: dict[str, Target], manifest: Manifest
) -> None:
    later = replace(
        evaluation, metrics={**evaluation.metrics, "new_figure": evaluation.metrics["hidden_rate"]}
    )
    page = render_report(later, judge(later, targets, k=20, released=599), manifest)
    assert "Other figures" in page
    assert cell(page, 'data-metric="new_figure"') == "91.3"


def test_one_component_has_no_plane(evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest) -> None:
    flat = replace(evaluation, plane=None, explained_variance_ratio=(1.0,))
    assert "there is no plane to draw" in render_report(flat, metrics, manifest)


def test_the_same_run_gives_the_same_page(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    assert render_report(evaluation, metrics, manifest) == render_report(evaluation, metrics, manifest)


def test_a_hundred_columns_stay_far_below_five_megabytes(
    evaluation: Evaluation, age: Variable, targets: dict[str, Target], manifest: Manifest
) -> None:
    wide = replace(evaluation, variables=tuple(replace(age, name=f"column {place}") for place in range(100)))
    page = render_report(wide, judge(wide, targets, k=20, released=599), manifest)
    assert len(page.encode()) < 1_000_000
    assert 'id="filter"' in page


def test_a_template_that_asks_for_what_is_not_there_fails() -> None:
    with pytest.raises(UndefinedError):
        environment("en").from_string("{{ page.nothing }}").render()


def test_attacks_that_find_something_ask_for_a_change_though_every_target_is_met(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest
) -> None:
    text = Reader(render_report(evaluation, metrics, manifest)).text
    assert "No target asks for a change, but attacks worked better" in text
    assert "Inference, most exposed column A larger k and fewer components (ncp) usually lower it" in text


def test_the_verdict_names_the_worst_column_the_holdout_and_the_most_exposed(
    evaluation: Evaluation, targets: dict[str, Target], manifest: Manifest
) -> None:
    seen = replace(evaluation, metrics={**evaluation.metrics, "local_cloaking_isolated": Metric(3.0)})
    page = render_report(seen, judge(seen, targets, k=20, released=599), manifest)
    verdict = Reader(page[: page.index("Figures with a target")]).text
    assert "The column that changed most is ward: Hellinger score 81.0" in verdict
    assert "The figures compare with 299 people who were kept apart before anything was fitted." in verdict
    assert "8.1% of individuals have no other avatar as close as their own" in verdict


def test_another_profiles_verdict_releases_nothing(
    evaluation: Evaluation, missed: MetricsFile, manifest: Manifest
) -> None:
    text = Reader(render_report(evaluation, missed, manifest, profile="open")).text
    assert "Held against another profile" in text
    assert "nothing is released or held back by this page" in text
    assert "anyone may have the table" in text
