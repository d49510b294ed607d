"""Pages, or parts of one, that are in English only: the French site says so where they would be, and leads to them."""

from pathlib import Path

_SUFFIX = " (en anglais)"


def lead_to_english(name: str, english: Path, french: Path) -> None:
    """Make the French page if there is none, and end it with a link to the English one."""
    page = french / f"{name}.md"
    title = _title(english / f"{name}.md")
    said = page.read_text(encoding="utf-8") if page.exists() else f"# {title}{_SUFFIX}\n"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{said}\n{_sentence(name, title, whole=not page.exists())}\n", encoding="utf-8")


def _title(page: Path) -> str:
    """What follows the first `#`."""
    return page.read_text(encoding="utf-8").partition("# ")[2].partition("\n")[0]


def _sentence(name: str, title: str, *, whole: bool) -> str:
    up = "../" * (name.count("/") + 1)
    said = "Cette page n’existe qu’en anglais" if whole else "La suite n’existe qu’en anglais"
    return f'{said} : <a href="{up}{name}.html" lang="en" hreflang="en">{title}</a>.'
