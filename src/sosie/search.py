"""A search among settings of the method: what was measured of each, which are worth choosing, which one to propose.

A setting is tried on several random halves of the same rows; the halves, and so the draws, are the same for every
setting, so that settings differ by what they are and not by luck.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from sosie.estimates import Estimate, Metric, NotComputed

Scalar = int | float | str | bool | None
Change = tuple[tuple[str, ...], Scalar]

GAP = "not computed in every split"

UTILITY = ("hellinger_mean", "association_difference_mean", "learning_score")
PERCENT = (0.0, 100.0)
_PERCENTAGES = (
    "hidden_rate",
    "local_cloaking_zero_share",
    "hellinger_mean",
    "hellinger_worst",
    "row_direct_match",
)
_MEMBERSHIP = ("membership_auc", "membership_raw_auc", "membership_density_auc")


@dataclass(frozen=True)
class Setting:
    """What is changed of a configuration: a value for each key, by its path; no change is the configuration itself."""

    changes: tuple[Change, ...] = ()

    def with_changes(self, *changes: Change) -> "Setting":
        """The same setting with other values for some keys."""
        return Setting(tuple((dict(self.changes) | dict(changes)).items()))

    @property
    def text(self) -> str:
        """The changes as a configuration would write them, `method.` left out: "weights: gaussian, k: 30"."""
        return ", ".join(f"{key_text(path)}: {value_text(value)}" for path, value in self.changes)


def key_text(path: tuple[str, ...]) -> str:
    """A key as it is named to people."""
    return ".".join(path[1:] if path[0] == "method" and len(path) > 1 else path)


def value_text(value: Scalar) -> str:
    """A value as YAML writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Trial:
    """The figures of one setting on one split, the Hellinger score of each column, and the seconds it took."""

    figures: Mapping[str, Metric]
    columns: Mapping[str, float]
    seconds: float


@dataclass(frozen=True)
class Point:
    """One setting over its splits.

    `figures` are means with their 95 % interval over the splits, by the names of `metrics.json`. `privacy` and
    `utility` (0–100, 100 ideal) are what the frontier is drawn of. `missed` names the targets missed in each split;
    `shortfall` is by how much, in parts of what was asked, 0 when no split misses any.
    """

    setting: Setting
    figures: Mapping[str, Estimate | NotComputed]
    privacy: Estimate | NotComputed
    utility: Estimate | NotComputed
    missed: tuple[tuple[str, ...], ...]
    shortfall: float

    @property
    def splits(self) -> int:
        """How many splits were tried."""
        return len(self.missed)

    @property
    def splits_met(self) -> int:
        """How many splits missed no target."""
        return sum(not names for names in self.missed)

    @property
    def meets(self) -> bool:
        """Whether every split met every target."""
        return self.splits_met == self.splits

    @property
    def ever_missed(self) -> tuple[str, ...]:
        """The targets that some split missed."""
        return tuple(dict.fromkeys(name for names in self.missed for name in names))


def point(
    setting: Setting,
    trials: Sequence[Trial],
    missed: Sequence[tuple[str, ...]],
    shortfall: float,
    parts: Sequence[str],
) -> Point:
    """The trials of one setting together; `missed` are the targets that each missed, `parts` those of the utility."""
    names = dict.fromkeys(name for trial in trials for name in trial.figures)
    figures = {
        name: over_splits(
            [trial.figures[name].value if name in trial.figures else None for trial in trials], _ends(name)
        )
        for name in names
    }
    hidden = over_splits([members_hidden(trial.figures) for trial in trials], PERCENT)
    useful = over_splits([usefulness(trial.figures, parts) for trial in trials], PERCENT)
    return Point(setting, figures, hidden, useful, tuple(missed), shortfall)


def _ends(name: str) -> tuple[float, float]:
    """Between which values a figure lies."""
    if "_auc" in name:
        return 0.0, 1.0
    return PERCENT if name.startswith(_PERCENTAGES) or "_found_at_" in name else (-np.inf, np.inf)


def over_splits(
    values: Sequence[float | None], ends: tuple[float, float] = (-np.inf, np.inf)
) -> Estimate | NotComputed:
    """The mean and its 95 % interval over the splits (Student's t), within the ends of the figure's own range.

    The interval covers how rows fall into halves and the draw of the avatars, not which people are in the table. One
    split alone has no interval: both ends are its value.
    """
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not known:
        return NotComputed(GAP)
    mean = float(np.mean(known))
    if len(known) == 1:
        return Estimate(mean, mean, mean)
    half = float(stdtrit(len(known) - 1, 0.975) * np.std(known, ddof=1) / np.sqrt(len(known)))
    return Estimate(mean, max(ends[0], mean - half), min(ends[1], mean + half))


