"""What decoding asks of all originals together: where they are one batch of a table, the batch alone cannot say it."""

from dataclasses import dataclass

import numpy as np

from sosie.columns import MISSING, Table
from sosie.lattice import Lattice, lattice_of


@dataclass(frozen=True, eq=False)
class Whole:
    """A table's columns as a whole.

    Of each of the p numeric ones its lattice and whether any row has no number, of each of the q categories whether any
    row has no level.
    """

    lattices: tuple[Lattice, ...]
    number_gaps: tuple[bool, ...]
    code_gaps: tuple[bool, ...]


def whole_of(table: Table, truncate: bool) -> Whole:
    """That of a table in memory; `truncate`: whole numbers are cut off, not rounded."""
    lattices = [
        lattice_of(column, numbers, truncate)
        for numbers, column in zip(table.numbers.T, table.number_columns, strict=True)
    ]
    return Whole(
        tuple(lattices),
        tuple(bool(np.isnan(numbers).any()) for numbers in table.numbers.T),
        tuple(bool((codes == MISSING).any()) for codes in table.codes.T),
    )
