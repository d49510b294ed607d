"""Columns of levels: text, declared categories, booleans."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sosie.columns.arrow_texts import arrow_texts, held_by_arrow
from sosie.columns.cells import MISSING, OBJECT, UNSEEN, Codes, Dtype, with_marker
from sosie.columns.factorised import Factorised, factorised


@dataclass(frozen=True, eq=False)
class Category:
    """A column of levels.

    `merged` gives, for each level that is too rare to keep, the level that stands for it. `as_text`: the cells are of
    several types and the levels are their texts.
    """

    name: Hashable
    kind: Literal["category", "boolean"]
    dtype: Dtype
    reason: str
    levels: "pd.Index[Any]"
    weight: float = 1.0
    marker: object = None
    merged: Mapping[object, object] = field(default_factory=dict, repr=False)
    as_text: bool = False

    def codes(self, series: "pd.Series[Any]") -> Codes:
        """The column's cells as (n,) positions in `levels`, −1 where missing, −2 where the level is not one of them."""
        if self.as_text:
            return np.where(series.isna(), MISSING, self._positions(pd.Index(texts(series)))).astype(np.int32)
        return self.codes_of(factorised(with_plain_levels(series)))

    def codes_of(self, column: Factorised) -> Codes:
        """The same of a column told apart: each level is looked up once, however many rows hold it."""
        known = self._positions(pd.Index(column.cells, dtype=object))
        positions: Codes = np.where(column.cells.isna(), MISSING, known).astype(np.int32)
        return positions[column.places]

    def _positions(self, cells: "pd.Index[Any]") -> NDArray[Any]:
        """The positions in `levels` of cells, −2 of those that are none; a merged level's is that of its stand-in."""
        positions = self.levels.get_indexer(cells)
        if self.merged:
            levels = pd.Index(list(self.merged), dtype=object)
            targets = self.levels.get_indexer(pd.Index(list(self.merged.values()), dtype=object))
            rare = levels.get_indexer(cells)
            positions = np.where(rare >= 0, targets[rare], positions)
        return np.where(positions < 0, UNSEEN, positions)

    def cells(self, codes: Codes) -> "pd.Series[Any]":
        """(n,) codes as a series of the column's dtype."""
        missing = codes < 0
        levels = self.levels.to_numpy(dtype=object)
        if held_by_arrow(self.dtype):
            return pd.Series(arrow_texts(levels, codes, missing, self.dtype), name=self.name)
        held: NDArray[Any] = np.empty(len(codes), dtype=object)
        held[~missing] = levels[codes[~missing]]
        if self.dtype == OBJECT:
            return pd.Series(with_marker(held, missing, self.marker), name=self.name, dtype=object)
        if is_dictionary(self.dtype):
            return pd.Series(_dictionary(held, missing, self.dtype), name=self.name)
        if not missing.any():
            return pd.Series(held, name=self.name, dtype=object).astype(self.dtype)
        held[missing] = np.nan if isinstance(self.dtype, np.dtype) else None
        dtype: Any = self.dtype  # pandas' stubs know each dtype by name only
        return pd.Series(pd.array(held, dtype=dtype), name=self.name)


def texts(series: "pd.Series[Any]") -> "pd.Series[Any]":
    """The cells as texts, missing ones as they are."""
    return series.astype(object).map(str, na_action="ignore")


def is_dictionary(dtype: Dtype) -> bool:
    """Whether Arrow holds the column as positions in a dictionary."""
    return isinstance(dtype, pd.ArrowDtype) and pa.types.is_dictionary(dtype.pyarrow_dtype)


def with_plain_levels(series: "pd.Series[Any]") -> "pd.Series[Any]":
    """The series; one that Arrow holds as positions in a dictionary has the levels of its cells, each once.

    pandas tells its cells apart by their positions: a missing level is present, an unused one a level of theirs.
    """
    if not is_dictionary(series.dtype):
        return series
    column = pa.chunked_array(pa.array(series))
    try:
        held = _encoded_anew(column, _different(column.cast(column.type.value_type)))
    except pa.ArrowException:  # levels that Arrow does not tell apart
        return series
    return pd.Series(pd.arrays.ArrowExtensionArray(held), index=series.index, name=series.name)


def plainly_encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column, encoded anew where a level of its dictionary is missing or comes twice, as none of pandas may."""
    known = [chunk.dictionary for chunk in column.chunks]
    try:
        if all(len(_different(levels)) == len(levels) for levels in known):
            return column
        return _encoded_anew(column, _different(pa.chunked_array(known)))
    except pa.ArrowException:
        return column


def _encoded_anew(column: pa.ChunkedArray, levels: pa.Array) -> pa.ChunkedArray:
    type_ = column.type
    places = pc.index_in(column.cast(type_.value_type), levels).cast(type_.index_type)
    cells = [pa.DictionaryArray.from_arrays(one, levels, ordered=type_.ordered) for one in places.chunks]
    return pa.chunked_array(cells, type_)


def _different(values: "pa.Array | pa.ChunkedArray") -> pa.Array:
    """The values that there are, each once."""
    different = values.unique()
    return different.filter(pc.invert(pc.is_null(different, nan_is_null=True)))


def _dictionary(held: NDArray[Any], missing: NDArray[np.bool_], dtype: Dtype) -> Any:
    arrow = dtype.pyarrow_dtype  # type: ignore[union-attr]  # the caller has looked
    held[missing] = None
    cells = pa.array(held, type=arrow.value_type).dictionary_encode()
    return pd.arrays.ArrowExtensionArray(cells.cast(arrow))
