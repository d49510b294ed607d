"""What is asked of the figures before a table may leave: profiles, and what a configuration changes in them.

The values are conventions that a careful engineer can defend, not law and not the method's own: whether a table is
anonymous is a judgement about the table, what is released and to whom. Each target says where it comes from.
"""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator

Profile = Literal["internal", "partner", "open"]


class Target(BaseModel):
    """The least or the most that a figure may be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min: float | None = Field(default=None, description="the figure must be at least this")
    max: float | None = Field(default=None, description="the figure must be at most this")
    or_holdout: bool = Field(
        default=False,
        description="a figure up to the holdout's own, give or take chance, meets the target too",
    )
    source: str = Field(default="set in the configuration", description="where the target comes from")

    @model_validator(mode="after")
    def _one_bound_at_least(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("a target needs min or max")
        return self

    @model_serializer(mode="plain")
    def _what_was_asked(self) -> dict[str, float | bool | str]:
        asked = {
            "min": self.min,
            "max": self.max,
            "or_holdout": self.or_holdout or None,
            "source": self.source,
        }
        return {key: value for key, value in asked.items() if value is not None}

    @property
    def from_profile(self) -> bool:
        """Whether a profile asks this, not the configuration itself."""
        return self.source.startswith("profile ")

    def met_by(self, value: float, reference: float | None = None) -> bool:
        """Whether a figure lies within the bounds, both included.

        With `or_holdout` a figure in percent up to 5 points above its reference meets it, too.
        """
        if self.or_holdout and reference is not None and value <= reference + _BY_CHANCE:
            return True
        return (self.min is None or value >= self.min) and (self.max is None or value <= self.max)


def profile_targets(profile: Profile) -> dict[str, Target]:
    """The targets of a profile, by metric.

    `internal`: the table stays with people who may see the originals. `partner`: it goes to a known recipient under
    contract, who is bound not to look for anybody: the targets rule out plain failures. `open`: anyone may have it,
    attackers too: the targets are strict, and the published weights seldom meet them.
    """
    column = _PROFILES.index(profile)
    return {
        metric: Target.model_validate(
            {
                bound: values[column],
                "or_holdout": metric in _OR_HOLDOUT,
                "source": f"profile {profile}: {why}",
            }
        )
        for metric, (bound, values, why) in _CONVENTIONS.items()
        if values[column] is not None
    }


# what a target can be set for: every figure of an evaluation
METRICS = (
    "local_cloaking",
    "local_cloaking_zero_share",
    "local_cloaking_isolated",
    "hidden_rate",
    "hidden_rate_worst",
    "closest_distances_ratio_median",
    "closest_distances_ratio_outlier",
    "distance_to_closest_median",
    "distance_to_closest_outlier",
    "hellinger_mean",
    "hellinger_std",
    "hellinger_worst",
    "row_direct_match",
    "row_direct_match_own",
    "singling_out_univariate",
    "singling_out_multivariate",
    "linkability",
    "inference",
    "membership_auc",
    "membership_found_at_1",
    "membership_found_at_01",
    "membership_auc_isolated",
    "membership_raw_auc",
    "membership_raw_found_at_1",
    "membership_raw_found_at_01",
    "membership_raw_auc_isolated",
    "membership_density_auc",
    "membership_density_found_at_1",
    "membership_density_found_at_01",
    "membership_density_auc_isolated",
    "range_coverage_mean",
    "sd_ratio_mean",
    "level_coverage_mean",
    "association_difference_mean",
    "association_difference_max",
    "principal_space_agreement",
    "discriminator_auc",
    "learning_score",
    "heaviest_weight_median",
    "heaviest_weight_p95",
    "effective_neighbours_median",
)

_PROFILES: tuple[Profile, ...] = ("internal", "partner", "open")

# metric: (bound, (internal, partner, open), what the convention says); None: the profile asks nothing
_CONVENTIONS: Mapping[str, tuple[Literal["min", "max"], tuple[float | None, ...], str]] = {
    "local_cloaking": (
        "min",
        (None, 1, 5),
        "half of the individuals hide behind this many avatars of others",
    ),
    "local_cloaking_zero_share": (
        "max",
        (75, 60, 15),
        "not too many individuals have no other avatar nearer than their own",
    ),
    "hidden_rate": ("min", (25, 40, 85), "linking to the closest avatar is wrong this often"),
    "hidden_rate_worst": (
        "min",
        (None, None, 75),
        "linking is wrong this often even with every tie counted as found",
    ),
    "closest_distances_ratio_median": ("min", (25, 40, 90), "no single avatar stands out near a member"),
    "closest_distances_ratio_outlier": (
        "min",
        (None, None, 50),
        "no single avatar stands out near the most exposed members",
    ),
    # at risk when the ratio is low as well, and the ratio has its target: in few or rounded columns half of the
    # avatars sit on an original without anybody's fault
    "distance_to_closest_median": (
        "min",
        (None, None, 80),
        "how near avatars come to members, beside real strangers",
    ),
    "distance_to_closest_outlier": (
        "min",
        (None, None, 50),
        "how near avatars come to the most exposed members, beside real strangers",
    ),
    "row_direct_match": (
        "max",
        (99, 99, 50),
        "rows of the originals found among the avatars, or hardly more often than strangers repeat them",
    ),
    "row_direct_match_own": ("max", (None, None, 20), "persons whose avatar is their own row"),
    "singling_out_multivariate": (
        "max",
        (None, None, 10),
        "how much more often a condition that fits one avatar fits one member than one stranger",
    ),
    "linkability": (
        "max",
        (None, 75, 20),
        "how much more often two halves of a member's record meet in one avatar than a stranger's",
    ),
    "inference": (
        "max",
        (None, 80, 60),
        "how much more often a member's secret column is guessed than a stranger's",
    ),
    "membership_auc": ("max", (None, 0.8, 0.6), "how well the nearest avatar tells members from strangers"),
    "membership_raw_found_at_1": (
        "max",
        (None, 60, 5),
        "members found while one stranger in a hundred is taken for one",
    ),
    "membership_density_auc": (
        "max",
        (None, 0.9, 0.65),
        "how well the strongest membership attack tried tells members from strangers",
    ),
    "hellinger_mean": ("min", (25, 40, 60), "how well distributions are kept"),
}

# met, too, where the holdout's own figure is no better: few columns repeat themselves without anybody's fault
_OR_HOLDOUT = ("row_direct_match",)

# points: the holdout is a sample, and one level that it lacks is some of its rows
_BY_CHANCE = 5.0
