"""Variables of statistics programs: numbers or texts with a format, a label and labels for their values."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.columns import quoted
from sosie.errors import InputError, Notice
from sosie.sources.calendars import Clock
from sosie.sources.names import refuse_duplicates


@dataclass(frozen=True)
class Variable:
    """How one variable stands in the file of a statistics program.

    `label` describes it, `format` is the program's own display format, `codes` and `labels` are the values that have
    labels and these labels, `is_labelled` says that every present value has one, so that the column is a category whose
    levels are the labels.
    """

    name: str
    label: str = ""
    format: str = ""
    clock: Clock | None = None
    codes: tuple[float | str, ...] = ()
    labels: tuple[str, ...] = ()
    is_labelled: bool = False

    def value_labels(self) -> dict[Any, str]:
        """The labels by value."""
        return dict(zip(self.codes, self.labels, strict=True))

    def levels(self) -> list[str]:
        """The labels as levels: a label that several values share is told apart by the value."""
        shared = Counter(self.labels)
        return [
            label if shared[label] == 1 else f"{label} ({_spoken(code)})"
            for code, label in zip(self.codes, self.labels, strict=True)
        ]


@dataclass(frozen=True)
class Read:
    """A column as it was read, and the variable it is."""

    column: "pd.Series[Any]"
    variable: Variable


def numbers_read(
    numbers: NDArray[Any], variable: Variable, labels: Mapping[Any, str], *, whole: bool, ordered: bool
) -> Read:
    """A numeric variable: a category if every present value has a label, instants if it has a clock, else numbers.

    `numbers` is (n,), float with NaN where missing or of a whole type without gaps. Whole numbers are int64 (Int64 with
    gaps) when `whole`; integers keep their width in any case.
    """
    labelled = _with_labels(variable, labels)
    floats = numbers.astype(np.float64)
    present = floats[~np.isnan(floats)]
    if labelled.codes and len(present) and np.isin(present, np.array(labelled.codes, np.float64)).all():
        return _category(floats, labelled, ordered)
    instants = labelled.clock.read(floats) if labelled.clock else None
    if instants is not None:
        return Read(instants, labelled)
    plain = Variable(variable.name, variable.label, variable.format, None, labelled.codes, labelled.labels)
    if whole and len(present) and (present % 1 == 0).all() and np.abs(present).max() < 2**53:
        gaps = len(present) < len(floats)
        return Read(pd.Series(floats).astype("Int64" if gaps else "int64"), plain)
    return Read(pd.Series(numbers), plain)


def texts_read(
    texts: "pd.Series[Any]", variable: Variable, labels: Mapping[Any, str], *, ordered: bool
) -> Read:
    """A variable of texts, whose empty text means missing in statistics programs: a category if all have labels."""
    labelled = _with_labels(variable, labels)
    held = texts.astype("str").where(texts.notna() & (texts != ""))
    present = held.dropna()
    if labelled.codes and len(present) and present.isin(labelled.codes).all():
        return _category(held.to_numpy(dtype=object), labelled, ordered)
    return Read(held.reset_index(drop=True), labelled)


def values_of(series: "pd.Series[Any]", variable: Variable) -> "pd.Series[Any]":
    """The column as the file's own numbers (float64, NaN where missing) or texts.

    Raises ValueError for a level that has no code.
    """
    if variable.is_labelled:
        codes = dict(zip(variable.levels(), variable.codes, strict=True))
        unknown = set(series.dropna().astype(str)) - codes.keys()
        if unknown:
            raise ValueError(
                f"column {variable.name!r} has {len(unknown)} level(s) without a code in the source"
            )
        values = series.astype(object).map(codes)
        return values if isinstance(variable.codes[0], str) else values.astype(np.float64)
    if variable.clock is not None:
        return pd.Series(variable.clock.write(series))
    if pd.api.types.is_string_dtype(series.dtype):
        return series.astype(object)
    return pd.Series(series.to_numpy(np.float64, na_value=np.nan))


def refuse_fresh_levels(names: list[Any], variables: tuple[Variable, ...]) -> None:
    """InputError `BAD_CONFIG` where variables of these names have labels, which what is drawn anew has none of."""
    labelled = tuple(each.name for each in variables if each.is_labelled and each.name in names)
    if labelled:
        raise InputError(
            "BAD_CONFIG",
            f"column(s) {quoted(labelled)} cannot be regenerated: the source has a label for each of their values; "
            "declare role: drop",
            labelled,
        )


def table_read(read: list[Read], name: str) -> pd.DataFrame:
    """The columns as a frame; InputError EMPTY_TABLE without rows or columns, DUPLICATE_COLUMNS."""
    names = [each.variable.name for each in read]
    refuse_duplicates(names, name)
    if not read or not len(read[0].column):
        raise InputError("EMPTY_TABLE", f"{name} has no row or no variable; at least one of each is needed")
    return pd.DataFrame({each.variable.name: each.column for each in read})


def selected(frame: pd.DataFrame, variables: tuple[Variable, ...]) -> list[Variable]:
    """The variables of the frame's columns; ValueError for a column that the source does not have."""
    by_name = {variable.name: variable for variable in variables}
    unknown = [str(name) for name in frame.columns if name not in by_name]
    if unknown:
        raise ValueError(f"columns that the source does not have: {', '.join(unknown)}")
    return [by_name[name] for name in frame.columns]


def merged_reasons(columns: list[str]) -> tuple[Notice, ...]:
    """One notice for each variable that told several kinds of missing apart."""
    return tuple(
        Notice(
            "MISSING_CODES_MERGED",
            name,
            "several codes for missing values: all read as missing, written back as the one system-missing value",
        )
        for name in columns
    )


def _with_labels(variable: Variable, labels: Mapping[Any, str]) -> Variable:
    codes = sorted(labels)
    return Variable(
        variable.name,
        variable.label,
        variable.format,
        variable.clock,
        tuple(code if isinstance(code, str) else float(code) for code in codes),
        tuple(str(labels[code]) for code in codes),
    )


def _category(values: NDArray[Any], variable: Variable, ordered: bool) -> Read:
    known = pd.Index(np.array(variable.codes, dtype=values.dtype))
    positions = known.get_indexer(pd.Index(values))
    levels = pd.CategoricalDtype(variable.levels(), ordered)
    column = pd.Series(pd.Categorical.from_codes(positions, dtype=levels))
    kept = Variable(
        variable.name,
        variable.label,
        variable.format,
        None,
        variable.codes,
        variable.labels,
        is_labelled=True,
    )
    return Read(column, kept)


def _spoken(code: float | str) -> str:
    return code if isinstance(code, str) else f"{code:g}"
