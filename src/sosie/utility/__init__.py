"""What avatars are still good for: variables, associations, principal space, a discriminator, learning, survival.

Figures come beside their reference (the holdout in place of the avatars) and their interval; what could not be computed
is a `NotComputed` with its reason. Everything is an aggregate of frozen dataclasses, numbers and texts.
"""

from sosie.estimates import Estimate, NotComputed
from sosie.utility.association_change import AssociationChange, association_change
from sosie.utility.discriminator import Discriminator, discriminate
from sosie.utility.learning import Learning, train_and_test
from sosie.utility.measurement import Utility, UtilityPlan, measure_utility
from sosie.utility.principal_space import PrincipalAgreement, principal_agreement
from sosie.utility.stability import Spread, Stability, stability
from sosie.utility.summaries import CategorySummary, NumberSummary, summarise
from sosie.utility.survival import Survival, SurvivalPlan, survival
from sosie.utility.weights import WeightEvidence, weight_evidence, weights_summed_up

__all__ = [
    "AssociationChange",
    "CategorySummary",
    "Discriminator",
    "Estimate",
    "Learning",
    "NotComputed",
    "NumberSummary",
    "PrincipalAgreement",
    "Spread",
    "Stability",
    "Survival",
    "SurvivalPlan",
    "Utility",
    "UtilityPlan",
    "WeightEvidence",
    "association_change",
    "discriminate",
    "measure_utility",
    "principal_agreement",
    "stability",
    "summarise",
    "survival",
    "train_and_test",
    "weight_evidence",
    "weights_summed_up",
]
