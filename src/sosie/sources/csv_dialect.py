"""How a delimited text file was written: what the release needs to look as if the same source wrote it."""

from dataclasses import dataclass
from typing import Literal

Encoding = Literal["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "cp1252", "latin-1"]
Notation = Literal["plain", "mixed", "exponent"]


@dataclass(frozen=True)
class NumberStyle:
    """How the numbers of one column are spelled.

    `decimals` is the number of decimals when every number has the same, else None: as many as the number
    needs. `point_zero` tells whether a whole number of a float column is written 7.0 rather than 7,
    `leading_zero` whether 0.5 is written 0.5 rather than .5. `notation` is plain (never an exponent), mixed
    (an exponent where Python's `repr` would use one) or exponent (always one), spelled with `exponent_letter`
    and at least `exponent_digits`.
    """

    decimal: str = "."
    thousands: str = ""
    decimals: int | None = None
    point_zero: bool = False
    leading_zero: bool = True
    notation: Notation = "plain"
    exponent_letter: str = "e"
    exponent_digits: int = 2


@dataclass(frozen=True)
class ColumnStyle:
    """How the cells of one column are spelled.

    `quoted` says that every present cell is quoted; otherwise only those that need it are. `missing` is the
    column's commonest spelling of a missing cell, `missing_quoted` whether it stands in quotes, `true` and
    `false` the spellings of a boolean column.
    """

    name: str
    name_quoted: bool = False
    quoted: bool = False
    missing: str = ""
    missing_quoted: bool = False
    true: str = "True"
    false: str = "False"
    numbers: NumberStyle = NumberStyle()


@dataclass(frozen=True)
class CsvDialect:
    """How one delimited text file was written.

    `padding` is the space that follows each delimiter, if any, `line_end` is what ends a line,
    `final_line_end` whether the last line has it too, `extension` the kind of file by name (.csv or .tsv),
    `separator_line` whether the file opens with Excel's `sep=;` line.
    """

    extension: str
    delimiter: str
    columns: tuple[ColumnStyle, ...]
    encoding: Encoding = "utf-8"
    gzipped: bool = False
    padding: str = ""
    line_end: str = "\n"
    final_line_end: bool = True
    separator_line: bool = False
