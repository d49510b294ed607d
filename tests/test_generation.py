"""Weights and barycentres: the laws of the method, worked values, and what a seed fixes."""

import numpy as np
import pytest

from sosie import blocks
from sosie.columns import Floats
from sosie.generation import (
    WeightLaw,
    ZeroDistance,
    combined_weights,
    draw_barycentres,
    gaussian_weights,
    published_weights,
)

LAWS: list[tuple[WeightLaw, ZeroDistance]] = [
    ("published", "floor"),
    ("published", "limit"),
    ("gaussian", "floor"),
]
laws = pytest.mark.parametrize(("law", "zero_distance"), LAWS)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def cloud(n: int = 200, components: int = 3, seed: int = 0) -> Floats:
    """Half of the rows have a twin."""
    points = rng(seed).normal(size=(n, components))
    points[: n // 4] = points[n // 4 : n // 2]
    return points


def test_the_worked_weights_and_their_avatar() -> None:
    """D = [1, 2], R = [1, 1], σ = [1, 2]: W = [0.8, 0.2], and neighbours at 0 and 10 give an avatar at 2."""
    weights = combined_weights(np.array([[1.0, 2.0]]), np.ones((1, 2)), np.array([[1 / 2, 1 / 4]]), "floor")
    np.testing.assert_allclose(weights, [[0.8, 0.2]], atol=1e-15)
    assert (weights @ np.array([0.0, 10.0])).item() == pytest.approx(2.0)


def test_floor_counts_a_distance_of_0_as_the_smallest_positive_one() -> None:
    draws = np.array([[1.0, 2.0, 3.0]]), np.array([[1 / 2, 1 / 8, 1 / 4]])
    floored = combined_weights(np.array([[0.0, 4.0, 8.0]]), *draws, "floor")
    np.testing.assert_array_equal(floored, combined_weights(np.array([[4.0, 4.0, 8.0]]), *draws, "floor"))
    # P = (1/D)·R·C: 1/4·1·1/2, 1/4·2·1/8, 1/8·3·1/4
    np.testing.assert_allclose(floored, np.array([[4, 2, 3]]) / 9, atol=1e-15)


def test_limit_gives_the_twins_all_the_weight() -> None:
    draws = np.array([[1.0, 2.0, 3.0]]), np.array([[1 / 2, 1 / 8, 1 / 4]])
    weights = combined_weights(np.array([[0.0, 0.0, 8.0]]), *draws, "limit")
    np.testing.assert_allclose(weights, [[2 / 3, 1 / 3, 0]], atol=1e-15)


def test_limit_is_what_the_formula_tends_to() -> None:
    draws = np.array([[1.0, 2.0, 3.0]]), np.array([[1 / 2, 1 / 8, 1 / 4]])
    nearly = combined_weights(np.array([[1e-12, 1e-12, 8.0]]), *draws, "limit")
    limit = combined_weights(np.array([[0.0, 0.0, 8.0]]), *draws, "limit")
    np.testing.assert_allclose(nearly, limit, atol=1e-10)


@pytest.mark.parametrize("zero_distance", ["floor", "limit"])
def test_among_twins_only_distances_are_equal(zero_distance: ZeroDistance) -> None:
    weights = combined_weights(
        np.zeros((1, 3)), np.array([[1.0, 2.0, 3.0]]), np.array([[1 / 2, 1 / 8, 1 / 4]]), zero_distance
    )
    np.testing.assert_allclose(weights, np.array([[2, 1, 3]]) / 6, atol=1e-15)


def test_without_a_twin_both_rules_are_the_same() -> None:
    distances = 1 + rng().random((50, 8))
    floor = published_weights(distances, rng(1), "floor")
    np.testing.assert_array_equal(floor, published_weights(distances, rng(1), "limit"))


@pytest.mark.parametrize("zero_distance", ["floor", "limit"])
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_published_weights_are_positive_sum_to_1_and_ignore_the_unit(
    zero_distance: ZeroDistance, scale: float
) -> None:
    distances = rng().random((2000, 20))
    distances[:500, :3] = 0
    distances[:100] = 0
    weights = published_weights(distances * scale, rng(1), zero_distance)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights, published_weights(distances, rng(1), zero_distance), rtol=1e-9)


def test_each_individual_draws_a_fresh_permutation_and_each_neighbour_is_as_often_first() -> None:
    weights = published_weights(np.ones((20_000, 4)), rng(), "floor")
    heaviest = np.bincount(weights.argmax(axis=1), minlength=4) / len(weights)
    np.testing.assert_allclose(heaviest, 0.25, atol=0.015)
    np.testing.assert_allclose(weights.mean(axis=0), 0.25, atol=0.01)


