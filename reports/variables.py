"""Each column as the page shows it: worst first, its distribution drawn, its largest difference in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sosie.evaluation import Bins, Levels, Missing, Variable
from sosie.reports.bins import bin_names, write_value
from sosie.reports.charts import Row, Steps, draw_bars, draw_steps
from sosie.reports.language import Language
from sosie.utility.summaries import CategorySummary, Summary

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
    kept: str
    charts: tuple[Markup, ...]


@dataclass(frozen=True)
class _Class:
    """A bin or a level in words, and its shares."""

    name: str
    originals: float
    avatars: float


def worst_first(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """The columns, lowest Hellinger score first."""
    return tuple(sorted(variables, key=lambda variable: variable.hellinger))


def variable_cards(
    variables: Sequence[Variable],
    summaries: Mapping[str, Summary],
    language: Language,
    *,
    drawn: bool = True,
) -> tuple[VariableCard, ...]:
    """The columns in words and, when they are to be `drawn`, in pictures."""
    return tuple(_card(variable, summaries.get(variable.name), language, drawn) for variable in variables)


def _card(variable: Variable, summary: Summary | None, language: Language, drawn: bool) -> VariableCard:
    shown, missing = variable.distribution, variable.missing
    names = (
        bin_names(shown, variable.kind, language)
        if isinstance(shown, Bins)
        else _level_names(shown, language)
    )
    classes = [*map(_Class, names, shown.originals, shown.avatars)]
    if max(missing.originals, missing.avatars, missing.holdout or 0.0) > 0:
        classes.append(_Class(language.say("missing"), missing.originals, missing.avatars))
    finding = _finding(classes, language)
    return VariableCard(
        name=variable.name,
        search=variable.name.casefold(),
        kind=kind_in_words(variable.kind, language),
        hellinger=language.score(variable.hellinger),
        finding=finding,
        kept=_kept(summary, language),
        charts=_charts(variable, names, finding, language) if drawn else (),
    )


def _charts(variable: Variable, names: list[str], finding: str, language: Language) -> tuple[Markup, ...]:
    """The distribution, then the missing cells, where there is anything to draw."""
    shown, missing = variable.distribution, variable.missing
    alternative = language.say("%(name)s, distribution. %(finding)s", name=variable.name, finding=finding)
    charts: list[Markup] = []
    if any(share > 0 for share in (*shown.originals, *shown.avatars, *(shown.holdout or ()))):
        charts.append(
            draw_steps(_steps(shown, names, variable.kind, language), alternative)
            if isinstance(shown, Bins)
            else draw_bars(_rows(shown, names, language), alternative)
        )
    if max(missing.originals, missing.avatars, missing.holdout or 0.0) > 0:
        sentence = language.say(
            "%(name)s, missing: %(originals)s of originals, %(avatars)s of avatars.",
            name=variable.name,
            originals=language.share(missing.originals),
            avatars=language.share(missing.avatars),
        )
        charts.append(draw_bars((_missing_row(missing, language),), sentence))
    return tuple(charts)


def _kept(summary: Summary | None, language: Language) -> str:
    """How much of the range and spread, or which levels, avatars have kept."""
    if isinstance(summary, CategorySummary):
        if not summary.lost and not summary.new:
            return ""
        return language.say(
            "Levels: %(kept)s kept, %(lost)s lost (the holdout lacks %(holdout)s).",
            kept=language.number(summary.kept),
            lost=language.number(summary.lost),
            holdout=language.number(summary.lost_in_holdout),
        )
    if summary is None or summary.sd_ratio.value is None or summary.range_coverage.value is None:
        return ""
    return language.say(
        "Spread × %(spread)s, range kept: %(range)s.",
        spread=language.score(summary.sd_ratio.value, 2),
        range=language.percent(summary.range_coverage.value, 0),
    )


def kind_in_words(kind: str, language: Language) -> str:
    """A column's type as readers call it."""
    kinds = {
        "integer": language.say("integer"),
        "float": language.say("number"),
        "category": language.say("category"),
        "boolean": language.say("yes or no"),
        "date": language.say("date"),
        "datetime": language.say("date and time"),
        "duration": language.say("duration"),
    }
    return kinds.get(kind, kind)


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
    if kind in ("date", "datetime") or 1 < len(bins.edges) - 1 < _FEWEST_WITH_MIDDLE:
        return ""
    middle = (bins.edges[0] + bins.edges[-1]) / 2
    return write_value(kind, bins, language)(round(middle) if kind == "integer" else middle)


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
