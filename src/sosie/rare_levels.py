"""Rare levels: those that few rows hold, merged under one label before anything else sees them."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from sosie.columns import Category, quoted
from sosie.errors import InputError


@dataclass(frozen=True)
class Rare:
    """Levels held by fewer than `min_count` rows become `label`; None: they stay."""

    min_count: int
    label: str | None


KEPT = Rare(1, None)


def merged(column: Category, counts: "pd.Series[Any]", min_count: int, label: str) -> Category:
    """The column with its rare levels merged under the label; a categorical dtype loses them and gains the label.

    Raises InputError `BAD_CONFIG` when the levels are numbers and the label is none.
    """
    rare = [level for level in column.levels if counts[level] < min_count]
    if not rare:
        return column
    stand_in, few = _as_level(column, label), set(rare)  # one set: levels may be as many as rows
    others = [level for level in column.levels if level not in few]
    levels = others if stand_in in others else [*others, stand_in]
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        gone = few - {stand_in}
        kept = [level for level in dtype.categories if level not in gone]
        dtype = pd.CategoricalDtype(kept if stand_in in kept else [*kept, stand_in], dtype.ordered)
    return replace(
        column,
        dtype=dtype,
        levels=pd.Index(levels, dtype=object),
        merged={level: stand_in for level in rare if level != stand_in},
    )


def _as_level(column: Category, label: str) -> Any:
    """The label as a level of the column's own type."""
    kinds = {type(level) for level in column.levels}
    if all(issubclass(kind, str) for kind in kinds):
        return label
    try:
        level = int(label)
    except ValueError:
        level = None
    if level is None or pd.api.types.infer_dtype(column.levels) != "integer":
        raise InputError(
            "BAD_CONFIG",
            f"rare_values.label cannot stand among the levels of {quoted([column.name])}, which are no texts: choose a "
            "number as label, make the column text, or drop it",
            (column.name,),
        )
    return level
