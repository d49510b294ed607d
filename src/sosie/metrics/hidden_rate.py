"""Hidden rate: how often an attacker who links each individual to the closest avatar is wrong.

    100 (1 - mean h_i),   h_i = 1 / m_i if the own avatar is among the m_i closest, else 0

0: everybody is found; 100: nobody is. With `ties="exposed"` a tie counts as found (h_i = 1): the worst case
for the individuals, far lower on tables with many equal rows.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from sosie.metrics.linked import linked_points
from sosie.neighbours import SAME_DISTANCE, counts_within, nearest, paired_distances


def hidden_rate(
    originals: npt.ArrayLike,
    avatars: npt.ArrayLike,
    ties: Literal["expected", "exposed"] = "expected",
    workers: int = -1,
) -> float:
    """The percentage of individuals not found, ties broken at random ("expected") or lost ("exposed").

    ValueError when the two sets do not match row for row, or for another rule of ties.
    """
    if ties not in ("expected", "exposed"):
        raise ValueError(f'ties must be "expected" or "exposed", not {ties!r}')
    here, there = linked_points(originals, avatars)
    own = paired_distances(here, there)
    closest, _ = nearest(here, there, 1, workers=workers)
    found = own <= closest[:, 0] * (1 + SAME_DISTANCE)
    if ties == "exposed" or not found.any():
        return float(100 * (1 - np.mean(found)))
    tied = counts_within(here[found], there, own[found], workers=workers)
    return float(100 * (1 - np.sum(1 / tied) / len(here)))
