"""Points inside balls, many leaves of them, against an all-pairs count."""

import numpy as np
import pytest

from sosie.counting import boxes_of, count_inside


@pytest.mark.parametrize("heaviest", [1, 5])
@pytest.mark.parametrize("cap", [40, 5_000])
def test_points_and_balls_of_every_size_are_counted_as_by_all_pairs(heaviest: int, cap: int) -> None:
    rng = np.random.default_rng(heaviest)
    points = np.unique(rng.integers(0, 30, (5_000, 3)).astype(np.float64), axis=0)
    weights = rng.integers(1, heaviest + 1, len(points))
    centres = np.concatenate([points[:900], rng.normal(15, 20, (700, 3))])
    radii = rng.choice([0.0, 1.0, np.sqrt(2.0), 5.5, 25.0, 200.0], len(centres))
    squares = np.square(centres[:, None] - points[None]).sum(axis=2)
    expected = np.minimum(((squares <= np.square(radii)[:, None] * (1 + 1e-12)) * weights).sum(axis=1), cap)
    found = count_inside(boxes_of(points, weights), centres, radii * (1 + 1e-12), cap)
    np.testing.assert_array_equal(found, expected)


def test_balls_in_a_crowd_are_full_and_all_others_exact() -> None:
    rng = np.random.default_rng(7)
    points = rng.normal(size=(6_000, 3))
    centres = np.sort(rng.normal(size=(1_500, 3)), axis=0)
    radii = rng.choice([1e-9, 0.05, 0.2, 0.6], len(centres))
    within = np.square(centres[:, None] - points[None]).sum(axis=2) <= np.square(radii)[:, None]
    expected = np.minimum(within.sum(axis=1), 60)
    assert {0, 60} < set(expected.tolist())
    found = count_inside(boxes_of(points, np.ones(6_000, dtype=np.int64)), centres, radii, 60)
    np.testing.assert_array_equal(found, expected)


def test_balls_that_hold_everything_need_no_pairs() -> None:
    points = np.random.default_rng(0).random((3_000, 2))
    found = count_inside(
        boxes_of(points, np.ones(3_000, dtype=np.int64)), points[:64], np.full(64, 9.0), 10_000
    )
    assert found.tolist() == [3_000] * 64


def test_balls_that_are_all_full_are_capped() -> None:
    points = np.random.default_rng(0).random((3_000, 2))
    boxes = boxes_of(points, np.ones(3_000, dtype=np.int64))
    assert count_inside(boxes, points[:64], np.full(64, 9.0), 10).tolist() == [10] * 64
