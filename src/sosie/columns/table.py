"""n individuals as numbers and codes."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.columns.arrow_texts import held_by_arrow
from sosie.columns.category import Category, texts
from sosie.columns.cells import Codes, Floats, States, quoted
from sosie.columns.factorised import Factorised
from sosie.columns.fixed import Fixed
from sosie.columns.identifier import Identifier, Objects
from sosie.columns.instant import Instant
from sosie.columns.number import Number
from sosie.errors import InputError
from sosie.threads import each

Numeric = Number | Fixed | Instant
Column = Numeric | Category

_NONE: Mapping[Hashable, Factorised] = {}
PRESENT, GAP, FIRST_CODE = 0, 1, 2  # states of a cell; a column's first missing code is state 2


@dataclass(frozen=True, eq=False)
class Table:
    """n individuals as numbers and codes.

    `numbers` is (n, p) for the p numeric columns, NaN where there is no number; `states` (n, p) says why: 0 there is
    one, 1 the cell is missing, 2 and more it holds the first missing code of the column and those that follow. `codes`
    is (n, q) for the q categorical columns. All are in the order of `columns`. `fresh` is (n, r): new values for the r
    identifiers.
    """

    columns: tuple[Column, ...]
    numbers: Floats
    states: States
    codes: Codes
    identifiers: tuple[Identifier, ...]
    fresh: Objects

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def number_columns(self) -> tuple[Numeric, ...]:
        """The p numeric columns, dates among them."""
        return tuple(column for column in self.columns if not isinstance(column, Category))

    @property
    def category_columns(self) -> tuple[Category, ...]:
        """The q categorical columns."""
        return tuple(column for column in self.columns if isinstance(column, Category))

    def take(self, rows: NDArray[np.int64]) -> "Table":
        """The individuals at these positions, in this order."""
        return replace(
            self,
            numbers=self.numbers.take(rows, axis=0),
            states=self.states.take(rows, axis=0),
            codes=self.codes.take(rows, axis=0),
            fresh=self.fresh.take(rows, axis=0),
        )

    def to_frame(self, workers: int = -1) -> pd.DataFrame:
        """The table with its own dtypes, columns in order, index 0…n−1."""
        numbers, states, codes = iter(self.numbers.T), iter(self.states.T), iter(self.codes.T)
        columns = [
            partial(column.cells, next(codes))
            if isinstance(column, Category)
            else partial(_cells, column, next(numbers), next(states))
            for column in self.columns
        ]
        in_arrow = [isinstance(column, Category) and held_by_arrow(column.dtype) for column in self.columns]
        # what pandas itself does may set filters of warnings, which threads share
        texts = iter(each(lambda column: column(), compress(columns, in_arrow), workers))
        series = [
            next(texts) if is_text else column() for column, is_text in zip(columns, in_arrow, strict=True)
        ]
        for identifier, values in zip(self.identifiers, self.fresh.T, strict=True):
            series.insert(identifier.position, identifier.cells(values))
        return pd.concat(series, axis="columns")


def encode(
    frame: pd.DataFrame, columns: tuple[Column, ...], told: Mapping[Hashable, Factorised] = _NONE
) -> Table:
    """The frame as a `Table` of these columns; others are left out. `told` are its columns that are told apart already.

    Raises InputError `UNKNOWN_COLUMN` when the frame lacks one.
    """
    absent = [column.name for column in columns if column.name not in frame.columns]
    if absent:
        raise InputError("UNKNOWN_COLUMN", f"the table has no column {quoted(absent)}", tuple(absent))
    numeric = [column for column in columns if not isinstance(column, Category)]
    categories = [column for column in columns if isinstance(column, Category)]
    n = len(frame)
    numbers, states = np.empty((n, len(numeric))), np.zeros((n, len(numeric)), dtype=np.int8)
    for j, column in enumerate(numeric):
        numbers[:, j], states[:, j] = _without_codes(column, _numbers(column, frame, told))
    codes = np.empty((n, len(categories)), dtype=np.int32)
    for j, category in enumerate(categories):
        known = told.get(category.name)
        codes[:, j] = category.codes(frame[category.name]) if known is None else category.codes_of(known)
    return Table(
        columns=columns,
        numbers=numbers,
        states=states,
        codes=codes,
        identifiers=(),
        fresh=np.empty((n, 0), dtype=object),
    )


def with_identifiers(table: Table, identifiers: tuple[Identifier, ...], rng: np.random.Generator) -> Table:
    """The table with fresh values for identifiers, unrelated to its rows."""
    if not identifiers:
        return table
    fresh = [identifier.fresh(len(table), rng) for identifier in identifiers]
    return replace(table, identifiers=identifiers, fresh=np.stack(fresh, axis=1))


def with_levels_of(columns: tuple[Column, ...], frames: Mapping[str, pd.DataFrame]) -> tuple[Column, ...]:
    """The same columns, each category with the levels of all these frames too."""
    return tuple(
        replace(column, levels=_union(column, [frame[column.name] for frame in frames.values()]))
        if isinstance(column, Category)
        else column
        for column in columns
    )


def _numbers(column: Numeric, frame: pd.DataFrame, told: Mapping[Hashable, Factorised]) -> Floats:
    known = told.get(column.name)
    return column.numbers(frame[column.name]) if known is None else column.numbers(known.cells)[known.places]


def _without_codes(column: Numeric, numbers: Floats) -> tuple[Floats, States]:
    states = np.isnan(numbers).astype(np.int8)
    if not column.missing_codes:
        return numbers, states
    for place, code in enumerate(column.missing_codes):
        states[numbers == code] = FIRST_CODE + place
    return np.where(states == PRESENT, numbers, np.nan), states


def _cells(column: Numeric, numbers: Floats, states: States) -> "pd.Series[Any]":
    return column.cells(with_codes(column, numbers, states))


def with_codes(column: Numeric, numbers: Floats, states: States) -> Floats:
    """(n,) numbers of a column with its missing codes where the states say so."""
    if not column.missing_codes:
        return numbers
    held = np.array([np.nan, np.nan, *column.missing_codes])
    return np.where(states == PRESENT, numbers, held[states])


def _union(column: Category, others: "list[pd.Series[Any]]") -> "pd.Index[Any]":
    new: dict[object, None] = dict.fromkeys(column.levels)
    for series in others:
        cells = texts(series) if column.as_text else series.astype(object)
        new.update(dict.fromkeys(level for level in cells.dropna().unique() if level not in column.merged))
    return pd.Index(list(new), dtype=object)