def members_hidden(figures: Mapping[str, Metric]) -> float | None:
    """How little the best membership attack tells members from strangers: 100 at chance (AUC 0.5), 0 at AUC 1."""
    found = [figures[name].value for name in _MEMBERSHIP if name in figures]
    areas = [area for area in found if area is not None]
    return 200 * (1 - max(0.5, *areas)) if areas else None


def parts_of_utility(figures: Mapping[str, Metric]) -> tuple[str, ...]:
    """The figures that a table's utility is the mean of: those of `UTILITY` that could be computed."""
    return tuple(name for name in UTILITY if _kept(name, figures) is not None)


def usefulness(figures: Mapping[str, Metric], parts: Sequence[str]) -> float | None:
    """How well the table is kept, 0–100, 100 ideal: the mean of its parts; None when one is not there.

    The mean Hellinger score; 100 less a hundred times the mean difference between associations; for a named target,
    100 less the points that a model loses by learning from avatars.
    """
    kept = [_kept(name, figures) for name in parts]
    known = [value for value in kept if value is not None]
    return float(np.mean(known)) if known and len(known) == len(kept) else None


def _kept(name: str, figures: Mapping[str, Metric]) -> float | None:
    metric = figures.get(name)
    if metric is None or metric.value is None:
        return None
    if name == "association_difference_mean":
        return 100 * (1 - min(1.0, metric.value))
    if name == "learning_score":
        lost = None if metric.reference is None else max(0.0, metric.reference - metric.value)
        return None if lost is None else 100 * (1 - min(1.0, lost))
    return metric.value


def shortfall(value: float | None, least: float | None, most: float | None, chance: float = 0.0) -> float:
    """How far a figure is beyond its bounds, in parts of a bound's distance from chance; 0 within, 1 if unknown."""
    if value is None:
        return 1.0
    for bound, beyond in ((least, -1), (most, 1)):
        if bound is not None and beyond * (value - bound) > 0:
            return abs(value - bound) / (abs(bound - chance) or 1.0)
    return 0.0


def frontier(points: Sequence[tuple[float, float] | None]) -> tuple[int, ...]:
    """The places of the points that no other dominates, from the first to the last; None is no point.

    One dominates another when it is at least as good in both and better in one.
    """
    known = [(place, pair) for place, pair in enumerate(points) if pair is not None]
    return tuple(place for place, pair in known if not any(_dominates(other, pair) for _, other in known))


def frontier_of(points: Sequence[Point]) -> tuple[int, ...]:
    """The places of the settings that no other beats in privacy and utility at once."""
    return frontier(
        [
            (point.privacy.value, point.utility.value)
            if isinstance(point.privacy, Estimate) and isinstance(point.utility, Estimate)
            else None
            for point in points
        ]
    )


def _dominates(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] >= other[0] and one[1] >= other[1] and one != other


def preferred(points: Sequence[Point]) -> tuple[int, ...]:
    """All places, best first: those that meet the targets by utility, then the others by what they fall short of.

    Equals are told apart by the other of the two, by privacy, and last by their order.
    """
    return tuple(sorted(range(len(points)), key=lambda place: (*_rank(points[place]), place)))


def _rank(point: Point) -> tuple[float, ...]:
    useful = point.utility.value if isinstance(point.utility, Estimate) else -np.inf
    hidden = point.privacy.value if isinstance(point.privacy, Estimate) else -np.inf
    if point.meets:
        return 0, -useful, 0.0, -hidden
    return 1, point.shortfall, -useful, -hidden


@dataclass(frozen=True)
class Proposal:
    """What a search proposes: the setting at `place` of its points.

    `fresh` is that setting measured again on splits that had no part in choosing it, so that its figures and intervals
    are not flattered by the choice; `own` is the configuration as it was, on the same splits.
    """

    place: int
    fresh: Point
    own: Point

    @property
    def setting(self) -> Setting:
        """What is changed of the configuration."""
        return self.fresh.setting


@dataclass(frozen=True)
class Search:
    """Everything a search measured, aggregates only.

    `trials` are the figures of each setting on each split. At most `wanted` settings were meant to be measured;
    `allowed` is less where the time, `minutes`, was too short for them. `proposal` is None for a named grid.
    """

    source: str
    sha256: str
    rows: int
    of_rows: int
    profile: str
    points: tuple[Point, ...]
    trials: tuple[tuple[Trial, ...], ...]
    on_frontier: tuple[int, ...]
    wanted: int
    allowed: int
    minutes: float | None
    proposal: Proposal | None

    @property
    def cut(self) -> int:
        """How many settings did not fit into the time."""
        return self.wanted - self.allowed
