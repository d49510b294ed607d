"""The order of rows by their cells against pandas' own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.attacks.cells import rows_by_cells

TablesOf = Callable[..., Any]  # as many tables as frames


@pytest.mark.parametrize("names", ["abcd", "dcba"])
def test_rows_are_sorted_by_all_their_cells_gaps_last(tables_of: TablesOf, names: str) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            names[0]: rng.choice(["north", "south", "east"], 400),
            names[1]: rng.choice([1.5, 2.5, np.nan], 400),
            names[2]: rng.choice(np.array(["10", "9", None], dtype=object), 400),
            names[3]: rng.integers(0, 3, 400),
        }
    )
    (table,) = tables_of(frame)
    found = frame.iloc[rows_by_cells(table)][sorted(frame.columns)].reset_index(drop=True)
    expected = frame[sorted(frame.columns)].sort_values(sorted(frame.columns), ignore_index=True)
    pd.testing.assert_frame_equal(found, expected)


def test_more_levels_than_a_whole_number_tells_apart_are_sorted_all_the_same(tables_of: TablesOf) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"c{j:02}": rng.permutation(200).astype(str) for j in range(12)}).astype("category")
    frame["c00"] = pd.Categorical(["same"] * 200)
    (table,) = tables_of(pd.concat([frame, frame], ignore_index=True))
    texts = pd.concat([frame, frame], ignore_index=True).astype(str)
    found = texts.iloc[rows_by_cells(table)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, texts.sort_values(list(texts.columns), ignore_index=True))
