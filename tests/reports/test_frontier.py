"""The page of a search: what is proposed in words, the frontier drawn with an alternative, nothing loaded or run."""

import re
from dataclasses import replace

import pytest

from sosie.estimates import Estimate, Metric, NotComputed
from sosie.reports.frontier import render_frontier
from sosie.reports.language import Code
from sosie.schemas.targets import Target
from sosie.search import Point, Proposal, Search, Setting, Trial

TARGETS = {"hidden_rate": Target(min=50), "linkability": Target(max=20)}


def point(setting: Setting, privacy: float, utility: float, missed: tuple[str, ...] = ()) -> Point:
    figures: dict[str, Estimate | NotComputed] = {
        "hidden_rate": Estimate(61.0, 57.0, 65.0),
        "linkability": NotComputed("no"),
    }
    return Point(
        setting,
        figures,
        Estimate(privacy, privacy - 1, privacy + 1),
        Estimate(utility, utility, utility),
        (missed, ()),
        0.1 if missed else 0.0,
    )


@pytest.fixture
def search() -> Search:
    weighed = Setting(((("columns", "<b>age", "weight"), 2.0),))
    points = (
        point(Setting(), 50, 90, ("hidden_rate",)),
        point(weighed, 80, 95),
        point(Setting(((("method", "k"), 40),)), 90, 85),
    )
    trial = Trial({"hidden_rate": Metric(61.0)}, {"<b>age": 90.0}, 1.0)
    return Search(
        source="patients.csv",
        sha256="0" * 64,
        rows=1000,
        of_rows=2139,
        profile="open",
        points=points,
        trials=((trial, trial),) * 3,
        on_frontier=(1, 2),
        wanted=3,
        allowed=3,
        minutes=10.0,
        proposal=Proposal(1, points[1], points[0]),
    )


def test_the_page_tells_the_change_with_its_figures_and_intervals(search: Search) -> None:
    page = render_frontier(search, TARGETS)
    assert "columns.&lt;b&gt;age.weight: 2" in page
    assert "<b>age" not in page
    assert "This change meets all targets on a sample of 1,000 rows, in each of 2 fresh splits." in page
    assert "61.0% (57.0% to 65.0%)" in page
    assert "at least 50%" in page


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "On the frontier, which no other setting beats in both: 2, 3."),
        ("fr", "Sur la frontière, qu’aucun autre réglage ne dépasse sur les deux plans : 2, 3."),
    ],
)
def test_the_drawing_has_an_alternative_in_the_pages_language(
    search: Search, language: Code, shown: str
) -> None:
    page = render_frontier(search, TARGETS, language=language).replace("\u00a0", " ")
    (alternative,) = re.findall(r'<svg class="lines" role="img"[^>]* aria-label="([^"]*)"', page)
    assert shown in alternative
    assert page.count('class="dot ') == 3
    assert page.count('<circle class="dot proposed"') == 1
    assert '<polyline class="frontier"' in page


def test_the_page_loads_and_runs_nothing(search: Search) -> None:
    page = render_frontier(search, TARGETS)
    assert "default-src 'none'" in page
    assert not re.search(r"<script|<link|<img|https?://", page)


def test_a_design_that_was_cut_says_so(search: Search) -> None:
    assert "The design was cut" not in render_frontier(search, TARGETS)
    page = render_frontier(replace(search, wanted=12), TARGETS)
    assert "The design was cut: 9 of 12 settings did not fit into 10 minutes" in page


def test_what_stays_missed_is_named_where_no_setting_meets_the_targets(search: Search) -> None:
    closest = Proposal(0, search.points[0], search.points[0])
    page = render_frontier(replace(search, proposal=closest), TARGETS)
    assert "The closest meets them in 1 of 2 fresh splits" in page
    assert "missed in some: Hidden rate." in page


def test_a_grid_proposes_nothing(search: Search) -> None:
    page = render_frontier(replace(search, proposal=None), TARGETS)
    assert "<h1>Settings measured</h1>" in page
    assert "fresh splits" not in page
