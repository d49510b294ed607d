"""Neighbours against a plain all-pairs reference, with ties and duplicates on purpose."""

import time

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie import trees
from sosie.neighbours import (
    counts_within,
    distances_to_nearest_other,
    nearest,
    nearest_others,
    paired_distances,
)

Floats = npt.NDArray[np.float64]


def all_pairs(points: Floats, base: Floats) -> Floats:
    """Every distance, the plain way."""
    return np.asarray(np.sqrt(((points[:, None, :] - base[None, :, :]) ** 2).sum(axis=2)))


def gaussian(rows: int, components: int, seed: int) -> Floats:
    return np.random.default_rng(seed).normal(size=(rows, components))


def tied(rows: int, components: int, seed: int) -> Floats:
    """Small whole numbers: many equal rows and many equal distances."""
    return np.random.default_rng(seed).integers(0, 3, size=(rows, components)).astype(np.float64)


CLOUDS = {
    "gaussian": gaussian(150, 3, 0),
    "tied": tied(150, 2, 1),
    "all equal": np.full((60, 2), 7.5),
    "half equal": np.vstack([np.zeros((40, 3)), gaussian(40, 3, 2)]),
    "one component": tied(90, 1, 3),
    "twins": np.repeat(gaussian(40, 4, 4), 2, axis=0),
    "almost equal": np.repeat(gaussian(30, 2, 5), 3, axis=0) * (1 + 1e-15 * np.arange(90)[:, None]),
}

clouds = pytest.mark.parametrize("points", CLOUDS.values(), ids=CLOUDS.keys())


def assert_k_nearest_others(points: Floats, k: int) -> None:
    found = nearest_others(points, k, workers=1)
    pairs = all_pairs(points, points)
    np.fill_diagonal(pairs, np.inf)
    n = len(points)
    assert found.indices.shape == found.distances.shape == (n, k)
    assert not (found.indices == np.arange(n)[:, None]).any(), "an individual is never its own neighbour"
    assert all(len(set(row)) == k for row in found.indices.tolist()), "no neighbour appears twice"
    np.testing.assert_allclose(found.distances, np.sort(pairs, axis=1)[:, :k], rtol=1e-12, atol=1e-300)
    named = np.take_along_axis(pairs, found.indices, axis=1)
    np.testing.assert_allclose(found.distances, named, rtol=1e-12, atol=1e-300)


@clouds
@pytest.mark.parametrize("k", [2, 5, 20])
def test_the_k_nearest_others_are_those_of_an_all_pairs_search(points: Floats, k: int) -> None:
    assert_k_nearest_others(points, k)


@clouds
def test_with_the_largest_k_everybody_else_is_a_neighbour(points: Floats) -> None:
    n = len(points)
    found = nearest_others(points, n - 1)
    assert (np.sort(found.indices, axis=1) == [[j for j in range(n) if j != i] for i in range(n)]).all()


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.0, -0.0, 0.5, 1e-200])), min_size=3),
    share=st.floats(0, 1),
)
def test_any_small_table_agrees_with_an_all_pairs_search(
    cells: list[tuple[int, float]], share: float
) -> None:
    points = np.array(cells, dtype=np.float64)
    assert_k_nearest_others(points, max(2, round(share * (len(points) - 1))))


@clouds
def test_the_number_of_workers_and_the_size_of_blocks_change_nothing(
    points: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = nearest_others(points, 7, workers=1)
    monkeypatch.setattr(trees, "QUERIES_AT_ONCE", 13)
    blocks = nearest_others(points, 7, workers=2)
    np.testing.assert_array_equal(whole.indices, blocks.indices)
    np.testing.assert_array_equal(whole.distances, blocks.distances)


@clouds
def test_permuting_the_rows_permutes_the_distances_and_the_points_named(points: Floats) -> None:
    order = np.random.default_rng(6).permutation(len(points))
    straight, permuted = nearest_others(points, 9), nearest_others(points[order], 9)
    np.testing.assert_array_equal(permuted.distances, straight.distances[order])
    np.testing.assert_array_equal(points[order][permuted.indices], points[straight.indices[order]])


def test_equal_rows_share_their_equal_neighbours_between_them() -> None:
    # five twins at 0, five at 1: each twin at 0 has its four twins, then one of the five at 1
    points = np.repeat([0.0, 1.0], 5)
    found = nearest_others(points, 5)
    assert sorted(found.indices[:5, 4].tolist()) == [5, 6, 7, 8, 9]
    # with room for three of the four twins, each twin is used three times
    assert np.bincount(nearest_others(points, 3).indices.ravel()).tolist() == [3] * 10


def test_the_search_leaves_its_argument_as_it_was() -> None:
    points = tied(30, 2, 7)
    points[0] = -0.0
    before = points.tobytes()
    nearest_others(points, 3)
    assert points.tobytes() == before


def test_a_hundred_thousand_equal_rows_are_no_trouble() -> None:
    points = np.zeros((100_000, 3))
    points[:10] = 1.0
    began = time.process_time()
    found = nearest_others(points, 20)
    counts = counts_within(points, points, np.full(len(points), 2.0))
    away, _ = nearest(points, points, 12)
    assert time.process_time() - began < 10  # all pairs would be 1e10 distances
    assert found.distances[10:].max() == 0
    assert found.distances[0].tolist() == [0.0] * 9 + [np.sqrt(3)] * 11
    assert (counts == len(points)).all()
    assert away[0].tolist() == [0.0] * 10 + [np.sqrt(3)] * 2


@pytest.mark.parametrize("k", [-1, 0, 1, 6, 20])
def test_a_k_out_of_range_is_refused_with_the_largest_usable_one(k: int) -> None:
    with pytest.raises(ValueError, match=rf"k = {k} with 6 rows; the largest usable k is 5"):
        nearest_others(gaussian(6, 2, 8), k)


@pytest.mark.parametrize("rows", [1, 2])
def test_too_few_rows_for_any_k_are_refused(rows: int) -> None:
    with pytest.raises(ValueError, match=rf"with {rows} rows; at least 3 rows are needed"):
        nearest_others(gaussian(rows, 2, 8), 2)


@clouds
@pytest.mark.parametrize("count", [1, 2, 30])
def test_the_nearest_of_another_set_are_those_of_an_all_pairs_search(points: Floats, count: int) -> None:
    base = points[::-1][:50] + np.array([0.0, 0.5] * 25)[:, None]
    away, rows = nearest(points, base, count)
    pairs = all_pairs(points, base)
    np.testing.assert_allclose(away, np.sort(pairs, axis=1)[:, :count], rtol=1e-12)
    np.testing.assert_allclose(away, np.take_along_axis(pairs, rows, axis=1), rtol=1e-12)
    assert all(len(set(row)) == count for row in rows.tolist())


@pytest.mark.parametrize("count", [0, 5])
def test_more_nearest_rows_than_there_are_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=rf"between 1 and the rows of the base: {count} with 4 rows"):
        nearest(gaussian(3, 2, 9), gaussian(4, 2, 10), count)


