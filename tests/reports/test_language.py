"""Both languages are complete, and count as their readers do."""

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import cast

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import sosie.estimates
import sosie.flows
import sosie.measure
import sosie.reports
import sosie.tasks
from sosie.reports.language import Code, load_language
from sosie.schemas.targets import Target, profile_targets

Sentence = str | tuple[str, str]

PACKAGE = Path(sosie.reports.__file__).parent
# one folder when installed, two in an editable checkout
CORE = {Path(sosie.__file__).parent, Path(sosie.tasks.__file__).parent}
STATING = ("associations", "estimates", "evidence", "measure")  # modules whose constants are sentences
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
    """Constants, and what is said where a figure could not be computed or something should be known."""
    found: set[Sentence] = set()
    for path in (path for folder in CORE for path in folder.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.parent.name in ("attacks", "utility") or path.stem in STATING:
            found |= set(constants(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args:
                called = getattr(node.func, "id", "")
                if called in ("NotComputed", "NotMeasurableError") or (
                    called == "Notice" and len(node.args) == 3
                ):
                    found.add(pattern(node.args[-1]))
            if isinstance(node, ast.Return) and isinstance(node.value, ast.JoinedStr) and path.stem == "roc":
                found.add(pattern(node.value))
    return found - {""}


def constants(tree: ast.Module) -> Iterator[str]:
    """Sentences that a module keeps under a name in capitals, alone or in a tuple."""
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id.isupper()
        ):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for value in values:
                if isinstance(value, ast.Constant) and isinstance(value.value, str) and " " in value.value:
                    yield value.value


def pattern(node: ast.expr) -> str:
    """A literal, or an f-string with places %(1)s, %(2)s … for what it names; nothing for anything else."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if not isinstance(node, ast.JoinedStr):
        return ""
    places = count(1)
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else f"%({next(places)})s" for part in node.values
    )


def titles_of_steps() -> set[Sentence]:
    """What the flows call their steps, and what of: "working rows"."""
    found: set[Sentence] = set()
    for path in Path(sosie.flows.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                called = getattr(node.func, "id", "")
                if called in ("call", "_projected", "_drawn", "_weighed"):
                    found.add(pattern(node.args[0 if called in ("call", "_projected") else -1]))
    return found - {""}


@pytest.fixture(scope="module")
def french() -> Catalog:
    content = files("sosie.reports").joinpath("texts/fr/LC_MESSAGES/sosie.po").read_bytes()
    return read_po(BytesIO(content), abort_invalid=True)


def test_the_french_catalogue_has_every_sentence_and_no_other(french: Catalog) -> None:
    needed = sentences_of_the_report() | sentences_of_the_targets() | reasons_of_the_measures()
    needed |= titles_of_steps()
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


def test_french_sentences_are_set_as_french_is(french: Catalog) -> None:
    said = [sentence for message in french if message.id for sentence in both(message.string)]
    assert [sentence for sentence in said if re.search(r" [:;?!»](\s|$)|« |\w'\w", sentence)] == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "a false-positive rate of 0.1% needs at least 1000 holdout rows: 284",
            "un taux de fausses alertes de 0,1 % demande au moins 1 000 lignes de réserve : 284",
        ),
        (
            "hidden_rate: fewer than 2 rows on one side; do not read them as safe",
            "hidden_rate : moins de 2 lignes d’un côté ; ne pas les lire comme rassurants",
        ),
    ],
)
def test_a_sentence_with_numbers_or_names_in_it_is_translated_too(said: str, shown: str) -> None:
    french = load_language("fr").quote(said)
    assert french.replace("\u202f", " ").replace("\u00a0", " ") == shown


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


@pytest.mark.parametrize(
    ("value", "english", "french"),
    [
        (999_999_999_999_999.0, "999,999,999,999,999", "999 999 999 999 999"),
        (2.5e15, "2.5E15", "2,5E15"),
        (-1.5e300, "-1.5E300", "-1,5E300"),
    ],
)
def test_numbers_with_more_digits_than_floats_hold_are_powers_of_ten(
    value: float, english: str, french: str
) -> None:
    for code, expected in (("en", english), ("fr", french)):
        language = load_language(cast(Code, code))
        assert re.sub("[\u00a0\u202f]", " ", language.number(value)) == expected
        assert language.compact(1e23) == "1E23"
        assert language.exact(1e23) == "1E23"
        assert language.score(1e23) == "1E23"
