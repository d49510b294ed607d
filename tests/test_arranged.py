"""Arranging individuals: what is refused, and what belongs to each distinct point."""

import numpy as np
import pytest

from sosie import arranged as module
from sosie.arranged import arranged, as_points, in_order
from sosie.neighbours import counts_within, nearest, nearest_others


def test_equal_rows_are_members_of_one_point() -> None:
    rows = np.random.default_rng(0).integers(0, 4, (300, 3)).astype(np.float64)
    found = arranged(rows, "rows")
    assert len(found) == 300
    assert not found.distinct
    assert len(np.unique(found.points, axis=0)) == len(found.points)
    for point, start, size in zip(found.points, found.starts, found.sizes, strict=True):
        expected = np.flatnonzero((rows == point).all(axis=1))
        np.testing.assert_array_equal(found.members[start : start + size], expected)


def test_what_is_arranged_is_searched_as_the_rows_are() -> None:
    rng = np.random.default_rng(1)
    points, base = (rng.integers(0, 9, (400, 2)).astype(np.float64) for _ in range(2))
    here, there = arranged(points, "points"), arranged(base, "base")
    assert arranged(here, "points") is here
    for plain, fast in (
        (nearest(points, base, 3), nearest(here, there, 3)),
        (nearest_others(points, 5).indices, nearest_others(here, 5).indices),
        (counts_within(points, base, np.ones(400)), counts_within(here, there, np.ones(400))),
    ):
        np.testing.assert_array_equal(plain, fast)


def test_any_order_of_rows_names_each_once() -> None:
    rows, order = in_order([[0.0], [5.0], [0.0]], "rows")
    assert rows.tolist() == [[0.0], [5.0], [0.0]]
    assert sorted(order.tolist()) == [0, 1, 2]


def test_minus_zero_is_zero() -> None:
    assert len(arranged([[-0.0], [0.0]], "rows").points) == 1


def test_coordinates_that_are_not_finite_are_refused_with_counts() -> None:
    with pytest.raises(ValueError, match="avatars must be finite: 3 coordinates in 2 rows"):
        as_points([[np.nan, np.inf], [0.0, -np.inf], [0.0, 0.0]], "avatars")


def test_coordinates_that_are_not_numbers_are_refused_without_being_quoted() -> None:
    with pytest.raises(ValueError, match="originals must be a table of numbers") as refused:
        as_points([["Zanzibar"]], "originals")
    assert "Zanzibar" not in str(refused.value)
    assert refused.value.__suppress_context__


def test_other_shapes_and_no_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="two dimensions, not 3"):
        as_points(np.zeros((2, 2, 2)), "points")
    with pytest.raises(ValueError, match="at least one row"):
        as_points(np.zeros((0, 2)), "points")


def test_more_rows_than_four_bytes_count_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 9)
    with pytest.raises(ValueError, match="among at most 9 rows: 10 rows; cut them into batches"):
        arranged(np.zeros((10, 2)), "rows")
