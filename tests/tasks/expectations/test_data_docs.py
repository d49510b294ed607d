"""The auditor's pages in a real browser without a network: nothing is requested, pass and fail are seen, no cell is."""

import json
import re
import stat
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page

from sosie.flows.runs import run_request
from sosie.schemas.manifest import Manifest
from sosie.schemas.request import Request
from sosie.tasks.calls import DirectCalls, silent

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
EXPECTED = """
  own:
    - {type: expect_column_mean_to_be_between, column: age, min_value: 20, max_value: 80}
    - {type: expect_column_values_to_be_in_set, column: ward, value_set: [north, south, TYPEDlevel]}
  checks:
    age: {in_range: [0, 120]}
"""
CRITICAL = """
  own: [{type: expect_column_mean_to_be_between, column: age, min_value: 90, severity: critical}]
"""
CANARIES = re.compile(r"CANARY|30[ _,]?001[ _,]?555[ _,]?123")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, patients: pd.DataFrame) -> Path:
    """Three runs of a table with a rare level and a distinctive number: met with a warning, blocked, failed."""
    folder = tmp_path_factory.mktemp("docs")
    table = patients.assign(account=range(30_000_000_000, 30_000_000_000 + 600))
    table.loc[17, "ward"] = "CANARYward"
    table["account"] = (table["account"] * 7919) % 1_999_993 + 30_000_000_000
    table.loc[18, "account"] = 30_001_555_123
    table.to_csv(folder / "people.csv", index=False)
    (folder / "empty.csv").write_text("")
    runs: dict[str, tuple[str, str, Any]] = {
        "1-warned": ("people.csv", EXPECTED, "en"),
        "2-blocked": ("people.csv", CRITICAL, "en"),
        "3-failed": ("empty.csv", "{}", "en"),
        "4-french": ("people.csv", EXPECTED, "fr"),
    }
    for name, (source, expected, language) in runs.items():
        config = folder / f"{name}.yaml"
        config.write_text(
            f"targets: {{mode: report}}\nattacks: {{attempts: 20}}\nstore: {{keep: false}}\nexpectations: {expected}\n"
        )
        request = Request(
            source=str(folder / source), config=str(config), out=str(folder / "runs"), language=language
        )
        run_request(request, folder / "runs" / name, DirectCalls(silent))
    return folder / "runs"


