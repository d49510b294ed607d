"""Reading and writing Arrow's own files, Feather among them: types and schema come back as in Parquet."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa

from sosie.errors import InputError
from sosie.sources.arrow_tables import (
    frame_of,
    pandas_text,
    refuse_shape,
    schema_of,
    schema_text,
    table_of,
    without_index,
)
from sosie.sources.damage import refusing_damage

_FILE, _FIRST_FEATHER = b"ARROW1", b"FEA1"
# the first bytes of a compressed buffer; Arrow does not tell otherwise how a file was compressed
_FRAMES = {"zstd": b"\x28\xb5\x2f\xfd", "lz4": b"\x04\x22\x4d\x18"}


@dataclass(frozen=True)
class ArrowDialect:
    """How one Arrow file was written.

    `schema` is Arrow's schema of the columns, serialised and in base64; `pandas` what pandas noted about
    their types, as JSON, empty if another tool wrote the file; `compression` is lz4, zstd or empty, `stream` tells the
    streaming format from the file format, `extension` is .arrow or .feather.
    """

    schema: str
    pandas: str
    compression: str
    stream: bool
    extension: str


def read_arrow(raw: bytes, name: str, extension: str) -> tuple[pd.DataFrame, ArrowDialect]:
    """The table in the bytes of the Arrow file `name`, file or stream.

    Raises InputError as `read_parquet` does, and UNSUPPORTED_FORMAT for Feather's first version.
    """
    if raw.startswith(_FIRST_FEATHER):
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{name} is Feather's first version, given up since 2020; write it as the second",
        )
    stream = not raw.startswith(_FILE)
    with refusing_damage(name, "an Arrow or Feather file"):
        opened = pa.ipc.open_stream if stream else pa.ipc.open_file
        table = opened(pa.BufferReader(raw)).read_all()
        table.validate(full=True)
        refuse_shape(table.schema, table.num_rows, name)
        table = without_index(table)
        if not table.num_columns:
            raise InputError("EMPTY_TABLE", f"{name} has no column besides its index; at least one is needed")
        frame = frame_of(table, name)
    compression = next((codec for codec, magic in _FRAMES.items() if magic in raw), "")
    return frame, ArrowDialect(schema_text(table.schema), pandas_text(table), compression, stream, extension)


def write_arrow(frame: pd.DataFrame, dialect: ArrowDialect, path: Path) -> None:
    """Write `frame`, whose columns are some or all of the source's with its types, to `path`.

    Raises ValueError for a column that the source does not have or that no longer fits its type.
    """
    table = table_of(frame, schema_of(dialect.schema), dialect.pandas)
    options = pa.ipc.IpcWriteOptions(compression=dialect.compression or None, unify_dictionaries=True)
    start = pa.ipc.new_stream if dialect.stream else pa.ipc.new_file
    with start(str(path), table.schema, options=options) as writer:
        writer.write_table(table)
