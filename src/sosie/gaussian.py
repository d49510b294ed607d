"""Avatars under the gaussian law: local Gaussian numbers on normal scores, levels from donors along a tree.

What a cell is comes first, drawn as a level: missing, a category's level, a value that very many individuals hold (a
*pile*: the zeros of an amount), or a number of its own. Such numbers are combined on their normal scores, and come
back at their rank through the column's own distribution: no mass gathers at the ends, and every column keeps its shape.
Derivation and measurements: docs/en/method/weights.md.
"""

from dataclasses import dataclass, replace

import numpy as np

from sosie.blocks import blocks
from sosie.columns import MISSING, PRESENT, Codes, Floats, Mask, States, Table
from sosie.donors import Link, deciding_column, draw_levels, fit_tree
from sosie.generation import Barycentres
from sosie.marginals import FEWEST, Marginal, marginal_of
from sosie.space import Space
from sosie.streams import stream
from sosie.threads import each

PILE = 0.2  # the least share of a column's numbers that makes a value a pile
_NUMBER, _ALONE = 0, 1  # kinds of cell; below 0: missing, or a missing code
_ROWS = 65_536  # the tree is found on at most so many rows


@dataclass(frozen=True, eq=False)
class Lane:
    """Numbers of one column that are combined with each other: those off its piles, (j,) `piles` in ascending order.

    `position` is the column's. `alone`: these are the raw numbers of rows where a constrained column has nothing to lie
    above; else they are numbers of the space. `given` is the column of levels that they depend on most, if any.
    """

    position: int
    alone: bool
    piles: Floats
    marginal: Marginal
    given: int | None = None


@dataclass(frozen=True, eq=False)
class GaussianLaw:
    """What the law knows of a batch: lanes (p of numbers in the space, then those alone), the tree of levels."""

    lanes: tuple[Lane, ...]
    tree: tuple[Link, ...]


@dataclass(frozen=True, eq=False)
class Cells:
    """Individuals as the law sees them, each row by its own cells alone.

    `kinds` and `levels` are (n, 1 + p + q): the pattern of kinds, the p numbers, the q categories. A number's level is
    0, or 1 + the position of the pile it lies on; what is missing has its kind, below 0. `scores` (n, lanes): normal
    scores, NaN off the lane.
    """

    kinds: Codes
    levels: Codes
    scores: Floats


@dataclass(frozen=True, eq=False)
class Drawn:
    """Avatars whose numbers are not back yet: levels (a, 1 + p + q), states (a, p), combined scores (a, lanes)."""

    levels: Codes
    states: States
    combined: Floats


def gaussian_cells(
    originals: Table, barycentres: Barycentres, space: Space, heaviest: bool, seed: int, workers: int = -1
) -> tuple[Floats, States, Codes]:
    """The avatars' combined numbers (differences where a column lies above another), states and codes.

    A batch is a table of its own: its law is fitted, and its avatars are ranked, among its own rows. So a batch alone
    gives what it gives among others, and nothing need be known of rows outside it.
    """
    numbers, states = np.empty_like(originals.numbers), np.empty_like(originals.states)
    codes = np.empty_like(originals.codes)
    place = np.empty(len(originals), dtype=np.int32)
    for number, members in barycentres.members():
        place[members] = np.arange(len(members))
        part = Barycentres(
            place[barycentres.neighbours[members]], barycentres.weights[members], barycentres.law
        )
        found = _batch(originals.take(members), part, space, heaviest, seed, number, workers)
        numbers[members], states[members], codes[members] = found
    return numbers, states, codes


def _batch(
    originals: Table,
    barycentres: Barycentres,
    space: Space,
    heaviest: bool,
    seed: int,
    number: int,
    workers: int,
) -> tuple[Floats, States, Codes]:
    law = fit_law(originals, space)
    cells = cells_of(originals, space, law)

    def draw(place: tuple[int, slice]) -> Drawn:
        block, rows = place
        rng = stream(seed, "donors", number, block)
        return draw_cells(originals.states, cells, barycentres.of(rows), law, heaviest, rng)

    drawn = each(draw, enumerate(blocks(len(originals))), workers)
    whole = Drawn(
        np.concatenate([block.levels for block in drawn]),
        np.concatenate([block.states for block in drawn]),
        np.concatenate([block.combined for block in drawn]),
    )
    codes = whole.levels[:, 1 + whole.states.shape[1] :]
    k = barycentres.weights.shape[1]
    return numbers_of(whole, law, space, k, seed, number), whole.states, codes


