"""Rows dealt into batches: every row placed in the projection, then sorted by batch a chunk at a time.

A batch is read from its stretch of every chunk, so that no more files are open, and none is appended to, however many
batches there are.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sosie.batches import By, batch_count, lay_out, random_cells, sample_size
from sosie.blocks import BLOCK, Rows, blocks, draw_parts
from sosie.columns import Floats
from sosie.kd_cuts import find_cuts
from sosie.shuffle import buckets_of_block
from sosie.tasks.streamed.fitting import Fitted
from sosie.tasks.streamed.records import Layout, Records, layout_of, put, read_stretch, write_sorted
from sosie.tasks.streamed.shelf import Shelf

_CHUNK_BLOCKS = 8
_COORDINATES = "coordinates"


@dataclass(frozen=True)
class Dealt:
    """Rows sorted by batch in `chunks` files of a shelf; `sizes` are the rows of each batch."""

    shelf: Shelf
    layout: Layout
    chunks: int
    sizes: tuple[int, ...]

    def batch(self, number: int) -> tuple[Records, str]:
        """The rows of a batch in their own order, and what they were: the digests of the files they lie in."""
        stretches = [
            read_stretch(self.shelf, f"dealt/{chunk}", self.layout, number) for chunk in range(self.chunks)
        ]
        return np.concatenate([records for records, _ in stretches]), " ".join(
            sha256 for _, sha256 in stretches
        )


def place(fitted: Fitted, shelf: Shelf) -> None:
    """The coordinates of every row, in a file."""
    with shelf.writing(_COORDINATES, "", {"ncp": fitted.projection.ncp}) as sink:
        for table in fitted.rows.tables(fitted.projection.columns):
            put(sink, fitted.projection.coordinates(table))


def deal_out(
    fitted: Fitted, shelf: Shelf, rows: int, by: By, k: int, part_seed: int, shuffle_seed: int
) -> Dealt:
    """The placed rows dealt into batches of at most `rows`, each with the bucket that the shuffle throws it into."""
    n, ncp = fitted.rows.n, fitted.projection.ncp
    batches = batch_count(n, rows, k)
    layout = layout_of(fitted.projection.columns, ncp)
    cells, most = _cells(shelf, n, ncp, batches, by, part_seed)
    deal = lay_out(_counts(shelf, n, ncp, cells, most), batches, by, part_seed)
    before, chunks = np.zeros(most, dtype=np.int64), 0
    held: list[Records] = []
    dealt: list[Rows] = []
    for number, records in enumerate(fitted.rows.blocks()):
        coordinates = _read(shelf, ncp, number * BLOCK, len(records))
        here = cells(number, coordinates)
        dealt.append(deal.batches_of(here, before))
        before += np.bincount(here, minlength=most)
        held.append(_placed(records, coordinates, buckets_of_block(n, number, shuffle_seed), layout))
        if len(held) == _CHUNK_BLOCKS:
            _write_chunk(shelf, chunks, held, dealt, batches)
            dealt, chunks = [], chunks + 1
    if held:
        _write_chunk(shelf, chunks, held, dealt, batches)
        chunks += 1
    return Dealt(shelf, layout, chunks, tuple(np.diff(deal.bounds).tolist()))


CellsOfBlock = Callable[[int, Floats], Rows]


def _cells(shelf: Shelf, n: int, ncp: int, batches: int, by: By, seed: int) -> tuple[CellsOfBlock, int]:
    """How the rows of a block get their cells, and how many cells there are."""
    if batches == 1:
        return lambda _, coordinates: np.zeros(len(coordinates), dtype=np.int64), 1
    if by == "random":
        drawn = random_cells(n, batches, seed)
        return lambda number, _: drawn.of_block(number), drawn.cells
    sample = draw_parts(n, (sample_size(n, batches),), seed, "deal")
    found = [
        _read(shelf, ncp, block.start, block.stop - block.start)[sample.of_block(number)[0]]
        for number, block in enumerate(blocks(n))
    ]
    cuts = find_cuts(np.concatenate(found), batches)
    return lambda _, coordinates: cuts.cells_of(coordinates), cuts.cells


def _counts(shelf: Shelf, n: int, ncp: int, cells: CellsOfBlock, most: int) -> Rows:
    counts = np.zeros(most, dtype=np.int64)
    for number, block in enumerate(blocks(n)):
        here = cells(number, _read(shelf, ncp, block.start, block.stop - block.start))
        counts += np.bincount(here, minlength=most)
    return counts


def _read(shelf: Shelf, ncp: int, start: int, rows: int) -> Floats:
    with shelf.reading(_COORDINATES) as file:
        file.seek(start * ncp * 8)
        return np.frombuffer(file.read(rows * ncp * 8), dtype="<f8").reshape(rows, ncp)


def _placed(records: Records, coordinates: Floats, buckets: Rows, layout: Layout) -> Records:
    placed = np.empty(len(records), dtype=layout.dtype)
    for name in ("numbers", "states", "codes", "row"):
        placed[name] = records[name]
    placed["bucket"], placed["coordinates"] = buckets, coordinates
    return placed


def _write_chunk(shelf: Shelf, chunk: int, held: list[Records], dealt: list[Rows], batches: int) -> None:
    """What is held goes into a file, and is held no longer."""
    records = np.concatenate(held)
    held.clear()
    write_sorted(shelf, f"dealt/{chunk}", "", records, np.concatenate(dealt), batches)
