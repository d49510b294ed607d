"""The space in which individuals are compared and combined: transforms and differences in place of raw numbers.

What leads into it is fitted once, on the rows that are anonymised; a table enters by its own cells alone. Barycentres
are taken there, and come back through the inverse.
"""

from dataclasses import dataclass, replace

import numpy as np

from sosie.columns import Floats, Table
from sosie.relations import NO_RELATIONS, Relations, Transformed
from sosie.transforms import Transform, fit_transform


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
            columns=tuple(column for column in table.columns if column.name not in derived),
            # laid out as a table without them would be, so that coordinates are the same to the last bit
            numbers=np.ascontiguousarray(inside[:, numbers]),
            states=table.states[:, numbers],
            codes=table.codes[:, codes],
        )


PLAIN = Space(NO_RELATIONS, (), ())


def fit_space(table: Table, relations: Relations) -> Space:
    """The space of a table: its transforms fitted on its own rows.

    Raises InputError `BAD_CONFIG` when the values do not allow a transform.
    """
    differences = {upper.position: upper.differences(table.numbers) for upper in relations.bounded}
    transforms = []
    for transformed in relations.transformed:
        numbers = differences.get(transformed.position, table.numbers[:, transformed.position])
        transforms.append(
            (transformed, fit_transform(transformed.kind, numbers * transformed.unit, transformed.name))
        )
    return Space(relations, tuple(transforms), tuple(_ends(numbers) for numbers in differences.values()))


def _ends(numbers: Floats) -> tuple[float, float]:
    present = numbers[~np.isnan(numbers)]
    return (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
