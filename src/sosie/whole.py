"""What decoding asks of all originals together: where they are one batch of a table, the batch alone cannot say it."""

from dataclasses import dataclass

import numpy as np

from sosie.columns import MISSING, Table
from sosie.lattice import Lattice, lattice_of
from sosie.threads import each


@dataclass(frozen=True, eq=False)
class Whole:
    """A table's columns as a whole.

    Of each of the p numeric ones its lattice and whether any row has no number, of each of the q categories whether any
    row has no level.
    """

    lattices: tuple[Lattice, ...]
    number_gaps: tuple[bool, ...]
    code_gaps: tuple[bool, ...]


def whole_of(table: Table, truncate: bool, workers: int = -1) -> Whole:
    """That of a table in memory; `truncate`: whole numbers are cut off, not rounded."""
    columns = zip(table.number_columns, table.numbers.T, strict=True)
    lattices = each(lambda of: lattice_of(*of, truncate), columns, workers)
    return Whole(
        tuple(lattices),
        tuple(bool(np.isnan(numbers).any()) for numbers in table.numbers.T),
        tuple(bool((codes == MISSING).any()) for codes in table.codes.T),
    )
