"""Each figure as the page tells it: value, reference, target, verdict, sentences and scale."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from sosie.holdout import HoldoutMode
from sosie.reports.explanations import EXPLANATIONS, Explanation
from sosie.reports.language import DECIMALS, Language
from sosie.reports.scale import Marker, Scale, draw_scale
from sosie.schemas.metrics import JudgedMetric, MetricsFile, Verdict
from sosie.schemas.targets import Target

_MOST_DECIMALS = 6
_MARKERS: dict[Verdict, Marker] = {
    "pass": "pass",
    "fail": "fail",
    "uninformative": "uninformative",
    "not computed": "not-computed",
    "info": "info",
}


@dataclass(frozen=True)
class Badge:
    """A verdict in a word, with the shape that goes with it."""

    shape: Marker
    text: str


@dataclass(frozen=True)
class Figure:
    """One figure, every part of it written; what does not apply is the empty string."""

    name: str
    section: Literal["privacy", "utility", "other"]
    title: str
    value: str
    reference: str
    target: str
    source: str
    badge: Badge
    reason: str
    leaning: str
    measures: str
    at_worst: str
    at_target: str
    at_best: str
    spread: str
    remedy: str
    scale: Markup


def figures(metrics: MetricsFile, avatars: int, language: Language) -> tuple[Figure, ...]:
    """Every figure of the metrics file, explained ones first and in the order of their explanations.

    `avatars` is how many avatars were measured: counts among them are drawn on a scale that ends at half of them.
    """
    order = [name for name in EXPLANATIONS if name in metrics.metrics]
    order += [name for name in metrics.metrics if name not in EXPLANATIONS]
    return tuple(_figure(name, metrics, avatars, language) for name in order)


def badge(verdict: Verdict, language: Language) -> Badge:
    """The verdict's badge."""
    texts: dict[Verdict, str] = {
        "pass": language.say("target met"),
        "fail": language.say("target missed"),
        "uninformative": language.say("uninformative"),
        "not computed": language.say("not computed"),
        "info": language.say("no target"),
    }
    return Badge(_MARKERS[verdict], texts[verdict])


def _figure(name: str, metrics: MetricsFile, avatars: int, language: Language) -> Figure:
    metric = metrics.metrics[name]
    if name not in EXPLANATIONS:
        return _unexplained(name, metric, language)
    told = EXPLANATIONS[name]
    best = (avatars - 1) / 2 if told.scale == "rows" else told.best
    decimals = _decimals(metric, (told.worst, best))
    value = language.say("not computed")
    if metric.value is not None:
        value = _written(metric.value, told, language, decimals)
    target, at_target = "", ""
    if metric.target is not None:
        target = _bounds(metric.target, lambda bound: _exact(bound, told, language), language)
        at_target = _at_target(metric.target, told, language)
    return Figure(
        name=name,
        section=told.section,
        title=language.say(told.title),
        value=value,
        reference="" if metric.reference is None else _written(metric.reference, told, language),
        target=target,
        source="" if metric.target is None else source(metric.target, language),
        badge=badge(metric.verdict, language),
        reason=language.quote(metric.reason or ""),
        leaning=_leaning(told, metrics.holdout, language),
        measures=language.say(told.measures),
        at_worst=language.say(told.at_worst),
        at_target=at_target,
        at_best=language.say(told.at_best),
        spread=_spread(metrics, language) if name == "local_cloaking" else "",
        remedy=language.say(told.remedy),
        scale=draw_scale(_scale(metric, told, best, value, target, language)),
    )


def source(target: Target, language: Language) -> str:
    """Where a target comes from: the profile or the configuration, then why."""
    origin, colon, why = target.source.partition(": ")
    if not colon:
        return language.quote(origin)
    return language.say("%(origin)s: %(why)s", origin=language.quote(origin), why=language.quote(why))


