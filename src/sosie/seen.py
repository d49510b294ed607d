"""A column's cells and how many rows each stands for: all that recognition asks, however many rows there are."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.columns.cells import OBJECT
from sosie.columns.factorised import Factorised

Counts = NDArray[np.int64]

MANY = 2**17  # cells that are looked at together; of more different ones only those that decide are kept


@dataclass(frozen=True, eq=False)
class Seen:
    """Cells of one column and how many rows each stands for.

    A column in memory is seen whole: each cell stands for its row, or each different text for the rows that hold it.
    Read in pieces, each different cell stands for the rows that hold it; of very many numbers, instants or dates in
    text a few stand for all.
    """

    cells: "pd.Series[Any]"
    counts: Counts

    @property
    def rows(self) -> int:
        """How many rows the cells stand for."""
        return int(self.counts.sum())

    @cached_property
    def present(self) -> "Seen":
        """The cells that are not missing."""
        known = self.cells.notna().to_numpy()
        return self if known.all() else Seen(self.cells[known], self.counts[known])


@dataclass(frozen=True, eq=False)
class Alike:
    """Which of (n,) present cells recognition takes for alike but for their size: those of equal `kinds`.

    A size is what cells are sorted by; there are several `sizes` where it is not known yet how cells are read.
    """

    kinds: Counts
    sizes: tuple["pd.Series[Any]", ...]


FindAlike = Callable[["pd.Series[Any]"], Alike | None]


def seen_whole(series: "pd.Series[Any]") -> Seen:
    """A column in memory."""
    return Seen(series, np.broadcast_to(np.int64(1), len(series)))


def seen_told(column: Factorised) -> Seen:
    """A column in memory, told apart."""
    return Seen(column.cells, np.bincount(column.places))


def seen_in_pieces(pieces: Iterable["pd.Series[Any]"], alike: FindAlike, ends: int) -> Seen:
    """A column in pieces of one dtype, different cells in the order in which they first came, a missing one last.

    `alike` is asked of present cells, the column's first before all others; it gives None where every cell decides. Of
    more than `MANY` different cells, each kind keeps its first, its `ends` least and its `ends` most of each size; its
    first stands for the rows of those that are dropped.
    """
    found = _Distinct(alike, ends)
    for piece in pieces:
        found.add(piece)
    return found.seen()


@dataclass
class _Distinct:
    alike: FindAlike
    ends: int
    held: list[Seen] = field(default_factory=list)
    missing: list[Seen] = field(default_factory=list)
    settled: int = 0  # different cells among those held; what came since is compared when it is as many

    def add(self, piece: "pd.Series[Any]") -> None:
        absent = piece.isna().to_numpy()
        if absent.any():
            counts = sum((one.counts for one in self.missing), np.array([absent.sum()], dtype=np.int64))
            first = self.missing[0].cells if self.missing else piece[absent].iloc[:1]
            self.missing = [Seen(first, counts)]
        self.held.append(Seen(piece[~absent], np.ones(len(piece) - int(absent.sum()), dtype=np.int64)))
        if sum(len(one.cells) for one in self.held) > max(2 * self.settled, MANY):
            self.settle()

    def settle(self) -> None:
        together = _told_apart(_joined(self.held))
        if len(together.cells) > MANY:
            together = _decisive(together, self.alike(together.cells), self.ends)
        self.held, self.settled = [together], len(together.cells)

    def seen(self) -> Seen:
        self.settle()
        return _joined([*self.held, *self.missing])


def _joined(parts: Sequence[Seen]) -> Seen:
    if len(parts) == 1:
        return parts[0]
    cells = pd.concat([one.cells for one in parts], ignore_index=True)
    return Seen(cells, np.concatenate([one.counts for one in parts]))


def _told_apart(seen: Seen) -> Seen:
    """Each different cell once, as it came first."""
    cells = seen.cells
    if cells.dtype == OBJECT:
        numbers: dict[object, int] = {}
        places = np.array(
            [numbers.setdefault(_identity(cell), len(numbers)) for cell in cells], dtype=np.intp
        )
    else:
        places = cells.factorize()[0]
    first = np.empty(places.max(initial=-1) + 1, dtype=np.intp)
    first[places[::-1]] = np.arange(len(places))[::-1]
    return Seen(cells.iloc[first], np.bincount(places, seen.counts, len(first)).astype(np.int64))


def _identity(cell: object) -> object:
    """What tells an object from others: 1, 1.0 and True are equal, and so are 0.0 and -0.0, or 10:00 in two zones."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, float | Decimal):
        return type(cell), str(cell)
    zone = cell.tzinfo if isinstance(cell, datetime | time) else None
    try:
        hash(cell)
    except TypeError:
        return type(cell), "not hashable"
    return type(cell), zone, cell


def _decisive(seen: Seen, alike: Alike | None, ends: int) -> Seen:
    if alike is None:
        return seen
    _, first, kind_of, rows = np.unique(
        alike.kinds, return_index=True, return_inverse=True, return_counts=True
    )
    kept = rows[kind_of] <= ends
    kept[first] = True
    for size in alike.sizes:
        kept[_ends(size, kind_of, rows, ends)] = True
    counts = seen.counts.copy()
    np.add.at(counts, first[kind_of[~kept]], counts[~kept])
    return Seen(seen.cells[kept], counts[kept])


def _ends(size: "pd.Series[Any]", kind_of: Counts, rows: Counts, ends: int) -> Counts:
    """The places of the least and the most of each kind that has more than `ends`."""
    starts = rows.cumsum() - rows
    if size.dtype == np.int64:  # all kinds at once
        order = np.lexsort((size.to_numpy(), kind_of))
    else:
        order = np.argsort(kind_of, kind="stable")
        for kind in np.flatnonzero(rows > ends):  # objects of several types have no order
            some = slice(starts[kind], starts[kind] + rows[kind])
            order[some] = order[some][np.asarray(size.iloc[order[some]].argsort())]
    turn = np.arange(len(order)) - np.repeat(starts, rows)
    return order[(turn < ends) | (turn >= np.repeat(rows, rows) - ends)]
