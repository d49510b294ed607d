"""Transforms of a column: its numbers are combined on another scale, and brought back.

A skewed column drags barycentres towards its long tail, and a few large values decide who is whose neighbour; on a
suitable scale neither happens. A transform is fitted once, on the rows that are anonymised. Beyond the fitted range a
number counts as the range's end, in both directions, so that no number has no image.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

from sosie.columns import Floats, quoted
from sosie.errors import InputError

TransformKind = Literal["log", "sqrt", "yeo-johnson", "quantile"]

_MOST_KNOTS = 1_000
_LOST = 1e-12  # of the largest number: what a transform and its inverse may lose


@dataclass(frozen=True)
class Identity:
    """No transform."""

    def forward(self, numbers: Floats) -> Floats:
        """The numbers themselves."""
        return numbers

    def inverse(self, numbers: Floats) -> Floats:
        """The numbers themselves."""
        return numbers


@dataclass(frozen=True)
class Log:
    """log(x + shift), for x in [least, most].

    `shift` is 0 when every fitted number is above 0; when some are 0, it is the smallest one above 0.
    """

    shift: float
    least: float
    most: float

    def forward(self, numbers: Floats) -> Floats:
        """(n,) logarithms; NaN passes through."""
        return np.log(np.clip(numbers, self.least, self.most) + self.shift)

    def inverse(self, numbers: Floats) -> Floats:
        """(n,) numbers in [least, most]."""
        ends = np.log(np.array([self.least, self.most]) + self.shift)
        return np.clip(np.exp(np.clip(numbers, *ends)) - self.shift, self.least, self.most)


@dataclass(frozen=True)
class Sqrt:
    """√x, for x in [least, most], least ≥ 0."""

    least: float
    most: float

    def forward(self, numbers: Floats) -> Floats:
        """(n,) roots; NaN passes through."""
        return np.sqrt(np.clip(numbers, self.least, self.most))

    def inverse(self, numbers: Floats) -> Floats:
        """(n,) numbers in [least, most]."""
        ends = np.sqrt(np.array([self.least, self.most]))
        squares: Floats = np.clip(numbers, *ends) ** 2
        return np.clip(squares, self.least, self.most)


@dataclass(frozen=True)
class YeoJohnson:
    """The power transform of Yeo and Johnson (Biometrika 87, 2000), for x in [least, most].

    λ is the most likely one under normality, drawn towards 1 (which leaves the numbers as they are) as far as it takes
    for them to come back: a λ of −300, which a few close numbers may suggest, would press them into one.
    """

    power: float
    least: float
    most: float

    def forward(self, numbers: Floats) -> Floats:
        """(n,) transformed numbers; NaN passes through."""
        within = np.clip(numbers, self.least, self.most)
        positive = special.boxcox1p(np.maximum(within, 0.0), self.power)
        negative = -special.boxcox1p(np.maximum(-within, 0.0), 2.0 - self.power)
        transformed: Floats = np.where(within >= 0, positive, negative)
        return transformed

    def inverse(self, numbers: Floats) -> Floats:
        """(n,) numbers in [least, most]."""
        # outside the image of the fitted range there may be no inverse at all
        within = np.clip(numbers, *self.forward(np.array([self.least, self.most])))
        positive = special.inv_boxcox1p(np.maximum(within, 0.0), self.power)
        negative = -special.inv_boxcox1p(np.maximum(-within, 0.0), 2.0 - self.power)
        return np.clip(np.where(within >= 0, positive, negative), self.least, self.most)


@dataclass(frozen=True, eq=False)
class Quantile:
    """Normal scores: the normal quantile of a number's rank, linear between knots.

    `knots` are distinct fitted numbers, ascending (all of them, or 1,000 spread evenly over the ranks); `scores` is
    Φ⁻¹((rows below + half the rows equal)/n) of each.
    """

    knots: Floats
    scores: Floats

    def forward(self, numbers: Floats) -> Floats:
        """(n,) normal scores; NaN passes through."""
        return np.where(np.isnan(numbers), np.nan, np.interp(numbers, self.knots, self.scores))

    def inverse(self, numbers: Floats) -> Floats:
        """(n,) numbers between the first knot and the last."""
        return np.where(np.isnan(numbers), np.nan, np.interp(numbers, self.scores, self.knots))


Transform = Identity | Log | Sqrt | YeoJohnson | Quantile


def fit_transform(kind: TransformKind, numbers: Floats, name: Hashable) -> Transform:
    """The transform of this kind fitted on a column's (n,) numbers, NaN where missing.

    A column of fewer than two distinct numbers keeps its scale. Raises InputError `BAD_CONFIG` for log and sqrt when
    a number is below 0.
    """
    refuse_transform(kind, numbers, name)
    present = numbers[~np.isnan(numbers)]
    if not len(present) or present.min() == present.max():
        return Identity()
    least, most = float(present.min()), float(present.max())
    match kind:
        case "log":
            return Log(0.0 if least > 0 else float(present[present > 0].min()), least, most)
        case "sqrt":
            return Sqrt(least, most)
        case "yeo-johnson":
            return _yeo_johnson(present, name)
        case "quantile":
            return _quantile(present)


def refuse_transform(kind: TransformKind, numbers: Floats, name: Hashable) -> None:
    """InputError `BAD_CONFIG` when (n,) numbers, NaN where missing, do not allow a transform of this kind."""
    below = int((numbers < 0).sum())
    if kind in ("log", "sqrt") and below:
        raise InputError(
            "BAD_CONFIG",
            f"transform {kind} of {quoted([name])} needs values of at least 0, {below} are below: "
            "use yeo-johnson or quantile",
            (name,),
        )


def _yeo_johnson(present: Floats, name: Hashable) -> YeoJohnson:
    from scipy import stats  # long to import: only where used

    try:
        power = float(stats.yeojohnson_normmax(present))
    except ValueError:  # no λ keeps numbers such as 10^200 finite
        raise InputError(
            "BAD_CONFIG",
            f"transform yeo-johnson of {quoted([name])} finds its values too large: use quantile",
            (name,),
        ) from None
    transform = YeoJohnson(power, float(present.min()), float(present.max()))
    while not _comes_back(transform, present):
        transform = replace(transform, power=(transform.power + 1) / 2)
    return transform


def _comes_back(transform: YeoJohnson, present: Floats) -> bool:
    back = transform.inverse(transform.forward(present))
    return bool(np.abs(back - present).max() <= _LOST * np.abs(present).max())


def _quantile(present: Floats) -> Quantile:
    distinct, counts = np.unique(present, return_counts=True)
    scores = special.ndtri((counts.cumsum() - counts / 2) / len(present))
    if len(distinct) > _MOST_KNOTS:
        ends = np.searchsorted(counts.cumsum(), np.linspace(0, len(present), _MOST_KNOTS))
        kept = np.unique(np.clip(ends, 0, len(distinct) - 1))
        distinct, scores = distinct[kept], scores[kept]
    return Quantile(distinct, scores)
