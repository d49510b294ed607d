"""Membership: telling the people whose rows were used from people of the same population whose rows were not.

Members are rows of the working half, others rows of a real holdout; an attack scores each row from the published
avatars alone, or from avatars and a reference sample of its own. AUC 0.5: no better than a coin; 1: everybody is
told apart. What counts is the tail: who can be told with near certainty (Carlini et al., *Membership Inference
Attacks From First Principles*, 2022), hence true positives at 1 % and 0.1 % false ones, and the most isolated apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sosie.attacks.cells import Cells, cells_of
from sosie.attacks.gower import GowerSpace, affordable_targets, gower_space, targets_in
from sosie.attacks.gower_search import nearest_avatars
from sosie.attacks.rates import FALSE_ALARM, NotMeasurableError
from sosie.attacks.roc import FEWEST, Separation, roc_points, separation
from sosie.columns import Floats, Table
from sosie.estimates import NotComputed
from sosie.metrics.isolation import most_isolated_of_sides
from sosie.neighbours import nearest

MembershipAttack = Literal["nearest avatar, projected", "nearest avatar, raw", "density ratio"]
Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]

_PROJECTED_TARGETS = 10_000  # a side
_RAW_TARGETS = 5_000  # a side, fewer where comparing with every avatar would take long
_NOTHING = 1e-9  # added to distances, so that 0 / 0 is 1


@dataclass(frozen=True)
class Membership:
    """One membership attack. `roc` has at most 101 points (false, true positive rate) of all targets.

    `isolated` is the same among the rows that stand alone (`isolated_rows`).
    `sampled` says whether targets were drawn (how many: `overall`) rather than all attacked. `p_value` counts both
    groups.
    """

    attack: MembershipAttack
    overall: Separation
    isolated: Separation | NotComputed
    roc: tuple[tuple[float, float], ...]
    sampled: bool
    p_value: float

    @property
    def advantage_detected(self) -> bool:
        """Whether chance alone would do this in at most 1 of 200 tables. False is not a proof of safety."""
        return self.p_value <= FALSE_ALARM


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rows to tell apart: positions among the working rows and among the holdout, isolated ones marked.

    `drawn` marks those that stand for everybody; the others were added because they are isolated.
    """

    working: Integers
    holdout: Integers
    working_isolated: Mask
    holdout_isolated: Mask
    working_drawn: Mask
    holdout_drawn: Mask
    sampled: bool


def isolated_rows(working: Floats, holdout: Floats, workers: int = -1) -> tuple[Mask, Mask]:
    """On each side, the 2.5 % of rows (rounded up, ties in) farthest from their nearest other original of both sides.

    Shares are taken side by side: the projection knows the working half's rare levels alone, so distances of the two
    sides are not quite alike. ValueError for fewer than 2 rows.
    """
    here, there = most_isolated_of_sides([working, holdout], workers=workers)
    return here, there


def membership_projected(
    working: Floats,
    avatars: Floats,
    holdout: Floats,
    isolated: tuple[Mask, Mask],
    rng: np.random.Generator,
    workers: int = -1,
) -> Membership:
    """Score: minus the distance to the nearest avatar, in (rows, ncp) coordinates of the run's projection.

    The projection was fitted on the working half, which the attacker does not have: a stand-in for any embedding. At
    most 10,000 targets a side and a quarter as many isolated ones, against every avatar. NotMeasurableError as for
    `separation`.
    """
    candidates = candidates_of(isolated, _PROJECTED_TARGETS, rng)
    asked = np.concatenate([working[candidates.working], holdout[candidates.holdout]])
    scores = -nearest(asked, avatars, 1, workers=workers)[0][:, 0]
    return _judged("nearest avatar, projected", candidates, scores, rng)


def membership_raw(
    working: Table,
    avatars: Table,
    holdout: Table,
    isolated: tuple[Mask, Mask],
    rng: np.random.Generator,
    workers: int = -1,
) -> Membership:
    """Score: minus the distance to the nearest avatar in the raw columns (Gower).

    At most 5,000 targets a side and a quarter as many isolated ones, against every avatar. NotMeasurableError as for
    `separation`.
    """
    space = gower_space(cells_of(avatars))
    candidates = candidates_of(isolated, _raw_targets(space), rng)
    asked = [cells_of(working.take(candidates.working)), cells_of(holdout.take(candidates.holdout))]
    return _judged("nearest avatar, raw", candidates, -_distances(space, asked, workers), rng)


