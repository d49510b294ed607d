"""The report: one page for whoever receives the table, and one for whoever may see the originals."""

from collections.abc import Sequence

from sosie.attacks import NamedLevels
from sosie.evaluation import Evaluation
from sosie.reports.language import Code, load_language
from sosie.reports.page import MOST_DRAWN, Audience, make_page
from sosie.reports.rendering import environment
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile
from sosie.search import Search


def render_report(
    evaluation: Evaluation,
    metrics: MetricsFile,
    manifest: Manifest,
    *,
    language: Code = "en",
    audience: Audience = "shareable",
    profile: str | None = None,
    most_drawn: int = MOST_DRAWN,
    rare: Sequence[NamedLevels] = (),
    search: Search | None = None,
) -> str:
    """One HTML page that needs nothing but itself.

    The shareable page is for whoever receives the table, the internal one adds what only insiders may see. `profile`
    names another profile than the run's own when `metrics` were judged by it afterwards. ValueError for a failed run,
    which has no figures. `rare` levels are named on the internal page alone, and there what a `search` among other
    settings found takes the place of rules of thumb.
    """
    page = make_page(
        evaluation,
        metrics,
        manifest,
        load_language(language),
        audience,
        profile=profile,
        most_drawn=most_drawn,
        rare=rare,
        search=search,
    )
    return environment(language).get_template("report.html").render(page=page)
