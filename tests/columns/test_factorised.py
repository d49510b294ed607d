"""Columns told apart: the different cells as they came first, and each row's place among them."""

import pandas as pd
import pytest

from sosie.columns.factorised import factorised


@pytest.mark.parametrize("dtype", ["str", "string", "string[python]", "category", "string[pyarrow]"])
def test_a_column_is_its_different_cells_and_the_place_of_each_row(dtype: str) -> None:
    column = pd.Series(["b", None, "a", "b", None], dtype=dtype, name="ward")
    told = factorised(column)
    assert told.places.tolist() == [0, 1, 2, 0, 1]
    pd.testing.assert_series_equal(told.cells, column[:3])


def test_a_column_put_together_from_several_is_told_apart_as_one() -> None:
    part = pd.Series(["b", None, "a"], dtype="str")
    told = factorised(pd.concat([part, part[::-1]])[1:])
    assert told.cells.fillna("missing").tolist() == ["missing", "a", "b"]
    assert told.places.tolist() == [0, 1, 1, 0, 2]


def test_of_no_rows_there_is_nothing_to_tell_apart() -> None:
    told = factorised(pd.Series([], dtype="str"))
    assert len(told.cells) == len(told.places) == 0


def test_half_floats_are_told_apart_as_other_numbers_are() -> None:
    column = pd.Series([1.5, None, 2.5, 1.5], dtype="float16")
    told = factorised(column)
    assert told.places.tolist() == [0, 1, 2, 0]
    pd.testing.assert_series_equal(told.cells, column[:3])
