"""Who stands alone: the individuals that an average hides and an attacker tries first."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sosie.arranged import Arranged, Coordinates, arranged
from sosie.neighbours import SAME_DISTANCE, Floats, nearest

MOST_ISOLATED = 0.025  # the share looked at wherever a metric or an attack also names its tail

_LIKELY = 4  # times as many are asked for their nearest at first
_NEXT = 8  # of the arrangement: somebody nearby

Mask = npt.NDArray[np.bool_]


def most_isolated(coordinates: Coordinates, share: float = MOST_ISOLATED, workers: int = -1) -> Mask:
    """Which individuals are farthest from their nearest other one, a mask (n,).

    At least the given share of them (rounded up); those tied with the last one are in as well, so that the
    order of the rows decides nothing. ValueError for fewer than 2 rows or a share outside 0-1.
    """
    if not 0 < share <= 1:
        raise ValueError(f"the share of most isolated individuals must lie above 0 and up to 1: {share}")
    here = arranged(coordinates, "coordinates", workers)
    return _farthest_of_sides(here, [len(here)], share, workers)[0]


def most_isolated_of_sides(sides: Sequence[Floats], workers: int = -1) -> list[Mask]:
    """The same on each side, where the nearest other one may be of any side."""
    here = arranged(np.concatenate(sides), "coordinates", workers)
    return _farthest_of_sides(here, [len(side) for side in sides], MOST_ISOLATED, workers)


def farthest(distances: Floats, share: float = MOST_ISOLATED) -> Mask:
    """Which of (n,) distances are the largest: at least this share of them, with those tied with the last one."""
    return np.asarray(distances >= _last_of(distances, share))


def _last_of(distances: Floats, share: float) -> float:
    """The smallest of this share of the largest ones."""
    return float(np.sort(distances)[-int(np.ceil(share * len(distances)))])


def _farthest_of_sides(here: Arranged, sizes: Sequence[int], share: float, workers: int) -> list[Mask]:
    """Only those are asked for their nearest whose distance to somebody nearby leaves it open."""
    if len(here) < 2:
        raise ValueError("the distance to another individual needs at least 2 rows: 1 row")
    bounds, distances = _to_somebody(here), np.zeros(len(here))

    def by_side(held: Floats) -> list[Floats]:
        return np.split(held, np.cumsum(sizes)[:-1])

    def ask(rows: Mask) -> None:
        if rows.any():
            distances[rows] = nearest(here.rows[rows], here, 2, workers=workers)[0][:, 1]

    open_still = bounds > 0
    likely = np.concatenate([farthest(side, min(1.0, _LIKELY * share)) for side in by_side(bounds)])
    ask(likely & open_still)
    # whoever is not asked yet is no farther than the bound, and the last one is no nearer than it seems by now
    last = np.repeat([_last_of(side, share) for side in by_side(distances)], sizes)
    ask(~likely & open_still & (bounds * (1 + SAME_DISTANCE) >= last))
    return [farthest(side, share) for side in by_side(distances)]


def _to_somebody(here: Arranged) -> Floats:
    """(n,) distances to another individual: to the nearest among those that come next in the arrangement."""
    found = np.full(len(here.points), np.inf)
    found[here.sizes > 1] = 0.0
    for step in range(1, _NEXT + 1):
        apart = here.points[step:] - here.points[:-step]
        squares = np.einsum("ij,ij->i", apart, apart)
        np.minimum(found[step:], squares, out=found[step:])
        np.minimum(found[:-step], squares, out=found[:-step])
    bounds = np.empty(len(here))
    bounds[here.members] = np.repeat(np.sqrt(found), here.sizes)
    return bounds
