"""What was measured: every figure of an evaluation, and the aggregates its pictures are drawn from.

Nothing here is about one individual: shares, medians and densities only, levels and bins held by fewer than
`min_count` individuals merged into others. An `Evaluation` may therefore be written to a shareable file.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sosie.attacks import Attacks
from sosie.errors import Notice
from sosie.estimates import Metric, NotComputed
from sosie.holdout import HoldoutMode
from sosie.utility import Stability, Utility, WeightEvidence


@dataclass(frozen=True)
class Bins:
    """The distribution of a number: shares of rows (0–1, missing included in the whole) in common bins.

    `edges` has one more entry than each share; the end bins are open. Each bin holds at least `min_count` originals;
    where too few have a number for that, there is one bin, and all its shares are 0.
    """

    edges: tuple[float, ...]
    originals: tuple[float, ...]
    avatars: tuple[float, ...]
    holdout: tuple[float, ...] | None


@dataclass(frozen=True)
class Levels:
    """The distribution of a category: shares of rows (0–1) by level, commonest first.

    `merged` levels (too rare or too many to be named) are the last entry, `labels[-1]` being empty then; 0 means
    that every level is named.
    """

    labels: tuple[str, ...]
    originals: tuple[float, ...]
    avatars: tuple[float, ...]
    holdout: tuple[float, ...] | None
    merged: int


@dataclass(frozen=True)
class Missing:
    """Shares of missing cells (0–1)."""

    originals: float
    avatars: float
    holdout: float | None


@dataclass(frozen=True)
class Variable:
    """One column of the table, as it was and as it became."""

    name: str
    kind: str
    hellinger: float
    missing: Missing
    distribution: Bins | Levels


@dataclass(frozen=True)
class Plane:
    """Both clouds on the first two components, as densities (a point would be a person).

    `originals` and `avatars` are smoothed densities on a grid, rows from low to high second component, each scaled to
    a maximum of 1; cells with fewer than `min_count` individuals nearby are 0. `x` and `y` are the cells' centres.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    originals: tuple[tuple[float, ...], ...]
    avatars: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Contribution:
    """One column's shares (0–1) of the components' loadings, squared; all columns together make 1 of each."""

    name: str
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Percentiles:
    """Percentiles of one figure over the individuals: towards the avatars, and towards the holdout."""

    percents: tuple[float, ...]
    avatars: tuple[float, ...]
    holdout: tuple[float, ...]


@dataclass(frozen=True)
class Closeness:
    """How near the closest is (`distance`), and how little it stands out from the second (`ratio`, 0–1)."""

    distance: Percentiles
    ratio: Percentiles


@dataclass(frozen=True)
class LevelGroup:
    """The individuals who share a level, and the percentage of them whose own avatar is the closest, alone."""

    column: str
    level: str
    individuals: int
    found: float


@dataclass(frozen=True)
class RangeGroup:
    """The individuals whose number (or date, in days) lies from `low` to `high`, and how many are found as above."""

    column: str
    kind: str
    low: float
    high: float
    individuals: int
    found: float


ExposedGroup = LevelGroup | RangeGroup


@dataclass(frozen=True)
class Rows:
    """How many rows were compared: anonymised and measured (`working`), set apart (`holdout`), avatars."""

    working: int
    holdout: int
    avatars: int


@dataclass(frozen=True)
class Measures:
    """What the metrics of the method's pages say, and the aggregates of their pictures."""

    holdout: HoldoutMode
    rows: Rows
    ncp: int
    explained_variance_ratio: tuple[float, ...]
    metrics: Mapping[str, Metric]
    local_cloaking_deciles: tuple[float, ...] | None
    local_cloaking_most: int | None
    variables: tuple[Variable, ...]
    plane: Plane | None
    closeness: Closeness | None
    contributions: tuple[Contribution, ...]
    exposed: tuple[ExposedGroup, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class Evaluation:
    """Everything measured on one table of avatars.

    `metrics` holds every figure under its name in `metrics.json`; attacks and utility keep their details,
    `stability` the spread of the figures over repeated draws.
    """

    holdout: HoldoutMode
    rows: Rows
    ncp: int
    explained_variance_ratio: tuple[float, ...]
    metrics: Mapping[str, Metric]
    local_cloaking_deciles: tuple[float, ...] | None
    local_cloaking_most: int | None
    variables: tuple[Variable, ...]
    plane: Plane | None
    closeness: Closeness | None
    contributions: tuple[Contribution, ...]
    exposed: tuple[ExposedGroup, ...]
    attacks: Attacks
    utility: Utility
    weights: WeightEvidence | NotComputed
    stability: Stability | NotComputed
    notices: tuple[Notice, ...]
