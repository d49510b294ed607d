"""Transforms of a column: its numbers are combined on another scale, and brought back.

A skewed column drags barycentres towards its long tail, and a few large values decide who is whose neighbour; on a
suitable scale neither happens. A transform is fitted once, on the rows that are anonymised. Beyond the fitted range a
number counts as the range's end, in both directions, so that no number has no image.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

from sosie.columns import Floats, quoted
from sosie.errors import InputError
from sosie.ordered import Counts, Pieces, ends_of, ordered, whole

TransformKind = Literal["log", "sqrt", "yeo-johnson", "quantile"]

_MOST_KNOTS = 1_000
_NO_KNOTS = np.empty((2, 0))
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
    return fit_transform_in_pieces(kind, whole(numbers), name)


def fit_transform_in_pieces(kind: TransformKind, pieces: Pieces, name: Hashable) -> Transform:
    """The same of numbers that come in pieces; yeo-johnson, whose λ is fitted on all of them, holds them all."""
    ends = ends_of(pieces)
    refuse_transform(kind, ends.below, name)
    if not ends.least < ends.most:
        return Identity()
    match kind:
        case "log":
            return Log(0.0 if ends.least > 0 else ends.positive, ends.least, ends.most)
        case "sqrt":
            return Sqrt(ends.least, ends.most)
        case "yeo-johnson":
            return _yeo_johnson(np.concatenate([piece[~np.isnan(piece)] for piece in pieces()]), name)
        case "quantile":
            return _quantile(ordered(pieces), sum(int((~np.isnan(piece)).sum()) for piece in pieces()))


def refuse_transform(kind: TransformKind, below: int, name: Hashable) -> None:
    """InputError `BAD_CONFIG` when a column with so many numbers below 0 does not allow a transform of this kind."""
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


def _quantile(distinct: Iterable[tuple[Floats, Counts]], total: int) -> Quantile:
    """Of all different numbers in ascending order, so many at a time, and how many of the `total` rows hold each."""
    ranks = np.linspace(0, total, _MOST_KNOTS)
    first, spread, below, found = _NO_KNOTS, [], -1, 0
    for values, counts in distinct:
        ends = max(below, 0) + counts.cumsum()
        knots = np.stack([values, (ends - counts / 2) / total])
        here = ranks[(ranks > below) & (ranks <= ends[-1])]
        spread.append(knots[:, np.unique(np.searchsorted(ends, here))])
        first = np.hstack([first, knots[:, : _MOST_KNOTS - first.shape[1]]])
        below, found = int(ends[-1]), found + len(values)
    kept = first if found <= _MOST_KNOTS else np.hstack(spread)
    return Quantile(kept[0], special.ndtri(kept[1]))
