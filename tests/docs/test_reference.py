"""What codes and keys of the configuration stand for is told in French, too."""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from sosie.cli.explanation import CAUSE, PAGE, REMEDY
from sosie.codes import CODES
from sosie.schemas.configuration import Configuration

DOCS = Path(__file__).parents[2] / "docs"
WHOLE = {"Configuration", "Declaration"}  # the page introduces these in words of its own
VALUES = {"ColumnChecks", "Expectation", "Target"}  # what is listed below a key, by names of others


@pytest.fixture(scope="module")
def french() -> Catalog:
    content = files("sosie.reports").joinpath("texts/fr/LC_MESSAGES/reference.po").read_bytes()
    return read_po(BytesIO(content), abort_invalid=True)


def told_of_keys() -> Iterator[str]:
    """What the models say of themselves and of their keys."""
    schema = Configuration.model_json_schema()
    for name, model in {"Configuration": schema, **schema["$defs"]}.items():
        if name not in VALUES:
            yield from (key["description"] for key in model["properties"].values() if "description" in key)
            if name not in WHOLE:
                yield model["description"].split("\n\n")[0].replace("\n", " ")


def test_the_french_reference_has_every_sentence_and_no_other(french: Catalog) -> None:
    needed = {CAUSE, REMEDY, PAGE, *told_of_keys()}
    needed |= {sentence for code in CODES.values() for sentence in (code.cause, code.remedy)}
    held = {str(message.id) for message in french if message.id}
    assert sorted(needed - held) == []
    assert sorted(held - needed) == []


def test_every_sentence_of_the_reference_is_translated(french: Catalog) -> None:
    assert [message.id for message in french if message.id and (not message.string or message.fuzzy)] == []


def test_what_is_typed_is_the_same_in_both_languages(french: Catalog) -> None:
    def typed(sentence: object) -> list[str]:
        return sorted(re.findall(r"`[^`]+`|%\S|\d+[mhd]\b|\w+\[\w+\]", str(sentence)))

    assert [message.id for message in french if typed(message.id) != typed(message.string)] == []


def test_french_sentences_of_the_reference_are_set_as_french_is(french: Catalog) -> None:
    said = [re.sub(r"`[^`]+`", "", str(message.string)) for message in french if message.id]
    assert [sentence for sentence in said if re.search(r" [:;?!»](\s|$)|« |\w'\w", sentence)] == []


@pytest.mark.parametrize("page", ["codes", "configuration"])
def test_the_french_page_says_no_sentence_in_english(page: str, french: Catalog) -> None:
    writing = f"from writers.{page} import {page}_page; print({page}_page('fr'))"
    written = subprocess.run(
        [sys.executable, "-c", writing],
        cwd=DOCS,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    ).stdout
    lines = re.split(r"\n|\*\* | ?\| ?", written)
    english = {str(message.id) for message in french if message.id and message.id != message.string}
    said = {str(message.string) for message in french if message.id}
    assert [line for line in lines if line.strip() in english] == []
    assert len([line for line in lines if line.strip() in said]) > len(CODES)
