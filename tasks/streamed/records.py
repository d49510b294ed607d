"""Rows on a shelf: one record a row, so that a stretch of rows is a stretch of bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sosie.blocks import BLOCK, Rows
from sosie.columns import Category, Column, Floats, Table
from sosie.tasks.streamed.shelf import Digested, Shelf

Records = NDArray[np.void]

_SHORT = 2**15
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Layout:
    """What a record holds: p numbers with their states, q codes, and ncp coordinates once there are any.

    `row` is the row's number in its own table, `bucket` where the shuffle throws it. Codes take 2 bytes where no
    category has more levels than that.
    """

    numbers: int
    codes: int
    wide_codes: bool
    ncp: int = 0

    @property
    def dtype(self) -> np.dtype[np.void]:
        """The record as numpy knows it."""
        fields: list[Any] = [
            ("numbers", "<f8", (self.numbers,)),
            ("states", "i1", (self.numbers,)),
            ("codes", "<i4" if self.wide_codes else "<i2", (self.codes,)),
            ("row", "<i8"),
            ("bucket", "<i4"),
        ]
        return np.dtype([*fields, ("coordinates", "<f8", (self.ncp,))] if self.ncp else fields)


def layout_of(columns: Sequence[Column], ncp: int = 0) -> Layout:
    """The layout of a table of these columns."""
    categories = [column for column in columns if isinstance(column, Category)]
    wide = any(len(column.levels) >= _SHORT for column in categories)
    return Layout(len(columns) - len(categories), len(categories), wide, ncp)


def records_of(table: Table, layout: Layout, rows: Rows) -> Records:
    """A table's rows as records; `rows` are their numbers."""
    records = np.zeros(len(table), dtype=layout.dtype)
    records["numbers"], records["states"], records["codes"] = table.numbers, table.states, table.codes
    records["row"] = rows
    return records


def table_of(records: Records, columns: tuple[Column, ...]) -> Table:
    """Records as a table of these columns, laid out as one in memory is."""
    return Table(
        columns=columns,
        numbers=np.ascontiguousarray(records["numbers"]),
        states=np.ascontiguousarray(records["states"]),
        codes=np.ascontiguousarray(records["codes"].astype(np.int32)),
        identifiers=(),
        fresh=np.empty((len(records), 0), dtype=object),
    )


def coordinates_of(records: Records) -> Floats:
    """The coordinates in records, (m, ncp)."""
    return np.ascontiguousarray(records["coordinates"])


@dataclass(frozen=True)
class StoredRows:
    """n rows in one file of a shelf."""

    shelf: Shelf
    name: str
    layout: Layout
    n: int

    def blocks(self, size: int = BLOCK) -> Iterator[Records]:
        """The rows in order, so many at a time."""
        width = self.layout.dtype.itemsize
        with self.shelf.reading(self.name) as file:
            for start in range(0, self.n, size):
                yield np.frombuffer(file.read(min(size, self.n - start) * width), dtype=self.layout.dtype)

    def tables(self, columns: tuple[Column, ...]) -> Iterator[Table]:
        """The rows as tables of a block each."""
        return (table_of(records, columns) for records in self.blocks())

    def take(self, rows: Rows) -> Records:
        """The records of these rows (ascending)."""
        found = [
            block[rows[(rows >= start) & (rows < start + len(block))] - start]
            for start, block in zip(range(0, self.n, BLOCK), self.blocks(), strict=True)
        ]
        return np.concatenate([np.empty(0, dtype=self.layout.dtype), *found])


def write_sorted(
    shelf: Shelf,
    name: str,
    key: str,
    records: Records,
    by: Rows,
    least: int = 0,
    noted: Mapping[str, Any] = _NOTHING,
) -> None:
    """A file of records, each number in `by` a stretch of it; its mark notes the ends of `least` stretches or more.

    `noted` is noted beside them.
    """
    ends = [0, *np.bincount(by, minlength=least).cumsum().tolist()]
    with shelf.writing(name, key, {**noted, "ends": ends}) as sink:
        put(sink, records[np.argsort(by, kind="stable")])


def read_stretch(shelf: Shelf, name: str, layout: Layout, number: int) -> tuple[Records, str]:
    """The records of one number in a sorted file, none beyond its last stretch; and the file's sha256."""
    mark = shelf.mark(name)
    if mark is None:
        raise FileNotFoundError(f"{name} is gone")
    width, ends = layout.dtype.itemsize, mark.noted["ends"]
    if number + 1 >= len(ends):
        return np.empty(0, dtype=layout.dtype), mark.sha256
    start, stop = ends[number : number + 2]
    with shelf.reading(name) as file:
        file.seek(start * width)
        return np.frombuffer(file.read((stop - start) * width), dtype=layout.dtype), mark.sha256


def put(sink: Digested, records: NDArray[Any]) -> None:
    """Append records to a file."""
    sink.write(np.ascontiguousarray(records).view(np.uint8).reshape(-1).data if len(records) else b"")
