"""Codes are told in the terminal."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sosie.cli.explanation import explain_code, list_codes
from sosie.codes import CODES
from sosie.errors import InputError


def test_a_code_is_told_with_its_cause_its_remedy_and_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    explain_code("ambiguous_date")
    first, cause, remedy, page = capsys.readouterr().out.splitlines()
    assert first == "error[AMBIGUOUS_DATE]"
    assert cause.startswith("Cause:  Every date of a text column reads both as day-month and as month-day.")
    assert remedy.startswith("Remedy: Declare which comes first")
    assert page == "Page:   docs/en/how-to/dates-and-identifiers.md"


def test_a_code_is_told_in_french(capsys: pytest.CaptureFixture[str]) -> None:
    explain_code("non_finite", "fr")
    assert capsys.readouterr().out.replace("\u00a0", " ").splitlines() == [
        "error[NON_FINITE]",
        "Cause :  Une colonne contient un nombre infini, trop grand pour le calcul, ou un NaN signalant.",
        "Remède : Le remplacer par un nombre, ou laisser la cellule vide.",
        "Page :   docs/fr/how-to/missing-codes.md",
    ]


def test_a_language_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError, match="one of en, fr") as refused:
        explain_code("NON_FINITE", "de")
    assert refused.value.code == "BAD_CONFIG"


def test_all_codes_are_listed_errors_first(capsys: pytest.CaptureFixture[str]) -> None:
    list_codes()
    lines = capsys.readouterr().out.splitlines()
    kinds = [line.split("[")[0] for line in lines]
    assert len(lines) == len(CODES)
    assert kinds == sorted(kinds)  # "error" before "warning"


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_page_of_every_code_is_in_the_documentation(language: str) -> None:
    pages = Path(__file__).parents[2] / "docs" / language
    assert not [name for name, code in CODES.items() if not (pages / code.page).is_file()]


def test_a_code_that_there_is_not_is_refused_with_the_list_of_those_there_are() -> None:
    with pytest.raises(InputError, match=r"the codes are .*AMBIGUOUS_DATE.*UNSUPPORTED_FORMAT") as refused:
        explain_code("NO_SUCH_CODE")
    assert refused.value.code == "BAD_CONFIG"


def test_a_shell_completes_a_code() -> None:
    asked = {"_SOSIE_COMPLETE": "complete_bash", "COMP_WORDS": "sosie explain RA", "COMP_CWORD": "2"}
    program = [sys.executable, str(Path(sys.executable).with_name("sosie"))]
    told = subprocess.run(program, env=os.environ | asked, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["RAGGED_CSV", "RARE_VALUE"]
