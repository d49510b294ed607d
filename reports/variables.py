"""Each column as the page shows it: worst first, its distribution drawn, its largest difference in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from sosie.evaluation import Bins, Levels, Missing, Variable
from sosie.reports.charts import Row, Steps, draw_bars, draw_steps
from sosie.reports.language import Language

_MOST_LEVELS = 12
_LONGEST_LABEL = 17


@dataclass(frozen=True)
class VariableCard:
    """One column, every part of it written."""

    name: str
    search: str
    kind: str
    hellinger: str
    finding: str
    missing: str
    charts: tuple[Markup, ...]


@dataclass(frozen=True)
class _Class:
    """A bin or a level in words, and its shares."""

    name: str
    originals: float
    avatars: float


def variable_cards(variables: Sequence[Variable], language: Language) -> tuple[VariableCard, ...]:
    """The columns, lowest Hellinger score first."""
    return tuple(
        _card(variable, language) for variable in sorted(variables, key=lambda variable: variable.hellinger)
    )


def _card(variable: Variable, language: Language) -> VariableCard:
    shown = variable.distribution
    classes = _bin_classes(shown, language) if isinstance(shown, Bins) else _level_classes(shown, language)
    finding = _finding(classes, language)
    alternative = language.say("%(name)s, distribution. %(finding)s", name=variable.name, finding=finding)
    charts: list[Markup] = []
    missing = ""
    if classes and isinstance(shown, Bins):
        charts.append(draw_steps(_steps(shown, language), alternative))
    elif classes and isinstance(shown, Levels):
        charts.append(draw_bars(_rows(shown, language), alternative))
    if max(variable.missing.originals, variable.missing.avatars, variable.missing.holdout or 0.0) > 0:
        missing = _missing_sentence(variable.missing, language)
        row = _missing_row(variable.missing, language)
        charts.append(draw_bars((row,), f"{variable.name}. {missing}"))
    return VariableCard(
        name=variable.name,
        search=variable.name.casefold(),
        kind=_kind(variable.kind, language),
        hellinger=language.score(variable.hellinger),
        finding=finding,
        missing=missing,
        charts=tuple(charts),
    )


def _kind(kind: str, language: Language) -> str:
    kinds = {
        "integer": language.say("integer"),
        "float": language.say("number"),
        "category": language.say("category"),
        "boolean": language.say("yes or no"),
        "date": language.say("date"),
        "datetime": language.say("date and time"),
    }
    return kinds.get(kind, kind)


def _bin_classes(bins: Bins, language: Language) -> tuple[_Class, ...]:
    return tuple(
        _Class(
            language.say("%(low)s to %(high)s", low=language.compact(low), high=language.compact(high)),
            originals,
            avatars,
        )
        for (low, high), originals, avatars in zip(
            pairwise(bins.edges), bins.originals, bins.avatars, strict=True
        )
    )


def _level_classes(levels: Levels, language: Language) -> tuple[_Class, ...]:
    return tuple(
        _Class(name, originals, avatars)
        for name, originals, avatars in zip(
            _level_names(levels, language), levels.originals, levels.avatars, strict=True
        )
    )


def _level_names(levels: Levels, language: Language) -> list[str]:
    names = [label or language.say("(empty text)") for label in levels.labels]
    if levels.merged:
        names[-1] = language.say_count("%(count)s other level", "%(count)s other levels", levels.merged)
    return names


def _finding(classes: Sequence[_Class], language: Language) -> str:
    if not classes:
        return language.say("No value to draw.")
    largest = max(classes, key=lambda shown: abs(shown.avatars - shown.originals))
    return language.say(
        "Largest difference at %(name)s: %(originals)s of originals, %(avatars)s of avatars.",
        name=largest.name,
        originals=language.share(largest.originals),
        avatars=language.share(largest.avatars),
    )


def _steps(bins: Bins, language: Language) -> Steps:
    low, high = bins.edges[0], bins.edges[-1]
    return Steps(
        edges=bins.edges,
        originals=bins.originals,
        avatars=bins.avatars,
        holdout=bins.holdout,
        low=language.compact(low),
        middle=language.compact((low + high) / 2) if high > low else "",
        high=language.compact(high) if high > low else "",
    )


def _rows(levels: Levels, language: Language) -> tuple[Row, ...]:
    """A row a level; the last row holds all levels beyond the first ones when there are too many to draw."""
    names = _level_names(levels, language)
    holdout: Sequence[float | None] = levels.holdout or [None] * len(names)
    named = len(names) - 1 if levels.merged else len(names)
    drawn = names if len(names) <= _MOST_LEVELS else names[: _MOST_LEVELS - 1]
    rows = [
        _row(
            name,
            levels.originals[place],
            levels.avatars[place],
            holdout[place],
            language,
            aside=place >= named,
        )
        for place, name in enumerate(drawn)
    ]
    rest = slice(len(drawn), None)
    if len(drawn) < len(names):
        count = named - len(drawn) + levels.merged
        rows.append(
            _row(
                language.say_count("%(count)s other level", "%(count)s other levels", count),
                sum(levels.originals[rest]),
                sum(levels.avatars[rest]),
                None if levels.holdout is None else sum(levels.holdout[rest]),
                language,
                aside=True,
            )
        )
    return tuple(rows)


def _row(
    name: str, originals: float, avatars: float, holdout: float | None, language: Language, *, aside: bool
) -> Row:
    label = name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 1] + "…"
    texts = language.share(originals), language.share(avatars)
    return Row(name, label, originals, avatars, holdout, *texts, aside=aside)


def _missing_row(missing: Missing, language: Language) -> Row:
    return _row(
        language.say("missing"), missing.originals, missing.avatars, missing.holdout, language, aside=True
    )


def _missing_sentence(missing: Missing, language: Language) -> str:
    return language.say(
        "Missing: %(originals)s of originals, %(avatars)s of avatars.",
        originals=language.share(missing.originals),
        avatars=language.share(missing.avatars),
    )
