"""Tables as files: what comes in, and what goes out as if the same source had written it."""

from sosie.sources.csv_dialect import ColumnStyle, CsvDialect, NumberStyle
from sosie.sources.files import Dialect, Source, read_source, suffix, write_table
from sosie.sources.parquet_files import ParquetDialect

__all__ = [
    "ColumnStyle",
    "CsvDialect",
    "Dialect",
    "NumberStyle",
    "ParquetDialect",
    "Source",
    "read_source",
    "suffix",
    "write_table",
]
