"""A table held against relations block by block is refused as it is all at once, and counts are of all rows."""

import numpy as np
import pandas as pd
import pytest

from sosie.columns import encode
from sosie.declarations import Declaration
from sosie.errors import InputError
from sosie.recognition import recognise
from sosie.relations import relations_of
from sosie.untrue import refuse_untrue, refuse_untrue_in_blocks


@pytest.mark.parametrize(
    ("declared", "constraints", "told"),
    [
        ({}, ["b <= a"], r"does not hold in 4 row\(s\)"),
        ({}, ["a <= b", "b <= c"], r'"a <= c" does not hold in 1 row|"b <= c" does not hold in 1 row'),
        ({"c": Declaration(derived="a + b")}, [], r"in 1 of 6 row\(s\)"),
        ({"c": Declaration(transform="sqrt")}, [], "1 are below"),
        ({"d": Declaration(derived="a / 3")}, [], r"in 3 of 6 row\(s\)"),
        ({"a": Declaration(transform="log")}, ["a <= b"], None),
    ],
    ids=str,
)
@pytest.mark.parametrize("size", [1, 4, 6])
def test_blocks_are_refused_as_the_whole_is(
    declared: dict[str, Declaration], constraints: list[str], told: str | None, size: int
) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0], "b": [2.0, 3.0, 9.0, 5.0, 9.0, 6.0]})
    # the last place of d, to which all of it is held, shows in its first row alone
    frame = frame.assign(c=[3.0, 5.0, np.nan, 9.0, 14.0, -1.0], d=(frame["a"] / 3).round(1))
    frame.loc[0, "d"] = 0.333
    table = encode(frame, recognise(frame, declared).columns)
    relations = relations_of(table.columns, declared, constraints)

    def refused(size: int) -> str | None:
        blocks = [np.arange(start, min(start + size, 6)) for start in range(0, 6, size)]
        try:
            refuse_untrue_in_blocks(relations, lambda: map(table.take, blocks))
        except InputError as error:
            return f"{error.code} {error.message}"
        return None

    assert refused(size) == refused(6)
    if told is None:
        refuse_untrue(relations, table)
    else:
        with pytest.raises(InputError, match=told):
            refuse_untrue(relations, table)
