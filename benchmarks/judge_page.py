"""The judge's figures as Markdown: one row a figure, one column a maker, mean and range over the draws."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sosie.estimates import Metric

Draws = Sequence[Mapping[str, Metric]]  # the figures of one maker, a mapping a draw


class Figure(NamedTuple):
    """A figure of `metrics.json`, how it is called and where its good end is."""

    key: str
    said: str
    best: str
    decimals: int


PRIVACY = (
    Figure("membership_raw_auc", "membership, raw space: AUC", "0.5", 2),
    Figure("membership_raw_found_at_1", "… members found at 1 % false alarms, %", "1", 1),
    Figure("membership_density_auc", "membership, density ratio: AUC", "0.5", 2),
    Figure("membership_density_found_at_1", "… members found at 1 % false alarms, %", "1", 1),
    Figure("linkability", "linkability, % of risk", "0", 1),
    Figure("inference", "inference of the worst column, % of risk", "0", 1),
    Figure("singling_out_univariate", "singling out by one column, % of risk", "0", 1),
    Figure("singling_out_multivariate", "singling out by several, % of risk", "0", 1),
    Figure("row_direct_match", "rows equal to some original, %", "as real rows", 1),
    Figure("local_cloaking", "local cloaking, median", "high", 1),
    Figure("hidden_rate", "hidden rate, %", "high", 1),
    Figure("closest_distances_ratio_outlier", "closest distances ratio, outliers", "100", 1),
    Figure("distance_to_closest_outlier", "distance to closest, outliers", "100", 1),
)
UTILITY = (
    Figure("hellinger_mean", "Hellinger mean", "100", 1),
    Figure("association_difference_mean", "association difference, mean", "as real rows", 3),
    Figure("discriminator_auc", "discriminator: AUC", "0.5", 2),
    Figure("sd_ratio_mean", "sd, avatars' to originals'", "1", 2),
    Figure("learning_score", "target learnt: AUC on the holdout", "as copy", 3),
)
LINKS = (
    Figure("local_cloaking", "local cloaking, median", "high", 1),
    Figure("local_cloaking_zero_share", "rows with a local cloaking of 0, %", "low", 1),
    Figure("hidden_rate", "hidden rate, %", "high", 1),
    Figure("hidden_rate_worst", "hidden rate, ties exposed, %", "high", 1),
    Figure("row_direct_match", "rows equal to some original, %", "low", 1),
    Figure("row_direct_match_own", "rows equal to their own, %", "low", 1),
)


def section(figures: Sequence[Figure], by_maker: Mapping[str, Draws]) -> str:
    """A table of these figures, and beneath it why a cell is empty."""
    reasons: list[str] = []
    rows = [
        [figure.said, figure.best, *(_cell(figure, draws, reasons) for draws in by_maker.values())]
        for figure in figures
    ]
    lines = [["figure", "best", *by_maker], ["---"] * (2 + len(by_maker)), *rows]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return "\n\n".join([table, *(f"({place}) {reason}" for place, reason in enumerate(reasons, start=1))])


def mean(draws: Draws, key: str) -> float | None:
    """The mean of a figure over all draws; None when any draw lacks it."""
    values = [draw[key].value for draw in draws]
    present = [value for value in values if value is not None]
    return float(np.mean(present)) if len(present) == len(values) else None


def _cell(figure: Figure, draws: Draws, reasons: list[str]) -> str:
    """Mean (least–most), `?` after an uninformative one; where a draw has no figure, the number of the reason."""
    average = mean(draws, figure.key)
    found = [draw[figure.key] for draw in draws]
    if average is None:
        return f"– ({_place(next(m.reason or '' for m in found if m.value is None), reasons)})"
    values = [metric.value for metric in found if metric.value is not None]
    vague = [metric.reason or "" for metric in found if metric.status == "uninformative"]
    said = [f"{value:.{figure.decimals}f}" for value in (average, min(values), max(values))]
    shown = said[0] if said[1] == said[2] else f"{said[0]} ({said[1]}–{said[2]})"
    return f"{shown} ? ({_place(vague[0], reasons)})" if vague else shown


def _place(reason: str, reasons: list[str]) -> int:
    if reason not in reasons:
        reasons.append(reason)
    return reasons.index(reason) + 1
