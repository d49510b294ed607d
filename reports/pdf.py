"""HTML to PDF through PlutoPrint, which needs no system package and is given nothing from outside.

Fonts are the DejaVu that matplotlib ships, so that a document looks the same, and has the same bytes, on any machine.
"""

from importlib.resources import files
from io import BytesIO
from typing import Any

from sosie.sources.extras import needed

_FONTS = {
    "font:regular": "DejaVuSans.ttf",
    "font:bold": "DejaVuSans-Bold.ttf",
    "font:oblique": "DejaVuSans-Oblique.ttf",
    "font:mono": "DejaVuSansMono.ttf",
}


def can_write_pdf() -> None:
    """InputError `UNSUPPORTED_FORMAT` where PlutoPrint is not installed: asked before a run, not at its end."""
    needed("plutoprint", "pdf", "the technical assessment as PDF")


def write_pdf(html: str, title: str, moment: str) -> bytes:
    """The pages of a document dated at an ISO 8601 moment; nothing but the fonts can be fetched.

    InputError `UNSUPPORTED_FORMAT` where PlutoPrint is not installed.
    """
    pluto = needed("plutoprint", "pdf", "the technical assessment as PDF")
    book = pluto.Book(pluto.PAGE_SIZE_A4)
    book.custom_resource_fetcher = _own_fonts(pluto)
    book.load_html(html)  # before the dates, which loading would forget
    for key, value in (
        (pluto.PDF_METADATA_TITLE, title),
        (pluto.PDF_METADATA_CREATOR, "sosie"),
        (pluto.PDF_METADATA_CREATION_DATE, moment),
        (pluto.PDF_METADATA_MODIFICATION_DATE, moment),
    ):
        book.set_metadata(key, value)
    written = BytesIO()
    book.write_to_pdf_stream(written)
    return written.getvalue()


def _own_fonts(pluto: Any) -> Any:
    # plutoprint is an extra, imported late and untyped
    class OwnFonts(pluto.ResourceFetcher):  # type: ignore[misc]
        def fetch_url(self, url: str) -> Any:
            if url not in _FONTS:
                raise ValueError("a document asks for nothing from outside")
            font = files("matplotlib").joinpath("mpl-data", "fonts", "ttf", _FONTS[url])
            return pluto.ResourceData(font.read_bytes(), "font/ttf", "")

    return OwnFonts()
