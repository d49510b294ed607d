"""Nearest points by products against all pairs, and against the tree."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from sosie.columns import Floats
from sosie.neighbours import nearest, nearest_others
from sosie.products import leaves_of, nearest_points


def gaussian(rows: int, components: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(rows, components))


def in_leaf_order(points: Floats) -> Floats:
    return np.asarray(points[cKDTree(points).indices])


def plain(points: Floats, queries: Floats, count: int) -> tuple[Floats, NDArray[np.int64]]:
    """The nearest by every distance; among equals the first."""
    away = np.sqrt(((queries[:, None] - points[None]) ** 2).sum(axis=2))
    near = np.argsort(away, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(away, near, axis=1), near


@pytest.mark.parametrize("count", [1, 5, 700])
@pytest.mark.parametrize("components", [1, 3, 20])
def test_the_nearest_are_those_of_all_pairs(components: int, count: int) -> None:
    points, queries = in_leaf_order(gaussian(700, components)), gaussian(300, components, 1)
    away, near = nearest_points(leaves_of(points), queries, count)
    expected, order = plain(points, queries, count)
    np.testing.assert_allclose(away, expected, rtol=1e-12)
    np.testing.assert_array_equal(near, order)


def test_so_many_are_found_beside_a_short_last_leaf() -> None:
    points = in_leaf_order(gaussian(10_001, 13))
    away, _ = nearest_points(leaves_of(points), points[-3:], 4_200)
    np.testing.assert_allclose(away, plain(points, points[-3:], 4_200)[0], rtol=1e-12)


@pytest.mark.parametrize("far", [1e6, -1e9])
def test_far_from_the_origin_products_still_choose_the_nearest(far: float) -> None:
    points = in_leaf_order(gaussian(6_000, 15)) + far
    away, near = nearest_points(leaves_of(points), points[:500], 3)
    expected, order = plain(points, points[:500], 3)
    np.testing.assert_array_equal(near, order)
    np.testing.assert_allclose(away, expected, rtol=1e-9)


def test_very_many_at_one_distance_are_no_more_than_are_asked() -> None:
    """Corners of a cube: from each, 14 are at distance 1 and 91 at √2; here the middle, from which all are alike."""
    corners = (np.arange(2**14)[:, None] >> np.arange(14) & 1).astype(np.float64)
    away, near = nearest_points(leaves_of(corners), np.full((256, 14), 0.5), 7)
    np.testing.assert_allclose(away, np.sqrt(14) / 2)
    np.testing.assert_array_equal(near, np.tile(np.arange(7), (256, 1)))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_neighbours_at_20_components_are_those_of_a_tree_whatever_the_workers(workers: int) -> None:
    points = gaussian(12_000, 20) * 0.8 ** np.arange(20)
    points[:50] = points[50:100]  # twins
    found = nearest_others(points, 5, workers=workers)
    away, near = map(np.asarray, cKDTree(points).query(points[::40], 6))
    np.testing.assert_allclose(found.distances[::40], away[:, 1:], rtol=1e-12)
    lone = np.flatnonzero(away[:, 1] > 0)
    np.testing.assert_array_equal(found.indices[::40][lone][:, :1], near[lone, 1:2])
    np.testing.assert_array_equal(found.indices[:50, 0], np.arange(50, 100))


def test_nearest_in_another_set_at_20_components_is_that_of_a_tree() -> None:
    base, queries = gaussian(10_000, 20), gaussian(400, 20, 1)
    away, near = nearest(queries, base, 2)
    expected, order = cKDTree(base).query(queries, 2)
    np.testing.assert_allclose(away, expected, rtol=1e-12)
    np.testing.assert_array_equal(near, order)
