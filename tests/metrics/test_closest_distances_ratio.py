"""Closest distances ratio and distance to closest, both scored against the holdout."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from sosie.metrics import ReferenceScore, closest_distances_ratio, distance_to_closest

Floats = npt.NDArray[np.float64]
Score = Callable[[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike], ReferenceScore]

either = pytest.mark.parametrize("score", [closest_distances_ratio, distance_to_closest])


def two_closest(points: Floats, base: Floats) -> Floats:
    pairs = np.sqrt(((points[:, None] - base[None]) ** 2).sum(axis=2))
    return np.sort(pairs, axis=1)[:, :2]


def ratios(points: Floats, base: Floats) -> Floats:
    return np.array([1.0 if d2 == 0 else d1 / d2 for d1, d2 in two_closest(points, base)])


def test_two_originals_on_a_line_have_the_ratio_worked_by_hand() -> None:
    # towards the avatars 1/12 and 2/9, towards the holdout 4/13 and 1/2
    score = closest_distances_ratio([[0], [10]], [[1], [12]], [[4], [13]])
    assert score.median == pytest.approx(37.8307, abs=5e-5)
    assert score.outlier == pytest.approx(27.7778, abs=5e-5)
    assert score.informative


def test_two_originals_on_a_line_have_the_distance_worked_by_hand() -> None:
    # towards the avatars 1 and 2, towards the holdout 4 and 3
    score = distance_to_closest([[0], [10]], [[1], [12]], [[4], [13]])
    assert score.median == pytest.approx(100 * 1.5 / 3.5)
    assert score.outlier == pytest.approx(100 * 1.025 / 3.025)
    assert score.informative


@either
def test_where_everybody_is_equal_the_score_is_100_and_says_nothing(score: Score) -> None:
    everybody = np.zeros((4, 2))
    found = score(everybody, everybody, everybody)
    assert (found.median, found.outlier) == (100, 100)
    assert (found.median_informative, found.outlier_informative) == (False, False)
    assert not found.informative


@either
def test_a_reference_of_0_scores_100_and_says_nothing(score: Score) -> None:
    working = np.array([[0.0], [10.0], [20.0]])
    found = score(working, working + 1, working)  # every original has a twin in the holdout
    assert (found.median, found.outlier, found.informative) == (100, 100, False)


@either
def test_the_median_may_say_something_where_the_outlier_does_not(score: Score) -> None:
    working = np.arange(0.0, 100.0, 10.0)
    holdout = working + np.array([0.0] + [1.0] * 9)
    # one original in ten has a twin in the holdout; five of each put percentile 2.5 among the twins
    found = score(np.repeat(working, 5), working + 2, np.append(holdout, 5.0))
    assert (found.outlier, found.outlier_informative) == (100, False)
    assert found.median_informative
    assert not found.informative


@pytest.mark.parametrize("twice", ["avatars", "holdout"])
def test_ratios_that_are_1_by_convention_are_not_taken_for_safety(twice: str) -> None:
    working = np.arange(0.0, 100.0, 10.0)
    doubled, plain = np.repeat(working, 2), np.repeat(working + 1, 2) + np.tile([0.0, 1.0], 10)
    sets = (doubled, plain) if twice == "avatars" else (plain, doubled)
    assert not closest_distances_ratio(working, *sets).informative


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_an_all_pairs_search_with_ties_and_duplicates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    working, holdout = rng.integers(0, 40, size=(2, 150, 2)).astype(np.float64)
    avatars = working + rng.integers(0, 3, size=working.shape)
    here, there = ratios(working, avatars), ratios(working, holdout)
    score = closest_distances_ratio(working, avatars, holdout)
    assert score.median == pytest.approx(100 * np.median(here) / np.median(there))
    near, far = two_closest(working, avatars)[:, 0], two_closest(working, holdout)[:, 0]
    distance = distance_to_closest(working, avatars, holdout)
    assert distance.median == pytest.approx(100 * np.median(near) / np.median(far))


@pytest.mark.parametrize("seed", range(3))
def test_outliers_are_percentile_two_and_a_half(seed: int) -> None:
    rng = np.random.default_rng(seed)
    working, avatars, holdout = rng.normal(size=(3, 90, 3))
    here, there = ratios(working, avatars), ratios(working, holdout)
    score = closest_distances_ratio(working, avatars, holdout)
    assert score.outlier == pytest.approx(100 * np.quantile(here, 0.025) / np.quantile(there, 0.025))
    assert score.informative


@either
def test_permuting_any_of_the_three_sets_changes_nothing(score: Score) -> None:
    rng = np.random.default_rng(6)
    working, avatars, holdout = rng.integers(0, 9, size=(3, 60, 3)).astype(np.float64)
    straight = score(working, avatars, holdout)
    assert score(rng.permutation(working), rng.permutation(avatars), rng.permutation(holdout)) == straight


@either
def test_avatars_that_copy_their_originals_score_0(score: Score) -> None:
    working, holdout = np.random.default_rng(7).normal(size=(2, 100, 3))
    found = score(working, working, holdout)
    assert (found.median, found.outlier, found.informative) == (0, 0, True)


@pytest.mark.parametrize("name", ["avatars", "holdout"])
def test_a_base_of_one_row_has_no_ratio(name: str) -> None:
    sets = {"avatars": [[0.0], [1.0]], "holdout": [[0.0], [1.0]], name: [[0.0]]}
    with pytest.raises(ValueError, match=f"at least 2 rows in {name}: 1 row"):
        closest_distances_ratio([[0.0], [1.0]], sets["avatars"], sets["holdout"])


@either
def test_an_empty_set_and_missing_coordinates_are_refused(score: Score) -> None:
    with pytest.raises(ValueError, match="holdout must have at least one row"):
        score([[0.0], [1.0]], [[0.0], [1.0]], np.zeros((0, 1)))
    with pytest.raises(ValueError, match="working must be finite: 1 coordinates in 1 rows"):
        score([[0.0], [np.inf]], [[0.0], [1.0]], [[0.0], [1.0]])
