"""What the configuration says of how columns enter the method: transforms, constraints, derived columns."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sosie.columns import Category, Column, quoted
from sosie.constraints import Bounded, bounded_columns, read_constraints
from sosie.declarations import Declaration, declared_of
from sosie.derivations import Derivation, read_derivations
from sosie.errors import InputError
from sosie.natural import measure_of, reading_of
from sosie.transforms import TransformKind


@dataclass(frozen=True)
class Transformed:
    """A column that is combined on another scale; `unit` is what its transform sees one stored number as."""

    name: Hashable
    position: int
    kind: TransformKind
    unit: float


@dataclass(frozen=True)
class Relations:
    """Columns that are transformed, that lie above others, and that are computed after."""

    transformed: tuple[Transformed, ...] = ()
    bounded: tuple[Bounded, ...] = ()
    derivations: tuple[Derivation, ...] = ()

    @property
    def derived(self) -> frozenset[Hashable]:
        """The names of the derived columns."""
        return frozenset(derivation.name for derivation in self.derivations)


NO_RELATIONS = Relations()


def relations_of(
    columns: Sequence[Column], declarations: Mapping[Any, Declaration], constraints: Sequence[str]
) -> Relations:
    """The relations declared of these columns, constraints as in `admitted <= discharged`.

    Raises InputError `BAD_CONFIG` or `UNKNOWN_COLUMN` when the columns do not allow them.
    """
    declared = {column.name: declared_of(declarations, column.name) for column in columns}
    texts = {
        name: declaration.derived for name, declaration in declared.items() if declaration.derived is not None
    }
    derivations = read_derivations(texts, columns)
    idle = [name for name in texts if declared[name].transform is not None or declared[name].weight != 1.0]
    if idle:
        raise InputError(
            "BAD_CONFIG",
            f"derived columns take no part in the projection: leave out transform and weight of {quoted(idle)}",
            tuple(idle),
        )
    read = read_constraints(constraints, columns)
    both = [name for constraint in read for name in (constraint.lower, constraint.upper) if name in texts]
    if both:
        raise InputError(
            "BAD_CONFIG",
            f"constraints name derived column(s) {quoted(both)}: constrain the columns they are computed from",
            tuple(both),
        )
    bounded = bounded_columns(read, columns)
    return Relations(_transformed(columns, declared, bounded), bounded, derivations)


def _transformed(
    columns: Sequence[Column], declared: Mapping[Hashable, Declaration], bounded: Sequence[Bounded]
) -> tuple[Transformed, ...]:
    units = {upper.name: upper.unit for upper in bounded}
    numeric = [column for column in columns if not isinstance(column, Category)]
    positions = {column.name: position for position, column in enumerate(numeric)}
    found = []
    for name, declaration in declared.items():
        kind = declaration.transform
        if kind is None:
            continue
        if name not in positions:
            raise InputError(
                "BAD_CONFIG", f"transform is for numbers and dates: {quoted([name])} is a category", (name,)
            )
        column = numeric[positions[name]]
        measure = measure_of(column, positions[name])
        relative = reading_of(column) != "number" or measure.origin
        if name not in units and relative and kind != "quantile":
            raise InputError(
                "BAD_CONFIG",
                f"transform {kind} of {quoted([name])} has no zero to start from: use quantile, or a constraint that "
                "makes it a difference",
                (name,),
            )
        found.append(
            Transformed(name, measure.position, kind, units.get(name, float(measure.step * measure.unit)))
        )
    return tuple(found)
