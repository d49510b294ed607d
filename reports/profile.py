"""The originals' columns in aggregates: type, missing cells, quantiles or commonest level."""

from dataclasses import dataclass

from sosie.estimates import NotComputed
from sosie.evaluation import Bins, Evaluation, Levels, Variable
from sosie.reports.bins import write_value
from sosie.reports.language import Language
from sosie.reports.variables import kind_in_words
from sosie.utility.summaries import NumberSummary, Summary

_SHOWN = (5.0, 50.0, 95.0)


@dataclass(frozen=True)
class DataRow:
    """One column of the originals."""

    name: str
    kind: str
    missing: str
    content: str
    hellinger: str


def profile_rows(evaluation: Evaluation, language: Language) -> tuple[DataRow, ...]:
    """Every column in the table's order."""
    summaries = {summary.name: summary for summary in evaluation.utility.summaries}
    return tuple(
        DataRow(
            variable.name,
            kind_in_words(variable.kind, language),
            language.share(variable.missing.originals),
            _content(variable, summaries.get(variable.name), language),
            language.score(variable.hellinger),
        )
        for variable in evaluation.variables
    )


def _content(variable: Variable, summary: Summary | None, language: Language) -> str:
    shown = variable.distribution
    if isinstance(shown, Levels):
        return _levels(shown, language)
    if not isinstance(summary, NumberSummary):
        return ""
    return _quantiles(summary, shown, variable.kind, language)


def _quantiles(summary: NumberSummary, bins: Bins, kind: str, language: Language) -> str:
    found = {quantile.percent: quantile.value for quantile in summary.originals.quantiles}
    write = write_value(kind, bins, language)
    low, middle, high = (
        "–" if value is None or isinstance(value, NotComputed) else write(value)
        for value in (found.get(percent) for percent in _SHOWN)
    )
    return language.say("median %(middle)s; P5 %(low)s, P95 %(high)s", middle=middle, low=low, high=high)


def _levels(levels: Levels, language: Language) -> str:
    count = len(levels.labels) - (1 if levels.merged else 0) + levels.merged
    said = language.say_count("%(count)s level", "%(count)s levels", count)
    if not levels.labels or levels.merged == count:
        return said
    return language.say(
        "%(levels)s; commonest: %(name)s (%(share)s)",
        levels=said,
        name=levels.labels[0] or language.say("(empty text)"),
        share=language.share(levels.originals[0]),
    )
