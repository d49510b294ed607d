"""How a column of texts reads, found from a text of each form: which forms there are does not grow with the rows."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sosie.sources.csv_columns import BOOLEANS, NULLABLE, TEXT, TextColumn, typed
from sosie.sources.csv_dialect import ColumnStyle
from sosie.sources.csv_numbers import INFINITIES, as_spelled
from sosie.sources.csv_spellings import SPELLINGS, missing_among_numbers, missing_among_texts

Mask = NDArray[np.bool_]

_WORDS = (*SPELLINGS, *INFINITIES, *(word for pair in BOOLEANS for word in pair))
_LIKE_A_NUMBER = "^[-+0-9.,' ’\u00a0\u202feE]+$"
_CAPITALS = "^[A-Z]{2}$"  # codes of countries, among which NA is one
_OTHER = "\0"  # no text holds it
_ZERO, _ONE, _FIVE, _NINE = b"0159"
_MOST, _LEAST = str(2**63 - 1), str(2**63)  # of integers of 64 bits, the least without its sign


@dataclass(frozen=True)
class Reading:
    """What a column's texts are read as, and which of them are missing: where they stand in no quotes alone, or all."""

    style: ColumnStyle
    dtype: Any
    missing: pa.Array
    only_bare: bool

    def cells(self, distinct: pa.Array, codes: pa.Array, bare: Mask) -> "pd.Series[Any]":
        """The cells whose texts are at `codes` among the distinct ones; `bare` says which stand in no quotes."""
        missing = pc.is_in(distinct, self.missing)
        if pd.api.types.is_string_dtype(self.dtype):
            rows = np.asarray(missing)[np.asarray(codes)]
            gaps = pa.array(rows & bare if self.only_bare else rows)
            texts = pc.if_else(gaps, pa.scalar(None, pa.string()), distinct.take(codes))
            held: pd.Series[Any] = texts.to_pandas(types_mapper=TEXT.get)
            return held
        present = pc.if_else(missing, pa.scalar(None, pa.string()), distinct)
        if pd.api.types.is_bool_dtype(self.dtype):
            values = pc.equal(present, self.style.true)
        else:
            whole = pd.api.types.is_integer_dtype(self.dtype)
            values = as_spelled(present, pa.int64() if whole else pa.float64(), self.style.numbers)
        nullable = isinstance(self.dtype, pd.api.extensions.ExtensionDtype)
        series: pd.Series[Any] = values.take(codes).to_pandas(types_mapper=NULLABLE.get if nullable else None)
        return series


@dataclass(frozen=True)
class Spelled:
    """How many rows hold each spelling of a missing cell, and how many in no quotes."""

    rows: Counter[str]
    bare: Counter[str]


def spelled_in(distinct: pa.Array, codes: pa.Array) -> Counter[str]:
    """How many of the cells whose texts are at `codes` hold each spelling of a missing one."""
    counts = np.bincount(np.asarray(codes), minlength=len(distinct))
    places = np.flatnonzero(np.asarray(missing_among_numbers(distinct)))
    return Counter({distinct[int(place)].as_py(): int(counts[place]) for place in places})


def reading_of(
    telling: pa.Array, spelled: Spelled, style: ColumnStyle, shown: str, delimiter: str
) -> Reading:
    """How a column reads, as `typed` finds from all its texts; `telling` are those that `with_telling` kept."""
    bare = np.array([spelled.bare[text] > 0 for text in telling.to_pylist()])
    codes = pa.array(np.arange(len(telling)), pa.int32())
    series, found = typed(TextColumn(telling, codes, lambda: bare), style, shown, delimiter)
    is_text = pd.api.types.is_string_dtype(series.dtype)
    as_texts = is_text or bool(series.isna().all())
    missing = telling.filter((missing_among_texts if as_texts else missing_among_numbers)(telling))
    only_bare = is_text and any(spelled.bare[text] for text in missing.to_pylist())
    counts = spelled.bare if only_bare else spelled.rows
    commonest = max(missing.to_pylist(), key=counts.__getitem__, default=None)
    if commonest is not None:
        found = replace(found, missing=commonest, missing_quoted=not spelled.bare[commonest])
    return Reading(found, series.dtype, missing, only_bare)


def with_telling(telling: pa.Array, texts: pa.Array) -> pa.Array:
    """Of all these texts one of each form: missing spellings as they are, numbers by shape, one text of any other."""
    both = pa.concat_arrays([telling, texts])
    codes = pc.dictionary_encode(_forms(both)).indices
    return both.take(pa.array(pd.Series(np.asarray(codes)).drop_duplicates().index))


def _forms(texts: pa.Array) -> pa.Array:
    """Equal for texts that read alike: as numbers, those whose digits are as many and start with 0 or not."""
    kept = pc.or_(pc.is_in(texts, pa.array(_WORDS)), pc.match_substring_regex(texts, _CAPITALS))
    like_numbers = pc.match_substring_regex(texts, _LIKE_A_NUMBER)
    return pc.case_when(
        pc.make_struct(kept, like_numbers), texts, _shapes(texts), pa.scalar(_OTHER, pa.string())
    )


def _shapes(texts: pa.Array) -> pa.Array:
    """The texts with 5 for each digit after another, 1 for any other but 0, and a mark on too large integers."""
    _, offsets, content = texts.buffers()
    starts = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    held = np.frombuffer(content or b"", np.uint8)[: starts[-1]].copy()
    digit = (held >= _ZERO) & (held <= _NINE)
    follows = np.concatenate([[False], digit])[:-1]
    follows[starts[starts < len(held)]] = False
    held[digit & ~follows & (held != _ZERO)], held[digit & follows] = _ONE, _FIVE
    shapes = pa.StringArray.from_buffers(len(texts), offsets, pa.py_buffer(held), offset=texts.offset)
    return pc.binary_join_element_wise(shapes, pc.if_else(_too_large(texts), "!", ""), "")


def _too_large(texts: pa.Array) -> pa.Array:
    """Which texts have 19 digits and are more, but for marks among them, than 64 bits hold."""
    if (pc.max(pc.binary_length(texts)).as_py() or 0) < len(_MOST):
        return pa.array(np.zeros(len(texts), dtype=bool))
    digits = pc.replace_substring_regex(texts, "[^0-9]", "")
    above = pc.if_else(pc.starts_with(texts, "-"), pc.greater(digits, _LEAST), pc.greater(digits, _MOST))
    return pc.and_(pc.equal(pc.binary_length(digits), len(_MOST)), above)
