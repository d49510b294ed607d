"""Local cloaking: how many strangers' avatars an individual's own avatar hides behind.

    c_i = #{ j != i : d(x_i, y_j) <= d(x_i, y_i) }

x the originals, y the avatars in the same order, d the Euclidean distance in the projection. 0: the own
avatar is the closest of all, linking by distance succeeds; large: it is lost in the crowd, and n - 1 is the
farthest it can be. A tie hides, so it counts (Guillaudeux et al., npj Digital Medicine 6:37, 2023).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sosie.arranged import Arranged
from sosie.metrics.isolation import most_isolated
from sosie.metrics.linked import linked_points
from sosie.neighbours import Floats, Integers, counts_within, paired_distances

DECILES = np.arange(10, 100, 10)
# counts from so many on all say the same: lost in a crowd; a large table's cost most, and stop at a quarter of it
_MOST, _LARGE = 1_000, 200_000
_GUESSED_FROM = 8_192  # rows at least, of those that are thinned to guess where counts stop


@dataclass(frozen=True)
class LocalCloaking:
    """The distribution of local cloaking over the individuals.

    `median`, `deciles` (first to ninth) and `isolated_median` (among the 2.5 % most isolated originals) are
    counts of avatars; `zero_share` is the percentage of individuals whose own avatar is the closest, alone.
    Both medians are exact. `most`: single counts were stopped there, so a decile that reaches it is that or
    more; None where every count is exact.
    """

    median: float
    zero_share: float
    deciles: tuple[float, ...]
    isolated_median: float
    most: int | None = None


def local_cloaking_counts(originals: npt.ArrayLike, avatars: npt.ArrayLike, workers: int = -1) -> Integers:
    """The local cloaking of each individual, (n,), between 0 and n - 1.

    ValueError when the two sets do not match row for row.

    >>> local_cloaking_counts([[0.0], [2.0], [5.0]], [[0.5], [4.5], [2.5]]).tolist()
    [0, 2, 1]
    """
    here, there = linked_points(originals, avatars, workers)
    own = paired_distances(here, there)
    return counts_within(here, there, own, workers=workers) - 1  # the own avatar is always within


def local_cloaking(originals: npt.ArrayLike, avatars: npt.ArrayLike, workers: int = -1) -> float:
    """The median local cloaking over the individuals, between 0 (half are found) and n - 1.

    >>> local_cloaking([[0.0], [2.0], [5.0]], [[0.5], [4.5], [2.5]])
    1.0
    """
    return float(np.median(local_cloaking_counts(originals, avatars, workers=workers)))


def local_cloaking_summary(
    originals: npt.ArrayLike, avatars: npt.ArrayLike, workers: int = -1
) -> LocalCloaking:
    """The median with what it hides: the share of zeros, the deciles and the most isolated individuals.

    ValueError when the two sets do not match row for row, or hold fewer than 2 rows.

    >>> round(local_cloaking_summary([[0.0], [2.0], [5.0]], [[0.5], [4.5], [2.5]]).zero_share, 1)
    33.3
    """
    return summary_and_counts(*linked_points(originals, avatars, workers), workers=workers)[0]


def summary_and_counts(
    originals: Arranged, avatars: Arranged, workers: int = -1
) -> tuple[LocalCloaking, Integers]:
    """The same with the (n,) counts that it rests on: exact below the summary's `most`, where it has one."""
    own = paired_distances(originals, avatars)
    isolated = most_isolated(originals, workers=workers)

    def counted(rows: Integers, most: int) -> Integers:
        asked = originals if len(rows) == len(own) else originals.rows[rows]
        return counts_within(asked, avatars, own[rows], workers, most + 1) - 1

    everybody = np.arange(len(originals))
    guess = _stop_beyond(_guessed_middle(originals, avatars, own, workers), len(originals))
    counts = _exact_to_the_middle(counted, everybody, None, guess)
    # a guess depends on the order of the rows, what is shown does not
    most = _stop_beyond(_middle(counts), len(counts))
    counts = np.minimum(counts, most)
    alone = _exact_to_the_middle(counted, np.flatnonzero(isolated), counts[isolated], most)
    summary = LocalCloaking(
        median=float(np.median(counts)),
        zero_share=float(100 * np.mean(counts == 0)),
        deciles=tuple(np.percentile(counts, DECILES).tolist()),
        isolated_median=float(np.median(alone)),
        most=_stopped_at(counts, most),
    )
    return summary, counts


def _middle(counts: Integers) -> int:
    """The median, or the larger of two counts that it is the mean of."""
    return int(np.partition(counts, len(counts) // 2)[len(counts) // 2])


def _stop_beyond(middle: int, rows: int) -> int:
    """Where single counts stop: above their middle, at 1,000, 4,000 and so on, of a large table at 250."""
    stop = _MOST if rows <= _LARGE else _MOST // 4
    while stop <= middle:
        stop *= 4
    return stop


def _guessed_middle(originals: Arranged, avatars: Arranged, own: Floats, workers: int) -> int:
    """About the middle of the counts: one individual in so many among one avatar in so many."""
    step = max(1, len(own) // _GUESSED_FROM)
    if step == 1:
        return 0
    most = _MOST // step + 1
    here, there = originals.rows[::step], avatars.rows[::step]
    counts = counts_within(here, there, own[::step], workers, most + 1) - 1
    return step * _middle(counts)


def _stopped_at(counts: Integers, most: int) -> int | None:
    """From where on deciles are no longer exact: one between a count that is and one that was stopped is not."""
    if (counts < most).all():
        return None
    lower, higher = (np.percentile(counts, DECILES, method=side) for side in ("lower", "higher"))
    return int(lower[(higher >= most)].min(initial=most))


def _exact_to_the_middle(
    counted: Callable[[Integers, int], Integers], rows: Integers, counts: Integers | None, most: int
) -> Integers:
    """Counts of these rows, stopped at so many that their median is exact; from those known up to `most`."""
    counts = counted(rows, most) if counts is None else counts
    while _middle(counts) >= most:
        stopped = counts >= most
        most *= 4
        counts = counts.copy()
        counts[stopped] = counted(rows[stopped], most)
    return counts
