"""The technical assessment: its sections, both languages, the same bytes for the same run."""

import re
import sys
from io import BytesIO

import pytest
from pypdf import PdfReader

from sosie.errors import InputError
from sosie.evaluation import Evaluation
from sosie.reports import can_write_pdf, render_assessment
from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.formulas import FORMULAS
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile

A4 = (595, 842)


def read(content: bytes) -> PdfReader:
    return PdfReader(BytesIO(content))


def text(content: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in read(content).pages).split())


@pytest.fixture
def english(evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest) -> bytes:
    return render_assessment(evaluation, metrics, manifest)


def test_it_is_a4_with_a_title_page_and_numbered_pages(english: bytes) -> None:
    pages = read(english).pages
    assert {(round(page.mediabox.width), round(page.mediabox.height)) for page in pages} == {A4}
    assert "Technical assessment of a table of avatars" in pages[0].extract_text()
    for number, page in enumerate(pages, 1):
        assert f"{number} / {len(pages)}" in page.extract_text()


def test_it_has_every_section_in_order(english: bytes) -> None:
    said = text(english)
    titles = [
        "1. Verdict",
        "2. Method",
        "3. Data",
        "4. Parameters",
        "5. Evaluation with a holdout reference",
        "6. The three criteria, and membership",
        "7. Metric by metric",
        "8. Limits",
        "9. Provenance",
    ]
    places = [said.index(title) for title in titles]
    assert places == sorted(places)


def test_each_metric_has_formula_value_reference_interval_target_and_meaning(english: bytes) -> None:
    said = text(english)
    for part in (
        "Inference, most exposed column: 50.0%",
        FORMULAS["local_cloaking"],
        "Reference: 20.0%",
        "95% interval: 37.5% to 62.5%",
        "Attempts: 100",
        "Target: at least 75%",
        "At the target: the closest avatar is a wrong one at least 75% of the time",
        "not computed: rows are not linked",
    ):
        assert part in said, part


def test_data_are_described_in_aggregates_only(english: bytes) -> None:
    said = text(english)
    assert "median 44; P5 20, P95 –" in said
    assert "4 levels; commonest: north (60.0%)" in said


def test_it_holds_the_hash_of_the_source_and_no_seed(english: bytes) -> None:
    said = text(english).replace(" ", "")
    assert "ab" * 32 in said
    assert "987654321" not in said


def test_it_speaks_french(evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest) -> None:
    said = text(render_assessment(evaluation, metrics, manifest, language="fr"))
    assert "Évaluation avec moitié de réserve" in said
    assert re.search(r"Taux de dissimulation \(hidden rate\)\s*:\s*91,3\s*%", said)


def test_the_same_run_gives_the_same_bytes(
    evaluation: Evaluation, metrics: MetricsFile, manifest: Manifest, english: bytes
) -> None:
    assert render_assessment(evaluation, metrics, manifest) == english
    assert "20260301" in str(read(english).metadata)


def test_without_its_library_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plutoprint", None)
    with pytest.raises(InputError, match=re.escape("pip install 'sosie[pdf]'")):
        can_write_pdf()


def test_every_explained_figure_has_its_formula() -> None:
    assert set(FORMULAS) == set(EXPLANATIONS)
