"""Both languages are complete, and count as their readers do."""

import re
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import sosie.estimates
import sosie.measure
import sosie.reports
from sosie.reports.language import Code, load_language
from sosie.schemas.targets import Target, profile_targets

Sentence = str | tuple[str, str]

PACKAGE = Path(sosie.reports.__file__).parent
KEYWORDS = {"_": None, "say": None, "marked": None, "gettext": None, "say_count": (1, 2), "ngettext": (1, 2)}
METHODS = [("**.py", "python"), ("templates/**.html", "jinja2.ext:babel_extract")]
OPTIONS = {"templates/**.html": {"trimmed": "true", "newstyle_gettext": "true"}}


def sentences_of_the_report() -> set[Sentence]:
    found = extract_from_dir(PACKAGE, METHODS, OPTIONS, keywords=KEYWORDS)
    return {
        message if isinstance(message, str) else (message[0], message[1]) for _, _, message, _, _ in found
    }


def sentences_of_the_targets() -> set[Sentence]:
    sources = {Target(min=0).source}
    for profile in ("internal", "partner", "open"):
        sources |= {
            part for target in profile_targets(profile).values() for part in target.source.split(": ", 1)
        }
    return set(sources)


def reasons_of_the_measures() -> set[Sentence]:
    constants = vars(sosie.measure) | vars(sosie.estimates)
    return {value for name, value in constants.items() if name.isupper() and isinstance(value, str)}


@pytest.fixture(scope="module")
def french() -> Catalog:
    content = files("sosie.reports").joinpath("texts/fr/LC_MESSAGES/sosie.po").read_bytes()
    return read_po(BytesIO(content), abort_invalid=True)


def test_the_french_catalogue_has_every_sentence_and_no_other(french: Catalog) -> None:
    needed = sentences_of_the_report() | sentences_of_the_targets() | reasons_of_the_measures()
    held = {
        message.id if isinstance(message.id, str) else tuple(message.id) for message in french if message.id
    }
    assert sorted(map(str, needed - held)) == []
    assert sorted(map(str, held - needed)) == []


def both(sentence: object) -> tuple[str, str]:
    """Singular and plural of a message, equal where it has no plural."""
    if isinstance(sentence, list | tuple):
        return str(sentence[0]), str(sentence[1])
    return str(sentence), str(sentence)


def test_every_sentence_is_translated_and_none_is_fuzzy(french: Catalog) -> None:
    assert [message.id for message in french if message.id and (not message.string or message.fuzzy)] == []
    assert [message.id for message in french if "" in both(message.string)] == []


def test_translations_name_the_same_values(french: Catalog) -> None:
    def names(sentence: object) -> set[str]:
        return set(re.findall(r"%\((\w+)\)s|%%|%", str(sentence)))

    for message in french:
        if not message.id:
            continue
        (one, many), said = both(message.id), both(message.string)
        assert names(said[1]) == names(many), message.id
        assert names(said[0]) <= names(one) | names(many), message.id


def test_a_sentence_from_elsewhere_that_nobody_translated_stays_english() -> None:
    assert load_language("fr").quote("rows are not linked") == "les lignes ne sont pas reliées"
    assert load_language("fr").quote("100 % of it is new") == "100 % of it is new"


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ["1,234.5", "97.0%", "0.5%", "12.3 sec", "March 1, 2026, 10:00:00 AM UTC"]),
        ("fr", ["1 234,5", "97,0 %", "0,5 %", "12,3 s", "1 mars 2026, 10:00:00 TU"]),
    ],
)
def test_numbers_and_dates_are_written_as_in_the_language(language: Code, written: list[str]) -> None:
    spoken = load_language(language)
    said = [
        spoken.number(1234.5),
        spoken.percent(97),
        spoken.exact_percent(0.5),
        spoken.seconds(12.3),
        spoken.moment("2026-03-01T10:00:00Z"),
    ]
    # which of the two unbreakable spaces is used changes from one edition of the locale data to the next
    assert [text.replace("\u202f", " ").replace("\u00a0", " ") for text in said] == written


@pytest.mark.parametrize(("value", "printed"), [(0.25, "0.2"), (0.35, "0.4"), (2.675, "2.7"), (1e-9, "0.0")])
def test_rounding_is_half_to_even_on_the_digits_that_metrics_json_prints(value: float, printed: str) -> None:
    assert load_language("en").score(value) == printed


def test_french_takes_zero_as_singular() -> None:
    assert (
        load_language("fr").say_count("%(count)s other level", "%(count)s other levels", 0)
        == "0 autre modalité"
    )
