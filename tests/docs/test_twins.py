"""A French page says what its English twin says: the same sections, the same blocks, the same links.

Blocks are equal to the byte, with what is asked of them, so that running those of the English page is enough.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGLISH, FRENCH = (Path(__file__).parents[2] / "docs" / language for language in ("en", "fr"))
NAMES = [str(page.relative_to(FRENCH)) for page in sorted(FRENCH.rglob("*.md"))]  # all, says the first test
TWINS = pytest.mark.parametrize("name", NAMES)

_FENCE = re.compile(r"^(`{3,})(.*?)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`]+`|\$[^$]+\$|<!--.*?-->|\]\([^)]*\)|<[^>]*>")


def both(name: str) -> tuple[str, str]:
    english, french = ((folder / name).read_text(encoding="utf-8") for folder in (ENGLISH, FRENCH))
    return english, french


def prose(text: str) -> str:
    """A page without its blocks."""
    return _FENCE.sub("", text)


def blocks(text: str) -> Iterator[str]:
    """What is typed, shown or asked of a block, in order; captions of the navigation are prose."""
    for found in re.finditer(rf"<!--.*?-->|{_FENCE.pattern}", text, re.DOTALL | re.MULTILINE):
        yield re.sub(r"^:caption: .*$", ":caption:", found[0], flags=re.MULTILINE)


def levels(text: str) -> list[int]:
    return [len(marks) for marks in re.findall(r"^(#+) ", prose(text), re.MULTILINE)]


def targets(text: str) -> list[str]:
    """Where links lead, without places on pages, whose names are those of headings."""
    return sorted(target.split("#")[0] for target in re.findall(r"\]\(([^)]+)\)", prose(text)))


def formulas(text: str) -> list[str]:
    return re.findall(r"\$\$(.*?)\$\$", prose(text), re.DOTALL)


def test_every_page_has_a_twin() -> None:
    assert [str(page.relative_to(ENGLISH)) for page in sorted(ENGLISH.rglob("*.md"))] == NAMES


@TWINS
def test_twins_have_the_same_sections(name: str) -> None:
    english, french = both(name)
    assert levels(french) == levels(english)


@TWINS
def test_twins_have_the_same_blocks(name: str) -> None:
    english, french = both(name)
    assert list(blocks(french)) == list(blocks(english))


@TWINS
def test_twins_have_the_same_formulas(name: str) -> None:
    english, french = both(name)
    assert formulas(french) == formulas(english)


@TWINS
def test_twins_lead_to_the_same_pages(name: str) -> None:
    english, french = both(name)
    assert targets(french) == targets(english)


@TWINS
def test_twins_have_tables_of_as_many_rows(name: str) -> None:
    english, french = (len(re.findall(r"^\|", prose(text), re.MULTILINE)) for text in both(name))
    assert french == english


@TWINS
def test_french_is_set_as_french_is(name: str) -> None:
    said = _CODE.sub("", prose((FRENCH / name).read_text(encoding="utf-8")))
    assert re.findall(r".{0,20} [:;?!%»](?=\s).*|.{0,20}« .*", said) == []  # these spaces do not break
    assert re.findall(r".{0,20}\w'\w.*", said) == []
    assert re.findall(r"\d \d{3}\b", said) == []