@clouds
def test_counts_within_a_radius_are_those_of_an_all_pairs_search(points: Floats) -> None:
    base = np.vstack([points[::-1], points[:7], points[:7]])
    pairs = all_pairs(points, base)
    # each radius is exactly one of the distances: a tie is the rule, not the exception
    radii = pairs[np.arange(len(points)), np.arange(len(points)) * 7 % len(base)]
    expected = (pairs <= radii[:, None] * (1 + 1e-12)).sum(axis=1)
    np.testing.assert_array_equal(counts_within(points, base, radii, workers=2), expected)


def test_counts_stop_where_they_are_asked_to() -> None:
    points, base = gaussian(700, 5, 21), gaussian(3000, 5, 22)
    radii = np.abs(gaussian(700, 1, 23)[:, 0]) * 2
    exact = (all_pairs(points, base) <= radii[:, None]).sum(axis=1)
    assert (exact == 0).any()
    assert (exact > 2000).any()
    for most in (1, 7, 100, 5000):
        found = counts_within(points, base, radii, most=most)
        np.testing.assert_array_equal(found, np.minimum(exact, most))


def test_counts_of_few_points_far_from_the_origin_and_close_together_are_exact() -> None:
    rng = np.random.default_rng(24)
    base = np.asarray(1e6 + rng.integers(0, 4, (2000, 3)) * 2.0**-10, dtype=np.float64)
    counts = counts_within(base[:50], base, np.full(50, 2.0**-10))
    assert counts.tolist() == (all_pairs(base[:50], base) <= 2.0**-10).sum(axis=1).tolist()


def test_a_radius_of_zero_counts_the_equal_rows() -> None:
    base = np.array([[0.0, 0.0]] * 13 + [[1.0, 1.0]] * 6 + [[2.0, 2.0]])
    asked = np.array([[0.0, -0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    assert counts_within(asked, base, np.zeros(4)).tolist() == [13, 6, 1, 0]


def test_one_distance_computed_in_two_orders_of_addition_is_a_tie() -> None:
    points = np.zeros((1, 3))
    base = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1]])
    radius = np.sqrt(0.1**2 + (0.2**2 + 0.3**2))
    assert counts_within(points, base, [radius * (1 - 2e-16)]).tolist() == [3]


@pytest.mark.parametrize("radii", [[1.0], [1.0, -1.0, 1.0]])
def test_radii_must_be_one_number_per_point_and_not_negative(radii: list[float]) -> None:
    with pytest.raises(ValueError, match="one number >= 0 per point"):
        counts_within(gaussian(3, 2, 11), gaussian(4, 2, 12), radii)


@clouds
def test_isolation_is_the_distance_to_the_nearest_other(points: Floats) -> None:
    pairs = all_pairs(points, points)
    np.fill_diagonal(pairs, np.inf)
    np.testing.assert_allclose(distances_to_nearest_other(points), pairs.min(axis=1), rtol=1e-12)


def test_isolation_needs_somebody_else() -> None:
    with pytest.raises(ValueError, match="at least 2 rows"):
        distances_to_nearest_other([[1.0, 2.0]])


def test_paired_distances_go_row_by_row() -> None:
    assert paired_distances([[0.0, 0.0], [1.0, 1.0]], [[3.0, 4.0], [1.0, 1.0]]).tolist() == [5.0, 0.0]
    with pytest.raises(ValueError, match="as many on both sides: 2 and 3 rows"):
        paired_distances(gaussian(2, 2, 13), gaussian(3, 2, 14))


def test_sets_of_different_components_are_refused() -> None:
    with pytest.raises(ValueError, match="same components: 2 against 3"):
        nearest(gaussian(4, 2, 15), gaussian(4, 3, 16), 1)


def test_without_any_component_everybody_is_equal() -> None:
    assert (nearest_others(np.zeros((5, 0)), 3).distances == 0).all()
