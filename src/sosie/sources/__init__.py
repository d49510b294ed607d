"""Tables wherever they lie: what comes in, and what goes out as if the same source had written it."""

from sosie.sources.addresses import (
    CREDENTIAL,
    Address,
    parse_address,
    refuse_credential,
    refuse_password,
    shown_name,
)
from sosie.sources.arrow_files import ArrowDialect
from sosie.sources.csv_dialect import ColumnStyle, CsvDialect, NumberStyle
from sosie.sources.destinations import check_destination, forget, prepare, was_delivered
from sosie.sources.excel_files import ExcelDialect
from sosie.sources.files import Dialect, Source, read_source, suffix, write_table
from sosie.sources.parquet_files import ParquetDialect
from sosie.sources.prepared import Prepared, UndecidedError
from sosie.sources.sas_files import SasDialect
from sosie.sources.spss_files import SpssDialect
from sosie.sources.sql_tables import SqlDialect
from sosie.sources.stata_files import StataDialect

__all__ = [
    "CREDENTIAL",
    "Address",
    "ArrowDialect",
    "ColumnStyle",
    "CsvDialect",
    "Dialect",
    "ExcelDialect",
    "NumberStyle",
    "ParquetDialect",
    "Prepared",
    "SasDialect",
    "Source",
    "SpssDialect",
    "SqlDialect",
    "StataDialect",
    "UndecidedError",
    "check_destination",
    "forget",
    "parse_address",
    "prepare",
    "read_source",
    "refuse_credential",
    "refuse_password",
    "shown_name",
    "suffix",
    "was_delivered",
    "write_table",
]
