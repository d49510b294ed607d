"""What a code stands for, told in a terminal."""

from sosie.codes import CODES
from sosie.errors import InputError
from sosie.reports.language import language_named, load_language

CAUSE, REMEDY, PAGE = "Cause: ", "Remedy: ", "Page: "


def explain_code(code: str, language: str = "en") -> None:
    """Print the cause, the remedy and the page of a code; InputError `BAD_CONFIG` when there is none of this name."""
    spoken = language_named(language)
    say = load_language(spoken, "reference").quote
    wanted = code.upper().replace("-", "_")
    if wanted not in CODES:
        raise InputError(
            "BAD_CONFIG", f"there is no code of this name: the codes are {', '.join(sorted(CODES))}"
        )
    found = CODES[wanted]
    width = max(len(say(title)) for title in (CAUSE, REMEDY, PAGE))
    print(f"{found.kind}[{wanted}]")
    for title, told in ((CAUSE, found.cause), (REMEDY, found.remedy)):
        print(f"{say(title):{width}}{say(told)}")
    print(f"{say(PAGE):{width}}docs/{spoken}/{found.page}")


def list_codes(language: str = "en") -> None:
    """Print every code, errors first, with what causes it."""
    say = load_language(language_named(language), "reference").quote
    for kind in ("error", "warning"):
        for name, code in sorted(CODES.items()):
            if code.kind == kind:
                print(f"{kind}[{name}]: {say(code.cause)}")
