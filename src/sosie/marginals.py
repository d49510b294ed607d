"""The distribution of one number: its normal scores, and the way back from an avatar's rank to a value.

Away: a value x becomes the normal score Φ⁻¹(its middle rank / m), so that heavy tails and units play no part. Back: the
avatars' combined scores are ranked, and each rank takes the value that the originals have there — not anybody's own
value, but one out of a run of neighbouring values that at least so many individuals hold.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Floats

FEWEST = 10  # individuals in a run, however small k is
_POWERS = (0.05, 20.0)


@dataclass(frozen=True, eq=False)
class Runs:
    """A distribution as runs of values, each held by at least so many individuals.

    Run r holds the ranks between `borders[r]` and `borders[r + 1]` (shares, from 0 to 1) and the values from `lows[r]`
    to `highs[r]`. At share t inside it lies low + (high − low)·t^power, the power such that the run's mean is that of
    its individuals. A value that enough individuals hold is a run of its own.
    """

    borders: Floats
    lows: Floats
    highs: Floats
    powers: Floats

    def at(self, shares: Floats) -> Floats:
        """The values at shares (0–1) of the distribution: from the lowest value to the highest, never decreasing."""
        run = np.clip(np.searchsorted(self.borders, shares, side="right") - 1, 0, len(self.lows) - 1)
        inside = (shares - self.borders[run]) / (self.borders[run + 1] - self.borders[run])
        along = np.clip(inside, 0.0, 1.0) ** self.powers[run]
        # not low + along·(high − low): the difference of the largest floats is infinite
        values: Floats = (1 - along) * self.lows[run] + along * self.highs[run]
        return values


@dataclass(frozen=True, eq=False)
class Marginal:
    """A number's distribution among the m individuals it is combined of: their values in ascending order.

    The whole state that the law needs of a column: a table that does not fit in memory gives it by sorting one column
    at a time.
    """

    ordered: Floats

    def scores(self, values: Floats) -> Floats:
        """Normal scores of any array of these values, NaN where NaN; equal values share their middle rank."""
        from scipy.special import ndtri  # 14 MiB that only the law of normal scores needs

        # distinct ones in ascending order: a search for values in any order misses the cache at each step
        distinct, back = np.unique(values, return_inverse=True)
        below = np.searchsorted(self.ordered, distinct, side="left")
        upto = np.searchsorted(self.ordered, distinct, side="right")
        middle = np.where(np.isnan(distinct), np.nan, (below + upto) / max(1, 2 * len(self.ordered)))
        scores: Floats = np.asarray(ndtri(middle), dtype=np.float64)[back]
        return scores

    def values(self, combined: Floats, k: int, rng: np.random.Generator) -> Floats:
        """(a,) values for the combined scores of a avatars: equally spaced shares of the runs, in the scores' order.

        Runs are of at least max(k, 10) individuals; equal scores are put in a random order. Needs all avatars of the
        column at once: 8 bytes each.
        """
        if not len(combined):
            return np.empty(0)
        ranks = np.empty(len(combined))
        ranks[np.lexsort((rng.random(len(combined)), combined))] = np.arange(len(combined))
        return runs(self.ordered, max(k, FEWEST)).at((ranks + 0.5) / len(combined))


def marginal_of(values: Floats) -> Marginal:
    """The marginal of (n,) values, NaN left out."""
    return Marginal(np.sort(values[~np.isnan(values)]))


def runs(ordered: Floats, least: int) -> Runs:
    """The runs of m ≥ 1 values in ascending order, each of at least `least` individuals.

    Fewer are in a run only where there are fewer in all, or between two values that have runs of their own. A run
    reaches half-way to the next one, the first and the last to the lowest and the highest value.
    """
    starts = _starts(ordered, least)
    borders = np.append(starts, len(ordered))
    lows, highs = ordered[starts], ordered[borders[1:] - 1]
    alone = lows == highs
    middles = highs[:-1] / 2 + lows[1:] / 2
    lows, highs = lows.copy(), highs.copy()
    single = alone & (np.diff(borders) >= least)
    highs[:-1] = np.where(single[:-1], highs[:-1], middles)
    lows[1:] = np.where(single[1:], lows[1:], middles)
    widths = highs / 2 - lows / 2
    members = np.repeat(np.arange(len(starts)), np.diff(borders))
    places = (ordered / 2 - lows[members] / 2) / np.where(widths > 0, widths, 1.0)[members]
    means = np.add.reduceat(places, starts) / np.diff(borders)
    # the mean of t^power over 0 ≤ t ≤ 1 is 1 / (1 + power)
    powers = np.where(widths > 0, 1 / np.clip(means, 1e-9, 1.0) - 1, 1.0)
    return Runs(borders / len(ordered), lows, highs, np.clip(powers, *_POWERS))


def _starts(ordered: Floats, least: int) -> NDArray[np.int64]:
    """Positions where runs begin; equal values are never cut apart."""
    changes = np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)
    bounds = np.append(changes, len(ordered))
    common = np.diff(bounds) >= least
    ends = np.unique(np.concatenate([bounds[:-1][common], bounds[1:][common], [0, len(ordered)]]))
    starts: list[int] = []
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        starts.append(start)
        while end - start >= 2 * least:
            start = int(bounds[np.searchsorted(bounds, start + least)])
            if end - start < least:
                break
            starts.append(start)
    return np.array(starts, dtype=np.int64)
