"""Constraints between two columns of a row, a ≤ b: read, held against a table, and kept by every avatar.

The upper column is encoded as its difference to the lower one, to the highest present one when it lies above several.
An avatar's upper cell is its own lower cell plus a difference, so no row is ever rejected; rounding then takes the
nearest value that keeps the order. Where a is missing, b stands for itself. Constraints are transitive: a ≤ b and
b ≤ c say that a ≤ c, also in rows where b is missing.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from math import lcm

import numpy as np

from sosie.columns import Category, Column, Floats, Mask, quoted
from sosie.errors import InputError
from sosie.natural import Measure, measure_of

_OPERATOR = re.compile(r"<=|>=|<|>")
_QUOTED = re.compile(r"col\((['\"])(.*)\1\)")
EXACT = 2.0**53  # beyond it cells on a shared scale are not compared exactly


@dataclass(frozen=True)
class Constraint:
    """lower ≤ upper in every row that has both; `strict`: lower < upper."""

    lower: Hashable
    upper: Hashable
    strict: bool


@dataclass(frozen=True)
class Scale:
    """How a column's numbers are put on the scale that it shares with those it is compared with: exact."""

    factor: float
    offset: float

    def shared(self, numbers: Floats) -> Floats:
        """The column's numbers on the shared scale."""
        return numbers * self.factor + self.offset

    def own(self, shared: Floats) -> Floats:
        """Numbers of the shared scale as the column's own."""
        return (shared - self.offset) / self.factor


@dataclass(frozen=True)
class Lower:
    """A column that another lies above: its name, its position among the numbers, its scale."""

    name: Hashable
    position: int
    scale: Scale
    strict: bool


@dataclass(frozen=True)
class Bounded:
    """A column that lies above others, encoded as a difference; `unit` is a shared step in natural units or days."""

    name: Hashable
    position: int
    scale: Scale
    lowers: tuple[Lower, ...]
    unit: float

    def floors(self, numbers: Floats) -> Floats:
        """(n,) the highest of the lower cells on the shared scale, NaN where all are missing; of (n, p) numbers."""
        shared = [lower.scale.shared(numbers[:, lower.position]) for lower in self.lowers]
        return np.asarray(np.fmax.reduce(shared))

    def differences(self, numbers: Floats) -> Floats:
        """(n,) how far the column lies above the others, on the shared scale; NaN where either is missing."""
        return self.scale.shared(numbers[:, self.position]) - self.floors(numbers)

    def breaks(self, numbers: Floats, lower: Lower) -> Mask:
        """(n,) the rows that have both cells and not in this order."""
        below = lower.scale.shared(numbers[:, lower.position])
        above = self.scale.shared(numbers[:, self.position])
        return below >= above if lower.strict else below > above


def read_constraints(texts: Sequence[str], columns: Sequence[Column]) -> tuple[Constraint, ...]:
    """The constraints in texts such as `admitted <= discharged`, operators <= >= < and >.

    A name is written as it is, or as `col("any name")`. Raises InputError `BAD_CONFIG` for what is no comparison of two
    columns, `UNKNOWN_COLUMN` for a name that the table lacks.
    """
    names = {str(column.name): column.name for column in columns}
    return tuple(_read(text, names) for text in texts)


def _read(text: str, names: dict[str, Hashable]) -> Constraint:
    splits = [
        (_name(text[: found.start()]), found.group(), _name(text[found.end() :]))
        for found in _OPERATOR.finditer(text)
    ]
    if not splits:
        raise InputError(
            "BAD_CONFIG", f"constraint {quoted([text])} compares no two columns: write a <= b, <, >= or >"
        )
    # an operator may be part of a name
    known = [split for split in splits if split[0] in names and split[2] in names]
    if not known:
        absent = [name for name in (splits[0][0], splits[0][2]) if name not in names]
        raise InputError(
            "UNKNOWN_COLUMN",
            f"constraint {quoted([text])} names column(s) {quoted(absent)} that the table lacks or drops",
            tuple(absent),
        )
    left, operator, right = known[0]
    lower, upper = (left, right) if operator.startswith("<") else (right, left)
    return Constraint(names[lower], names[upper], "=" not in operator)


def _name(text: str) -> str:
    held = _QUOTED.fullmatch(text.strip())
    return held.group(2) if held else text.strip()


def bounded_columns(constraints: Sequence[Constraint], columns: Sequence[Column]) -> tuple[Bounded, ...]:
    """The columns that lie above others, each after those it lies above.

    Raises InputError `BAD_CONFIG` when constraints go round in a circle, or compare what has no common order.
    """
    above = _transitive(constraints)
    numeric = [column for column in columns if not isinstance(column, Category)]
    held = {column.name: measure_of(column, position) for position, column in enumerate(numeric)}
    categories = [name for upper, lowers in above.items() for name in (upper, *lowers) if name not in held]
    if categories:
        raise InputError(
            "BAD_CONFIG",
            f"constraints compare numbers or dates: {quoted(list(dict.fromkeys(categories)))} are neither",
            tuple(dict.fromkeys(categories)),
        )
    return tuple(_bounded(upper, lowers, held) for upper, lowers in above.items())


def _transitive(constraints: Sequence[Constraint]) -> dict[Hashable, dict[Hashable, bool]]:
    """Below each upper column, all columns that it lies above and whether strictly; uppers in topological order."""
    direct: dict[Hashable, dict[Hashable, bool]] = {}
    for constraint in constraints:
        lowers = direct.setdefault(constraint.upper, {})
        lowers[constraint.lower] = lowers.get(constraint.lower, False) or constraint.strict
    try:
        order = list(TopologicalSorter(direct).static_order())
    except CycleError as error:
        circle = list(dict.fromkeys(error.args[1]))
        raise InputError(
            "BAD_CONFIG",
            f"the constraints on {quoted(circle)} go round in a circle: columns that are always equal are one "
            "declared derived of the other",
            tuple(circle),
        ) from None
    closed: dict[Hashable, dict[Hashable, bool]] = {}
    for upper in order:
        lowers = dict(direct.get(upper, {}))
        for lower, strict in direct.get(upper, {}).items():
            for further, strictly in closed.get(lower, {}).items():
                lowers[further] = lowers.get(further, False) or strict or strictly
        if lowers:
            closed[upper] = lowers
    return closed


def _bounded(upper: Hashable, lowers: dict[Hashable, bool], held: dict[Hashable, Measure]) -> Bounded:
    group = [held[upper], *(held[name] for name in lowers)]
    names = [upper, *lowers]
    if len({measure.nature for measure in group}) > 1:
        raise InputError(
            "BAD_CONFIG",
            f"a constraint compares columns of one kind, {quoted(names)} are not: numbers with numbers, dates with "
            "dates, zoned with zoned",
            tuple(names),
        )
    # the shared step divides every column's step, so that each number has a whole and exact place
    denominator = lcm(*(measure.step.denominator for measure in group))
    finest = min(measure.step for measure in group)
    if any((measure.step / finest).denominator > 1 for measure in group):
        finest = type(finest)(1, denominator)
    base = min((measure.step * measure.origin for measure in group), key=abs)
    scales = [
        Scale(float(measure.step / finest), float((measure.step * measure.origin - base) / finest))
        for measure in group
    ]
    return Bounded(
        upper,
        group[0].position,
        scales[0],
        tuple(
            Lower(name, held[name].position, scale, strict)
            for (name, strict), scale in zip(lowers.items(), scales[1:], strict=True)
        ),
        float(finest * group[0].unit),
    )
