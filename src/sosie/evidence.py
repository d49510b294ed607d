"""All evidence on one table of avatars: what the metrics say, what attackers find, what the avatars are good for."""

from collections.abc import Mapping
from dataclasses import replace

from sosie.attacks import Attack, Attacks, Membership, Separation
from sosie.estimates import Estimate, Metric, NotComputed
from sosie.evaluation import Evaluation, Measures
from sosie.utility import Utility, WeightEvidence, stability

MADE_ELSEWHERE = "the avatars were made elsewhere"
ONE_DRAW = "only one draw was asked for"


def gather(
    measures: Measures, attacks: Attacks, utility: Utility, weights: WeightEvidence | NotComputed
) -> Evaluation:
    """The evaluation with every figure under its name."""
    made = {} if isinstance(weights, NotComputed) else weights.metrics
    metrics = {**measures.metrics, **attack_metrics(attacks), **utility.metrics, **made}
    return Evaluation(
        **(vars(measures) | {"metrics": metrics}),
        attacks=attacks,
        utility=utility,
        weights=weights,
        stability=NotComputed(ONE_DRAW),
    )


def with_stability(evaluation: Evaluation, *repeats: Evaluation) -> Evaluation:
    """The evaluation with the spread of its figures over itself and further draws."""
    draws = [draw.metrics for draw in (evaluation, *repeats)]
    return replace(evaluation, stability=stability(draws))


def attack_metrics(attacks: Attacks) -> Mapping[str, Metric]:
    """The attacks' figures in percent (areas 0–1), beside their control (`reference`) and chance (`baseline`)."""
    inference = attacks.inference
    metrics = {
        "singling_out_univariate": _risk(attacks.singling_out_univariate),
        "singling_out_multivariate": _risk(attacks.singling_out_multivariate),
        "linkability": _risk(attacks.linkability),
        "inference": _risk(inference if isinstance(inference, NotComputed) else inference.worst.measured),
    }
    for name, found in (
        ("membership", attacks.membership_projected),
        ("membership_raw", attacks.membership_raw),
        ("membership_density", attacks.membership_density),
    ):
        metrics |= _membership(name, found)
    return metrics


def _risk(attack: Attack | NotComputed) -> Metric:
    if isinstance(attack, NotComputed):
        return _missing(attack)
    risk = attack.risk
    return Metric(
        100 * risk.value,
        reference=100 * attack.control.value,
        interval=(100 * risk.low, 100 * risk.high),
        baseline=100 * attack.baseline.value,
        attempts=attack.main.attempts,
    )


def _membership(name: str, found: Membership | NotComputed) -> dict[str, Metric]:
    if isinstance(found, NotComputed):
        names = (f"{name}_auc", f"{name}_found_at_1", f"{name}_found_at_01", f"{name}_auc_isolated")
        return dict.fromkeys(names, _missing(found))
    rates = dict(found.overall.true_positives)
    return {
        f"{name}_auc": _area(found.overall),
        f"{name}_found_at_1": _found(rates[0.01], 1.0, found.overall.members),
        f"{name}_found_at_01": _found(rates[0.001], 0.1, found.overall.members),
        f"{name}_auc_isolated": _area(found.isolated),
    }


def _area(separation: Separation | NotComputed) -> Metric:
    if isinstance(separation, NotComputed):
        return _missing(separation)
    auc = separation.auc
    return Metric(
        auc.value, reference=0.5, interval=(auc.low, auc.high), baseline=0.5, attempts=separation.members
    )


def _found(rate: Estimate | NotComputed, chance: float, attempts: int) -> Metric:
    if isinstance(rate, NotComputed):
        return _missing(rate)
    return Metric(
        100 * rate.value,
        reference=chance,
        interval=(100 * rate.low, 100 * rate.high),
        baseline=chance,
        attempts=attempts,
    )


def _missing(why: NotComputed) -> Metric:
    return Metric(None, status="not computed", reason=why.reason)
