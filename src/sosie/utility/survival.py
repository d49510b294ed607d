"""Survival: how long until an event, by group, among originals and among avatars.

Kaplan–Meier curves at rounded times, at least `min_count` of a group's events between two of them and as many people
still followed at the last, so that no step is one person's; Cox hazard ratios against a reference group (Efron's ties).
Groups of fewer events are neither named nor used. Avatars keep a result where their interval holds the originals'.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from sosie.columns import Floats, Table
from sosie.estimates import Estimate, NotComputed
from sosie.utility.cells import CategoryCells, Cells, NumberCells, cells_of
from sosie.utility.hazards import Followed, Integers, hazard_ratios, kaplan_meier

MOST_GROUPS = 20
NOT_A_NUMBER = "the duration is not a number"
NEGATIVE = "a duration is negative"
FEW_EVENTS = "too few events among the originals for a curve to be shown"
NO_AVATAR = "no avatar of the group has both a duration and an event"
MANY_GROUPS = "the group has too many values"
ONE_GROUP = "fewer than two groups have enough events to be compared"
NO_REFERENCE = "the reference group is not among the groups with enough events"
NO_GROUP = "no group was named"
_POINTS = 40


@dataclass(frozen=True)
class SurvivalPlan:
    """Which columns say how long (`duration`), whether the event came (`event`), and in which `group`.

    The event came where `event` reads as one of `event_values`. `reference` is the group that others are held against,
    the first in numeric or alphabetic order by default. A group that is a number should be declared a category, or
    avatars lie between groups.
    """

    duration: Hashable
    event: Hashable
    group: Hashable | None = None
    reference: str | None = None
    event_values: tuple[str, ...] = ("1", "True", "true")


@dataclass(frozen=True)
class Curve:
    """The shares (0–1) without the event at `times`, in the duration's own unit (days where it is one)."""

    times: tuple[float, ...]
    originals: tuple[float, ...]
    avatars: tuple[float, ...]


@dataclass(frozen=True)
class GroupCurve:
    """One group's curve; the name is empty where all are one group."""

    group: str
    curve: Curve | NotComputed


@dataclass(frozen=True)
class HazardRatios:
    """The hazard of each of `groups` divided by the reference's: 1 no difference, below 1 a lower risk."""

    reference: str
    groups: tuple[str, ...]
    originals: tuple[Estimate, ...] | NotComputed
    avatars: tuple[Estimate, ...] | NotComputed


@dataclass(frozen=True)
class Survival:
    """Curves and hazard ratios; `withheld` groups have too few events to be named."""

    duration: str
    event: str
    group: str
    curves: tuple[GroupCurve, ...]
    hazard_ratios: HazardRatios | NotComputed
    withheld: int


@dataclass(frozen=True, eq=False)
class _Side:
    """One table's complete rows: who was followed, and in which group (a position among the names)."""

    followed: Followed
    groups: Integers

    def only(self, groups: list[int]) -> "_Side":
        """The rows of these groups, numbered in this order."""
        places = np.full(max([*groups, int(self.groups.max(initial=0))]) + 1, -1)
        places[groups] = np.arange(len(groups))
        numbered = places[self.groups]
        kept = numbered >= 0
        return _Side(Followed(self.followed.durations[kept], self.followed.events[kept]), numbered[kept])


@dataclass(frozen=True, eq=False)
class _Sides:
    originals: _Side
    avatars: _Side
    names: tuple[str, ...]


def survival(originals: Table, avatars: Table, plan: SurvivalPlan, min_count: int) -> Survival | NotComputed:
    """The plan's curves and ratios; rows that lack the duration, the event or the group are left out.

    InputError `UNKNOWN_COLUMN` when a named column is absent.
    """
    sides = _sides(originals, avatars, plan)
    if isinstance(sides, NotComputed):
        return sides
    before, names = sides.originals, sides.names
    events = np.bincount(before.groups[before.followed.events], minlength=len(names))
    found = [int(group) for group in np.unique(before.groups)]
    kept = sorted(
        (group for group in found if events[group] >= min_count), key=lambda group: _order(names[group])
    )
    if len(kept) > MOST_GROUPS:
        return NotComputed(MANY_GROUPS)
    return Survival(
        duration=str(plan.duration),
        event=str(plan.event),
        group="" if plan.group is None else str(plan.group),
        curves=tuple(GroupCurve(names[group], _curve(sides, group, min_count)) for group in kept),
        hazard_ratios=NotComputed(NO_GROUP) if plan.group is None else _ratios(sides, kept, plan.reference),
        withheld=len(found) - len(kept),
    )