def fit_law(originals: Table, space: Space) -> GaussianLaw:
    """The law of a batch; the tree is found on at most 65,536 rows, evenly spaced."""
    inside = space.inside(originals.numbers)
    lanes = [_lane(j, False, inside[:, j]) for j in range(inside.shape[1])]
    for upper in space.relations.bounded:
        lanes.append(_lane(upper.position, True, _alone(originals, inside)[:, upper.position]))
    some = originals.take(np.arange(0, len(originals), -(-len(originals) // _ROWS)))
    cells = cells_of(some, space, GaussianLaw(tuple(lanes), ()))
    given = [deciding_column(scores, cells.levels) for scores in cells.scores.T]
    return GaussianLaw(
        tuple(replace(lane, given=column) for lane, column in zip(lanes, given, strict=True)),
        fit_tree(cells.levels),
    )


def _lane(position: int, alone: bool, numbers: Floats) -> Lane:
    whole = marginal_of(numbers)
    values, counts = np.unique(whole.ordered, return_counts=True)
    least = max(PILE * len(whole.ordered), FEWEST)
    piles = values[counts >= least] if not alone else values[:0]
    return Lane(position, alone, piles, Marginal(whole.ordered[~np.isin(whole.ordered, piles)]))


def _alone(table: Table, inside: Floats) -> Floats:
    """(n, p) raw numbers where the space has none for a cell that is present; else NaN."""
    return np.where((table.states == PRESENT) & np.isnan(inside), table.numbers, np.nan)


def cells_of(table: Table, space: Space, law: GaussianLaw) -> Cells:
    """Any rows of the batch as the law sees them."""
    inside = space.inside(table.numbers)
    alone = _alone(table, inside)
    number_kinds = np.where(
        table.states == PRESENT, np.where(np.isnan(inside), _ALONE, _NUMBER), -table.states
    )
    code_kinds = np.where(table.codes == MISSING, MISSING, _NUMBER)
    kinds = np.hstack([number_kinds, code_kinds]).astype(np.int32)
    levels = np.hstack([np.minimum(number_kinds, 0), table.codes]).astype(np.int32)
    scores = np.full((len(table), len(law.lanes)), np.nan, order="F")
    for number, lane in enumerate(law.lanes):
        values = (alone if lane.alone else inside)[:, lane.position]
        piled = np.isin(values, lane.piles)
        levels[piled, lane.position] = 1 + np.searchsorted(lane.piles, values[piled])
        scores[:, number] = lane.marginal.scores(np.where(piled, np.nan, values))
    patterns = _patterns(kinds)[:, None]
    # column by column, as they are read
    kinds, levels = (np.asfortranarray(np.hstack([patterns, own])) for own in (kinds, levels))
    return Cells(kinds, levels, scores)


def _patterns(kinds: Codes) -> Codes:
    """(n,) codes of the rows' patterns, equal where all kinds are."""
    patterns = np.zeros(len(kinds), dtype=np.int64)
    for column in kinds.T:
        if column.min() < column.max():
            step = int(column.max() - column.min()) + 1
            patterns = np.unique(patterns * step + (column - column.min()), return_inverse=True)[1]
    return patterns.astype(np.int32)


def draw_cells(
    states: States,
    cells: Cells,
    barycentres: Barycentres,
    law: GaussianLaw,
    heaviest: bool,
    rng: np.random.Generator,
) -> Drawn:
    """One block of avatars: masks and levels from donors, then scores combined among the neighbours that have them.

    A score that depends on a level is combined among those that hold the level drawn, where two do.
    """
    neighbours, weights = barycentres.neighbours, barycentres.weights
    donor, levels = draw_levels(cells.levels, cells.kinds, neighbours, law.tree, heaviest, rng)
    combined = np.full((len(neighbours), len(law.lanes)), np.nan)
    for number, lane in enumerate(law.lanes):
        column = 1 + lane.position
        kind = _ALONE if lane.alone else _NUMBER
        free = (cells.kinds[donor, column] == kind) & (levels[:, column] == 0)
        held = cells.scores[neighbours[free], number]
        if lane.given is not None:
            alike = cells.levels[neighbours[free], lane.given] == levels[free, lane.given][:, None]
            held = _where_two(np.where(alike, held, np.nan), held)
        combined[free, number] = combine(held, weights[free])
    return Drawn(levels, states[donor], combined)


def _where_two(some: Floats, held: Floats) -> Floats:
    """(a, k) values, in each row `some` of them if they are two at least: of one, nothing is combined."""
    enough = (~np.isnan(some)).sum(axis=1, keepdims=True) >= 2
    return np.where(enough, some, held)


def combine(held: Floats, weights: Floats) -> Floats:
    """(a,) affine combinations of (a, k) values over the neighbours that have one, NaN where not.

    Their mean and their covariance are kept, as by all k weights among all.
    """
    having = ~np.isnan(held)
    if not having.all():
        weights = among(having, weights)
    combined: Floats = (weights * np.where(having, held, 0.0)).sum(axis=1)
    return combined


def among(having: Mask, weights: Floats) -> Floats:
    """The (a, k) gaussian weights of the neighbours that have a value, given the weights of all."""
    count = having.sum(axis=1, keepdims=True)
    total = np.where(having, weights, 0.0).sum(axis=1, keepdims=True)
    spread = np.sqrt((weights.shape[1] - 1) / np.maximum(count - 1, 1))
    deviations = np.where(having, weights - total / count, 0.0)
    spread_again: Floats = np.where(having, 1 / count, 0.0) + deviations * spread
    return spread_again


def numbers_of(drawn: Drawn, law: GaussianLaw, space: Space, k: int, seed: int, batch: int) -> Floats:
    """(a, p) numbers of a batch's avatars, NaN where missing: piles as drawn, others at their rank among all."""
    numbers, alone = (np.full(drawn.states.shape, np.nan) for _ in range(2))
    for number, lane in enumerate(law.lanes):
        if not lane.alone:
            level = drawn.levels[:, 1 + lane.position]
            numbers[level > 0, lane.position] = lane.piles[level[level > 0] - 1]
        free = ~np.isnan(drawn.combined[:, number])
        values = lane.marginal.values(
            drawn.combined[free, number], k, stream(seed, "marginals", batch, number)
        )
        (alone if lane.alone else numbers)[free, lane.position] = values
    numbers = space.outside(numbers)
    return np.where(np.isnan(alone), numbers, alone)
