"""The cells of a column that somebody named, and random rows of a table."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from sosie.columns import Category, Codes, Column, Floats, Numeric, Table, quoted
from sosie.errors import InputError
from sosie.natural import amounts


@dataclass(frozen=True, eq=False)
class NumberCells:
    """A number's (n,) values, NaN where there is none, in the column's own unit (dates and durations: days)."""

    column: Numeric
    values: Floats


@dataclass(frozen=True, eq=False)
class CategoryCells:
    """A category's (n,) codes, below 0 where missing."""

    column: Category
    codes: Codes


Cells = NumberCells | CategoryCells


def column_named(table: Table, name: Hashable) -> Column:
    """The column of this name (or of this name as text); InputError `UNKNOWN_COLUMN` when there is none."""
    for column in table.columns:
        if column.name == name or str(column.name) == str(name):
            return column
    raise InputError("UNKNOWN_COLUMN", f"the table has no column {quoted([name])}", (name,))


def cells_of(table: Table, name: Hashable) -> Cells:
    """What the named column holds; InputError `UNKNOWN_COLUMN` when there is none."""
    column = column_named(table, name)
    if isinstance(column, Category):
        position = [other.name for other in table.category_columns].index(column.name)
        return CategoryCells(column, table.codes[:, position])
    position = [other.name for other in table.number_columns].index(column.name)
    return NumberCells(column, amounts(column, table.numbers[:, position]))


def at_most(table: Table, rows: int, rng: np.random.Generator) -> Table:
    """The table, or so many of its rows drawn at random, in their order."""
    if len(table) <= rows:
        return table
    return table.take(np.sort(rng.choice(len(table), rows, replace=False)))