def _sides(originals: Table, avatars: Table, plan: SurvivalPlan) -> _Sides | NotComputed:
    tables = (originals, avatars)
    durations = [
        cells.values for table in tables if isinstance(cells := cells_of(table, plan.duration), NumberCells)
    ]
    if not durations:
        return NotComputed(NOT_A_NUMBER)
    if any((values < 0).any() for values in durations):
        return NotComputed(NEGATIVE)
    events = _labelled([cells_of(table, plan.event) for table in tables])
    groups = (
        _Labelled([np.zeros(len(table), dtype=np.int64) for table in tables], ("",))
        if plan.group is None
        else _labelled([cells_of(table, plan.group) for table in tables])
    )
    came = np.isin(np.array(events.labels, dtype=str), plan.event_values)
    sides = []
    for duration, event, group in zip(durations, events.places, groups.places, strict=True):
        complete = ~np.isnan(duration) & (event >= 0) & (group >= 0)
        sides.append(_Side(Followed(duration[complete], came[event[complete]]), group[complete]))
    return _Sides(sides[0], sides[1], groups.labels)


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Each side's cells as (n,) positions among common labels, below 0 where missing."""

    places: list[Integers]
    labels: tuple[str, ...]


def _labelled(sides: list[Cells]) -> _Labelled:
    categories = [cells for cells in sides if isinstance(cells, CategoryCells)]
    if categories:
        labels = tuple(str(level) for level in categories[0].column.levels)
        return _Labelled([cells.codes.astype(np.int64) for cells in categories], labels)
    values = [cells.values for cells in sides if isinstance(cells, NumberCells)]
    distinct = np.unique(np.concatenate(values))
    distinct = distinct[~np.isnan(distinct)]
    places = [np.where(np.isnan(held), -1, np.searchsorted(distinct, held)) for held in values]
    return _Labelled(places, tuple(f"{value:g}" for value in distinct))


def _order(label: str) -> tuple[int, float, str]:
    """Numbers by size, then texts by letter."""
    try:
        return (0, float(label), label)
    except ValueError:
        return (1, 0.0, label)


def _curve(sides: _Sides, group: int, min_count: int) -> Curve | NotComputed:
    before, after = sides.originals.only([group]).followed, sides.avatars.only([group]).followed
    times = _times(before, _step(sides.originals.followed.durations), min_count)
    if len(times) < 2:
        return NotComputed(FEW_EVENTS)
    if not len(after.durations):
        return NotComputed(NO_AVATAR)
    return Curve(
        tuple(float(f"{time:.12g}") for time in times),
        tuple(round(float(share), 4) for share in kaplan_meier(before, times)),
        tuple(round(float(share), 4) for share in kaplan_meier(after, times)),
    )


def _step(durations: Floats) -> float:
    """A step of 1, 2 or 5 times a power of ten that leaves at most 40 of them to the longest duration."""
    least = float(durations.max(initial=0.0)) / _POINTS
    if least == 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(least))
    return float(power * next(factor for factor in (1, 2, 5, 10) if factor * power >= least))


def _times(followed: Followed, step: float, min_count: int) -> Floats:
    """0 and the multiples of the step with enough events since the last one, and enough people still followed."""
    durations = np.sort(followed.durations)
    if len(durations) < min_count:
        return np.zeros(1)
    multiples = step * np.arange(int(durations[-max(1, min_count)] / step) + 1)
    before = np.searchsorted(np.sort(followed.durations[followed.events]), multiples, side="right")
    kept, last = [0.0], 0
    for time, events in zip(multiples[1:], before[1:], strict=True):
        if events - last >= max(1, min_count):
            kept.append(time)
            last = int(events)
    return np.array(kept)


def _ratios(sides: _Sides, kept: list[int], reference: str | None) -> HazardRatios | NotComputed:
    names = [sides.names[group] for group in kept]
    if len(kept) < 2:
        return NotComputed(ONE_GROUP)
    if reference is not None and reference not in names:
        return NotComputed(NO_REFERENCE)
    first = 0 if reference is None else names.index(reference)
    ordered = [kept[first], *(group for group in kept if group != kept[first])]
    found = [
        hazard_ratios(part.followed, part.groups, len(ordered))
        for part in (sides.originals.only(ordered), sides.avatars.only(ordered))
    ]
    before, after = (ratios if isinstance(ratios, NotComputed) else tuple(ratios) for ratios in found)
    return HazardRatios(names[first], tuple(sides.names[group] for group in ordered[1:]), before, after)
