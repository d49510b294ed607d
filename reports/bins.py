"""What each bin of a number, a date or a duration holds, in words."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from itertools import pairwise
from math import ceil

from sosie.evaluation import Bins
from sosie.reports.language import Language

_EPOCH = datetime(1970, 1, 1)
_FIRST, _LAST = (float((day - date(1970, 1, 1)).days) for day in (date.min, date.max))
_HOURS, _MINUTES, _SECONDS = 24, 24 * 60, 24 * 60 * 60

Write = Callable[[float], str]


def bin_names(bins: Bins, kind: str, language: Language) -> list[str]:
    """What each bin holds; the first has no lower end, the last no upper one; whole numbers are named themselves."""
    if len(bins.edges) <= 2:
        return [language.say("all values")] * (len(bins.edges) - 1)
    write = write_value(kind, bins, language)
    if kind in ("integer", "date"):
        return _whole(bins, write, kind, language)
    inner = [
        language.say("%(low)s to %(high)s", low=write(low), high=write(high))
        for low, high in pairwise(bins.edges[1:-1])
    ]
    lowest, highest = bins.edges[1], bins.edges[-2]
    first = (
        language.say("before %(bound)s", bound=write(lowest))
        if kind == "datetime"
        else language.say("below %(bound)s", bound=write(lowest))
    )
    return [first, *inner, _from(highest, write, kind, language)]


def write_value(kind: str, bins: Bins, language: Language) -> Write:
    """How a value of the column is written: numbers compactly, dates and durations in the language's format."""
    if kind == "date":
        return lambda value: _day(value, language)
    if kind == "datetime":
        close = bins.edges[-1] - bins.edges[0] < len(bins.edges)  # bins narrower than a day
        return lambda value: _moment(value, language) if close else _day(value, language)
    if kind == "duration":
        return _duration(max(abs(bins.edges[0]), abs(bins.edges[-1])), language)
    return language.compact


def _whole(bins: Bins, write: Write, kind: str, language: Language) -> list[str]:
    inner = []
    for low, high in pairwise(bins.edges[1:-1]):
        first, last = ceil(low), ceil(high) - 1
        inner.append(
            language.say("%(low)s to %(high)s", low=write(first), high=write(last))
            if last > first
            else write(first)
        )
    lowest = write(ceil(bins.edges[1]) - 1)
    first_name = (
        language.say("until %(bound)s", bound=lowest)
        if kind == "date"
        else language.say("at most %(bound)s", bound=lowest)
    )
    return [first_name, *inner, _from(ceil(bins.edges[-2]), write, kind, language)]


def _from(bound: float, write: Write, kind: str, language: Language) -> str:
    if kind in ("date", "datetime"):
        return language.say("from %(bound)s on", bound=write(bound))
    return language.say("at least %(bound)s", bound=write(bound))


def _day(value: float, language: Language) -> str:
    if not _FIRST <= value <= _LAST:
        return language.say("year %(year)s", year=str(round(1970 + value / 365.2425)))
    return language.day((_EPOCH + timedelta(days=value)).date())


def _moment(value: float, language: Language) -> str:
    if not _FIRST <= value <= _LAST:
        return _day(value, language)
    return language.minute(_EPOCH + timedelta(days=value))


def _duration(longest: float, language: Language) -> Write:
    """In the largest unit of which there are some: days, hours, minutes or seconds."""
    for times, unit in ((1, "day"), (_HOURS, "hour"), (_MINUTES, "minute")):
        if longest * times >= 3:
            return lambda value: language.quantity(value * times, unit)
    return lambda value: language.quantity(value * _SECONDS, "second")
