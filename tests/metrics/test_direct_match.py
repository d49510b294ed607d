"""Direct matches against Python's own set of tuples."""

import time
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.metrics import Records, row_direct_match, row_direct_match_own

Row = tuple[float, float, int]
rows = st.lists(
    st.tuples(
        st.sampled_from([0.0, -0.0, 0.1, np.nan, 1e300]), st.sampled_from([1.0, np.nan]), st.integers(-1, 2)
    ),
    min_size=1,
    max_size=20,
)


def records(table: list[Row]) -> Records:
    return Records(
        np.array([row[:2] for row in table], dtype=np.float64),
        np.array([row[2:] for row in table], dtype=np.int64),
    )


def spelled(table: list[Row]) -> list[str]:
    return [repr(tuple(value + 0 for value in row)) for row in table]


@settings(max_examples=100, deadline=None)
@given(rows, rows)
def test_a_match_is_an_equal_row_missing_values_included(originals: list[Row], avatars: list[Row]) -> None:
    held = set(spelled(originals))
    expected = 100 * np.mean([row in held for row in spelled(avatars)])
    assert row_direct_match(records(originals), records(avatars)) == pytest.approx(expected)


@settings(max_examples=50, deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_own_matches_follow_the_links(originals: list[Row], random: Random) -> None:
    avatars = list(originals)
    random.shuffle(avatars)
    expected = 100 * np.mean([a == b for a, b in zip(spelled(originals), spelled(avatars), strict=True)])
    assert row_direct_match_own(records(originals), records(avatars)).row == pytest.approx(expected)
    assert row_direct_match(records(originals), records(avatars)) == 100


def test_each_column_has_its_own_share() -> None:
    originals = records([(1.0, np.nan, 0), (2.0, 5.0, -1), (3.0, 6.0, 1), (4.0, 7.0, 1)])
    avatars = records([(1.0, np.nan, 0), (2.0, 6.0, -1), (0.0, 6.0, 1), (4.0, np.nan, 2)])
    own = row_direct_match_own(originals, avatars)
    assert (own.row, own.numbers, own.codes) == (25.0, (75.0, 50.0), (75.0,))


def test_columns_of_one_kind_only_are_enough() -> None:
    codes = Records(np.empty((3, 0)), np.array([[1], [2], [3]]))
    assert row_direct_match(codes, Records(np.empty((2, 0)), np.array([[3], [9]]))) == 50
    numbers = Records(np.array([[1.0], [2.0]]), np.empty((2, 0), dtype=np.int64))
    assert row_direct_match_own(numbers, numbers).row == 100


def test_rows_that_agree_column_by_column_but_not_together_do_not_match() -> None:
    assert row_direct_match(records([(0.0, 1.0, 0), (0.1, 2.0, 1)]), records([(0.0, 2.0, 0)])) == 0


def test_the_order_of_the_rows_changes_nothing() -> None:
    rng = np.random.default_rng(8)
    numbers, codes = rng.integers(0, 4, size=(200, 2)).astype(np.float64), rng.integers(0, 4, size=(200, 2))
    halves = Records(numbers[:100], codes[:100]), Records(numbers[100:], codes[100:])
    order = rng.permutation(100)
    mixed = [Records(half.numbers[order], half.codes[order]) for half in halves]
    assert row_direct_match(*mixed) == row_direct_match(*halves)


def test_a_hundred_thousand_rows_take_no_time() -> None:
    rng = np.random.default_rng(9)
    table = Records(rng.normal(size=(100_000, 6)), rng.integers(0, 5, size=(100_000, 8)))
    began = time.process_time()
    assert row_direct_match(table, table) == 100
    assert time.process_time() - began < 5


def test_tables_of_other_columns_are_refused() -> None:
    wide = Records(np.zeros((2, 3)), np.zeros((2, 1), dtype=np.int64))
    with pytest.raises(ValueError, match="same columns, at least one: 2 numbers and 1 codes against 3 and 1"):
        row_direct_match(records([(0.0, 1.0, 0)]), wide)
    nothing = Records(np.zeros((2, 0)), np.zeros((2, 0), dtype=np.int64))
    with pytest.raises(ValueError, match="0 numbers and 0 codes against 0 and 0"):
        row_direct_match(nothing, nothing)


def test_rows_that_do_not_belong_together_are_refused() -> None:
    one, two = records([(0.0, 1.0, 0)]), records([(0.0, 1.0, 0), (0.0, 1.0, 0)])
    with pytest.raises(ValueError, match="2 against 1 rows"):
        row_direct_match_own(one, two)
    with pytest.raises(ValueError, match="avatars: numbers and codes must have the same rows: 1 and 2"):
        row_direct_match(one, Records(one.numbers, two.codes))


def test_an_empty_side_is_refused() -> None:
    empty = Records(np.zeros((0, 2)), np.zeros((0, 1), dtype=np.int64))
    with pytest.raises(ValueError, match="originals must have at least one row"):
        row_direct_match(empty, records([(0.0, 1.0, 0)]))
    with pytest.raises(ValueError, match="arrays of rows and columns"):
        row_direct_match(Records(np.zeros(3), np.zeros((3, 1), dtype=np.int64)), empty)
