"""A configuration as a person would keep it: what was found and chosen, each line with a comment that says why."""

from collections.abc import Mapping
from typing import Any

import yaml

from sosie.columns import Column, Instant
from sosie.columns.date_texts import TextClock
from sosie.proposals import Proposals
from sosie.recognition import Recognised

_HEADER = (
    "# What `sosie inspect` found. A column needs an entry only where this is not right:",
    "#   name: {type: category}   integer | float | category | boolean | date | datetime | duration",
    '#   name: {type: date, format: "%d/%m/%Y"}   how dates are written as text',
    "#   name: {role: drop}       absent from the avatars; regenerate: fresh unique identifiers",
    "#   name: {missing_codes: [-9]}   numbers or dates that stand for a reason why there is none",
    "#   name: {weight: 2.0}      counts double in the projection",
    '#   name: {derived: "a + b"} left out of the projection, computed from the avatar\'s own cells',
)

# what a configuration shows even where nothing was chosen: its defaults, and what they mean
_SHOWN: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "method": (
        {"k": 20, "ncp": 5},
        "neighbours an avatar is drawn from; components they are found on",
    ),
    "targets": (
        {"mode": "enforce", "profile": "partner"},
        "who gets the table: internal | partner | open",
    ),
    "expectations": (
        {"run": "auto"},
        "true | false; own: [{type: expect_column_mean_to_be_between, column: …}], checks: {age: {in_range: [0, 120]}}",
    ),
    "report": ({"language": "en"}, "en | fr"),
    "store": (
        {"keep": True, "expire": "24h"},
        "private intermediates, for later runs; keep: false writes none to disk",
    ),
    "limits": ({"minutes": None}, "a run that takes longer is stopped; null: never"),
}


def commented_configuration(
    source: str,
    recognised: Recognised,
    proposals: Proposals,
    content: Mapping[str, Any],
    why: Mapping[tuple[str, ...], str] | None = None,
) -> str:
    """The YAML of `content`, with each column's finding and what could be declared as comments.

    `why` says why something was chosen, by section or by ("columns", name). A seed is left out: it is a secret.
    """
    reasons = why or {}
    return "\n".join(
        [
            *_HEADER,
            _dumped({"source": source}),
            *_columns(recognised, proposals, content.get("columns") or {}, reasons),
            *_constraints(proposals, content),
            *_sections(content, reasons),
            "",
        ]
    )


def _columns(
    recognised: Recognised,
    proposals: Proposals,
    declared: Mapping[Any, Any],
    why: Mapping[tuple[str, ...], str],
) -> list[str]:
    """A line a column: declared ones as they are, what was found of the others as a comment."""
    expressions = {found.name: found.expression for found in proposals.computable}
    asked = {str(name): entry for name, entry in declared.items()}
    lines = []
    for column in recognised.columns:
        name, key = str(column.name), _dumped(str(column.name))
        reason = why.get(("columns", name), column.reason)
        if name in asked:
            lines.append(f"  {key}: {_dumped(asked.pop(name), flow=True)}  # {reason}")
        elif column.name in recognised.identifiers:
            lines.append(
                f"  {key}: {{role: drop}}  # {recognised.identifiers[column.name]}; or role: regenerate"
            )
        elif column.name in expressions:
            derived = _quoted(expressions[column.name])
            lines.append(f"  # {key}: {{{_type(column)}, derived: {derived}}}  # {reason}; true in every row")
        else:
            lines.append(f"  # {key}: {{{_type(column)}}}  # {reason}")
    lines += [f"  {_dumped(name)}: {_dumped(entry, flow=True)}  # declared" for name, entry in asked.items()]
    empty = all(line.startswith("  #") for line in lines)
    return ["columns: {}" if empty else "columns:", *lines]


def _constraints(proposals: Proposals, content: Mapping[str, Any]) -> list[str]:
    if not proposals.constraints or content.get("constraints"):
        return []
    listed = ", ".join(_quoted(constraint) for constraint in proposals.constraints)
    return [f"# constraints: [{listed}]  # true in every row; avatars would keep them"]


def _sections(content: Mapping[str, Any], why: Mapping[tuple[str, ...], str]) -> list[str]:
    """The other sections: those always shown with their defaults, then what else was declared."""
    lines = []
    for name, (defaults, meaning) in _SHOWN.items():
        shown = {**defaults, **(content.get(name) or {})}
        shown.pop("seed", None)
        lines.append(f"{name}: {_dumped(shown, flow=True)}  # {why.get((name,), meaning)}")
    for name, value in content.items():
        if name not in ("source", "columns", *_SHOWN):
            reason = why.get((name,))
            lines.append(f"{name}: {_dumped(value, flow=True)}" + (f"  # {reason}" if reason else ""))
    return lines


def _type(column: Column) -> str:
    """The declaration that says what was found."""
    if isinstance(column, Instant) and isinstance(column.clock, TextClock):
        return f"type: {column.kind}, format: {_quoted(column.clock.writing.format)}"
    return f"type: {column.kind}"


def _quoted(text: str) -> str:
    """A text of YAML, on one line, that may stand inside brackets."""
    return yaml.safe_dump(text, allow_unicode=True, width=float("inf"), default_style='"').strip()


def _dumped(content: object, *, flow: bool = False) -> str:
    """One line of YAML; a line break in a name is escaped."""
    for style in (None, '"'):
        text = yaml.safe_dump(
            content,
            allow_unicode=True,
            width=float("inf"),
            default_style=style,
            default_flow_style=flow,
            sort_keys=False,
        )
        line = text.removesuffix("...\n").strip()
        if len(line.splitlines()) <= 1:
            break
    return line
