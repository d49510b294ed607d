"""Groups of individuals who are found more often than others: by level of a category, by quarter of a number.

An individual is found when its own avatar is the closest, alone (local cloaking 0). Only groups of at least `min_count`
individuals are looked at, and those are named whose share is above everybody's beyond chance (Wilson, 95 %).
"""

from collections.abc import Iterator

import numpy as np

from sosie.attacks import Rate
from sosie.columns import Category, Codes, Floats, Mask, Numeric, Table
from sosie.evaluation import ExposedGroup, LevelGroup, RangeGroup

_MOST_GROUPS = 10
_FEWEST = 10  # below it an interval spans nearly everything
_QUARTERS = (0.25, 0.5, 0.75)


def exposed_groups(originals: Table, found: Mask, min_count: int) -> tuple[ExposedGroup, ...]:
    """The groups of (n,) individuals that are found most beyond chance, worst first, at most ten."""
    fewest, everybody = max(min_count, _FEWEST), float(found.mean())
    groups = [(rate.low, group) for group, rate in _groups(originals, found, fewest) if rate.low > everybody]
    groups.sort(key=lambda known: -known[0])
    return tuple(group for _, group in groups[:_MOST_GROUPS])


def _groups(table: Table, found: Mask, fewest: int) -> Iterator[tuple[ExposedGroup, Rate]]:
    codes, numbers = iter(table.codes.T), iter(table.numbers.T)
    for column in table.columns:
        if isinstance(column, Category):
            yield from _levels(column, next(codes), found, fewest)
        else:
            yield from _quarters(column, column.axis(next(numbers)), found, fewest)


def _levels(column: Category, codes: Codes, found: Mask, fewest: int) -> Iterator[tuple[ExposedGroup, Rate]]:
    members = np.bincount(codes + 1, minlength=len(column.levels) + 1)[1:]
    among = np.bincount(codes[found] + 1, minlength=len(column.levels) + 1)[1:]
    for code in np.flatnonzero(members >= fewest):
        rate = Rate(int(among[code]), int(members[code]))
        level = str(column.levels[int(code)])
        yield LevelGroup(str(column.name), level, rate.attempts, 100 * rate.value), rate


def _quarters(
    column: Numeric, values: Floats, found: Mask, fewest: int
) -> Iterator[tuple[ExposedGroup, Rate]]:
    """Between the quartiles; beyond the outer ends lie as many individuals as a group needs: no extreme is shown."""
    present = values[~np.isnan(values)]
    if len(present) < 4 * fewest:
        return
    cuts = np.unique(np.quantile(present, _QUARTERS))
    beyond = max(0.01, fewest / len(present))
    low, high = np.quantile(present, [beyond, 1 - beyond])
    ends = np.concatenate([[low], cuts, [high]])
    places = np.where(np.isnan(values), -1, np.searchsorted(cuts, values, side="right"))
    for place in range(len(cuts) + 1):
        members = places == place
        if members.sum() >= fewest:
            rate = Rate(int(found[members].sum()), int(members.sum()))
            start, stop = float(f"{ends[place]:.6g}"), float(f"{ends[place + 1]:.6g}")
            group = RangeGroup(str(column.name), column.kind, start, stop, rate.attempts, 100 * rate.value)
            yield group, rate
