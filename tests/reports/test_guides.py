"""Every figure has a page, and what a page shows is what the code answers."""

import doctest
from collections import Counter

import pytest

from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.guide import Guide
from sosie.reports.guides import GUIDES
from sosie.schemas.targets import METRICS


def test_every_metric_is_on_one_page() -> None:
    told = Counter(figure for guide in GUIDES for figure in guide.figures)
    assert told == Counter(METRICS)
    assert set(METRICS) == set(EXPLANATIONS)


def test_pages_have_names_of_their_own() -> None:
    assert len({guide.slug for guide in GUIDES}) == len({guide.title for guide in GUIDES}) == len(GUIDES)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.slug)
def test_the_worked_example_answers_what_its_page_shows(guide: Guide) -> None:
    parsed = doctest.DocTestParser().get_doctest(guide.example, {}, guide.slug, None, None)
    told: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(parsed, out=told.append)
    assert outcome.attempted > 0
    assert outcome.failed == 0, "".join(told)
