"""The report: an evaluation in, one self-contained page out; nothing is computed here."""

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sosie.evaluation import Evaluation
from sosie.reports.language import load_language
from sosie.reports.page import Audience, make_page
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile

__all__ = ["Audience", "render_report"]


def render_report(
    evaluation: Evaluation,
    metrics: MetricsFile,
    manifest: Manifest,
    *,
    language: Literal["en", "fr"] = "en",
    audience: Audience = "shareable",
) -> str:
    """One HTML page that needs nothing but itself.

    The shareable page is for whoever receives the table, the internal one adds what only insiders may see.
    ValueError for a failed run, which has no figures.
    """
    page = make_page(evaluation, metrics, manifest, load_language(language), audience)
    return _environment(language).get_template("report.html").render(page=page)


@lru_cache
def _environment(language: Literal["en", "fr"]) -> Environment:
    environment = Environment(
        loader=PackageLoader("sosie.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True
    translations = load_language(language).translations
    environment.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]
    script = _text("filter.js")
    environment.globals.update(
        style=_text("style.css"),
        script=script,
        script_hash=_hash_for_policy(script),
    )
    return environment


def _text(name: str) -> Markup:
    """A file of ours, trusted as markup."""
    content = files("sosie.reports").joinpath("templates", name).read_text(encoding="utf-8")
    return Markup(content)  # noqa: S704


def _hash_for_policy(script: str) -> str:
    """The hash by which the content security policy knows the script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
