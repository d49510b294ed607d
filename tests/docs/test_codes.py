"""Every code that the sources use is told of, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sosie.codes import CODES

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "schemas", "reports", "tasks", "flows", "cli")
RAISING = ("InputError", "Notice", "notice", "ManifestWarning")


def constants() -> Iterator[tuple[str, str]]:
    """Texts in capitals that a module hands to something, beside the names of the functions they are handed to."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and path.name != "codes.py":
                    called = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    for given in node.args:
                        if isinstance(given, ast.Constant) and isinstance(given.value, str):
                            yield called, given.value


def is_code(text: str) -> bool:
    return re.fullmatch(r"[A-Z]+(_[A-Z]+)+", text) is not None


def test_every_code_that_is_raised_or_told_has_a_cause_and_a_remedy() -> None:
    used = {text for called, text in constants() if is_code(text) and called in RAISING}
    assert used - set(CODES) == set()


def test_every_code_that_is_told_of_is_used() -> None:
    named = {
        text
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "codes.py"
        for text in re.findall(r'"([A-Z]+(?:_[A-Z]+)+)"', path.read_text(encoding="utf-8"))
    }
    assert set(CODES) - named == set()


@pytest.mark.parametrize("name", sorted(CODES))
def test_a_code_is_told_in_whole_sentences(name: str) -> None:
    code = CODES[name]
    assert code.cause.endswith(".")
    assert code.remedy.endswith(".")
    assert (code.cause + code.remedy).count("`") % 2 == 0
