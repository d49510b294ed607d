"""Every code with its cause and its remedy."""

from collections.abc import Iterator

from sosie.codes import CODES


def codes_page() -> str:
    """What follows the page's introduction."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    for kind, title in (("error", "Errors"), ("warning", "Warnings")):
        yield from (f"## {title}", "")
        for name, code in sorted(CODES.items()):
            if code.kind == kind:
                yield from (f"### {name}", "", code.cause, "", f"**Remedy.** {code.remedy}", "")
