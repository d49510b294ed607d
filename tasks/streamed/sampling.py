"""Some rows of a table that is larger than memory."""

import hashlib
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from sosie.sources import Dialect, Source, shown_name
from sosie.sources.streamed import open_columns, sha256_of
from sosie.streams import child_seed, stream
from sosie.tasks.stages import always
from sosie.tasks.trials import SAMPLED


def _content(source: Source) -> tuple[str, Dialect]:
    return source.sha256, source.dialect


@always(fingerprint=_content)
def read_some(address: str, rows: int, seed: int, private: Path) -> Source:
    """At most so many rows, drawn without replacement, in their order; one column is in memory at a time.

    They are the rows that `trials.sample` draws of the table held whole. `private` is a folder for what has to be laid
    aside; `sha256` tells the file and the rows. Raises InputError as `open_columns` does.
    """
    with tempfile.TemporaryDirectory(dir=private) as aside:
        source = open_columns(address, Path(aside))
        drawn = stream(child_seed(seed, SAMPLED), "sample")
        places = np.sort(drawn.choice(source.rows, min(rows, source.rows), replace=False))
        columns = [source.column(name).iloc[places].reset_index(drop=True) for name in source.names]
        dialect = source.dialect
    digest = hashlib.sha256(sha256_of(address).encode() + places.tobytes()).hexdigest()
    return Source(pd.concat(columns, axis="columns"), dialect, digest, shown_name(address) or "")
