"""The metrics of the method's pages, one a file, on coordinates and on tables.

Coordinates are arrays (rows, components) in one projection; where a metric follows links, row i of the
avatars belongs to row i of the originals. Percentages are 0-100. Bad arguments raise ValueError naming the
rule and the count; nothing returns nan.
"""

from sosie.metrics.against_reference import ReferenceScore
from sosie.metrics.closest_distances_ratio import closest_distances_ratio
from sosie.metrics.direct_match import OwnMatch, Records, row_direct_match, row_direct_match_own
from sosie.metrics.distance_to_closest import distance_to_closest
from sosie.metrics.hellinger import HellingerMean, hellinger_distance, hellinger_mean
from sosie.metrics.hidden_rate import hidden_rate
from sosie.metrics.local_cloaking import (
    LocalCloaking,
    local_cloaking,
    local_cloaking_counts,
    local_cloaking_summary,
)

__all__ = [
    "HellingerMean",
    "LocalCloaking",
    "OwnMatch",
    "Records",
    "ReferenceScore",
    "closest_distances_ratio",
    "distance_to_closest",
    "hellinger_distance",
    "hellinger_mean",
    "hidden_rate",
    "local_cloaking",
    "local_cloaking_counts",
    "local_cloaking_summary",
    "row_direct_match",
    "row_direct_match_own",
]
