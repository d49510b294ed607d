"""Direct matches of a sample with every original, a block at a time."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from sosie.attacks import Rate
from sosie.columns import Table
from sosie.estimates import Metric
from sosie.measure import Comparison
from sosie.metrics.direct_match import records_of, row_direct_match_own
from sosie.row_hashes import row_hashes


def matches(sampled: Comparison, originals: Callable[[], Iterable[Table]]) -> dict[str, Metric]:
    """The shares of sampled avatars that equal any original row, or their own, beside that of sampled strangers."""
    avatars, strangers = _rows(sampled.avatars), _rows(sampled.holdout)
    met_avatars, met_strangers = np.zeros(len(avatars), bool), np.zeros(len(strangers), bool)
    for table in originals():
        rows = _rows(table)
        met_avatars |= np.isin(avatars, rows)
        met_strangers |= np.isin(strangers, rows)
    own = row_direct_match_own(records_of(sampled.originals), records_of(sampled.avatars)).row
    rate = Rate(round(own * len(avatars) / 100), len(avatars))
    return {
        "row_direct_match": share_of(
            int(met_avatars.sum()), len(avatars), reference=100 * float(met_strangers.mean())
        ),
        "row_direct_match_own": Metric(
            own, interval=(100 * rate.low, 100 * rate.high), attempts=len(avatars)
        ),
    }


def share_of(successes: int, attempts: int, reference: float | None = None) -> Metric:
    """Successes among a sample in percent, with the interval of the share among all."""
    rate = Rate(successes, attempts)
    return Metric(100 * rate.value, reference, interval=(100 * rate.low, 100 * rate.high), attempts=attempts)


def _rows(table: Table) -> NDArray[np.uint64]:
    records = records_of(table)
    return row_hashes(records.numbers, records.codes)
