"""Published figures beside ours: mean ± sd over runs, and whether ours lies within three published sd."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

Published = Mapping[str, tuple[float, float]]  # name: mean and sd over the published runs
Measured = Mapping[str, Sequence[float]]  # name: one figure a run

_SDS = 3


class Line(NamedTuple):
    """One statistic: as published, as measured, and whether the means are within three published sd."""

    name: str
    published_mean: float
    published_sd: float
    mean: float
    sd: float
    within: bool


def compare(published: Published, measured: Measured) -> list[Line]:
    """One line for each published statistic; KeyError when one was not measured."""
    lines = []
    for name, (published_mean, published_sd) in published.items():
        runs = np.asarray(measured[name], dtype=np.float64)
        mean, sd = float(runs.mean()), float(runs.std(ddof=1))
        within = abs(mean - published_mean) <= _SDS * published_sd
        lines.append(Line(name, published_mean, published_sd, mean, sd, within))
    return lines


def report(lines: list[Line], measured_as: str = "ours") -> str:
    """The lines as a table of text."""
    width = max(len(line.name) for line in lines)
    head = f"{'statistic':<{width}}  {'published':>16}  {measured_as:>16}  within {_SDS} sd"
    rows = [
        f"{line.name:<{width}}  {line.published_mean:>8.2f} ± {line.published_sd:>5.2f}"
        f"  {line.mean:>8.2f} ± {line.sd:>5.2f}  {'yes' if line.within else 'NO'}"
        for line in lines
    ]
    return "\n".join([head, *rows])
