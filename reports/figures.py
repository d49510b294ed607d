"""Each figure as the page tells it: value, reference, interval, target, verdict, sentences and scale."""

from dataclasses import dataclass, replace
from typing import Literal

from markupsafe import Markup

from sosie.evaluation import Evaluation
from sosie.holdout import HoldoutMode
from sosie.reports.explanation import Explanation
from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.formulas import FORMULAS
from sosie.reports.language import Language, marked
from sosie.reports.scale import Marker, Scale, draw_scale
from sosie.reports.values import bound_of, bounds, end, exact, needed_decimals, written
from sosie.schemas.metrics import JudgedMetric, MetricsFile, Verdict
from sosie.schemas.targets import Target
from sosie.utility import Spread, Stability, WeightEvidence

Group = Literal["privacy", "attacks", "utility", "other"]

_MARKERS: dict[Verdict, Marker] = {
    "pass": "pass",
    "fail": "fail",
    "uninformative": "uninformative",
    "not computed": "not-computed",
    "info": "info",
}
_VARIANCE_KEPT = marked(
    "Of weights that may be negative, this says how much of the neighbourhood's variance an"
    " avatar keeps: 1 is all of it."
)


@dataclass(frozen=True)
class Badge:
    """A verdict in a word, with the shape that goes with it."""

    shape: Marker
    text: str


@dataclass(frozen=True)
class Figure:
    """One figure, every part of it written; what does not apply is the empty string."""

    name: str
    section: Group
    title: str
    value: str
    reference: str
    reference_meaning: str
    interval: str
    baseline: str
    attempts: str
    target: str
    source: str
    badge: Badge
    reason: str
    leaning: str
    measures: str
    formula: str
    at_worst: str
    at_target: str
    at_best: str
    spread: str
    remedy: str
    scale: Markup


def figures(metrics: MetricsFile, evaluation: Evaluation, language: Language) -> tuple[Figure, ...]:
    """Every figure of the metrics file, explained ones first and in the order of their explanations."""
    told = _explanations(evaluation)
    order = [name for name in told if name in metrics.metrics]
    order += [name for name in metrics.metrics if name not in told]
    return tuple(
        _figure(name, told[name], metrics, evaluation, language)
        if name in told
        else _unexplained(name, metrics.metrics[name], language)
        for name in order
    )


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


def source(target: Target, language: Language) -> str:
    """Where a target comes from: the profile or the configuration, then why."""
    origin, colon, why = target.source.partition(": ")
    if not colon:
        return language.quote(origin)
    return language.say("%(origin)s: %(why)s", origin=language.quote(origin), why=language.quote(why))


def _explanations(evaluation: Evaluation) -> dict[str, Explanation]:
    """How each figure is told in this run: affine weights say something else than positive ones."""
    told = dict(EXPLANATIONS)
    if isinstance(evaluation.weights, WeightEvidence) and evaluation.weights.law == "gaussian":
        name = "effective_neighbours_median"
        told[name] = replace(
            told[name], measures=_VARIANCE_KEPT, at_worst="", at_target="", at_best="", scale="none"
        )
    return told


def _figure(
    name: str, told: Explanation, metrics: MetricsFile, evaluation: Evaluation, language: Language
) -> Figure:
    metric = metrics.metrics[name]
    best = _best(told, metrics, evaluation.rows.avatars)
    value = language.say("not computed")
    if metric.value is not None:
        value = written(metric.value, told, language, needed_decimals(metric, told, best))
    target, at_target = "", ""
    if metric.target is not None:
        target = bounds(metric.target, lambda bound: exact(bound, told, language), language)
        at_target = _at_target(metric.target, told, language)
    return Figure(
        name=name,
        section=told.section,
        title=language.say(told.title),
        value=value,
        reference="" if metric.reference is None else written(metric.reference, told, language),
        reference_meaning=language.say(told.reference)
        if told.reference
        else language.say("the same with the holdout in place of the avatars"),
        interval=_interval(metric, told, language),
        baseline="" if metric.baseline is None else written(metric.baseline, told, language),
        attempts="" if metric.attempts is None else language.number(metric.attempts),
        target=target,
        source="" if metric.target is None else source(metric.target, language),
        badge=badge(metric.verdict, language),
        reason=language.quote(metric.reason or ""),
        leaning=_leaning(told, metrics.holdout, language),
        measures=language.say(told.measures),
        formula=FORMULAS.get(name, ""),
        at_worst=language.say(told.at_worst) if told.at_worst else "",
        at_target=at_target,
        at_best=language.say(told.at_best) if told.at_best else "",
        spread=_spread(name, told, evaluation, language),
        remedy=language.say(told.remedy),
        scale=Markup("")
        if told.scale == "none"
        else draw_scale(_scale(metric, told, best, value, target, language)),
    )


def _unexplained(name: str, metric: JudgedMetric, language: Language) -> Figure:
    target = metric.target
    return Figure(
        name=name,
        section="other",
        title=name,
        value=language.say("not computed") if metric.value is None else language.number(metric.value),
        reference="" if metric.reference is None else language.number(metric.reference),
        reference_meaning="",
        interval="",
        baseline="" if metric.baseline is None else language.number(metric.baseline),
        attempts="" if metric.attempts is None else language.number(metric.attempts),
        target="" if target is None else bounds(target, language.exact, language),
        source="" if target is None else source(target, language),
        badge=badge(metric.verdict, language),
        reason=language.quote(metric.reason or ""),
        leaning="",
        measures="",
        formula="",
        at_worst="",
        at_target="",
        at_best="",
        spread="",
        remedy="",
        scale=Markup(""),
    )


def _best(told: Explanation, metrics: MetricsFile, avatars: int) -> float:
    if told.scale == "rows":
        return (avatars - 1) / 2
    return float(metrics.k or told.best) if told.scale == "k" else told.best


def _scale(
    metric: JudgedMetric, told: Explanation, best: float, value: str, target: str, language: Language
) -> Scale:
    worst_text, best_text = end(told.worst, told, language), end(best, told, language)
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
        target=None if metric.target is None else bound_of(metric.target, told),
        reference=metric.reference if told.section != "attacks" or told.unit == "ratio" else None,
        interval=metric.interval,
        marker=_MARKERS[metric.verdict],
        worst_text=worst_text,
        best_text=best_text,
        target_text=target,
        alternative=f"{ends} {aim}".strip(),
    )


def _interval(metric: JudgedMetric, told: Explanation, language: Language) -> str:
    if metric.interval is None:
        return ""
    low, high = (written(bound, told, language) for bound in metric.interval)
    return language.say("%(low)s to %(high)s", low=low, high=high)


def _spread(name: str, told: Explanation, evaluation: Evaluation, language: Language) -> str:
    """How the figure varies over repeated draws, where there were any."""
    stability = evaluation.stability
    if not isinstance(stability, Stability):
        return ""
    spread = stability.metrics.get(name)
    if not isinstance(spread, Spread):
        return ""
    return language.say(
        "Over %(draws)s draws: %(least)s to %(most)s.",
        draws=language.number(stability.repeats),
        least=written(spread.least, told, language),
        most=written(spread.most, told, language),
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


def _at_target(target: Target, told: Explanation, language: Language) -> str:
    bound = bound_of(target, told)
    if bound is None or not told.at_target:
        return ""
    return language.say(told.at_target, target=exact(bound, told, language))
