"""Columns of identifiers: left out of the method, written anew in the shape of the old ones."""

import re
import string
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from sosie.columns.category import is_dictionary
from sosie.columns.cells import OBJECT, Dtype, quoted
from sosie.columns.date_texts import is_text
from sosie.columns.grid import floating
from sosie.errors import InputError

_HEXADECIMAL = set("abcdef")
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SEVERAL = 5
Objects = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Identifier:
    """A column of identifiers at a `position` of the table.

    Texts: `alphabets` holds what each character is drawn from. Whole numbers: drawn from [least, most]. `taken` are the
    input's own values, none of which is drawn.
    """

    name: Hashable
    dtype: Dtype
    position: int
    taken: frozenset[object] = field(repr=False)
    alphabets: tuple[str, ...] = field(default=(), repr=False)
    least: int = 0
    most: int = 0

    def fresh(self, n: int, rng: np.random.Generator) -> Objects:
        """So many different values in a random order, none of them among the input's.

        Raises InputError `BAD_CONFIG` when the dtype has no room for so many.
        """
        found: dict[object, None] = {}
        if n > _most_levels(self.dtype):
            raise self._without_room(n)
        if not self.alphabets and self.most - self.least < 4 * (n + len(self.taken)):
            free = [value for value in range(self.least, self.most + 1) if value not in self.taken]
            if len(free) < n:
                raise self._without_room(n)
            return _objects(rng.permutation(np.array(free, dtype=object))[:n].tolist())
        while len(found) < n:
            drawn = self._texts(n, rng) if self.alphabets else self._numbers(n, rng)
            found.update(dict.fromkeys(value for value in drawn if value not in self.taken))
        return _objects(list(found)[:n])

    def cells(self, values: Objects) -> "pd.Series[Any]":
        """The values as a series of the column's dtype; a categorical one gets the new values as its levels."""
        if isinstance(self.dtype, pd.CategoricalDtype):
            return pd.Series(pd.Categorical(values), name=self.name)
        if self.dtype == OBJECT:
            return pd.Series(values, name=self.name, dtype=object)
        dtype: Any = self.dtype  # pandas' stubs know each dtype by name only
        return pd.Series(pd.array(values, dtype=dtype), name=self.name)

    def _without_room(self, n: int) -> InputError:
        return InputError(
            "BAD_CONFIG",
            f"column {quoted([self.name])} cannot be regenerated: its dtype {self.dtype} has no room for {n} new "
            "values; declare role: drop",
            (self.name,),
        )

    def _texts(self, n: int, rng: np.random.Generator) -> list[object]:
        letters = [np.array(list(a))[rng.integers(0, len(a), n)].tolist() for a in self.alphabets]
        return ["".join(parts) for parts in zip(*letters, strict=True)]

    def _numbers(self, n: int, rng: np.random.Generator) -> list[object]:
        dtype = np.uint64 if self.most > np.iinfo(np.int64).max else np.int64
        return list(rng.integers(self.least, self.most, n, dtype=dtype, endpoint=True).tolist())


def identifier_of(series: "pd.Series[Any]", position: int) -> Identifier:
    """The column as identifiers of the same shape; InputError `BAD_CONFIG` unless it holds texts or whole numbers."""
    held, present = "", series
    if _may_be_new(series.dtype):
        present = series.dropna()
        held = pd.api.types.infer_dtype(present.astype(object))
    if held == "empty" and pd.api.types.is_numeric_dtype(series.dtype):
        held = "integer"
    if held == "floating" and (present.to_numpy(dtype=float) % 1 == 0).all():
        held = "integer"
    if held == "integer":
        return _whole(series, [int(value) for value in present], position)
    if held in ("string", "empty"):
        values = [str(value) for value in present]
        alike = _of_commonest_length(values)
        classes = _classes(alike)
        alphabets = _widened(_alphabets(alike, classes), classes, 4 * (len(series) + len(values)))
        return Identifier(series.name, series.dtype, position, frozenset(values), alphabets)
    raise InputError(
        "BAD_CONFIG",
        f"column {quoted([series.name])} cannot be regenerated: identifiers are texts or whole numbers; "
        "declare role: drop",
        (series.name,),
    )


