"""Every code with its cause, its remedy and the page that goes into it."""

from collections.abc import Iterator

from sosie.codes import CODES
from sosie.reports.language import Code, load_language
from writers.reference_words import WORDS


def codes_page(language: Code) -> str:
    """What follows the page's introduction."""
    return "\n".join(_lines(language))


def _lines(language: Code) -> Iterator[str]:
    say, words = load_language(language, "reference").quote, WORDS[language]
    for kind, title in words.kinds.items():
        yield from (f"## {title}", "")
        for name, code in sorted(CODES.items()):
            if code.kind == kind:
                yield from (
                    f"### {name}",
                    "",
                    say(code.cause),
                    "",
                    f"**{words.remedy}** {say(code.remedy)}",
                    "",
                    f"{words.more} [](../{code.page})",
                    "",
                )
