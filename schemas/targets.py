"""What is asked of the figures before a table may leave: profiles, and what a configuration changes in them.

The values are conventions that a careful engineer can defend, not law and not the method's own: whether a table is
anonymous is a judgement about the table, what is released and to whom. Each target says where it comes from.
"""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Profile = Literal["internal", "partner", "open"]


class Target(BaseModel):
    """The least or the most that a figure may be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min: float | None = Field(default=None, description="the figure must be at least this")
    max: float | None = Field(default=None, description="the figure must be at most this")
    source: str = Field(default="set in the configuration", description="where the target comes from")

    @model_validator(mode="after")
    def _one_bound_at_least(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("a target needs min or max")
        return self

    def met_by(self, value: float) -> bool:
        """Whether a figure lies within the bounds, both included."""
        return (self.min is None or value >= self.min) and (self.max is None or value <= self.max)


def profile_targets(profile: Profile) -> dict[str, Target]:
    """The targets of a profile, by metric.

    `internal`: the table stays with people who may see the originals. `partner`: it goes to a known recipient under
    contract. `open`: anyone may have it.
    """
    column = _PROFILES.index(profile)
    return {
        metric: Target.model_validate({bound: values[column], "source": f"profile {profile}: {why}"})
        for metric, (bound, values, why) in _CONVENTIONS.items()
    }


def _bounds(low: float, middle: float, high: float) -> tuple[float, float, float]:
    return low, middle, high


_PROFILES: tuple[Profile, ...] = ("internal", "partner", "open")

_CONVENTIONS: Mapping[str, tuple[Literal["min", "max"], tuple[float, float, float], str]] = {
    "local_cloaking": ("min", _bounds(2, 3, 5), "…"),
}
