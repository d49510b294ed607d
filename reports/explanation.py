"""How one figure is told: its sentences, its unit and the ends of its scale."""

from dataclasses import dataclass
from typing import Literal

Section = Literal["privacy", "attacks", "utility"]
Unit = Literal["count", "percent", "score", "ratio"]


@dataclass(frozen=True)
class Explanation:
    """How one figure is told; sentences are message ids, those of `at_target` name the target as %(target)s.

    `worst` and `best` are the ends of its scale, `worst` always drawn on the left. `scale` "rows" is the logarithmic
    scale of a count among the avatars, which ends where an avatar tells nothing of its individual: at half of them,
    and `best` then says nothing; "k" ends at the number of neighbours; "none" draws no scale. `leans` says whether the
    figure leans on the holdout; `reference` what its reference is.
    """

    section: Section
    title: str
    measures: str
    at_worst: str
    at_target: str
    at_best: str
    unit: Unit
    worst: float
    best: float
    scale: Literal["linear", "rows", "k", "none"]
    leans: bool
    remedy: str
    reference: str = ""
