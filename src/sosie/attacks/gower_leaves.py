"""Avatars sorted so that those in a row are alike, and cut into leaves: how near a leaf can be is seen at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sosie.attacks.gower import Coarse, GowerSpace, Integers, Steps, steps_apart

LEAF = 64
_KEY = 16  # bits: two bytes are sorted without comparing
_BYTE = 8  # bits


@dataclass(frozen=True, eq=False)
class Leaves:
    """Avatars sorted by what they are in some columns, in leaves of 64; the last one is filled up with its own last.

    `turns` (leaves, 64) are positions in the space's order, `first` (leaves,) the earliest in each. `coarse` is
    (columns, leaves, 64), `least` and `most` (columns, leaves) are the ends of each, a step apart
    from the leaf's own for a number.
    """

    columns: Sequence[int]
    turns: Integers
    first: Integers
    coarse: Coarse
    least: Coarse
    most: Coarse


def leaves_of(space: GowerSpace, columns: Sequence[int]) -> Leaves:
    """The avatars sorted by these columns."""
    # sorted stably: of equal avatars the first ones come first
    turns = np.argsort(_keys(space, columns)[space.order], kind="stable")
    turns = np.append(turns, np.repeat(turns[-1:], -len(turns) % LEAF)).reshape(-1, LEAF)
    coarse = np.zeros((len(space.coarse), *turns.shape), dtype=np.int8)
    rows = space.order[turns]
    for j in columns:
        coarse[j] = space.coarse[j][rows]
    least, most, numeric = coarse.min(axis=2), coarse.max(axis=2), space.numeric
    # steps may be one too many for a number
    least[numeric], most[numeric] = least[numeric] - 1, np.minimum(most[numeric], np.int8(126)) + np.int8(1)
    return Leaves(columns, turns, turns.min(axis=1), coarse, least, most)


def _keys(space: GowerSpace, columns: Sequence[int]) -> NDArray[np.uint16]:
    """(avatars,) whole numbers, near each other for avatars that are alike.

    Their bits halve the avatars by each column, then the halves, and so on: by categories first, which weigh most.
    """
    ranks, halvings = {}, []
    for j in columns:
        held = space.coarse[j].view(np.uint8) ^ np.uint8(2**7)  # in the order of the signed bytes
        times = np.bincount(held, minlength=2**_BYTE)
        shares = (np.cumsum(times) - times / 2) / space.avatars
        ranks[j] = (shares * 2**_BYTE).astype(np.uint16)[held]
        needed = int(np.count_nonzero(times) - 1).bit_length()
        halvings += [(bool(space.numeric[j]), depth, j) for depth in range(needed)]
    keys = np.zeros(space.avatars, dtype=np.uint16)
    for _, depth, j in sorted(halvings)[:_KEY]:
        keys = keys * 2 + (ranks[j] >> (_BYTE - 1 - depth)) % 2
    return keys


def steps_to_leaves(space: GowerSpace, here: Coarse, leaves: Leaves) -> Steps:
    """(targets, leaves) steps to the place of each leaf's box that is nearest to a target."""

    def nearest_place(column: int) -> tuple[Coarse, Coarse]:
        inside = np.minimum(np.maximum(here[column], leaves.least[column]), leaves.most[column])
        return here[column], inside

    return steps_apart(space, leaves.columns, (here.shape[1], len(leaves.first)), nearest_place)
