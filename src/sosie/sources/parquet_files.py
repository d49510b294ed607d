"""Reading and writing Parquet: pandas' own types come back, Arrow's schema is kept."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

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

ROWS_IN_GROUP = 2**18  # of what is written: a writer of pieces holds one group
# names that pyarrow reports otherwise than it takes them
_CODECS = {"uncompressed": "none", "lz4_raw": "lz4"}


@dataclass(frozen=True)
class ParquetDialect:
    """How one Parquet file was written.

    `schema` is Arrow's schema of the columns, serialised and in base64; `pandas` what pandas noted about
    their types, as JSON, empty if another tool wrote the file; `compression` is the codec's name or none.
    """

    schema: str
    pandas: str
    compression: str

    @property
    def arrow_schema(self) -> pa.Schema:
        """Arrow's schema of the columns."""
        return schema_of(self.schema)


def read_parquet(raw: bytes, name: str) -> tuple[pd.DataFrame, ParquetDialect]:
    """The table in the bytes of the Parquet file `name`, and how it was written.

    The types are those that pandas noted, or else pandas' own for Arrow's, nullable where integers or
    booleans are missing (never floats). Text that older versions kept as objects is str. An index that pandas
    stored is left out. Raises InputError UNREADABLE_SOURCE for a damaged file, DUPLICATE_COLUMNS,
    UNSUPPORTED_FORMAT for nested columns, EMPTY_TABLE without rows.
    """
    with refusing_damage(name, "a Parquet file"):
        file = pq.ParquetFile(pa.BufferReader(raw))
        refuse_shape(file.schema_arrow, file.metadata.num_rows, name)
        table = without_index(file.read())
        dialect = dialect_of(file, table, name)
        frame = frame_of(table, name)
    return frame, dialect


def dialect_of(file: pq.ParquetFile, table: pa.Table, name: str) -> ParquetDialect:
    """How the file was written, from its table without index, with or without rows.

    Raises InputError EMPTY_TABLE where there is no other column.
    """
    if not table.num_columns:
        raise InputError("EMPTY_TABLE", f"{name} has no column besides its index; at least one is needed")
    groups = file.metadata.num_row_groups
    codec = file.metadata.row_group(0).column(0).compression.lower() if groups else "uncompressed"
    return ParquetDialect(schema_text(table.schema), pandas_text(table), _CODECS.get(codec, codec))


def write_parquet(frame: pd.DataFrame, dialect: ParquetDialect, path: Path) -> None:
    """Write `frame`, whose columns are some or all of the source's with its types, to `path`.

    Each column has its Arrow type of the source. Raises ValueError for a column that the source does not have
    or that no longer fits its type.
    """
    table = table_of(frame, dialect.arrow_schema, dialect.pandas)
    pq.write_table(table, path, compression=dialect.compression, row_group_size=ROWS_IN_GROUP)


def plain_parquet(frame: pd.DataFrame) -> ParquetDialect:
    """How pandas itself would write the frame: the dialect of tables that come from no file."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return ParquetDialect(schema_text(table.schema), pandas_text(table), "snappy")
