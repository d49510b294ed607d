"""How the avatar was made: weights worked by hand, and both ends."""

import numpy as np
import pytest

from sosie.generation import Barycentres, gaussian_weights, published_weights
from sosie.utility.weights import weight_evidence


def barycentres(weights: "list[list[float]]") -> Barycentres:
    held = np.array(weights)
    return Barycentres(np.zeros(held.shape, dtype=np.int64), held, "published")


def test_heaviest_and_effective_number_of_three_avatars() -> None:
    found = weight_evidence(barycentres([[0.5, 0.5, 0, 0], [1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]]))
    assert (found.k, found.law) == (4, "published")
    assert found.heaviest_median == 0.5
    assert found.heaviest_p95 == pytest.approx(0.95)
    assert found.effective_neighbours_median == 2


def test_equal_weights_have_k_effective_neighbours_and_a_copy_has_one() -> None:
    assert weight_evidence(barycentres([[0.2] * 5])).effective_neighbours_median == pytest.approx(5)
    assert weight_evidence(barycentres([[0, 1, 0]])).effective_neighbours_median == 1


def test_the_published_law_puts_half_of_the_weight_on_one_of_twenty() -> None:
    drawn = published_weights(np.ones((4000, 20)), np.random.default_rng(0), "floor")
    found = weight_evidence(Barycentres(np.zeros((4000, 20), dtype=np.int64), drawn, "published"))
    assert 0.45 < found.heaviest_median < 0.6
    assert 2 < found.effective_neighbours_median < 3.5
    assert found.heaviest_p95 > found.heaviest_median


def test_affine_weights_keep_the_neighbourhoods_variance() -> None:
    drawn = gaussian_weights(4000, 20, np.random.default_rng(0))
    found = weight_evidence(Barycentres(np.zeros((4000, 20), dtype=np.int64), drawn, "gaussian"))
    assert found.effective_neighbours_median == pytest.approx(1, abs=0.05)


def test_the_figures_have_names() -> None:
    figures = weight_evidence(barycentres([[0.5, 0.5]])).metrics
    assert {name: metric.value for name, metric in figures.items()} == {
        "heaviest_weight_median": 0.5,
        "heaviest_weight_p95": 0.5,
        "effective_neighbours_median": 2.0,
    }
