"""Per variable: means, standard deviations, quantiles, ranges and levels of originals, avatars and holdout.

Aggregates only. No extreme of one person is shown: no minimum, no maximum, no quantile whose tail holds fewer than
`min_count` rows, no mean or standard deviation of fewer rows than that or ruled by a single row. Figures are
rounded to the third significant digit of the originals' spread between percentiles 5 and 95.
"""

from dataclasses import dataclass

import numpy as np

from sosie.columns import Category, Codes, Floats, Numeric, Table
from sosie.estimates import Metric, NotComputed
from sosie.natural import amounts
from sosie.sums import units_of
from sosie.utility.estimates import metric_of

PERCENTS = (5.0, 25.0, 50.0, 75.0, 95.0)
FEW_ROWS = "too few rows have a value for it to be shown"
THIN_TAIL = "too few rows lie beyond this quantile for it to be shown"
ONE_ROW_RULES = "one row makes up nearly all of the spread, and the figure would give it away"
NO_RANGE = "the originals do not vary between their first and last percentile"
NO_SPREAD = "the originals hold a single value"
NOTHING_PRESENT = "no row has a value on one side"
_RULING = 0.9  # share of the squared deviations; the dominance rule of statistical disclosure control


@dataclass(frozen=True)
class Quantile:
    """One quantile, `percent` of the rows lying below it (0–100, linear interpolation)."""

    percent: float
    value: float | NotComputed


@dataclass(frozen=True)
class Moments:
    """A number on one side: `present` rows have a value; `sd` is the population's, in the column's own unit."""

    present: int
    mean: float | NotComputed
    sd: float | NotComputed
    quantiles: tuple[Quantile, ...]


@dataclass(frozen=True)
class NumberSummary:
    """A number before and after.

    `range_coverage`: how much (0 nothing – 100 all) of the originals' range from percentile 1 to 99 lies between the
    avatars' least and largest value. `sd_ratio`: the avatars' standard deviation divided by the originals'; 1 is
    ideal, below 1 the avatars are drawn together. Both beside the holdout's own.
    """

    name: str
    originals: Moments
    avatars: Moments
    holdout: Moments
    range_coverage: Metric
    sd_ratio: Metric


@dataclass(frozen=True)
class CategorySummary:
    """The levels of a category before and after; none is named.

    `kept` and `lost` count the originals' levels that avatars have or lack, `new` the avatars' levels that the
    originals lack. `coverage`: the share (0 none – 100 all) of the originals' present rows whose level some avatar has.
    The holdout's `lost` says what chance alone loses.
    """

    name: str
    kept: int
    lost: int
    new: int
    lost_in_holdout: int
    coverage: Metric


Summary = NumberSummary | CategorySummary


def summarise(originals: Table, avatars: Table, holdout: Table, min_count: int) -> tuple[Summary, ...]:
    """Every column in the table's order; figures resting on fewer than `min_count` rows are withheld."""
    numbers = iter(zip(originals.numbers.T, avatars.numbers.T, holdout.numbers.T, strict=True))
    codes = iter(zip(originals.codes.T, avatars.codes.T, holdout.codes.T, strict=True))
    return tuple(
        summarise_category(column, *next(codes))
        if isinstance(column, Category)
        else summarise_number(column, *next(numbers), min_count)
        for column in originals.columns
    )


def summarise_number(
    column: Numeric, originals: Floats, avatars: Floats, holdout: Floats, min_count: int
) -> NumberSummary:
    """One number, given as stored on each side; dates are summarised in days since 1970."""
    before, after, apart = (
        amounts(column, cells[~np.isnan(cells)]) for cells in (originals, avatars, holdout)
    )
    digits = _digits(before)
    fewest = max(2, min_count)
    return NumberSummary(
        name=str(column.name),
        originals=_moments(before, digits, fewest),
        avatars=_moments(after, digits, fewest),
        holdout=_moments(apart, digits, fewest),
        range_coverage=metric_of(_coverage(before, after), _coverage(before, apart)),
        sd_ratio=metric_of(_sd_ratio(before, after), _sd_ratio(before, apart)),
    )


def summarise_category(column: Category, originals: Codes, avatars: Codes, holdout: Codes) -> CategorySummary:
    """One category, given as codes (below 0: missing) on each side."""
    before, after, apart = (
        np.bincount(cells[cells >= 0], minlength=len(column.levels)).astype(float)
        for cells in (originals, avatars, holdout)
    )
    held = before > 0
    return CategorySummary(
        str(column.name),
        kept=int((held & (after > 0)).sum()),
        lost=int((held & (after == 0)).sum()),
        new=int((~held & (after > 0)).sum()),
        lost_in_holdout=int((held & (apart == 0)).sum()),
        coverage=metric_of(_weighted_coverage(before, after), _weighted_coverage(before, apart)),
    )


def _moments(present: Floats, digits: int, min_count: int) -> Moments:
    quantiles = _quantiles(present, digits, min_count)
    if len(present) < min_count:
        return Moments(len(present), NotComputed(FEW_ROWS), NotComputed(FEW_ROWS), quantiles)
    if _ruled(present):
        return Moments(len(present), NotComputed(ONE_ROW_RULES), NotComputed(ONE_ROW_RULES), quantiles)
    return Moments(len(present), _shown(present.mean(), digits), _shown(_sd(present), digits), quantiles)


def _quantiles(present: Floats, digits: int, min_count: int) -> tuple[Quantile, ...]:
    thin = [len(present) * min(percent, 100 - percent) / 100 < min_count for percent in PERCENTS]
    # all at once: each alone would look through the column again
    values = np.percentile(present, PERCENTS) if len(present) else np.zeros(len(PERCENTS))
    return tuple(
        Quantile(percent, NotComputed(THIN_TAIL) if hidden else _shown(value, digits))
        for percent, hidden, value in zip(PERCENTS, thin, values, strict=True)
    )


def _sd(present: Floats) -> float:
    (unit,) = units_of(present[:, None])
    return float((present / unit).std() * unit)


def _ruled(present: Floats) -> bool:
    deviations = present / units_of(present[:, None])
    deviations -= deviations.mean()
    np.square(deviations, out=deviations)
    return bool(deviations.max() > _RULING * deviations.sum())


def _digits(present: Floats) -> int:
    """Decimals to show; the spread leaves out the tails, so that the rounding tells nothing of an extreme."""
    if not len(present):
        return 0
    low, middle, high = np.percentile(present, [5, 50, 95])
    spread = (high - low) / 4 or abs(middle) / 1000 or 1.0
    return 2 - int(np.floor(np.log10(spread)))


def _shown(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0  # no −0


def _coverage(originals: Floats, others: Floats) -> float | NotComputed:
    if not (len(originals) and len(others)):
        return NotComputed(NOTHING_PRESENT)
    low, high = np.percentile(originals, [1, 99])
    if low == high:
        return NotComputed(NO_RANGE)
    covered = min(high, others.max()) - max(low, others.min())
    return 100 * max(0.0, float(covered / (high - low)))


def _sd_ratio(originals: Floats, others: Floats) -> float | NotComputed:
    if not (len(originals) and len(others)):
        return NotComputed(NOTHING_PRESENT)
    if originals.min() == originals.max():
        return NotComputed(NO_SPREAD)
    if _ruled(originals):
        return NotComputed(ONE_ROW_RULES)
    return _sd(others) / _sd(originals)


def _weighted_coverage(originals: Floats, others: Floats) -> float | NotComputed:
    if not originals.any():
        return NotComputed(NOTHING_PRESENT)
    return float(100 * originals[others > 0].sum() / originals.sum())
