"""What the theme puts around a page, in French: furo has no translation of its own."""

import re
from functools import reduce
from typing import Any

from sphinx.application import Sphinx

_ARTICLE = re.compile(r"(<article\b.*</article>)", re.DOTALL)
_FRENCH = {
    'aria-label="Toggle site navigation sidebar"': 'aria-label="Ouvrir ou fermer la navigation du site"',
    'aria-label="Toggle table of contents sidebar"': 'aria-label="Ouvrir ou fermer le sommaire de la page"',
    'aria-label="Toggle Light / Dark / Auto color theme"': 'aria-label="Changer de thème : clair, sombre, automatique"',
    'aria-label="Toggle navigation of ': 'aria-label="Déplier ou replier : ',
    "<title>Contents</title>": "<title>Sommaire</title>",
    "<title>Expand</title>": "<title>Déplier</title>",
    "<title>Light mode</title>": "<title>Thème clair</title>",
    "<title>Dark mode</title>": "<title>Thème sombre</title>",
    "<title>Auto light/dark, in light mode</title>": "<title>Thème automatique, clair en ce moment</title>",
    "<title>Auto light/dark, in dark mode</title>": "<title>Thème automatique, sombre en ce moment</title>",
    ">Skip to content<": ">Aller au contenu<",
    "<span>Back to top</span>": "<span>Haut de page</span>",
    "<span>Next</span>": "<span>Suivant</span>",
    "<span>Previous</span>": "<span>Précédent</span>",
    '<div class="title">Home</div>': '<div class="title">Accueil</div>',
    "On this page": "Sur cette page",
    "Copyright &#169; the authors of sosie": "© les auteurs de sosie",
    "Made with": "Réalisé avec",
}


def setup(app: Sphinx) -> dict[str, Any]:
    """Give every template `furnished`, which `templates/page.html` calls."""
    app.connect("html-page-context", _with_furniture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _with_furniture(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _document: object
) -> None:
    context["furnished"] = _in_french if app.config.language == "fr" else str


def _in_french(body: str) -> str:
    """The body of a page with all but its article translated."""
    parts = _ARTICLE.split(body)
    parts[::2] = [
        reduce(lambda text, pair: text.replace(*pair), _FRENCH.items(), part) for part in parts[::2]
    ]
    return "".join(parts)
