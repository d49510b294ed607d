"""The texts that stand for a missing value, and when they do."""

import pyarrow as pa
import pyarrow.compute as pc

_ANYWHERE = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "<NA>")
_AMONG_NUMBERS = (".", "-", "--", "?", "None", "none", "NONE", "na", "Null", "#NA")
SPELLINGS = _ANYWHERE + _AMONG_NUMBERS


def missing_among_numbers(values: pa.Array) -> pa.Array:
    """Which of a column's distinct values mean missing, if all the others are numbers or booleans."""
    return pc.is_in(values, pa.array(SPELLINGS, pa.string()))


def missing_among_texts(values: pa.Array) -> pa.Array:
    """Which of the distinct values of a column of text mean missing.

    Words that are common levels (None, ., -, ?) are text here. So is NA among at least three other values
    that are all two capital letters: there it is the code of Namibia. What stays text is a level and comes
    back as it is spelled, so a wrong guess costs a level, never a value.
    """
    missing = pc.is_in(values, pa.array(_ANYWHERE, pa.string()))
    others = values.filter(pc.invert(missing_among_numbers(values)))
    if len(others) >= 3 and pc.all(pc.match_substring_regex(others, "^[A-Z]{2}$")).as_py():
        missing = pc.and_(missing, pc.not_equal(values, "NA"))
    return missing
