"""The classes in which three sets of one variable are compared, and how often each set falls into each.

Numbers: a grid shared by the three sets and laid on the originals alone (working and holdout half), so that
no avatar moves it; categories: the levels of the three. A missing value is one class more. The end bins are
open, so an avatar beyond the originals' range falls into one of them.
"""

import numpy as np

from sosie.neighbours import Floats, Integers

FEWEST_BINS, MOST_BINS = 20, 200


def bin_count(span: float) -> int:
    """How many bins a range of originals gets: min(200, max(20, round(3/4 span))), half to even."""
    return round(min(float(MOST_BINS), max(float(FEWEST_BINS), 0.75 * span)))


def bin_edges(originals: Floats) -> Floats:
    """The edges of the bins [e_j, e_j+1) laid on the present values of the originals, both ends included.

    Equal widths; for a population skewness beyond 1 in absolute value equal counts, that is quantiles.
    Quantiles that coincide collapse, and what they coincide on, a value held by a bin's worth of rows,
    becomes a bin of its own: merged with its neighbours, a rare 1 among zeros would share their bin and
    score 100 whatever the avatars say. A constant, or nothing at all, has no edge.
    """
    if len(originals) == 0 or originals.min() == originals.max():
        return np.empty(0)
    low, high = float(originals.min()), float(originals.max())
    bins = bin_count(high - low)
    if abs(_skewness(originals)) <= 1:
        # Halved and doubled: exact, and high - low cannot overflow.
        return np.unique(2 * np.linspace(low / 2, high / 2, bins + 1))
    edges = np.quantile(originals, np.linspace(0, 1, bins + 1))
    heaped = edges[1:][edges[1:] == edges[:-1]]
    return np.unique(np.concatenate([edges, np.nextafter(heaped, np.inf)]))


def number_frequencies(working: Floats, avatars: Floats, holdout: Floats) -> tuple[Floats, Floats, Floats]:
    """The shares of each set in the bins, the last class being the missing values (nan); each sums to 1.

    ValueError for an empty set or infinite values.
    """
    _nobody(working, avatars, holdout)
    infinite = sum(int(np.isinf(values).sum()) for values in (working, avatars, holdout))
    if infinite:
        raise ValueError(f"numbers must be finite or missing: {infinite} are infinite")
    originals = np.concatenate([working, holdout])
    inner = bin_edges(originals[~np.isnan(originals)])[1:-1]  # end bins are open

    def shares(values: Floats) -> Floats:
        classes = np.searchsorted(inner, values, side="right")
        classes[np.isnan(values)] = len(inner) + 1
        return np.bincount(classes, minlength=len(inner) + 2) / len(values)

    return shares(working), shares(avatars), shares(holdout)


def code_frequencies(
    working: Integers, avatars: Integers, holdout: Integers
) -> tuple[Floats, Floats, Floats]:
    """The shares of each set at each level, the first class being the missing values (-1); each sums to 1.

    ValueError for an empty set or a code below -1.
    """
    _nobody(working, avatars, holdout)
    sets = (working, avatars, holdout)
    unknown = sum(int((codes < -1).sum()) for codes in sets)
    if unknown:
        raise ValueError(f"codes must be 0, 1, … or -1 where missing: {unknown} are below -1")
    levels = max(int(codes.max()) for codes in sets) + 1

    def shares(codes: Integers) -> Floats:
        return np.bincount(codes + 1, minlength=levels + 1) / len(codes)

    return shares(working), shares(avatars), shares(holdout)


def _skewness(values: Floats) -> float:
    """The population skewness of values that differ."""
    scaled = values / np.abs(values).max()  # changes nothing, and cubes of large numbers do not overflow
    centred = scaled - scaled.mean()
    squares = np.square(centred)
    spread = float(np.sqrt(np.mean(squares)))
    return float(np.mean(squares * centred)) / spread**3 if spread > 0 else 0.0


def _nobody(working: Floats | Integers, avatars: Floats | Integers, holdout: Floats | Integers) -> None:
    rows = {"working": len(working), "avatars": len(avatars), "holdout": len(holdout)}
    if 0 in rows.values():
        empty = ", ".join(name for name, count in rows.items() if count == 0)
        raise ValueError(f"every set must have at least one row: 0 rows in {empty}")
