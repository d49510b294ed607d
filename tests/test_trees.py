"""Searches in trees against every distance, computed the plain way; the same bits, ties on purpose."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from sosie import _trees, trees
from sosie.trees import Floats, Integers, Positions, Tree, leaf_order


def gaussian(rows: int, components: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(rows, components))


def whole(rows: int, components: int, seed: int = 0, most: int = 4) -> Floats:
    """Small whole numbers, each row once: most distances are shared by many."""
    drawn = np.random.default_rng(seed).integers(0, most + 1, (rows, components))
    return np.unique(drawn, axis=0).astype(np.float64)


def in_leaf_order(points: Floats) -> Floats:
    return points[leaf_order(points)]


def all_squares(queries: Floats, points: Floats) -> Floats:
    """(m, n) sums of squared differences, component after component."""
    found = np.zeros((len(queries), len(points)))
    for here, there in zip(queries.T, points.T, strict=True):
        found += np.square(here[:, None] - there)
    return found


def plain(points: Floats, queries: Floats, count: int) -> tuple[Floats, Positions]:
    """The nearest by every distance; among equals the first."""
    away = all_squares(queries, points)
    near = np.argsort(away, axis=1, kind="stable")[:, :count].astype(np.int32)
    return np.sqrt(np.take_along_axis(away, near, axis=1)), near


def assert_nearest(points: Floats, queries: Floats, count: int) -> None:
    """Each kind of searches that this processor runs finds the same, and so does whoever asks for none."""
    tree, asked = Tree(points), np.ascontiguousarray(queries)
    expected, order = plain(points, queries, count)
    for kind in [-1, *range(_trees.kinds())]:
        near, away = np.empty_like(order), np.empty_like(expected)
        _trees.nearest(tree._tree, asked, count, near, away, kind)
        np.testing.assert_array_equal(near, order)
        np.testing.assert_array_equal(away, expected)


@pytest.mark.parametrize("rows", [4_097, 8_193, 50_000])
def test_leaf_order_is_the_same_in_two_threads_as_in_one(rows: int) -> None:
    points = whole(4 * rows, 3, most=80)[:rows]
    np.testing.assert_array_equal(leaf_order(points, workers=2), leaf_order(points, workers=1))


@pytest.mark.parametrize("rows", [1, 2, 31, 32, 33, 256, 257, 2_048, 2_049, 5_000])
def test_leaf_order_names_each_row_once(rows: int) -> None:
    assert np.sort(leaf_order(gaussian(rows, 3))).tolist() == list(range(rows))


def test_leaf_order_keeps_neighbours_together() -> None:
    """32 rows that follow each other fill about as much of a square as 32 of 8,192 do of it."""
    points = in_leaf_order(np.random.default_rng(0).random((8_192, 2))).reshape(-1, 32, 2)
    areas = np.ptp(points, axis=1).prod(axis=1)
    assert areas.mean() < 2 * 32 / 8_192


@pytest.mark.parametrize("rows", [1, 2, 31, 32, 33, 256, 257, 2_048, 2_049])
@pytest.mark.parametrize("components", [1, 3, 20])
def test_the_nearest_are_those_of_all_pairs_to_the_last_bit(rows: int, components: int) -> None:
    points = in_leaf_order(gaussian(rows, components))
    for count in {1, min(7, rows), min(40, rows), rows}:
        assert_nearest(points, gaussian(100, components, 1), count)


@pytest.mark.parametrize("components", [1, 2, 5, 13])
@pytest.mark.parametrize("count", [25, 32, 33, 150])
def test_among_equal_distances_the_first_positions_are_found(components: int, count: int) -> None:
    points = whole(3_000, components)
    assert_nearest(points, whole(300, components, 1), min(count, len(points)))


def test_queries_in_any_order_find_the_same() -> None:
    points, queries = in_leaf_order(gaussian(3_000, 4)), gaussian(500, 4, 1)
    order = np.random.default_rng(2).permutation(500)
    away, near = Tree(points).nearest(queries, 9)
    shuffled = Tree(points).nearest(queries[order], 9)
    np.testing.assert_array_equal(shuffled[0], away[order])
    np.testing.assert_array_equal(shuffled[1], near[order])


def test_points_in_any_order_are_found() -> None:
    assert_nearest(gaussian(3_000, 4), gaussian(100, 4, 1), 5)


@pytest.mark.parametrize("far", [1e6, -1e9, 1e200, 1e-180])
def test_far_from_the_origin_and_beyond_what_squares_hold_the_nearest_are_those_of_all_pairs(
    far: float,
) -> None:
    with np.errstate(over="ignore"):
        assert_nearest(in_leaf_order(gaussian(2_000, 3) * far), gaussian(90, 3, 1) * far, 4)
    assert_nearest(in_leaf_order(gaussian(2_000, 3) + far), gaussian(90, 3, 1) + far, 4)


def test_very_many_at_one_distance_are_no_more_than_are_asked() -> None:
    """Corners of a cube, asked from the middle, from which all are alike."""
    corners = (np.arange(2**14)[:, None] >> np.arange(14) & 1).astype(np.float64)
    away, near = Tree(corners).nearest(np.full((256, 14), 0.5), 7)
    np.testing.assert_array_equal(away, np.full((256, 7), np.sqrt(14) / 2))
    np.testing.assert_array_equal(near, np.tile(np.arange(7), (256, 1)))


@settings(deadline=None, derandomize=True, database=None)
@given(places=st.lists(st.integers(0, 6**3 - 1), min_size=1, max_size=90, unique=True), share=st.floats(0, 1))
def test_any_few_points_are_found_as_by_all_pairs(places: list[int], share: float) -> None:
    levels = np.array([-1e160, -1.0, 0.0, 1e-170, 0.5, 3.0])
    cloud = levels[np.stack(np.unravel_index(places, (6, 6, 6)), axis=1)]
    with np.errstate(over="ignore"):
        assert_nearest(cloud, cloud, max(1, round(share * len(cloud))))


@pytest.mark.parametrize("components", [5, 20])
def test_the_nearest_are_those_of_another_tree(components: int) -> None:
    points, queries = in_leaf_order(gaussian(30_000, components)), gaussian(400, components, 1)
    away, near = Tree(points).nearest(queries, 21)
    expected, order = cKDTree(points).query(queries, 21)
    np.testing.assert_allclose(away, expected, rtol=1e-12)
    np.testing.assert_array_equal(near, order)


def counted(points: Floats, weights: Integers, centres: Floats, squares: Floats, most: int) -> Integers:
    """The weight inside each ball by every distance."""
    inside = all_squares(centres, points) <= squares[:, None]
    return np.asarray(np.minimum((inside * weights).sum(axis=1), most))


@pytest.mark.parametrize("heaviest", [1, 5])
@pytest.mark.parametrize("most", [0, 1, 40, 10**9])
@pytest.mark.parametrize("components", [1, 3, 8])
def test_what_balls_of_every_size_hold_is_counted_as_by_all_pairs(
    components: int, most: int, heaviest: int
) -> None:
    rng = np.random.default_rng(heaviest)
    points = in_leaf_order(whole(5_000, components, most=29))
    weights = rng.integers(1, heaviest + 1, len(points))
    centres = np.concatenate([points[:900], rng.normal(15, 20, (700, components))])
    squares = rng.choice([0.0, 1.0, 2.0, 30.0, 600.0, 40_000.0, np.inf], len(centres))
    tree, expected = Tree(points, weights), counted(points, weights, centres, squares, most)
    np.testing.assert_array_equal(tree.inside(centres, squares, most), expected)
    for kind in range(_trees.kinds()):
        found = np.empty_like(expected)
        _trees.inside(tree._tree, centres, squares, most, found, kind)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("rows", [1, 31, 33, 256, 257, 2_049])
def test_balls_around_all_hold_each_point_once(rows: int) -> None:
    found = Tree(gaussian(rows, 2)).inside(gaussian(40, 2, 1), np.full(40, 1e9), 10**9)
    assert found.tolist() == [rows] * 40


def test_the_number_of_workers_and_of_queries_at_once_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    points, queries = in_leaf_order(gaussian(2_000, 3)), gaussian(900, 3, 1)
    tree, squares = Tree(points), np.linspace(0, 2, 900)
    away, near = tree.nearest(queries, 6, workers=1)
    held = tree.inside(queries, squares, 500, workers=1)
    monkeypatch.setattr(trees, "QUERIES_AT_ONCE", 13)
    for workers in (1, 2, 4):
        again = tree.nearest(queries, 6, workers=workers)
        np.testing.assert_array_equal(again[0], away)
        np.testing.assert_array_equal(again[1], near)
        np.testing.assert_array_equal(tree.inside(queries, squares, 500, workers=workers), held)


def test_no_query_finds_nothing() -> None:
    tree = Tree(gaussian(5, 2))
    assert tree.nearest(np.empty((0, 2)), 3)[0].shape == (0, 3)
    assert tree.inside(np.empty((0, 2)), np.empty(0), 3).shape == (0,)


@pytest.mark.parametrize("count", [0, 6])
def test_no_point_and_more_than_there_are_cannot_be_asked(count: int) -> None:
    with pytest.raises(ValueError, match="between 1 and the points there are"):
        Tree(gaussian(5, 2)).nearest(gaussian(3, 2), count)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_coordinates_that_are_not_finite_are_refused(value: float) -> None:
    points = gaussian(40, 2)
    tree, broken = Tree(points), points.copy()
    broken[39, 1] = value
    with pytest.raises(ValueError, match="not finite"):
        Tree(broken)
    with pytest.raises(ValueError, match="not finite"):
        tree.nearest(broken, 1)
    with pytest.raises(ValueError, match="not finite"):
        tree.inside(broken, np.ones(40), 1)


@pytest.mark.parametrize("kind", ["float32", "int8", "int64", ">f8"])
def test_numbers_of_other_types_are_read_as_what_they_say(kind: str) -> None:
    points, queries = (10 * gaussian(90, 3)).astype(kind), (10 * gaussian(40, 3, 1)).astype(kind)
    same, asked = points.astype(np.float64), queries.astype(np.float64)
    np.testing.assert_array_equal(leaf_order(points), leaf_order(same))
    for found, expected in zip(Tree(points).nearest(queries, 5), plain(same, asked, 5), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(
        Tree(points, np.full(90, 2, dtype=np.int32)).inside(queries, np.full(40, 100).astype(kind), 10**6),
        Tree(same, np.full(90, 2)).inside(asked, np.full(40, 100.0), 10**6),
    )


def test_arrays_may_lie_in_memory_as_they_like() -> None:
    points, queries = gaussian(90, 3), gaussian(40, 3, 1)
    bytes_before = np.frombuffer(b"." + points.tobytes(), offset=1).reshape(90, 3)
    for same in (np.asfortranarray(points), np.repeat(points, 2, axis=1)[:, ::2], bytes_before):
        assert_nearest(same, np.asfortranarray(queries)[::-1], 5)
        weighed = Tree(same, np.arange(180)[::2]).inside(queries[::-1], np.linspace(0, 9, 80)[::2], 10**6)
        expected = counted(points, np.arange(180)[::2], queries[::-1], np.linspace(0, 9, 80)[::2], 10**6)
        np.testing.assert_array_equal(weighed, expected)


def test_weights_that_are_no_whole_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="safe"):
        Tree(gaussian(3, 2), np.array([1.0, 2.5, 1.0]))


@pytest.mark.parametrize(("centres", "squares"), [(13, 14), (14, 13), (0, 1)])
def test_centres_and_squares_are_as_many(monkeypatch: pytest.MonkeyPatch, centres: int, squares: int) -> None:
    monkeypatch.setattr(trees, "QUERIES_AT_ONCE", 13)
    with pytest.raises(ValueError, match="sizes"):
        Tree(gaussian(5, 2)).inside(gaussian(centres, 2), np.ones(squares), 3)


@pytest.mark.parametrize("kind", [-2, 99])
def test_kinds_of_searches_that_no_processor_runs_are_refused(kind: int) -> None:
    tree, numbers = _trees.tree(gaussian(5, 2), 2, None), np.empty(1, dtype=np.int64)
    with pytest.raises(ValueError, match="kind"):
        _trees.nearest(tree, np.zeros(2), 1, np.empty(1, dtype=np.int32), np.empty(1), kind)
    with pytest.raises(ValueError, match="kind"):
        _trees.inside(tree, np.zeros(2), np.ones(1), 1, numbers, kind)


def test_arrays_whose_sizes_do_not_belong_together_are_refused() -> None:
    points, tree = gaussian(5, 2), _trees.tree(gaussian(5, 2), 2, None)
    floats, places, numbers = np.empty(4), np.empty(4, dtype=np.int32), np.empty(4, dtype=np.int64)
    with pytest.raises(ValueError, match="sizes"):
        _trees.order(points, 2, False, places)
    for components in (3, 2, 0, -10):
        with pytest.raises(ValueError, match="sizes"):
            _trees.tree(points, components, numbers)
    with pytest.raises(ValueError, match="sizes"):
        _trees.nearest(tree, points, 1, places, floats)
    with pytest.raises(ValueError, match="sizes"):
        _trees.inside(tree, points, floats, 1, numbers)


@pytest.mark.parametrize("components", [-3, 0, 1, 2**62])
def test_no_tree_is_made_of_no_points(components: int) -> None:
    with pytest.raises(ValueError, match="sizes"):
        _trees.tree(np.empty(3 if components < 0 else 0), components, None)
