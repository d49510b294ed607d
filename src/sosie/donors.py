"""Levels drawn from donors, so that what hangs together in the originals hangs together in the avatars.

One donor for the whole record would copy somebody's combination of levels; a donor for each column on its own forgets
that two columns hang together. So columns are drawn one after another along a tree that joins those with the strongest
association (Chow and Liu, *Approximating discrete probability distributions with dependence trees*, 1968), each from
the neighbours that hold the level already drawn in the column before it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sosie import _draws
from sosie.associations import COMPUTED, between_categories
from sosie.columns import Codes, Floats, Mask
from sosie.neighbours import Positions

WEAKEST = 0.1  # Cramér's V below which two columns are drawn independently
DECIDING = 0.5  # correlation ratio beyond which a number is combined given a level


@dataclass(frozen=True)
class Link:
    """A column, and the column it is drawn given (both positions); None: given nothing."""

    column: int
    parent: int | None


def fit_tree(codes: Codes) -> tuple[Link, ...]:
    """The columns of (n, m) codes in the order they are drawn, column 0 first; below 0: no level.

    Maximum spanning forest of Cramér's V (Bergsma's correction), links below 0.1 left out.
    """
    strength = _strength(codes)
    left = list(range(1, codes.shape[1]))
    links = [Link(0, None)]
    while left:
        drawn = [link.column for link in links]
        reach = strength[np.ix_(left, drawn)]
        if reach.max() >= WEAKEST:
            child, parent = np.unravel_index(int(reach.argmax()), reach.shape)
            links.append(Link(left.pop(int(child)), drawn[int(parent)]))
        else:
            first = int(strength[np.ix_(left, left)].sum(axis=1).argmax())
            links.append(Link(left.pop(first), None))
    return tuple(links)


def _strength(codes: Codes) -> Floats:
    """(m, m) Cramér's V, 0 where it cannot be computed."""
    strength = np.zeros((codes.shape[1],) * 2)
    varying = np.flatnonzero(codes.min(axis=0) < codes.max(axis=0))
    coefficients, reasons = between_categories(codes[:, varying])
    strength[np.ix_(varying, varying)] = np.where(reasons == COMPUTED, coefficients, 0.0)
    return strength


def deciding_column(scores: Floats, codes: Codes) -> int | None:
    """The column of (n, m) codes that (n,) scores, NaN where there is none, depend on most; None up to η = 0.5.

    η² = 1 − (N − 1)/(N − L) · SSW/SST over the N rows with a score, L levels among them (Kelley, 1935).
    """
    having = ~np.isnan(scores)
    values = scores[having]
    strongest, deciding = DECIDING, None
    for column in np.flatnonzero(codes.min(axis=0) < codes.max(axis=0)).tolist():
        places, counts = np.unique(codes[having, column], return_inverse=True, return_counts=True)[1:]
        if 1 < len(counts) < len(values) and values.std() > 0:
            within = ((values - (np.bincount(places, values) / counts)[places]) ** 2).mean() / values.var()
            ratio = np.sqrt(max(0.0, 1 - within * (len(values) - 1) / (len(values) - len(counts))))
            if ratio > strongest:
                strongest, deciding = ratio, column
    return deciding


def draw_levels(
    codes: Codes,
    kinds: Codes,
    neighbours: Positions,
    tree: tuple[Link, ...],
    heaviest: bool,
    rng: np.random.Generator,
) -> tuple[Positions, Codes]:
    """Each avatar's donor of its mask, and its (a, m) levels.

    `codes` and `kinds` are (n, m), `neighbours` (a, k); column 0 is the mask itself, a code for each pattern of kinds,
    and is that of one neighbour, all as likely. Any other level is drawn, all neighbours as likely, among those whose
    cell is of that kind and who hold the level drawn for the parent (where nobody does: of that kind); or it is the
    commonest among them (`heaviest`).
    """
    rows = np.arange(len(neighbours))
    donor = neighbours[rows, drawn(np.ones(neighbours.shape, dtype=bool), rng)]
    levels = np.empty((len(neighbours), codes.shape[1]), dtype=codes.dtype)
    levels[:, 0] = codes[donor, 0]
    for link in tree[1:]:
        candidates = kinds[neighbours, link.column] == kinds[donor, link.column][:, None]
        if link.parent is not None:
            alike = candidates & (codes[neighbours, link.parent] == levels[:, [link.parent]])
            candidates = np.where(alike.any(axis=1, keepdims=True), alike, candidates)
        held = codes[neighbours, link.column]
        chosen = commonest(held, candidates.astype(float)) if heaviest else drawn(candidates, rng)
        levels[:, link.column] = held[rows, chosen]
    return donor, levels


def drawn(masses: Floats | Mask, rng: np.random.Generator) -> Positions:
    """For each row one position, with probability proportional to its mass (inverse cumulative)."""
    positions: Positions = drawn_at(masses, rng.random((1, len(masses))))[0]
    return positions


def drawn_at(masses: Floats | Mask, uniforms: Floats, names: Positions | None = None) -> Positions:
    """(d, n) positions, d for each of the n rows of masses: where their running sum passes so much of all of it.

    Where masses have (n, k) names, the names at those positions.
    """
    positions = np.empty(uniforms.shape, dtype=np.int32)
    sizes, shares = (np.require(given, np.float64, ["C", "A"]) for given in (masses, uniforms))
    named = None if names is None else np.ascontiguousarray(names, dtype=np.int32)
    _draws.positions(sizes, shares, named, masses.shape[1], positions)
    return positions


def commonest(held: Codes, mass: Floats) -> NDArray[np.int64]:
    """For each row a position that holds the level of the largest mass."""
    # neighbour by neighbour: all k × k comparisons at once would take gigabytes
    totals = [np.where(held == held[:, [j]], mass, 0.0).sum(axis=1) for j in range(held.shape[1])]
    positions: NDArray[np.int64] = np.stack(totals, axis=1).argmax(axis=1)
    return positions
