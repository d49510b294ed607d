"""The space in which individuals are compared and combined: transforms and differences in place of raw numbers.

What leads into it is fitted once, on the rows that are anonymised; a table enters by its own cells alone. Barycentres
are taken there, and come back through the inverse.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sosie.columns import Column, Floats, Table
from sosie.ordered import Pieces, ends_of, whole
from sosie.relations import NO_RELATIONS, Relations, Transformed
from sosie.transforms import Transform, fit_transform_in_pieces


@dataclass(frozen=True, eq=False)
class Space:
    """The fitted transforms, and between which ends each difference lies (on its shared scale)."""

    relations: Relations
    transforms: tuple[tuple[Transformed, Transform], ...]
    ends: tuple[tuple[float, float], ...]

    def inside(self, numbers: Floats) -> Floats:
        """(n, p) numbers of the space for (n, p) raw ones; NaN where missing, or without anything to differ from."""
        if not (self.transforms or self.relations.bounded):
            return numbers
        inside = numbers.copy()
        for upper in self.relations.bounded:
            inside[:, upper.position] = upper.differences(numbers)
        for transformed, transform in self.transforms:
            natural = inside[:, transformed.position] * transformed.unit
            inside[:, transformed.position] = transform.forward(natural)
        return inside

    def outside(self, inside: Floats) -> Floats:
        """(m, p) combined numbers of the space as raw ones and differences, within the fitted ends."""
        if not (self.transforms or self.relations.bounded):
            return inside
        outside = inside.copy()
        for transformed, transform in self.transforms:
            natural = transform.inverse(inside[:, transformed.position])
            outside[:, transformed.position] = natural / transformed.unit
        for upper, (least, most) in zip(self.relations.bounded, self.ends, strict=True):
            outside[:, upper.position] = np.clip(outside[:, upper.position], least, most)
        return outside

    def enter(self, table: Table) -> Table:
        """The table as the projection sees it: numbers of the space, without derived columns."""
        derived = self.relations.derived
        inside = self.inside(table.numbers)
        if not derived:
            return replace(table, numbers=inside)
        numbers = [column.name not in derived for column in table.number_columns]
        codes = [column.name not in derived for column in table.category_columns]
        return replace(
            table,
            columns=self.entering(table.columns),
            # laid out as a table without them would be, so that coordinates are the same to the last bit
            numbers=np.ascontiguousarray(inside[:, numbers]),
            states=table.states[:, numbers],
            codes=table.codes[:, codes],
        )

    def entering(self, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        """Those of a table's columns that enter: all but derived ones."""
        return tuple(column for column in columns if column.name not in self.relations.derived)


PLAIN = Space(NO_RELATIONS, (), ())


def fit_space(table: Table, relations: Relations) -> Space:
    """The space of a table: its transforms fitted on its own rows.

    Raises InputError `BAD_CONFIG` when the values do not allow a transform.
    """
    return fit_space_in_pieces(relations, [whole(numbers) for numbers in fitted_on(relations, table.numbers)])


def fitted_on(relations: Relations, numbers: Floats) -> list[Floats]:
    """What a space is fitted on, (n,) each: the numbers that transforms see, then the differences."""
    differences = {upper.position: upper.differences(numbers) for upper in relations.bounded}
    return [
        *(
            differences.get(one.position, numbers[:, one.position]) * one.unit
            for one in relations.transformed
        ),
        *differences.values(),
    ]


def fit_space_in_pieces(relations: Relations, columns: Sequence[Pieces]) -> Space:
    """The space of a table that comes in blocks: `columns` are what `fitted_on` says of them, one after the other."""
    fitted = [
        (one, fit_transform_in_pieces(one.kind, pieces, one.name))
        for one, pieces in zip(relations.transformed, columns, strict=False)
    ]
    ends = [_ends(pieces) for pieces in columns[len(fitted) :]]
    return Space(relations, tuple(fitted), tuple(ends))


def _ends(pieces: Pieces) -> tuple[float, float]:
    ends = ends_of(pieces)
    return (ends.least, ends.most) if ends.least <= ends.most else (0.0, 0.0)
