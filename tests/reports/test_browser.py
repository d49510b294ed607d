"""The pages in a real browser without a network: they open, work with the keyboard, and anyone can read them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page

from sosie.evaluation import Evaluation, Variable
from sosie.reports import ComparedRun, render_comparison, render_report
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile, judge
from sosie.schemas.targets import Target

Open = Callable[..., Page]
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
NAMES = [f"column {place}" for place in range(1, 13)]


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a page from disk, offline; any error, failed or outside request fails the test."""
    contexts, troubles = [], []

    def open_it(
        html: str,
        width: int = 1200,
        scheme: Literal["light", "dark"] = "light",
        media: Literal["screen", "print"] = "screen",
    ) -> Page:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("requestfailed", lambda request: troubles.append(request.url))
        page.on(
            "request", lambda request: None if request.url == path.as_uri() else troubles.append(request.url)
        )
        page.emulate_media(media=media)
        page.goto(path.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture
def crowded(evaluation: Evaluation, age: Variable, ward: Variable) -> Evaluation:
    """Enough columns for the filter."""
    columns = [replace(age if place % 2 else ward, name=name) for place, name in enumerate(NAMES)]
    return replace(evaluation, variables=tuple(columns))


@pytest.fixture
def page_of(
    crowded: Evaluation, targets: dict[str, Target], make_manifest: Callable[..., Manifest]
) -> Callable[..., str]:
    """The report of the crowded evaluation; `fate` says how the run ended."""

    def render(language: Any = "en", audience: Any = "shareable", fate: str = "released") -> str:
        aimed = targets | ({"inference": Target(max=10)} if fate == "rejected" else {})
        seen = replace(crowded, holdout="approximate") if fate == "approximate" else crowded
        manifest = make_manifest(status="rejected" if fate == "rejected" else "released")
        metrics = judge(seen, aimed, k=20, released=599)
        return render_report(seen, metrics, manifest, language=language, audience=audience)

    return render


@pytest.fixture
def comparison(crowded: Evaluation, metrics: MetricsFile, manifest: Manifest) -> str:
    """Two runs side by side."""
    run = ComparedRun(manifest, metrics, crowded)
    return render_comparison([run, run])


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong, all its rules asked."""
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")["violations"]
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize(
    ("fate", "scheme", "language"),
    [("released", "light", "en"), ("rejected", "dark", "fr"), ("approximate", "light", "fr")],
)
def test_axe_finds_nothing_to_object_to(
    open_page: Open, page_of: Callable[..., str], fate: str, scheme: str, language: str
) -> None:
    assert violations(open_page(page_of(language, "internal", fate), scheme=scheme)) == []


def test_axe_finds_nothing_to_object_to_in_a_comparison(open_page: Open, comparison: str) -> None:
    assert violations(open_page(comparison, scheme="dark")) == []


@pytest.mark.parametrize("language", ["en", "fr"])
def test_headings_are_in_order_and_seen(open_page: Open, page_of: Callable[..., str], language: str) -> None:
    page = open_page(page_of(language))
    depths = [
        int(tag[1]) for tag in page.eval_on_selector_all("h1,h2,h3,h4,h5", "all => all.map(h => h.tagName)")
    ]
    assert depths[0] == 1
    assert depths.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(depths))
    assert all(heading.is_visible() for heading in page.locator("h2").all())


def test_the_filter_takes_what_is_typed_and_says_how_many_are_left(
    open_page: Open, page_of: Callable[..., str]
) -> None:
    page = open_page(page_of())
    page.get_by_role("searchbox").focus()
    page.keyboard.type("COLUMN 1")
    shown = [name for name in NAMES if "column 1" in name]
    assert page.locator(".variable:visible h3").all_inner_texts() != []
    assert sorted(page.locator(".variable:visible h3").all_inner_texts()) == sorted(shown)
    assert page.locator("#shown").inner_text() == f"{len(shown)} / {len(NAMES)}"
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    assert page.locator(".variable:visible").count() == len(NAMES)


def test_everything_is_reached_with_the_keyboard(open_page: Open, page_of: Callable[..., str]) -> None:
    page = open_page(page_of())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_url("**#verdict")
    details = page.locator("details").first
    before = details.evaluate("details => details.open")
    details.locator("summary").focus()
    page.keyboard.press("Enter")
    assert details.evaluate("details => details.open") is not before
    reached = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        place = page.evaluate("document.activeElement.tagName + '.' + document.activeElement.className")
        reached.add(place)
    assert {"DIV.wide", "INPUT.", "SUMMARY."} <= reached


def test_a_link_to_a_figure_opens_what_holds_it(open_page: Open, page_of: Callable[..., str]) -> None:
    page = open_page(page_of())
    page.locator("summary").first.click()
    page.locator('a[href="#membership_auc"]').first.click()
    page.wait_for_function("document.querySelector('#membership_auc').closest('details').open")
    assert page.locator("#membership_auc").is_visible()


@pytest.mark.parametrize(("language", "fate"), [("en", "released"), ("fr", "rejected")])
def test_a_telephone_scrolls_down_only(
    open_page: Open, page_of: Callable[..., str], language: str, fate: str
) -> None:
    page = open_page(page_of(language, "internal", fate), width=320)
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_a_comparison_scrolls_down_only_too(open_page: Open, comparison: str) -> None:
    assert open_page(comparison, width=320).evaluate("document.documentElement.scrollWidth") == 320


def test_the_dark_page_is_dark_and_the_printed_one_white(
    open_page: Open, page_of: Callable[..., str]
) -> None:
    def brightness(page: Page) -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    html = page_of()
    assert brightness(open_page(html)) == 3 * 255
    assert brightness(open_page(html, scheme="dark")) < 120
    assert brightness(open_page(html, scheme="dark", media="print")) == 3 * 255


def test_print_shows_what_is_folded_and_leaves_out_what_paper_cannot_do(
    open_page: Open, page_of: Callable[..., str]
) -> None:
    page = open_page(page_of(), media="print")
    assert not page.locator("nav").is_visible()
    assert not page.locator(".filter").is_visible()
    assert page.locator("#membership_auc").bounding_box() is not None


def test_figures_on_the_screen_equal_the_metrics_file_to_the_printed_digit(
    open_page: Open, page_of: Callable[..., str], crowded: Evaluation, targets: dict[str, Target]
) -> None:
    page = open_page(page_of())
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    cells = page.eval_on_selector_all(
        "td[data-metric]", "all => all.map(cell => [cell.dataset.metric, cell.innerText])"
    )
    figures = MetricsFile.model_validate_json(
        judge(crowded, targets, k=20, released=599).model_dump_json()
    ).metrics
    assert {name for name, _ in cells} == set(figures)
    for name, text in cells:
        value = figures[name].value
        if value is None:
            assert text == "not computed"
            continue
        printed = text.removesuffix("%").replace(",", "")
        decimals = len(printed.partition(".")[2])
        assert float(printed) == round(value, decimals), name
    scores = dict(
        page.eval_on_selector_all("[data-variable]", "all => all.map(c => [c.dataset.variable, c.innerText])")
    )
    assert scores == {column.name: f"{column.hellinger:.1f}" for column in crowded.variables}


def test_three_hundred_columns_open_in_seconds_and_say_what_was_left_out(
    open_page: Open, evaluation: Evaluation, age: Variable, targets: dict[str, Target], manifest: Manifest
) -> None:
    columns = tuple(replace(age, name=f"column {place}", hellinger=99 - place / 10) for place in range(300))
    wide = replace(evaluation, variables=columns)
    html = render_report(wide, judge(wide, targets, k=20, released=599), manifest)
    assert len(html.encode()) < 2_000_000
    page = open_page(html)
    timing = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert 0 < timing < 10_000
    assert page.locator("article.variable").count() == 100
    assert page.locator("tr.variable").count() == 200
    assert "--columns all" in page.locator("#columns").inner_text()
    page.get_by_role("searchbox").fill("column 299")
    assert page.locator(".variable:visible").count() == 1
