"""Linkability: whether the avatars tell two parties, who hold different columns, that they hold one person.

For each target, either party looks up the nearest avatars in its own columns (Gower); they link the target when they
name a common avatar. main: targets of the working half; control: of the holdout; baseline: avatars named at random.
WP29 Opinion 05/2014; Giomi et al. 2023.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from sosie.attacks.cells import Cells, cells_of, distinct
from sosie.attacks.gower import GowerSpace, affordable_targets, gower_space, targets_in
from sosie.attacks.gower_search import nearest_avatars
from sosie.attacks.rates import Attack, NotMeasurableError, Rate, excess_p_value
from sosie.columns import Mask, Table, quoted

Groups = tuple[tuple[Hashable, ...], tuple[Hashable, ...]]


def linkability(
    working: Table,
    avatars: Table,
    holdout: Table,
    groups: Groups,
    attempts: int,
    rng: np.random.Generator,
    neighbours: int = 1,
    workers: int = -1,
) -> Attack:
    """The attack on at most `attempts` targets a side, each against every avatar; fewer on very large tables.

    `groups` are two sets of column names (`column_groups`). Equally near avatars are taken in one random order that
    both parties share, as they read one published file. `worst` names the smaller group. NotMeasurableError for an
    empty group, table, or more `neighbours` than avatars.
    """
    base = cells_of(avatars.take(rng.permutation(len(avatars))))
    space = gower_space(base)
    parties = base.positions(groups[0]), base.positions(groups[1])
    affordable = min(attempts, affordable_targets(space, len(base.names)))
    sides = [
        cells_of(side.take(np.sort(rng.permutation(len(side))[:affordable]))) for side in (working, holdout)
    ]
    linked = np.split(_linked(space, sides, parties, neighbours, workers), [len(sides[0])])
    main, control = (Rate(int(np.count_nonzero(found)), len(found)) for found in linked)
    guessed = sum(_share_one(*_guesses(len(avatars), neighbours, rng)) for _ in range(main.attempts))
    return Attack(
        main,
        control,
        Rate(guessed, main.attempts),
        quoted([str(name) for name in min(groups, key=len)]),
        excess_p_value(main, control),
    )


def column_groups(avatars: Table, known: Sequence[Hashable] = ()) -> Groups:
    """The columns of either party: those named against all others, or else dealt, most distinct values first.

    Dealing 1-2-2-1 by the number of distinct values among the avatars (ties by name) lets both know about as much,
    whatever the order of the columns. NotMeasurableError when one party is left without a column.
    """
    cells = cells_of(avatars)
    names = cells.names
    if known:
        first = tuple(name for name in names if name in known)
    else:
        held = [len(distinct(column)[0]) + bool(np.isnan(column).any()) for column in cells.columns]
        order = sorted(range(len(names)), key=lambda j: (-held[j], j))
        dealt = [names[j] for place, j in enumerate(order) if place % 4 in (0, 3)]
        first = tuple(name for name in names if name in dealt)
    second = tuple(name for name in names if name not in first)
    if not first or not second:
        raise NotMeasurableError(
            "linking needs columns on both sides: "
            f"{len(first)} named and {len(second)} others among {len(names)} columns"
        )
    return first, second


def _linked(
    space: GowerSpace,
    sides: Sequence[Cells],
    parties: tuple[Sequence[int], Sequence[int]],
    neighbours: int,
    workers: int,
) -> Mask:
    """Which targets, one side after the other, both parties give a common avatar."""
    targets = targets_in(space, *sides)
    first, second = (nearest_avatars(space, targets, columns, neighbours, workers)[1] for columns in parties)
    return np.asarray((first[:, :, None] == second[:, None, :]).any(axis=(1, 2)))


def _guesses(
    avatars: int, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return rng.choice(avatars, count, replace=False), rng.choice(avatars, count, replace=False)


def _share_one(first: NDArray[np.int64], second: NDArray[np.int64]) -> bool:
    return bool(np.isin(first, second).any())