def test_an_exponential_and_a_half_power_make_the_weights() -> None:
    """Two neighbours at equal distance: W₁ = R₁C₁/(R₁C₁ + R₂C₂), so W₁ > 1/2 with probability 1/2·(2/3 + 1/3)."""
    weights = published_weights(np.ones((40_000, 2)), rng(), "floor")[:, 0]
    # W/(1−W) is 2^±1 times a ratio of exponentials, P(ratio > t) = 1/(1 + t); so P(W > 4/5) = ½(1/3 + 1/9)
    assert np.mean(weights > 0.8) == pytest.approx((1 / 3 + 1 / 9) / 2, abs=0.01)


def test_gaussian_weights_sum_to_1_and_some_are_negative() -> None:
    weights = gaussian_weights(5000, 20, rng())
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert (weights < 0).any()


def test_gaussian_avatars_have_the_mean_and_covariance_of_the_neighbourhood() -> None:
    neighbours = rng(3).normal(size=(20, 3)) * [1, 5, 0.2] + [10, -3, 0]
    neighbours[:, 2] += neighbours[:, 1]
    avatars = gaussian_weights(200_000, 20, rng()) @ neighbours
    expected = np.cov(neighbours.T, ddof=1)
    error = np.sqrt(np.diag(expected) / len(avatars))
    assert (np.abs(avatars.mean(axis=0) - neighbours.mean(axis=0)) < 5 * error).all()
    np.testing.assert_allclose(np.cov(avatars.T), expected, rtol=0.02, atol=0.02)


def test_published_avatars_are_a_shrunken_copy() -> None:
    """What the gaussian law is for: a barycentre of positive weights has less variance than its neighbours."""
    neighbours = rng(3).normal(size=(20, 1))
    avatars = published_weights(np.ones((20_000, 20)), rng(), "floor") @ neighbours
    assert avatars.var() < 0.6 * neighbours.var(ddof=1)


@laws
def test_nobody_is_their_own_neighbour_and_all_are_inside_the_batch(
    law: WeightLaw, zero_distance: ZeroDistance
) -> None:
    coordinates = cloud()
    batches = [np.arange(0, 200, 2), np.arange(1, 200, 2)]
    found = draw_barycentres(coordinates, batches, 7, law, zero_distance, seed=1)
    assert found.neighbours.shape == found.weights.shape == (200, 7)
    assert not (found.neighbours == np.arange(200)[:, None]).any()
    assert (found.neighbours % 2 == np.arange(200)[:, None] % 2).all()
    assert all(len(set(row)) == 7 for row in found.neighbours.tolist())
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, atol=1e-12)


@laws
@pytest.mark.parametrize("block", [100, 1_500, 65_536])  # more blocks than workers, as many, one
def test_one_seed_gives_the_same_bytes_whatever_the_number_of_workers(
    law: WeightLaw, zero_distance: ZeroDistance, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", block)
    coordinates = cloud(3000)
    batches = [np.arange(0, 1000), np.arange(1000, 3000)]
    one = draw_barycentres(coordinates, batches, 10, law, zero_distance, seed=5, workers=1)
    two = draw_barycentres(coordinates, batches, 10, law, zero_distance, seed=5, workers=2)
    assert one.neighbours.tobytes() == two.neighbours.tobytes()
    assert one.weights.tobytes() == two.weights.tobytes()


def test_another_seed_gives_other_weights_on_the_same_neighbours() -> None:
    coordinates = cloud()
    one, other = (
        draw_barycentres(coordinates, [np.arange(200)], 5, "published", "floor", seed) for seed in (1, 2)
    )
    assert (one.neighbours == other.neighbours).all()
    assert not (one.weights == other.weights).any()


def test_batches_and_blocks_share_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 50)
    coordinates = np.zeros((200, 1))  # equal distances: weights are the draws alone
    batches = [np.arange(100), np.arange(100, 200)]
    weights = draw_barycentres(coordinates, batches, 5, "published", "floor", seed=1).weights
    assert len(np.unique(weights.round(12), axis=0)) == 200


@pytest.mark.parametrize("k", [1, 10, 11])
def test_k_outside_2_to_rows_minus_1_is_refused(k: int) -> None:
    with pytest.raises(ValueError, match=r"k must lie between 2 and rows - 1.*10 rows"):
        draw_barycentres(rng().random((10, 2)), [np.arange(10)], k, "published", "floor", seed=0)
