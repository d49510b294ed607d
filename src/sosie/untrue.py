"""Relations held against rows, all at once or a block at a time: whether every row keeps what is declared."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from sosie.columns import Floats, Table, quoted
from sosie.constraints import EXACT, Bounded, Lower, Scale
from sosie.errors import InputError
from sosie.recomputation import margins_of, untrue_rows
from sosie.relations import NO_RELATIONS, Relations
from sosie.transforms import refuse_transform

Tables = Callable[[], Iterable[Table]]
Place = tuple[int, int]


def refuse_untrue(relations: Relations, table: Table) -> None:
    """InputError `BAD_CONFIG` when a row of the table breaks a constraint or a derivation, or allows no transform."""
    refuse_untrue_in_blocks(relations, lambda: (table,))


def refuse_untrue_in_blocks(relations: Relations, tables: Tables) -> None:
    """The same of a table that comes in blocks, again at each call."""
    if relations == NO_RELATIONS:
        return
    margins = margins_of(relations.derivations, tables)
    found = Untrue(relations, margins)
    for table in tables():
        found.add(table)
    found.refuse()


@dataclass
class Untrue:
    """What the rows seen so far say against relations.

    `margins` are half of the last place of each derived column. `reach` is how far from 0 the cells of an upper column
    (0), and of those below it (1, 2 …), lie on their shared scale; `broken` how many rows break each of its
    constraints, or one that follows from several; `untrue` how many are not what a derivation says; `below` how many
    numbers of each transformed column are below 0.
    """

    relations: Relations
    margins: list[float]
    rows: int = 0
    reach: dict[Place, float] = field(default_factory=dict)
    broken: Counter[Place] = field(default_factory=Counter)
    untrue: Counter[int] = field(default_factory=Counter)
    below: Counter[int] = field(default_factory=Counter)

    def add(self, table: Table) -> None:
        """Take in the next block."""
        self.rows += len(table)
        for place, upper in enumerate(self.relations.bounded):
            self._compare(place, upper, table.numbers)
        for place, derivation in enumerate(self.relations.derivations):
            self.untrue[place] += int(untrue_rows(derivation, table, self.margins[place]).sum())
        differences = {upper.name: upper.differences(table.numbers) for upper in self.relations.bounded}
        for place, transformed in enumerate(self.relations.transformed):
            numbers = differences.get(transformed.name, table.numbers[:, transformed.position])
            self.below[place] += int((numbers < 0).sum())

    def _compare(self, place: int, upper: Bounded, numbers: Floats) -> None:
        members: tuple[Bounded | Lower, ...] = (upper, *upper.lowers)
        for member, column in enumerate(members):
            cells = np.abs(column.scale.shared(numbers[:, column.position]))
            farthest = float(np.fmax.reduce(cells, initial=self.reach.get((place, member), 0.0)))
            self.reach[place, member] = farthest
        for member, lower in enumerate(upper.lowers):
            self.broken[place, member] += int(upper.breaks(numbers, lower).sum())

    def refuse(self) -> None:
        """InputError `BAD_CONFIG` for the first relation that is not kept."""
        for place, upper in enumerate(self.relations.bounded):
            self._refuse_constraints(place, upper)
        for place, derivation in enumerate(self.relations.derivations):
            if self.untrue[place]:
                raise InputError(
                    "BAD_CONFIG",
                    f"derived of {quoted([derivation.name])} is not what the column holds in {self.untrue[place]} of "
                    f"{self.rows} row(s), to its last place: correct the expression (round, floor?) or leave it out",
                    (derivation.name,),
                )
        for place, transformed in enumerate(self.relations.transformed):
            refuse_transform(transformed.kind, self.below[place], transformed.name)

    def _refuse_constraints(self, place: int, upper: Bounded) -> None:
        members: tuple[Bounded | Lower, ...] = (upper, *upper.lowers)
        for number, member in enumerate(members):
            if member.scale != Scale(1.0, 0.0) and self.reach[place, number] > EXACT:
                raise InputError(
                    "BAD_CONFIG",
                    f"the values of {quoted([upper.name, member.name])} lie too far apart to be compared exactly: "
                    "store them in larger units",
                    (upper.name, member.name),
                )
        for number, lower in enumerate(upper.lowers):
            if self.broken[place, number]:
                sign = "<" if lower.strict else "<="
                raise InputError(
                    "BAD_CONFIG",
                    f"constraint {quoted([f'{lower.name} {sign} {upper.name}'])} does not hold in "
                    f"{self.broken[place, number]} row(s): correct them or leave the constraint out",
                    (lower.name, upper.name),
                )