def _whole(series: "pd.Series[Any]", values: list[int], position: int) -> Identifier:
    """Whole numbers with as many digits as the longest, more if those are too few, within the dtype."""
    digits = max((len(str(abs(value))) for value in values), default=1)
    while 9 * 10 ** (digits - 1) < 4 * (len(series) + len(values)):
        digits += 1
    most = min(10**digits - 1, _largest(series.dtype))
    least = 10 ** (digits - 1) if 10 ** (digits - 1) < most - 4 * (len(series) + len(values)) else 0
    return Identifier(series.name, series.dtype, position, frozenset(values), least=least, most=most)


def _largest(dtype: Dtype) -> int:
    """The largest whole number that a column of this dtype tells from the next."""
    if isinstance(dtype, pd.ArrowDtype) and is_dictionary(dtype):
        dtype = pd.ArrowDtype(dtype.pyarrow_dtype.value_type)
    if dtype.kind == "f":
        return int(2 ** min(53, np.finfo(floating(dtype)).nmant + 1))
    kind = getattr(dtype, "numpy_dtype", dtype)
    return int(np.iinfo(kind if isinstance(kind, np.dtype) and kind.kind in "iu" else np.int64).max)


def _may_be_new(dtype: Dtype) -> bool:
    """Whether a column of this dtype can be written anew: texts, levels, whole numbers and objects."""
    if isinstance(dtype, pd.ArrowDtype):
        held = dtype.pyarrow_dtype.value_type if is_dictionary(dtype) else dtype.pyarrow_dtype
        number = pa.types.is_integer(held) or pa.types.is_floating(dtype.pyarrow_dtype)
        return bool(number or is_text(pd.ArrowDtype(held)))
    return dtype.kind in "iufO" and not isinstance(dtype, pd.IntervalDtype | pd.PeriodDtype)


def _most_levels(dtype: Dtype) -> float:
    """How many different values a column of this dtype has at most, where it numbers them."""
    if not (isinstance(dtype, pd.ArrowDtype) and is_dictionary(dtype)):
        return np.inf
    return int(np.iinfo(dtype.pyarrow_dtype.index_type.to_pandas_dtype()).max) + 1


def _of_commonest_length(values: list[str]) -> list[str]:
    lengths = np.bincount([len(value) for value in values])
    return [value for value in values if len(value) == int(lengths.argmax())] if values else []


def _classes(alike: list[str]) -> tuple[str, ...]:
    """The digits and letters that places are drawn from; letters of hexadecimal numbers where there are no others."""
    letters = {character for value in alike for character in value if character.isalpha()}
    hexadecimal = letters <= _HEXADECIMAL and (len(letters) > 1 or all(map(_UUID.fullmatch, alike)))
    return string.digits, string.ascii_uppercase, "abcdef" if hexadecimal else string.ascii_lowercase


def _alphabets(alike: list[str], classes: tuple[str, ...]) -> tuple[str, ...]:
    """What is drawn at each place of texts of one length.

    The one character that all have, where they are several; else all digits and letters of the kinds found there.
    """
    if not alike:
        return ("",)
    seen = [set(characters) for characters in zip(*alike, strict=True)]
    several = len(set(alike)) >= _SEVERAL  # what few share may be a person's, not the register's
    return tuple(
        next(iter(characters)) if several and len(characters) == 1 else _drawn_from(characters, classes)
        for characters in seen
    )


def _drawn_from(characters: set[str], classes: tuple[str, ...]) -> str:
    kinds = [letters for letters in classes if characters & set(letters)]
    others = sorted(characters - set("".join(classes)))
    return "".join([*kinds, *others])


def _widened(alphabets: tuple[str, ...], classes: tuple[str, ...], needed: int) -> tuple[str, ...]:
    """The alphabets with room for so many texts: places that all values share are freed from the end, then added."""
    places = list(alphabets)
    for place in reversed(range(len(places))):
        if _room(places) >= needed:
            break
        kind = next((letters for letters in classes if places[place] and places[place] in letters), "")
        places[place] = kind if len(places[place]) == 1 and kind else places[place]
    while _room(places) < needed:
        places.append(string.digits)
    return tuple(place for place in places if place)


def _room(alphabets: "list[str]") -> int:
    product = 1
    for letters in alphabets:
        product *= max(1, len(letters))
    return product


def _objects(values: list[Any]) -> Objects:
    held = np.empty(len(values), dtype=object)
    held[:] = values
    return held
