"""Each column as the page shows it: worst first, its distribution drawn, its largest difference in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from markupsafe import Markup

from sosie.evaluation import Bins, Levels, Missing, Variable
from sosie.reports.charts import Row, Steps, draw_bars, draw_steps
from sosie.reports.language import Language

_MOST_LEVELS = 12
_LONGEST_LABEL = 17
_FEWEST_WITH_MIDDLE = 8


@dataclass(frozen=True)
class VariableCard:
    """One column, every part of it written."""

    name: str
    search: str
    kind: str
    hellinger: str
    finding: str
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
    shown, missing = variable.distribution, variable.missing
    names = (
        _bin_names(shown, variable.kind, language)
        if isinstance(shown, Bins)
        else _level_names(shown, language)
    )
    classes = [*map(_Class, names, shown.originals, shown.avatars)]
    some_missing = max(missing.originals, missing.avatars, missing.holdout or 0.0) > 0
    if some_missing:
        classes.append(_Class(language.say("missing"), missing.originals, missing.avatars))
    finding = _finding(classes, language)
    alternative = language.say("%(name)s, distribution. %(finding)s", name=variable.name, finding=finding)
    charts: list[Markup] = []
    if max(*shown.originals, *shown.avatars, *(shown.holdout or ()), 0.0) > 0:
        drawn = (
            _steps(shown, names, variable.kind, language)
            if isinstance(shown, Bins)
            else _rows(shown, names, language)
        )
        charts.append(
            draw_steps(drawn, alternative) if isinstance(drawn, Steps) else draw_bars(drawn, alternative)
        )
    if some_missing:
        sentence = language.say(
            "%(name)s, missing: %(originals)s of originals, %(avatars)s of avatars.",
            name=variable.name,
            originals=language.share(missing.originals),
            avatars=language.share(missing.avatars),
        )
        charts.append(draw_bars((_missing_row(missing, language),), sentence))
    return VariableCard(
        name=variable.name,
        search=variable.name.casefold(),
        kind=_kind(variable.kind, language),
        hellinger=language.score(variable.hellinger),
        finding=finding,
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


def _bin_names(bins: Bins, kind: str, language: Language) -> list[str]:
    """What each bin holds; the first has no lower end, the last no upper one, and integers are named themselves."""
    if len(bins.edges) <= 2:
        return [language.say("all values")] * (len(bins.edges) - 1)
    inner = [
        _integers(low, high, language) if kind == "integer" else _numbers(low, high, language)
        for low, high in pairwise(bins.edges[1:-1])
    ]
    lowest, highest = bins.edges[1], bins.edges[-2]
    if kind == "integer":
        first = language.say("at most %(bound)s", bound=language.compact(ceil(lowest) - 1))
        last = language.say("at least %(bound)s", bound=language.compact(ceil(highest)))
    else:
        first = language.say("below %(bound)s", bound=language.compact(lowest))
        last = language.say("at least %(bound)s", bound=language.compact(highest))
    return [first, *inner, last]


def _numbers(low: float, high: float, language: Language) -> str:
    return language.say("%(low)s to %(high)s", low=language.compact(low), high=language.compact(high))


def _integers(low: float, high: float, language: Language) -> str:
    first, last = ceil(low), ceil(high) - 1
    return _numbers(first, last, language) if last > first else language.compact(first)


def _level_names(levels: Levels, language: Language) -> list[str]:
    names = [label or language.say("(empty text)") for label in levels.labels]
    if levels.merged:
        names[-1] = language.say_count("%(count)s other level", "%(count)s other levels", levels.merged)
    return names


def _finding(classes: Sequence[_Class], language: Language) -> str:
    if not classes:
        return language.say("No value to draw.")
    largest = max(classes, key=lambda shown: abs(shown.avatars - shown.originals))
    if largest.avatars == largest.originals:
        return language.say("Originals and avatars have the same shares.")
    return language.say(
        "Largest difference: %(name)s, %(originals)s of originals, %(avatars)s of avatars.",
        name=largest.name,
        originals=language.share(largest.originals),
        avatars=language.share(largest.avatars),
    )


def _middle(bins: Bins, kind: str, language: Language) -> str:
    """What is written under the middle of the axis: nothing where it would stand between two of few bins."""
    if 1 < len(bins.edges) - 1 < _FEWEST_WITH_MIDDLE:
        return ""
    middle = (bins.edges[0] + bins.edges[-1]) / 2
    return language.compact(round(middle) if kind == "integer" else middle)


def _steps(bins: Bins, names: Sequence[str], kind: str, language: Language) -> Steps:
    several = len(names) > 1
    return Steps(
        edges=bins.edges,
        originals=bins.originals,
        avatars=bins.avatars,
        holdout=bins.holdout,
        low=names[0] if several else "",
        middle=_middle(bins, kind, language),
        high=names[-1] if several else "",
    )


def _rows(levels: Levels, names: Sequence[str], language: Language) -> tuple[Row, ...]:
    """A row a level; the last row holds all levels beyond the first ones when there are too many to draw."""
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
