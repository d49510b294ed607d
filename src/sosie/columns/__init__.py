"""Kinds of column: how each becomes numbers or codes, and comes back as it went in.

A table of n individuals becomes a `Table`: one float per numeric cell (NaN: no number) and one code per categorical
cell (−1: missing). The columns themselves (name, dtype, levels) travel with it, so that a frame of the same dtypes can
be written back. One kind a module.
"""

from sosie.columns.category import Category
from sosie.columns.cells import MISSING, UNSEEN, Codes, Dtype, Floats, Mask, States, quoted
from sosie.columns.fixed import Fixed
from sosie.columns.grid import Grid, decimals, floating, rounded
from sosie.columns.identifier import Identifier
from sosie.columns.instant import Instant
from sosie.columns.number import Number, origin_of
from sosie.columns.table import (
    FIRST_CODE,
    GAP,
    PRESENT,
    Column,
    Numeric,
    Table,
    encode,
    with_codes,
    with_identifiers,
    with_levels_of,
)

__all__ = [
    "FIRST_CODE",
    "GAP",
    "MISSING",
    "PRESENT",
    "UNSEEN",
    "Category",
    "Codes",
    "Column",
    "Dtype",
    "Fixed",
    "Floats",
    "Grid",
    "Identifier",
    "Instant",
    "Mask",
    "Number",
    "Numeric",
    "States",
    "Table",
    "decimals",
    "encode",
    "floating",
    "origin_of",
    "quoted",
    "rounded",
    "with_codes",
    "with_identifiers",
    "with_levels_of",
]
