"""Principal-space agreement: whether avatars, projected by themselves, order individuals as the originals do.

    agreement = Σ cos²θ / ncp      (Krzanowski, *J. Am. Stat. Assoc.* 74, 1979)

θ are the principal angles between the working individuals' coordinates in the projection fitted on the originals and
in one fitted on the avatars alone, same ncp: the canonical correlations of the two. 0: the two spaces have nothing
in common; 1: they are the same, up to rotation and scale. A last component that nearly ties with the next is unstable
in any sample: read the figure beside the holdout's, which is how much two halves of the same people agree.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from sosie.columns import Floats, Table
from sosie.estimates import Metric, NotComputed
from sosie.projection import Projection, fit_projection
from sosie.utility.cells import at_most
from sosie.utility.estimates import metric_of

MOST_ROWS = 100_000
NOTHING_VARIES = "a table varies nowhere, so it has no principal component"
FEW_ROWS = "too few rows for so many components"
_ROUNDING = 1e-10


@dataclass(frozen=True)
class PrincipalAgreement:
    """`agreement` (0–1, the holdout's as reference) and `cosines`, largest first, of the principal angles."""

    agreement: Metric
    cosines: tuple[float, ...]


def principal_agreement(
    working: Table, avatars: Table, holdout: Table, projection: Projection, rng: np.random.Generator
) -> PrincipalAgreement | NotComputed:
    """The agreement of `projection`, fitted on the originals, with one fitted on the avatars; `rng` draws rows."""
    working, avatars, holdout = (at_most(table, MOST_ROWS, rng) for table in (working, avatars, holdout))
    here = projection.coordinates(working)
    after = _cosines(here, working, avatars)
    if isinstance(after, NotComputed):
        return after
    apart = _cosines(here, working, holdout)
    chance = apart if isinstance(apart, NotComputed) else agreement_of(apart)
    return PrincipalAgreement(
        metric_of(agreement_of(after), chance), tuple(round(float(cosine), 6) for cosine in after)
    )


def agreement_of(cosines: Floats) -> float:
    """The mean squared cosine of the (ncp,) principal angles."""
    return float(np.square(cosines).mean())


def principal_cosines(here: Floats, there: Floats) -> Floats:
    """The cosines of the principal angles between the columns of two (n, ncp) arrays, centred; largest first.

    As many as the larger space has dimensions: what the smaller one lacks counts as 0.
    """
    bases = [_basis(points) for points in (here, there)]
    cosines = np.zeros(max(basis.shape[1] for basis in bases))
    found = linalg.svdvals(bases[0].T @ bases[1])
    cosines[: len(found)] = np.clip(found, 0.0, 1.0)
    return cosines


def _cosines(here: Floats, working: Table, others: Table) -> Floats | NotComputed:
    if min(len(here), len(others)) <= 2 * here.shape[1]:
        return NotComputed(FEW_ROWS)
    fitted = fit_projection(others, here.shape[1], workers=1)
    there = fitted.coordinates(working)
    if fitted.axes.total_inertia == 0 or not (here.any() and there.any()):
        return NotComputed(NOTHING_VARIES)
    return principal_cosines(here, there)


def _basis(points: Floats) -> Floats:
    """An orthonormal basis of the centred columns, dimensions of rounding left out."""
    left, values, _ = linalg.svd(points - points.mean(axis=0), full_matrices=False)
    basis: Floats = left[:, values > _ROUNDING * values[0]]
    return basis
