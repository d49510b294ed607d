"""Distributions for pictures: shares and densities that show a column or a cloud without showing anybody.

Every named level and every bin is held by at least `min_count` originals; bin edges are rounded.
"""

from collections.abc import Sequence

import numpy as np
from scipy import ndimage

from sosie.columns import Category, Codes, Floats, Mask
from sosie.evaluation import Bins, Levels, Missing, Plane

_BINS = 24
_NAMED_LEVELS = 20
_CELLS = 48


def bins(originals: Floats, avatars: Floats, holdout: Floats | None, min_count: int) -> Bins:
    """The common bins of (n,) numbers, NaN where missing; shares are of all rows.

    Where so few originals have a number that its place would tell somebody's, one bin without any share.
    """
    known = originals[~np.isnan(originals)]
    sides = 1 if len(np.unique(known)) == 1 else 2  # of a border between bins
    if len(known) < sides * max(1, min_count):
        return Bins((0.0, 1.0), (0.0,), (0.0,), None if holdout is None else (0.0,))
    edges = _edges(known, min_count)

    def shares(numbers: Floats) -> tuple[float, ...]:
        present = numbers[~np.isnan(numbers)]
        counts = np.bincount(np.searchsorted(edges[1:-1], present, side="right"), minlength=len(edges) - 1)
        return tuple(float(count) / len(numbers) for count in counts)

    return Bins(
        edges=tuple(float(edge) for edge in edges),
        originals=shares(originals),
        avatars=shares(avatars),
        holdout=None if holdout is None else shares(holdout),
    )


def levels(
    column: Category, originals: Codes, avatars: Codes, holdout: Codes | None, min_count: int
) -> Levels:
    """The levels of (n,) codes, commonest first; rare and surplus ones merged. Shares are of all rows."""
    size = len(column.levels)
    counts = np.bincount(originals[originals >= 0], minlength=size)
    order = np.argsort(-counts, kind="stable")
    named = [int(level) for level in order if counts[level] >= max(1, min_count)][:_NAMED_LEVELS]
    merged = size - len(named)

    def shares(codes: Codes) -> tuple[float, ...]:
        found = np.bincount(codes[codes >= 0], minlength=size)[:size] / len(codes)
        shown = [float(found[level]) for level in named]
        return (*shown, max(0.0, float(found.sum()) - sum(shown))) if merged else tuple(shown)

    return Levels(
        labels=(*(str(column.levels[level]) for level in named), *([""] if merged else [])),
        originals=shares(originals),
        avatars=shares(avatars),
        holdout=None if holdout is None else shares(holdout),
        merged=merged,
    )


def missing_shares(sets: Sequence[Mask]) -> Missing:
    """Shares of missing cells in originals, avatars and holdout."""
    originals, avatars, holdout = (float(mask.mean()) for mask in sets)
    return Missing(originals, avatars, holdout)


def plane(originals: Floats, avatars: Floats, min_count: int) -> Plane | None:
    """Smoothed densities of (n, ncp) coordinates on the first two components; None where there are not two."""
    if originals.shape[1] < 2:
        return None
    low, high = np.quantile(originals[:, :2], [0.005, 0.995], axis=0)
    margin = 0.15 * (high - low)
    if not (margin > 0).all():
        return None
    edges = [np.linspace(low[axis] - margin[axis], high[axis] + margin[axis], _CELLS + 1) for axis in (0, 1)]
    centres = [(edge[:-1] + edge[1:]) / 2 for edge in edges]
    return Plane(
        x=tuple(map(float, centres[0])),
        y=tuple(map(float, centres[1])),
        originals=_density(originals, edges, min_count),
        avatars=_density(avatars, edges, min_count),
    )


def _edges(present: Floats, min_count: int) -> Floats:
    distinct = np.unique(present)
    if len(distinct) == 1:
        return np.array([distinct[0] - 0.5, distinct[0] + 0.5])
    if len(distinct) <= _BINS:
        inner = (distinct[:-1] + distinct[1:]) / 2
    else:
        low, high = np.quantile(present, [0.01, 0.99])
        if low == high:
            low, high = distinct[0], distinct[-1]
        width = (high - low) / _BINS
        inner = np.unique(np.round(np.linspace(low, high, _BINS - 1), int(np.ceil(1 - np.log10(width)))))
    inner = _merged(present, inner, max(1, min_count))
    if not len(inner):
        return np.array([np.round(np.median(present)) - 0.5, np.round(np.median(present)) + 0.5])
    step = float(np.diff(inner).mean()) if len(inner) > 1 else max(abs(float(inner[0])), 1.0)
    return np.concatenate([[inner[0] - step], inner, [inner[-1] + step]])


def _merged(present: Floats, inner: Floats, min_count: int) -> Floats:
    """The inner edges that leave at least `min_count` numbers on either side of each bin's border."""
    below = np.searchsorted(np.sort(present), inner, side="left")
    kept, last = [], 0
    for edge, count in zip(inner, below, strict=True):
        if count - last >= min_count and len(present) - count >= min_count:
            kept.append(edge)
            last = int(count)
    return np.array(kept)


def _density(coordinates: Floats, edges: list[Floats], min_count: int) -> tuple[tuple[float, ...], ...]:
    counts, _, _ = np.histogram2d(coordinates[:, 1], coordinates[:, 0], bins=(edges[1], edges[0]))
    nearby = ndimage.uniform_filter(counts, size=5, mode="constant") * 25
    density = ndimage.gaussian_filter(counts, sigma=1.6, mode="constant")
    density[np.round(nearby) < min_count] = 0.0
    peak = density.max()
    scaled = np.round(density / peak, 4) if peak > 0 else density
    return tuple(tuple(map(float, row)) for row in scaled)
