"""The search for the nearest avatars in the raw columns, exact and compiled, some targets at a time on threads.

The code is in `native/gower/`: avatars that are alike lie in one leaf, and leaves that cannot hold a nearer one are
passed over. What is found is the same on every processor, whatever the number of workers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sosie import _gower
from sosie.attacks.gower import GowerSpace, Targets
from sosie.attacks.rates import NotMeasurableError
from sosie.columns import Floats
from sosie.threads import each

Integers = NDArray[np.int64]

_TARGETS_AT_ONCE = 32
_TURNS = 2**32
_NONE = -1  # no column that is left out


def nearest_avatars(
    space: GowerSpace, targets: Targets, columns: Sequence[int], count: int = 1, workers: int = -1
) -> tuple[Floats, Integers]:
    """The `count` avatars nearest to each target: mean distances over these columns, row numbers; (rows, count).

    Distances are 0 (equal) to 1, more only outside the avatars' range. Equals come in the avatars' order. ValueError
    unless 1 <= count <= avatars and there is a column.
    """
    if not columns or not 1 <= count <= space.avatars:
        raise ValueError(
            f"nearest avatars need a column and 1 to {space.avatars} of them: {len(columns)} columns, {count} asked"
        )
    away, rows = np.divmod(_places(space, targets, columns, [_NONE], count, workers)[:, 0], _TURNS)
    distances = away / space.unit
    distances += targets.outside[list(columns)].sum(axis=0)[:, None]
    return distances / len(columns), rows


def nearest_without(
    space: GowerSpace, targets: Targets, known: Sequence[int], secrets: Sequence[int], workers: int = -1
) -> Integers:
    """For each secret column, the avatar nearest to each target in the known columns but that one: (secrets, rows).

    Among equals the first of the avatars. A secret need not be among the known. NotMeasurableError when nothing is
    known of a secret.
    """
    for secret in secrets:
        if not set(known) - {secret}:
            raise NotMeasurableError("guessing a column needs at least one other that is known")
    left_out = [known.index(secret) if secret in known else _NONE for secret in secrets]
    return _places(space, targets, known, left_out, 1, workers)[:, :, 0].T % _TURNS


def _places(
    space: GowerSpace,
    targets: Targets,
    columns: Sequence[int],
    left_out: Sequence[int],
    count: int,
    workers: int,
) -> Integers:
    """The nearest avatars without each of these columns: (targets, left out, count) units away times 2^32, plus row."""
    held = list(columns)
    leaves = _gower.leaves(space.grid[held], space.numeric[held], space.unit)
    asked, without = targets.grid[held].T.copy(), np.array(left_out, dtype=np.int32)
    found = np.empty((len(targets), len(left_out), count), dtype=np.int64)

    def search(rows: slice) -> None:
        _gower.nearest(leaves, asked[rows], without, count, found[rows])

    starts = range(0, len(targets), _TARGETS_AT_ONCE)
    each(search, (slice(start, start + _TARGETS_AT_ONCE) for start in starts), workers)
    return found
