"""Some rows of a table that is larger than memory."""

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from sosie.sources import Dialect, Source, shown_name
from sosie.sources.streamed import open_columns, sha256_of
from sosie.tasks.manifests import Origin
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
def read_some(address: str, rows: int, seed: int, private: Path) -> Sample:
    """At most so many rows, drawn without replacement, in their order; one column is in memory at a time.

    They are those of a search on the table held whole. `private` is a folder for what has to be laid
    aside. Raises InputError as `open_columns` does.
    """
    with tempfile.TemporaryDirectory(dir=private) as aside:
        table = open_columns(address, Path(aside))
        places = sampled(table.rows, rows, seed)
        columns = [table.column(name).iloc[places].reset_index(drop=True) for name in table.names]
        origin = Origin(shown_name(address) or "", sha256_of(address), table.rows, table.dialect, ())
    digest = hashlib.sha256(origin.sha256.encode() + places.tobytes()).hexdigest()
    return Sample(Source(pd.concat(columns, axis="columns"), origin.dialect, digest, origin.name), origin)


@stage(version=1)
def rows_of(sample: Sample) -> Source:
    """The rows that were drawn."""
    return sample.source


@stage(version=1)
def origin_of(sample: Sample) -> Origin:
    """What is to be known of the table that they were drawn from."""
    return sample.origin
