"""What is compiled of generation, against the plain formulas, to the last bit."""

import numpy as np
import pytest

from sosie import _draws
from sosie.columns import Floats, Mask
from sosie.donors import drawn_at
from sosie.generation import ZeroDistance, combined_weights, halvings_of, published_weights

# around what is summed eight at once and in halves, and around tiles of rows
counts = pytest.mark.parametrize("k", [2, 3, 7, 8, 9, 16, 20, 127, 128, 129, 136, 200, 257, 1000])


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def plain_weights(
    distances: Floats, exponentials: Floats, halvings: Floats, zero_distance: ZeroDistance
) -> Floats:
    """P/ΣP, P = R·C·D_min/D, with what D = 0 means, as NumPy computes it."""
    zero = distances == 0
    positive = np.where(zero, np.inf, distances)
    with np.errstate(invalid="ignore"):
        nearness = positive.min(axis=1, keepdims=True) / positive
    nearness[zero] = 1
    if zero_distance == "limit":
        nearness[zero.any(axis=1, keepdims=True) & ~zero] = 0
    masses = nearness * exponentials * halvings
    weights: Floats = masses / masses.sum(axis=1, keepdims=True)
    return weights


def plain_positions(masses: Floats | Mask, uniforms: Floats) -> list[list[int]]:
    """How many running sums, but for the last, are at most so much of it."""
    sums = masses.cumsum(axis=1, dtype=np.float64)
    passed = sums[:, :-1] <= uniforms[:, :, None] * sums[:, -1:]
    found: list[list[int]] = passed.sum(axis=2).tolist()
    return found


def awkward(n: int, k: int) -> Floats:
    """Distances of all sizes; some rows have twins, some nothing else."""
    distances = rng(k).random((n, k)) * 10.0 ** rng(k).integers(-300, 300, size=(n, 1))
    distances[: n // 2, : k // 2] = 0
    distances[: n // 8] = 0
    distances[-1, 1:] = 5e-324  # the smallest there is
    distances[-2, 0] = np.inf
    return distances


@counts
@pytest.mark.parametrize("zero_distance", ["floor", "limit"])
def test_published_weights_are_those_of_the_formula(k: int, zero_distance: ZeroDistance) -> None:
    distances, draws = awkward(100, k), rng(1)
    exponentials = draws.standard_exponential((100, k))
    halvings = draws.permuted(np.tile(0.5 ** np.arange(1, k + 1), (100, 1)), axis=1)
    np.testing.assert_array_equal(
        published_weights(distances, rng(1), zero_distance),
        plain_weights(distances, exponentials, halvings, zero_distance),
    )


@counts
@pytest.mark.parametrize("kind", [np.random.Philox, np.random.PCG64, np.random.MT19937])
def test_halvings_are_shuffled_as_numpy_shuffles_and_as_much_is_drawn(
    k: int, kind: type[np.random.BitGenerator]
) -> None:
    one, other = np.random.Generator(kind(5)), np.random.Generator(kind(5))
    shuffled = one.permuted(np.tile(0.5 ** np.arange(1, k + 1), (50, 1)), axis=1)
    np.testing.assert_array_equal(halvings_of(50, k, other), shuffled)
    assert one.random() == other.random()
    assert one.integers(2**31, dtype=np.uint32) == other.integers(2**31, dtype=np.uint32)


def test_a_second_time_goes_on_where_the_first_ended() -> None:
    twice, once = rng(), rng()
    parts = [halvings_of(3, 5, twice), halvings_of(4, 5, twice)]
    np.testing.assert_array_equal(np.vstack(parts), halvings_of(7, 5, once))


def test_given_draws_are_not_written_into_and_may_lie_otherwise_in_memory() -> None:
    distances, exponentials, halvings = (rng(seed).random((6, 40)) for seed in range(3))
    every_other = [numbers[:, ::2] for numbers in (distances, exponentials, halvings)]
    before = [numbers.copy() for numbers in every_other]
    weights = combined_weights(every_other[0], every_other[1], every_other[2], "floor")
    np.testing.assert_array_equal(weights, plain_weights(before[0], before[1], before[2], "floor"))
    np.testing.assert_array_equal(every_other, before)


@counts
@pytest.mark.parametrize("n", [1, 15, 16, 17, 100])
def test_positions_are_those_whose_running_sum_passes(n: int, k: int) -> None:
    masses, uniforms = rng().random((n, k)), rng(1).random((3, n))
    masses[:, k // 2 :][rng(2).random((n, k - k // 2)) < 0.5] = 0
    uniforms[0, ::2] = 0
    uniforms[1, ::3] = np.nextafter(1, 0)
    assert drawn_at(masses, uniforms).tolist() == plain_positions(masses, uniforms)
    held = masses < 0.5
    assert drawn_at(held, uniforms).tolist() == plain_positions(held, uniforms)


def test_the_worked_positions() -> None:
    """Running sums 1, 1, 3, 4: thresholds 0, 1, 3 and 3.6 pass none, the first two, the first three, and no more."""
    uniforms = np.array([[0.0], [0.25], [0.75], [0.9]])
    assert drawn_at(np.array([[1.0, 0.0, 2.0, 1.0]]), uniforms).tolist() == [[0], [2], [3], [3]]


def test_positions_among_named_are_their_names() -> None:
    masses, uniforms, names = rng().random((50, 7)), rng(1).random((3, 50)), rng(2).integers(0, 99, (50, 7))
    found = drawn_at(masses, uniforms, names.astype(np.int32))
    expected = [names[np.arange(50), places].tolist() for places in plain_positions(masses, uniforms)]
    assert found.tolist() == expected


def test_the_last_is_drawn_where_nothing_has_mass_and_where_there_is_no_other() -> None:
    assert drawn_at(np.zeros((1, 4)), np.array([[0.5]])).tolist() == [[3]]
    assert drawn_at(np.ones((2, 1)), np.array([[0.0, 0.9]])).tolist() == [[0, 0]]


def test_no_rows_and_no_draws_give_none() -> None:
    assert published_weights(np.empty((0, 3)), rng(), "floor").shape == (0, 3)
    assert drawn_at(np.empty((0, 3)), np.empty((2, 0))).shape == (2, 0)
    assert drawn_at(np.ones((2, 3)), np.empty((0, 2))).shape == (0, 2)


def test_arrays_whose_sizes_do_not_belong_together_are_refused() -> None:
    cells, more, places = np.ones(6), np.ones(7), np.empty(2, dtype=np.int32)
    sizes = pytest.raises(ValueError, match="sizes do not belong together")
    capsule = rng().bit_generator.capsule
    for k in (-1, 0, 4, 2**40):
        with sizes:
            _draws.shuffle(capsule, k, cells)
        with sizes:
            _draws.weights(cells, cells, cells, k, False, cells)
        with sizes:
            _draws.positions(cells, np.ones(2), None, k, places)
    for arrays in ((more, cells, cells), (cells, more, cells), (cells, cells, more)):
        with sizes:
            _draws.weights(*arrays, 3, False, cells)
    with sizes:
        _draws.weights(cells, cells, cells, 3, False, more)
    with sizes:
        _draws.positions(cells, np.ones(3), None, 3, places)
    with sizes:
        _draws.positions(cells, np.ones(4), None, 3, places)
    with sizes:
        _draws.positions(cells, np.ones(2), np.ones(5, dtype=np.int32), 3, places)


def test_bits_from_anything_but_a_bit_generator_are_refused() -> None:
    with pytest.raises(ValueError, match="Capsule"):
        _draws.shuffle(None, 2, np.ones(2))
