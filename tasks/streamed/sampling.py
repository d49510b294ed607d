"""Some rows of a table that is larger than memory."""

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sosie.sources import Dialect, Source, shown_name
from sosie.sources.streamed import Columns, open_source
from sosie.tasks.manifests import Origin
from sosie.tasks.outside import patiently
from sosie.tasks.secrets import password_in
from sosie.tasks.stages import always, stage
from sosie.tasks.trials import sampled


@dataclass(frozen=True, eq=False)
class Sample:
    """Some rows as a source of their own, whose sha256 tells the file and the rows; and where they come from."""

    source: Source
    origin: Origin


def _content(sample: Sample) -> tuple[str, Dialect]:
    return sample.source.sha256, sample.source.dialect


@always(fingerprint=_content)
def read_some(address: str, rows: int, seed: int, private: Path, block: str | None = None) -> Sample:
    """At most so many rows, drawn without replacement, in their order; a piece of a column is in memory at a time.

    They are those of a search on the table held whole. `private` is a folder for what has to be laid
    aside, `block` the Prefect Secret block with the database's password. Raises InputError as `open_source` does.
    """
    with tempfile.TemporaryDirectory(dir=private) as aside:
        table, sha256 = patiently(open_source, address, Path(aside), password_in(block))
        places = sampled(table.rows, rows, seed)
        columns = [_taken(table, name, places) for name in table.names]
        origin = Origin(shown_name(address) or "", sha256, table.rows, table.dialect, ())
    digest = hashlib.sha256(origin.sha256.encode() + places.tobytes()).hexdigest()
    return Sample(Source(pd.concat(columns, axis="columns"), origin.dialect, digest, origin.name), origin)


def _taken(table: Columns, name: str, places: NDArray[np.int64]) -> "pd.Series[Any]":
    """The cells of a column at ascending places."""
    taken, start = [], 0
    for piece in table.pieces(name):
        first, last = np.searchsorted(places, [start, start + len(piece)])
        taken.append(piece.iloc[places[first:last] - start])
        start += len(piece)
    return pd.concat(taken, ignore_index=True)


@stage(version=1)
def rows_of(sample: Sample) -> Source:
    """The rows that were drawn."""
    return sample.source


@stage(version=1)
def origin_of(sample: Sample) -> Origin:
    """What is to be known of the table that they were drawn from."""
    return sample.origin