def membership_density(
    working: Table,
    avatars: Table,
    holdout: Table,
    isolated: tuple[Mask, Mask],
    rng: np.random.Generator,
    workers: int = -1,
) -> Membership:
    """Score: the density of avatars over that of the population, as of the nearest neighbour in the raw columns.

    DOMIAS (van Breugel et al., *Membership Inference Attacks against Synthetic Data through Overfitting Detection*,
    2023), the score being ln(distance to the nearest reference row) − ln(distance to the nearest avatar): an avatar
    where people are rare gives somebody away. It assumes an attacker who has a sample of the population: a random
    half of the holdout, of which nobody is attacked. On real tables the nearest row told members apart better than
    more neighbours or Gaussian kernels, raw columns better than projected ones. Targets and errors as for
    `membership_raw`.
    """
    reference = np.zeros(len(holdout), dtype=bool)
    reference[rng.permutation(len(holdout))[: len(holdout) // 2]] = True
    rest = np.flatnonzero(~reference)
    seen, known = cells_of(avatars), cells_of(holdout.take(np.flatnonzero(reference)))
    spaces = gower_space(seen, known), gower_space(known, seen)
    candidates = candidates_of((isolated[0], isolated[1][rest]), _raw_targets(spaces[0]), rng)
    asked = [
        cells_of(working.take(candidates.working)),
        cells_of(holdout.take(rest[candidates.holdout])),
    ]
    away, usual = (_distances(space, asked, workers) for space in spaces)
    return _judged("density ratio", candidates, np.log(usual + _NOTHING) - np.log(away + _NOTHING), rng)


def candidates_of(isolated: tuple[Mask, Mask], most: int, rng: np.random.Generator) -> Candidates:
    """At most `most` rows a side drawn for everybody, and at most a quarter as many of the isolated ones."""
    drawn = [_draw(np.arange(len(side)), most, rng) for side in isolated]
    apart = [_draw(np.flatnonzero(side), most // 4, rng) for side in isolated]
    rows = [np.union1d(some, alone) for some, alone in zip(drawn, apart, strict=True)]
    return Candidates(
        rows[0],
        rows[1],
        np.isin(rows[0], apart[0]),
        np.isin(rows[1], apart[1]),
        np.isin(rows[0], drawn[0]),
        np.isin(rows[1], drawn[1]),
        sampled=any(len(some) < len(side) for some, side in zip(drawn, isolated, strict=True)),
    )


def _raw_targets(space: GowerSpace) -> int:
    return min(_RAW_TARGETS, affordable_targets(space, len(space.span)) // 2)


def _draw(rows: Integers, most: int, rng: np.random.Generator) -> Integers:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _distances(space: GowerSpace, asked: Sequence[Cells], workers: int) -> Floats:
    """To the nearest avatar of each row, one table after the other."""
    columns = range(len(space.span))
    return nearest_avatars(space, targets_in(space, *asked), columns, workers=workers)[0][:, 0]


def _judged(
    attack: MembershipAttack,
    candidates: Candidates,
    scores: Floats,
    rng: np.random.Generator,
) -> Membership:
    """By the candidates' scores, members first."""
    members, others = np.split(scores, [len(candidates.working)])
    here, there = members[candidates.working_drawn], others[candidates.holdout_drawn]
    overall = separation(here, there, rng)
    isolated = _isolated(members[candidates.working_isolated], others[candidates.holdout_isolated], rng)
    both = [overall.p_value] if isinstance(isolated, NotComputed) else [overall.p_value, isolated.p_value]
    return Membership(
        attack,
        overall,
        isolated,
        roc_points(here, there),
        candidates.sampled,
        min(1.0, len(both) * min(both)),
    )


def _isolated(members: Floats, others: Floats, rng: np.random.Generator) -> Separation | NotComputed:
    if min(len(members), len(others)) < FEWEST:
        return NotComputed(
            f"too few isolated rows: {len(members)} of the working half and {len(others)} of the holdout, "
            f"{FEWEST} each are needed"
        )
    try:
        return separation(members, others, rng)
    except NotMeasurableError as refused:
        return NotComputed(str(refused))
