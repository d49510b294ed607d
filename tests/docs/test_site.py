"""The site builds without a warning, every link of it leads somewhere, and a page asks nothing of anybody."""

import os
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page

from sosie.reports.guides import GUIDES

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
THEME = '"landmark-unique"'  # the theme has two complementary landmarks without a name of their own
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Elements(HTMLParser):
    """What a page names, links to and loads."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.language = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        self.names |= {held[name] for name in ("id", "name") if name in held}
        if tag == "a" and "href" in held:
            self.links.append(held["href"])
        if tag in LOADS and held.get(LOADS[tag]):
            self.loads.append(held[LOADS[tag]])
        if tag == "html":
            self.language = held.get("lang", "")


@cache
def elements(page: Path) -> Elements:
    found = Elements()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def broken(page: Path) -> Iterator[str]:
    """Links of a page to files or places that there are not."""
    for link in elements(page).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.is_file() or (
            parts.fragment
            and target.suffix == ".html"
            and unquote(parts.fragment) not in elements(target).names
        ):
            yield link


def test_every_link_leads_to_a_page_and_to_a_place_on_it(site: Path) -> None:
    assert {
        str(page.relative_to(site)): list(broken(page)) for page in pages(site) if list(broken(page))
    } == {}


NAMES = {"sosie", "Furo", "Index", "Menu"}
"""What is said around a page in both languages alike."""


def said_around(page: Path) -> set[str]:
    """Texts and labels around the article and beside the tree of pages."""
    html = re.sub(
        r"<(head|article|script|style)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    html = re.sub(r'<div class="(sidebar-tree|title|toc-tree)">.*?</div>', "", html, flags=re.DOTALL)
    texts = re.findall(r'>([^<>]+)<|aria-label="([^"]+)"|placeholder="([^"]+)"', html)
    return {" ".join("".join(found).split()) for found in texts} - {""}


@pytest.mark.parametrize("name", ["index", "metrics/local-cloaking", "metrics/index", "search", "genindex"])
def test_what_is_around_a_french_page_is_french(site: Path, name: str) -> None:
    english, french = said_around(site / f"{name}.html"), said_around(site / "fr" / f"{name}.html")
    assert len(french) > len(NAMES)
    assert english & french - NAMES == set()


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loaded = {load for page in pages(site) for load in elements(page).loads}
    assert [load for load in sorted(loaded) if urlsplit(load).netloc] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)'\"]*", styles) == []


def test_every_metric_has_a_page_in_both_languages_that_speaks_it(site: Path) -> None:
    for guide in GUIDES:
        assert elements(site / "metrics" / f"{guide.slug}.html").language == "en"
        assert elements(site / "fr" / "metrics" / f"{guide.slug}.html").language == "fr"


def test_every_french_page_has_an_english_one_and_each_leads_to_the_other(site: Path) -> None:
    french = {page.relative_to(site / "fr") for page in pages(site / "fr")}
    assert french <= {page.relative_to(site) for page in pages(site)}
    for name in french - {Path("genindex.html"), Path("search.html")}:
        to_english = os.path.relpath(site / name, (site / "fr" / name).parent)
        assert to_english in elements(site / "fr" / name).links
        assert os.path.relpath(site / "fr" / name, (site / name).parent) in elements(site / name).links


@pytest.mark.parametrize("name", ["benchmarks/judge", "changelog", "reference/commands", "reference/library"])
def test_the_french_site_says_what_is_in_english_only(site: Path, name: str) -> None:
    page = site / "fr" / f"{name}.html"
    assert "n’existe qu’en anglais" in page.read_text(encoding="utf-8")
    assert os.path.relpath(site / f"{name}.html", page.parent) in elements(page).links


def opened(
    browser: Browser, path: Path, width: int, scheme: Literal["light", "dark"], troubles: list[str]
) -> Page:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("requestfailed", lambda request: troubles.append(request.url))
    page.on(
        "request", lambda request: None if request.url.startswith("file:") else troubles.append(request.url)
    )
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize("name", ["index", "metrics/local-cloaking", "fr/how-to/settings", "reference/codes"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_page_opens_without_a_network_and_fits_the_screen(
    site: Path, browser: Browser, name: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    troubles: list[str] = []
    page = opened(browser, site / f"{name}.html", width, scheme, troubles)
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.context.close()
    assert troubles == []
    assert wide <= width


@pytest.mark.parametrize(
    "name", ["metrics/local-cloaking", "fr/metrics/index", "fr/tutorial", "reference/configuration"]
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anyone_can_read_a_page(
    site: Path, browser: Browser, name: str, scheme: Literal["light", "dark"]
) -> None:
    troubles: list[str] = []
    page = opened(browser, site / f"{name}.html", 1280, scheme, troubles)
    page.evaluate(AXE)
    found = page.evaluate(f"axe.run({{rules: {{{THEME}: {{enabled: false}}}}}})")["violations"]
    page.context.close()
    assert [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]] == []


@pytest.mark.parametrize(
    ("language", "word", "name"),
    [(".", "linkability", "metrics/linkability"), ("fr", "identifiant", "how-to/dates-and-identifiers")],
)
def test_the_search_finds_a_page_without_a_network(
    site: Path, browser: Browser, language: str, word: str, name: str
) -> None:
    troubles: list[str] = []
    search = site / language / "search.html"
    page = opened(browser, search, 1280, "light", troubles)
    page.goto(f"{search.as_uri()}?q={word}")
    page.wait_for_selector("ul.search li a")
    found = page.eval_on_selector_all("ul.search li a", "links => links.map(link => link.href)")
    page.context.close()
    assert any(f"{name}.html" in link for link in found)
    assert troubles == []
