"""Hidden rate: how often an attacker who links each individual to the closest avatar is wrong.

    100 (1 - mean h_i),   h_i = 1 / m_i if the own avatar is among the m_i closest, else 0

0: everybody is found; 100: nobody is. With `ties="exposed"` a tie counts as found (h_i = 1): the worst case
for the individuals, far lower on tables with many equal rows.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from sosie.arranged import Arranged
from sosie.metrics.linked import linked_points
from sosie.neighbours import (
    SAME_DISTANCE,
    Floats,
    Integers,
    counts_within,
    nearest,
    paired_distances,
)


def hidden_rate(
    originals: npt.ArrayLike,
    avatars: npt.ArrayLike,
    ties: Literal["expected", "exposed"] = "expected",
    workers: int = -1,
) -> float:
    """The percentage of individuals not found, ties broken at random ("expected") or lost ("exposed").

    ValueError when the two sets do not match row for row, or for another rule of ties.

    >>> hidden_rate([[0.0], [1.0]], [[0.5], [1.5]])
    25.0
    """
    if ties not in ("expected", "exposed"):
        raise ValueError(f'ties must be "expected" or "exposed", not {ties!r}')
    here, there = linked_points(originals, avatars, workers)
    own = paired_distances(here, there)
    found = is_found(own, nearest(here, there, 1, workers=workers)[0][:, 0])
    if ties == "exposed" or not found.any():
        return _rate(found.astype(np.float64))
    tied = counts_within(here.rows[found], there, own[found], workers=workers)
    return _rate_of(found, tied)


def both_hidden_rates(
    originals: Arranged,
    avatars: Arranged,
    closest: Floats,
    counts: Integers,
    most: int | None,
    workers: int = -1,
) -> tuple[float, float]:
    """The rate with ties broken at random, and with ties lost, from what is known of (n,) individuals.

    `closest` is the distance to the nearest avatar, `counts` the local cloaking, exact below `most`.
    """
    own = paired_distances(originals, avatars)
    found = is_found(own, closest)
    tied = counts[found] + 1
    stopped = tied > (len(originals) if most is None else most)
    if stopped.any():
        crowded = np.flatnonzero(found)[stopped]
        tied[stopped] = counts_within(originals.rows[crowded], avatars, own[crowded], workers=workers)
    return _rate_of(found, tied), _rate(found.astype(np.float64))


def is_found(own: Floats, closest: Floats) -> npt.NDArray[np.bool_]:
    """Whose own avatar, at (n,) distances, is the closest or tied with it."""
    return np.asarray(own <= closest * (1 + SAME_DISTANCE))


def _rate(chances: Floats) -> float:
    return float(100 * (1 - np.sum(chances) / len(chances)))


def _rate_of(found: npt.NDArray[np.bool_], tied: Integers) -> float:
    return float(100 * (1 - np.sum(1 / tied) / len(found)))
