"""How the value of a figure and its target are written: unit, decimals, and never rounded across a verdict."""

from collections.abc import Callable

from sosie.reports.explanation import Explanation
from sosie.reports.language import DECIMALS, Language
from sosie.schemas.metrics import JudgedMetric
from sosie.schemas.targets import Target

RATIO_DECIMALS = 3
_MOST_DECIMALS = 6


def written(value: float, told: Explanation, language: Language, decimals: int | None = None) -> str:
    """A value in its figure's unit; the unit's usual decimals where none are given."""
    places = usual_decimals(told) if decimals is None else decimals
    if told.unit == "percent":
        return language.percent(value, places)
    return language.number(value, places) if told.unit == "count" else language.score(value, places)


def end(value: float, told: Explanation, language: Language) -> str:
    """The end of a scale, as short as it goes."""
    return language.exact_percent(value) if told.unit == "percent" else language.number(value)


def usual_decimals(told: Explanation) -> int:
    """Of a figure that is near neither its target nor an end."""
    return RATIO_DECIMALS if told.unit == "ratio" else DECIMALS


def needed_decimals(metric: JudgedMetric, told: Explanation, best: float) -> int:
    """Enough decimals that the printed figure meets its target as the true one does, and is not rounded to an end."""
    usual = usual_decimals(told)
    if metric.value is None:
        return usual
    for decimals in range(usual, _MOST_DECIMALS):
        printed = round(metric.value, decimals)
        same_verdict = metric.target is None or metric.target.met_by(
            printed, metric.reference
        ) == metric.target.met_by(metric.value, metric.reference)
        if printed == round(metric.value, _MOST_DECIMALS) or (
            same_verdict and printed not in (told.worst, best)
        ):
            return decimals
    return _MOST_DECIMALS


def exact(bound: float, told: Explanation, language: Language) -> str:
    """A bound with the decimals that it has."""
    return language.exact_percent(bound) if told.unit == "percent" else language.exact(bound)


def bound_of(target: Target, told: Explanation) -> float | None:
    """The bound towards the worst, where the scale shows the target; None when only the other is set."""
    return target.min if told.worst <= told.best or told.scale in ("rows", "k") else target.max


def bounds(target: Target, write: Callable[[float], str], language: Language) -> str:
    """The target in words."""
    if target.or_holdout:
        plain = target.model_copy(update={"or_holdout": False})
        return language.say(
            "%(bounds)s, or within 5 points of the reference", bounds=bounds(plain, write, language)
        )
    if target.min is not None and target.max is not None:
        return language.say("%(least)s to %(most)s", least=write(target.min), most=write(target.max))
    if target.min is not None:
        return language.say("at least %(bound)s", bound=write(target.min))
    return "" if target.max is None else language.say("at most %(bound)s", bound=write(target.max))