def _unexplained(name: str, metric: JudgedMetric, language: Language) -> Figure:
    target = metric.target
    return Figure(
        name=name,
        section="other",
        title=name,
        value=language.say("not computed") if metric.value is None else language.number(metric.value),
        reference="" if metric.reference is None else language.number(metric.reference),
        target="" if target is None else _bounds(target, language.exact, language),
        source="" if target is None else source(target, language),
        badge=badge(metric.verdict, language),
        reason=language.quote(metric.reason or ""),
        leaning="",
        measures="",
        at_worst="",
        at_target="",
        at_best="",
        spread="",
        remedy="",
        scale=Markup(""),
    )


def _scale(
    metric: JudgedMetric, told: Explanation, best: float, value: str, target: str, language: Language
) -> Scale:
    worst_text, best_text = _written(told.worst, told, language, 0), _written(best, told, language, 0)
    ends = language.say(
        "%(title)s: %(value)s, on a scale from %(worst)s (worst) to %(best)s (ideal).",
        title=language.say(told.title),
        value=value,
        worst=worst_text,
        best=best_text,
    )
    aim = language.say("Target: %(target)s.", target=target) if target else ""
    return Scale(
        worst=told.worst,
        best=best,
        logarithmic=told.scale == "rows",
        value=metric.value,
        target=None if metric.target is None else _bound_of(metric.target, told),
        reference=metric.reference,
        marker=_MARKERS[metric.verdict],
        worst_text=worst_text,
        best_text=best_text,
        target_text=target,
        alternative=f"{ends} {aim}".strip(),
    )


def _spread(metrics: MetricsFile, language: Language) -> str:
    if metrics.local_cloaking_deciles is None:
        return ""
    return language.say(
        "From 10%% to 90%% of individuals, by tenths: %(deciles)s.",
        deciles=" · ".join(language.number(decile) for decile in metrics.local_cloaking_deciles),
    )


def _leaning(told: Explanation, holdout: HoldoutMode, language: Language) -> str:
    if not told.leans or holdout == "real":
        return ""
    if told.section == "utility":
        return language.say(
            "Approximate holdout: it had a part in the avatars, so this figure flatters a little."
        )
    return language.say(
        "Approximate holdout: it had a part in the avatars, so this figure leans towards safe."
    )


def _written(value: float, told: Explanation, language: Language, decimals: int = DECIMALS) -> str:
    if told.unit == "percent":
        return language.percent(value, decimals)
    return language.number(value, decimals) if told.unit == "count" else language.score(value, decimals)


def _bound_of(target: Target, told: Explanation) -> float | None:
    """The bound towards the worst, where the scale shows the target; None when only the other is set."""
    return target.min if told.worst <= told.best else target.max


def _at_target(target: Target, told: Explanation, language: Language) -> str:
    bound = _bound_of(target, told)
    return "" if bound is None else language.say(told.at_target, target=_exact(bound, told, language))


def _exact(bound: float, told: Explanation, language: Language) -> str:
    return language.exact_percent(bound) if told.unit == "percent" else language.exact(bound)


def _bounds(target: Target, write: Callable[[float], str], language: Language) -> str:
    if target.min is not None and target.max is not None:
        return language.say("%(least)s to %(most)s", least=write(target.min), most=write(target.max))
    if target.min is not None:
        return language.say("at least %(bound)s", bound=write(target.min))
    return "" if target.max is None else language.say("at most %(bound)s", bound=write(target.max))


def _decimals(metric: JudgedMetric, ends: tuple[float, float]) -> int:
    """Enough decimals that the printed figure meets its target as the true one does, and is not rounded to an end."""
    if metric.value is None:
        return DECIMALS
    for decimals in range(DECIMALS, _MOST_DECIMALS):
        printed = round(metric.value, decimals)
        same_verdict = metric.target is None or metric.target.met_by(printed) == metric.target.met_by(
            metric.value
        )
        if printed == metric.value or (same_verdict and printed not in ends):
            return decimals
    return _MOST_DECIMALS
