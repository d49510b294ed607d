"""How Sphinx builds one language of the site; `build.py` sets the language and the other's pages."""

from importlib.metadata import version as installed_version

project = "sosie"
release = version = installed_version("sosie")
copyright = "the authors of sosie, Apache-2.0"  # noqa: A001 - Sphinx reads this name
extensions = ["myst_parser", "furniture", "headings", "mathml"]
nitpicky = True

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = [
    "myst.header"
]  # CHANGELOG's sections begin at level 3 where a release has no text of its own

html_theme = "furo"
html_title = "sosie"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # it fetches pages, which browsers refuse for a site opened from disk
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/languages.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
