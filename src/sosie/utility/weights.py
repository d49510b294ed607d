"""How the avatar was made: how much of it comes from one neighbour.

The heaviest of an avatar's k weights (1/k all alike – 1 a copy), and the effective number of neighbours 1/ΣW² (1 a copy
– k all alike; Kish, *Survey Sampling*, 1965). Of affine weights, some of them negative, the latter says how much of the
neighbourhood's variance is kept, not how many took part: 1 is all of it.
"""

from dataclasses import dataclass

import numpy as np

from sosie.columns import Floats
from sosie.estimates import Metric
from sosie.generation import Barycentres, WeightLaw


@dataclass(frozen=True)
class WeightEvidence:
    """Over all avatars: the heaviest weight's median and percentile 95, and the median effective number of the k."""

    law: WeightLaw
    k: int
    heaviest_median: float
    heaviest_p95: float
    effective_neighbours_median: float

    @property
    def metrics(self) -> dict[str, Metric]:
        """The figures under the names of `metrics.json`."""
        return {
            "heaviest_weight_median": Metric(self.heaviest_median),
            "heaviest_weight_p95": Metric(self.heaviest_p95),
            "effective_neighbours_median": Metric(self.effective_neighbours_median),
        }


def weight_evidence(barycentres: Barycentres) -> WeightEvidence:
    """The evidence of n ≥ 1 barycentres."""
    heaviest = barycentres.weights.max(axis=1)
    effective = 1 / np.einsum("ij,ij->i", barycentres.weights, barycentres.weights)
    return weights_summed_up(heaviest, effective, barycentres.law, barycentres.weights.shape[1])


def weights_summed_up(heaviest: Floats, effective: Floats, law: WeightLaw, k: int) -> WeightEvidence:
    """The evidence of the heaviest weight and the effective number of neighbours of each of n ≥ 1 avatars."""
    return WeightEvidence(
        law=law,
        k=k,
        heaviest_median=float(np.median(heaviest)),
        heaviest_p95=float(np.percentile(heaviest, 95)),
        effective_neighbours_median=float(np.median(effective)),
    )
