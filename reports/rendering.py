"""The templates' environment: autoescape and StrictUndefined on, sentences in the page's language."""

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sosie.reports.language import Code, load_language


@lru_cache
def environment(language: Code) -> Environment:
    """The environment of one language, with styles, script, and the hash by which a page's policy knows the script."""
    made = Environment(
        loader=PackageLoader("sosie.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    made.policies["ext.i18n.trimmed"] = True
    translations = load_language(language).translations
    # added by the i18n extension when it is loaded, so jinja2's types do not know it
    made.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]
    script = _text("filter.js")
    made.globals.update(
        style=_text("style.css"),
        print_style=_text("assessment.css"),
        script=script,
        script_hash=_hash_for_policy(script),
    )
    return made


def _text(name: str) -> Markup:
    """A file of ours, trusted as markup."""
    content = files("sosie.reports").joinpath("templates", name).read_text(encoding="utf-8")
    # shipped with the package, never a run's own text
    return Markup(content)  # noqa: S704


def _hash_for_policy(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
