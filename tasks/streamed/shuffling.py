"""The external shuffle: each bucket gathered from every batch, in an order that says nothing of them."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sosie.columns import Column, Table
from sosie.extent import Extent
from sosie.schemas.tables import check_table, released_schema
from sosie.shuffle import bucket_count, order_inside
from sosie.sources import suffix
from sosie.sources.streamed import write_pieces
from sosie.tasks.manifests import Origin
from sosie.tasks.publication import Written
from sosie.tasks.run import Run, staging
from sosie.tasks.streamed.records import Layout, Records, read_stretch, table_of
from sosie.tasks.streamed.shelf import Shelf


@dataclass(frozen=True, eq=False)
class Linked:
    """Avatars in one file a batch, each sorted by bucket (sensitive: a record says whose it is).

    `derived` columns are as large as their expressions say.
    """

    shelf: Shelf
    layout: Layout
    columns: tuple[Column, ...]
    derived: frozenset[Hashable]
    extent: Extent
    sizes: tuple[int, ...]

    @property
    def n(self) -> int:
        """How many avatars there are."""
        return sum(self.sizes)

    def batches(self) -> Iterator[Records]:
        """The avatars of one batch after the other."""
        for number, rows in enumerate(self.sizes):
            with self.shelf.reading(f"avatars/{number}") as file:
                yield np.frombuffer(file.read(rows * self.layout.dtype.itemsize), dtype=self.layout.dtype)

    def bucket(self, number: int) -> Records:
        """The avatars of one bucket, in the order of the rows they were made from."""
        records = np.concatenate(
            [
                read_stretch(self.shelf, f"avatars/{batch}", self.layout, number)[0]
                for batch in range(len(self.sizes))
            ]
        )
        return records[np.argsort(records["row"])]


def shuffled(linked: Linked, seed: int) -> Iterator[Table]:
    """The avatars in a uniformly random order, a bucket at a time."""
    for number in range(bucket_count(linked.n)):
        yield _in_order(linked.bucket(number), linked, number, seed)


def _in_order(records: Records, linked: Linked, number: int, seed: int) -> Table:
    return table_of(records[order_inside(number, len(records), seed)], linked.columns)


def write_shuffled(linked: Linked, origin: Origin, seed: int, run: Run) -> Written:
    """The shuffled avatars, each piece held against the originals' contract and staged in the source's dialect."""
    path = staging(run) / f"avatars{suffix(origin.dialect)}"
    schema = released_schema(linked.extent.witness(), linked.derived, whole=False)

    def checked(table: Table) -> pd.DataFrame:
        frame = table.to_frame(run.job.configuration.workers)
        check_table(frame, schema)
        return frame

    write_pieces(map(checked, shuffled(linked, seed)), linked.n, origin.dialect, path)
    return Written(pd.DataFrame(index=pd.RangeIndex(linked.n)), path)
