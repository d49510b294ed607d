"""The technical assessment: a short document for the file, A4, as PDF."""

from dataclasses import dataclass

from sosie.evaluation import Evaluation
from sosie.reports.language import Code, Language, load_language
from sosie.reports.page import Page, make_page
from sosie.reports.pdf import write_pdf
from sosie.reports.profile import DataRow, profile_rows
from sosie.reports.rendering import environment
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile

_MOST_ROWS = 60


@dataclass(frozen=True)
class Assessment:
    """What the document prints beside the page's own parts."""

    page: Page
    rows: str
    columns: str
    data: tuple[DataRow, ...]
    left_out: str


def render_assessment(
    evaluation: Evaluation,
    metrics: MetricsFile,
    manifest: Manifest,
    *,
    language: Code = "en",
    profile: str | None = None,
) -> bytes:
    """The document as PDF, the same bytes for the same run.

    ValueError for a failed run, which has no figures; InputError `UNSUPPORTED_FORMAT` where the library that writes PDF
    is not installed.
    """
    spoken = load_language(language)
    document = make_assessment(evaluation, metrics, manifest, spoken, profile)
    html = environment(language).get_template("assessment.html").render(document=document, page=document.page)
    title = f"{spoken.say('Technical assessment')} – {document.page.source}"
    return write_pdf(html, title, manifest.started)


def make_assessment(
    evaluation: Evaluation,
    metrics: MetricsFile,
    manifest: Manifest,
    language: Language,
    profile: str | None = None,
) -> Assessment:
    """The parts of the document, in words."""
    data = profile_rows(evaluation, language)
    left_out = ""
    if len(data) > _MOST_ROWS:
        left_out = language.say(
            "The first %(shown)s of %(all)s columns; the report has them all.",
            shown=language.number(_MOST_ROWS),
            all=language.number(len(data)),
        )
    return Assessment(
        page=make_page(evaluation, metrics, manifest, language, "shareable", profile=profile, most_drawn=0),
        rows="" if manifest.rows is None else language.number(manifest.rows),
        columns=language.number(len(evaluation.variables)),
        data=data[:_MOST_ROWS],
        left_out=left_out,
    )
