"""Captions of the navigation say what level of heading they are, which Sphinx leaves out and screen readers need."""

from typing import Any

from sphinx.application import Sphinx

_AFTER_FURO = 900  # whose own listener writes the navigation


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to every page, last."""
    app.connect("html-page-context", _with_levels, priority=_AFTER_FURO)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _with_levels(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _document: object
) -> None:
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')
