"""Cells that keep every constraint: an upper cell is the lower one plus a difference, rounded so that none passes."""

from collections.abc import Callable, Sequence

import numpy as np

from sosie.columns import Floats, Mask, quoted
from sosie.constraints import Bounded, Scale
from sosie.errors import InputError
from sosie.lattice import Lattice


def in_order(values: Floats, bounded: Sequence[Bounded], lattices: Sequence[Lattice]) -> Floats:
    """(m, p) cells that keep every constraint, NaN where missing.

    `values` holds a bounded column's differences (on the shared scale) in rows that have one of its lower columns,
    everything else as combined. Where multiples of `round_to` leave no room, `refuse_disorder` says so.
    """
    ceilings = _ceilings(values, bounded, lattices)
    cells = np.full_like(values, np.nan)
    uppers = {upper.position: upper for upper in bounded}
    for position in [*(j for j in range(values.shape[1]) if j not in uppers), *uppers]:
        numbers = ~np.isnan(values[:, position])
        present = slice(None) if numbers.all() else numbers  # which would copy
        combined = values[present, position]
        if position in uppers:
            settled = _above(combined, cells[present], uppers[position], lattices[position])
        else:
            settled = lattices[position].nearest(combined)
        if position in ceilings:
            settled = np.minimum(settled, ceilings[position][present])
        cells[present, position] = settled
    return cells


def refuse_disorder(cells: Floats, bounded: Sequence[Bounded]) -> None:
    """InputError `BAD_CONFIG` when (m, p) cells break a constraint: multiples of `round_to` leave them no room."""
    for upper in bounded:
        for lower in upper.lowers:
            if upper.breaks(cells, lower).any():
                raise InputError(
                    "BAD_CONFIG",
                    f"round_to leaves no values of {quoted([lower.name, upper.name])} that keep their constraint: "
                    "choose a smaller one",
                    (lower.name, upper.name),
                )


def _ceilings(values: Floats, bounded: Sequence[Bounded], lattices: Sequence[Lattice]) -> dict[int, Floats]:
    """For each lower column its (m,) highest values that leave room for the columns above it."""
    ceilings: dict[int, Floats] = {}
    for upper in reversed(bounded):
        above = ceilings.get(upper.position, np.full(len(values), lattices[upper.position].most))
        for lower in upper.lowers:
            ceiling = ceilings.setdefault(lower.position, np.full(len(values), lattices[lower.position].most))
            both = ~np.isnan(values[:, upper.position]) & ~np.isnan(values[:, lower.position])
            limits = upper.scale.shared(above[both])
            reach = _reach(lower.scale, limits, np.less if lower.strict else np.less_equal)
            highest = lattices[lower.position].at_most(lower.scale.own(limits), reach)
            ceiling[both] = np.minimum(ceiling[both], highest)
    return ceilings


def _above(combined: Floats, cells: Floats, upper: Bounded, lattice: Lattice) -> Floats:
    """(m,) cells of an upper column from its differences, given the (m, p) lower cells."""
    floors = upper.floors(cells)
    own = np.where(np.isnan(floors), combined, upper.scale.own(floors + combined))
    settled = lattice.nearest(own)
    for lower in upper.lowers:
        limits = lower.scale.shared(cells[:, lower.position])
        having = ~np.isnan(limits)
        reach = _reach(upper.scale, limits[having], np.greater if lower.strict else np.greater_equal)
        lowest = lattice.at_least(upper.scale.own(limits[having]), reach)
        settled[having] = np.maximum(settled[having], lowest)
    return settled


def _reach(
    scale: Scale, limits: Floats, compare: Callable[[Floats, Floats], Mask]
) -> Callable[[Floats], Mask]:
    """Whether cells stand to the limits, on the shared scale, as they should."""
    return lambda cells: compare(scale.shared(cells), limits)
