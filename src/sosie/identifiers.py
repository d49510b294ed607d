"""What gives an identifier away: a different value for everybody, the shape of its values, or its name."""

import re
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sosie.columns import Category, Column, Floats, Instant, Mask
from sosie.columns.category import texts
from sosie.seen import Seen

FEWEST = 20  # all values distinct among fewer rows says little
_MOSTLY_DISTINCT = 0.95
_SOME = 100

# Shapes only: a made-up number has the shape of a real one, but not its check digits.
_SHAPES = {
    "e-mail addresses": r"^[^@\s]+@[^@\s]+\.[^@\s.]{2,}$",
    "telephone numbers": r"^(\+\d[\d .()/-]{7,17}\d"
    r"|0[1-9]([ .-]?\d{2}){4}"
    r"|(\+?1[ .-]?)?(\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}"
    r"|0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,4})$",
    "IBANs": r"^[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){2,7}( ?[A-Z0-9]{1,3})?$",
    "French social security numbers": r"^[1-478] ?\d{2} ?(0[1-9]|1[0-2]|[2-9]\d) ?(\d{2}|2[AB]) ?\d{3} ?\d{3}"
    r"( ?\d{2})?$",
    "US social security numbers": r"^\d{3}-\d{2}-\d{4}$",
}
_NIR_DIGITS = 15
_WORDS = {
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "pid",
    "pidnum",
    "mrn",
    "nir",
    "nss",
    "ssn",
    "ipp",
    "nip",
    "iban",
} | {*("subjid", "usubjid", "recordid", "rowid", "identifier", "identifiant", "identifiants")}
_OF = "patient|subject|subj|usubj|person|client|customer|member|user|record|case|row|sample|visit|encounter|employee"
_GLUED = re.compile(
    rf"({_OF}|student|participant|respondent|household|dossier|individu)"
    r"(id|no|nr|num|number|numero|key|code)|(num|numero|no|nr)(patient|dossier|client|adherent)"
)


def why_identifier(seen: Seen, column: Column, declared: bool, different: Callable[[], int]) -> str | None:
    """Why a column is an identifier, in words that end "column(s) … hold"; None when it is not.

    `declared`: the configuration says what type the column is, so that neither the name of whole numbers nor their
    being a count says anything. `different` counts the different numbers of the column, when that decides.
    """
    if isinstance(column, Instant) or not len(seen.present.cells):
        return None
    present, rows = seen.present.cells, seen.present.rows
    if isinstance(column, Category):
        if column.kind == "boolean":
            return None
        cells = texts(present) if column.as_text else present
        distinct = np.asarray(pd.unique(cells.astype(object)), dtype=object)
        shape = _shape(distinct)
        if shape is not None:
            return f"values that look like {shape}"
        if len(distinct) >= FEWEST and len(distinct) == rows:
            return "a different value in every row, as identifiers do"
        few_repeated = len(distinct) >= max(FEWEST, _MOSTLY_DISTINCT * rows)
        return "an identifier by its name" if few_repeated and is_identifier_name(column.name) else None
    if declared or rows < FEWEST:
        return None
    return _whole(seen, column.name, different)


def _whole(seen: Seen, name: Hashable, different: Callable[[], int]) -> str | None:
    present, rows = seen.present, seen.rows
    numbers = present.cells.to_numpy(dtype=np.float64)
    # a few that show decimals spare looking at all
    if any((np.trunc(some) != some).any() for some in (numbers[:_SOME], numbers)):
        return None
    if is_identifier_name(name) and different() >= _MOSTLY_DISTINCT * present.rows:
        return "an identifier by its name"
    # each row has its number: a measurement may be missing
    if present.rows == rows and numbers.min() == 1 and numbers.max() == rows and different() == rows:
        return "the numbers from 1 to the number of rows, as a record number does"
    if may_be_nir(numbers).all():
        valid = present.counts[np.array([like_nir(value) for value in present.cells])].sum()
        return "values that look like French social security numbers" if valid / present.rows > 0.5 else None
    return None


def may_be_nir(numbers: Floats) -> Mask:
    """(n,) which numbers have as many digits as a French social security number with its check digits."""
    return np.asarray((numbers >= 10 ** (_NIR_DIGITS - 1)) & (numbers < 10**_NIR_DIGITS))


def like_nir(value: Any) -> bool:
    """Whether the check digits of a French social security number are those of its other digits."""
    return (97 - int(value) // 100 % 97) == int(value) % 100


def _shape(distinct: Any) -> str | None:
    """The shape that more than half of the texts have, if there are at least 2."""
    if len(distinct) < 2 or pd.api.types.infer_dtype(distinct) != "string":
        return None
    # half a surrogate pair, which no UTF-8 file holds, is read as "?": it has no part in any shape
    values = pa.array([text.encode("utf-8", "replace").decode() for text in distinct], type=pa.string())
    for name, pattern in _SHAPES.items():
        if pc.match_substring_regex(values, pattern).true_count > len(values) / 2:
            return name
    return None


def is_identifier_name(name: Hashable) -> bool:
    """Whether a column's name says that it holds identifiers: `id`, `patient_id`, `pidnum`, `recordNumber`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(name))
    words = [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]
    glued = "".join(words)
    return any(word in _WORDS for word in words) or _GLUED.fullmatch(glued) is not None