@pytest.fixture
def open_page(browser: Browser, out: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page from disk, offline; any message, error or request for anything but pages on disk fails the test."""
    contexts, troubles = [], []

    def open_it(path: Path, width: int = 1200, scheme: Any = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("requestfailed", lambda request: troubles.append(request.url))
        page.on(
            "request",
            lambda request: (
                None
                if request.is_navigation_request() and request.url.startswith(out.as_uri())
                else troubles.append(request.url)
            ),
        )
        page.goto(path.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert troubles == []


def page_of(out: Path, run: str) -> Path:
    return out / run / "private" / "data-docs" / "index.html"


def test_the_list_leads_to_each_run_and_back(open_page: Callable[..., Page], out: Path) -> None:
    page = open_page(out / "data-docs.html")
    rows = page.locator("tbody tr")
    names = [row.locator("code").inner_text() for row in rows.all()]
    assert sorted(names) == ["1-warned", "2-blocked", "3-failed", "4-french"]
    assert page.locator("tbody a").count() == 3
    page.locator("tbody tr", has_text="2-blocked").locator("a").click()
    page.wait_for_url("**/2-blocked/private/data-docs/index.html")
    page.get_by_role("link", name="All runs").click()
    page.wait_for_url("**/data-docs.html")


def test_pass_and_fail_are_seen_at_a_glance(open_page: Callable[..., Page], out: Path) -> None:
    blocked = open_page(page_of(out, "2-blocked"))
    assert blocked.locator(".verdict.rejected h2").inner_text() == "The table must not be released"
    assert blocked.locator("#troubles tbody tr").count() == 1
    assert blocked.locator("#troubles .badge.fail").inner_text() == "missed"
    assert "at least 90" in blocked.locator("#troubles").inner_text()
    warned = open_page(page_of(out, "1-warned"))
    assert warned.locator(".verdict.unchecked").is_visible()
    assert warned.locator("#troubles .badge.unchecked").first.is_visible()


def test_axe_finds_nothing_to_object_to(open_page: Callable[..., Page], out: Path) -> None:
    for path, scheme in ((out / "data-docs.html", "dark"), (page_of(out, "2-blocked"), "light")):
        page = open_page(path, scheme=scheme)
        page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        page.evaluate(AXE)
        assert [rule["id"] for rule in page.evaluate("axe.run()")["violations"]] == []


@pytest.mark.parametrize("path", ["data-docs.html", "4-french/private/data-docs/index.html"])
def test_a_telephone_scrolls_down_only(open_page: Callable[..., Page], out: Path, path: str) -> None:
    page = open_page(out / path, width=320)
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_the_page_is_in_the_reports_language(open_page: Callable[..., Page], out: Path) -> None:
    page = open_page(page_of(out, "4-french"))
    assert page.locator("html").get_attribute("lang") == "fr"
    assert "(toute modalité plus rare)" in page.content()


def manifest(out: Path, run: str) -> Manifest:
    found = next(path for path in (out / run).rglob("manifest.json"))
    return Manifest.model_validate_json(found.read_text())


def test_a_critical_expectation_that_is_missed_releases_nothing(out: Path) -> None:
    ended = manifest(out, "2-blocked")
    assert (ended.status, ended.code) == ("rejected", "TARGET_NOT_MET")
    assert ended.message is not None
    assert ended.message.startswith("1 critical expectation(s) not met; nothing was released")
    assert not (out / "2-blocked" / "release").exists()
    assert not list((out / "2-blocked").rglob("avatars*"))
    report = (out / "2-blocked" / "private" / "report-internal.html").read_text()
    assert "1 critical expectation is not met." in report


def test_a_warning_is_counted_and_the_table_released(out: Path) -> None:
    counts = manifest(out, "1-warned").expectations
    assert counts is not None
    assert (counts.critical.missed, counts.warning.missed, counts.critical.not_computed) == (0, 1, 0)
    report = (out / "1-warned" / "release" / "report.html").read_text()
    assert f"{counts.warning.met} of {counts.warning.all}" in report


def test_a_run_without_examination_says_so(out: Path) -> None:
    assert manifest(out, "3-failed").expectations is None


def test_what_an_examination_leaves_shows_no_rare_level_and_no_distinctive_number(out: Path) -> None:
    left = [
        *out.glob("*.html"),
        *out.glob("*/private/expectations/*"),
        *out.glob("*/private/examination.json"),
    ]
    left += out.glob("*/private/data-docs/*")
    assert len(left) > 10
    assert [path.name for path in left if CANARIES.search(path.read_text(encoding="utf-8"))] == []


def test_what_the_user_typed_is_for_insiders_alone(out: Path) -> None:
    released = [
        path for path in (out / "1-warned" / "release").iterdir() if path.suffix in (".html", ".json")
    ]
    assert len(released) == 3
    assert [path.name for path in released if "TYPEDlevel" in path.read_text(encoding="utf-8")] == []
    assert "TYPEDlevel" in page_of(out, "1-warned").read_text(encoding="utf-8")
    kept = json.loads((out / "1-warned" / "private" / "run.json").read_text())
    assert "TYPEDlevel" in str(kept["configuration"]["expectations"]["own"])


def test_everything_is_private(out: Path) -> None:
    def mode(path: Path) -> str:
        return oct(stat.S_IMODE(path.stat().st_mode))

    assert mode(out / "data-docs.html") == "0o600"
    folders = {path.parent for path in out.glob("*/private/*/*")}
    assert len(folders) > 3
    assert {mode(folder) for folder in folders} == {"0o700"}
    assert {mode(path) for path in out.glob("*/private/*/*")} == {"0o600"}
