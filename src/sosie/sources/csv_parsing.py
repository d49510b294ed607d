"""The bulk parse of delimited text, by pyarrow: every cell as text, and which cells stand in no quotes."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from sosie.sources.csv_spellings import SPELLINGS

BLOCK = 1 << 24  # bytes


class BadRecords(Exception):  # noqa: N818  # never leaves the package
    """Some record has another number of fields than the header, or a quote that is never closed."""


def parsed_texts(body: memoryview, delimiter: str, width: int, has_quotes: bool) -> list[pa.DictionaryArray]:
    """The `width` columns of the lines in `body`, as texts behind a dictionary of the distinct ones.

    Raises BadRecords unless every line has `width` fields; blank lines count only if `width` is 1.
    """
    table = _parsed(body, delimiter, width, has_quotes, texts_conversion(width)).unify_dictionaries()
    return [one_array(column) for column in table.columns]


def texts_conversion(width: int) -> pa_csv.ConvertOptions:
    """Every cell of so many columns as a text behind a dictionary, none of them missing."""
    return pa_csv.ConvertOptions(
        column_types={str(i): pa.dictionary(pa.int32(), pa.string()) for i in range(width)},
        strings_can_be_null=False,
        check_utf8=False,
    )


def bare_conversion(positions: Sequence[int]) -> pa_csv.ConvertOptions:
    """The cells of these columns alone, those that are a missing spelling in no quotes being null."""
    return pa_csv.ConvertOptions(
        column_types={str(i): pa.string() for i in positions},
        include_columns=[str(i) for i in positions],
        null_values=list(SPELLINGS),
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        check_utf8=False,
    )


def parse_options(delimiter: str, width: int, has_quotes: bool, bad: list[int]) -> pa_csv.ParseOptions:
    """How lines of so many fields are parsed; the number of each that has more or fewer is added to `bad`."""

    def refuse(row: pa_csv.InvalidRow) -> str:
        bad.append(row.actual_columns)
        return "skip"

    return pa_csv.ParseOptions(
        delimiter=delimiter,
        newlines_in_values=has_quotes,
        ignore_empty_lines=width > 1,
        invalid_row_handler=refuse,
    )


class BareCells:
    """The cells that are a missing spelling in no quotes.

    Found by a second parse, when first asked and for all columns at once: one parse keeps either the meaning
    of the quotes or the spelling.
    """

    def __init__(
        self, body: memoryview, delimiter: str, texts: list[pa.DictionaryArray], has_quotes: bool
    ) -> None:
        self._body, self._delimiter, self._texts, self._has_quotes = body, delimiter, texts, has_quotes

    def of(self, position: int) -> Callable[[], npt.NDArray[np.bool_]]:
        """What tells the rows whose cell in the column at `position` may be a bare missing spelling."""
        return lambda: self._masks[position] if self._has_quotes else np.ones(len(self._texts[0]), dtype=bool)

    @cached_property
    def _masks(self) -> dict[int, npt.NDArray[np.bool_]]:
        spellings = pa.array(SPELLINGS, pa.string())
        asked = [i for i, t in enumerate(self._texts) if pc.any(pc.is_in(t.dictionary, spellings)).as_py()]
        table = _parsed(
            self._body, self._delimiter, len(self._texts), self._has_quotes, bare_conversion(asked)
        )
        return {i: np.asarray(table.column(str(i)).is_null()) for i in asked}


def _parsed(
    body: memoryview, delimiter: str, width: int, has_quotes: bool, convert: pa_csv.ConvertOptions
) -> pa.Table:
    bad: list[int] = []
    parse = parse_options(delimiter, width, has_quotes, bad)
    names = [str(i) for i in range(width)]
    # the second size is for records that are longer than a block
    for block in (BLOCK, min(len(body) + 1, 2**31 - 1)):
        reading = pa_csv.ReadOptions(column_names=names, block_size=block)
        try:
            table = pa_csv.read_csv(pa.BufferReader(pa.py_buffer(body)), reading, parse, convert)
        except pa.ArrowInvalid:
            continue
        if not bad:
            return table
        break
    raise BadRecords


def one_array(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of one dictionary in one piece."""
    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
