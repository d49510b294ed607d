"""Attacks on avatars: singling out, linkability, inference and membership, each against its control.

`attack` runs them all; each is one file. Tables are `sosie.columns.Table`s of the same columns: the working half
that was anonymised, its avatars, and a holdout. Figures carry intervals; what cannot be computed says why
(`NotComputed`), and "no advantage detected" is never a proof of safety.
"""

from sosie.attacks.battery import ATTEMPTS, Attacks, attack
from sosie.attacks.copies import (
    ColumnCopies,
    Copies,
    NamedLevels,
    Survivors,
    carried_levels,
    copies,
    named_levels,
)
from sosie.attacks.inference import Inference, inference
from sosie.attacks.linkability import column_groups, linkability
from sosie.attacks.membership import (
    Membership,
    isolated_rows,
    membership_density,
    membership_projected,
    membership_raw,
)
from sosie.attacks.rates import Attack, NotMeasurableError, Rate
from sosie.attacks.roc import Separation
from sosie.attacks.singling_out import singling_out_multivariate, singling_out_univariate
from sosie.estimates import Estimate, NotComputed

__all__ = [
    "ATTEMPTS",
    "Attack",
    "Attacks",
    "ColumnCopies",
    "Copies",
    "Estimate",
    "Inference",
    "Membership",
    "NamedLevels",
    "NotComputed",
    "NotMeasurableError",
    "Rate",
    "Separation",
    "Survivors",
    "attack",
    "carried_levels",
    "column_groups",
    "copies",
    "inference",
    "isolated_rows",
    "linkability",
    "membership_density",
    "membership_projected",
    "membership_raw",
    "named_levels",
    "singling_out_multivariate",
    "singling_out_univariate",
]
