"""Hidden rate against values worked by hand and an all-pairs reference."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.arranged import arranged
from sosie.metrics import hidden_rate, local_cloaking_counts
from sosie.metrics.hidden_rate import both_hidden_rates
from sosie.neighbours import nearest

Floats = npt.NDArray[np.floating]


def rates_by_hand(originals: Floats, avatars: Floats) -> tuple[float, float]:
    found, exposed = [], []
    for i, original in enumerate(originals):
        away = np.sqrt(((avatars - original) ** 2).sum(axis=1))
        closest = np.flatnonzero(away <= away.min() * (1 + 1e-12))
        found.append(1 / len(closest) if i in closest else 0.0)
        exposed.append(i in closest)
    return 100 * (1 - float(np.mean(found))), 100 * (1 - float(np.mean(exposed)))


def test_everybody_is_found_when_avatars_are_copies_of_distinct_rows() -> None:
    points = np.arange(12.0).reshape(6, 2)
    assert hidden_rate(points, points) == 0
    assert hidden_rate(points, points, ties="exposed") == 0


@pytest.mark.parametrize("most", [None, 2, 50])
def test_the_rates_of_known_distances_and_counts_are_the_same(most: int | None) -> None:
    rng = np.random.default_rng(3)
    originals = np.asarray(rng.integers(0, 3, size=(300, 2)) * 0.1, dtype=np.float64)
    drawn = np.where(rng.random((300, 1)) < 0.7, originals, rng.permutation(originals))
    avatars = np.asarray(drawn, dtype=np.float64)
    counts = local_cloaking_counts(originals, avatars)
    closest = nearest(originals, avatars, 1)[0][:, 0]
    known = counts if most is None else np.minimum(counts, most)
    here, there = arranged(originals, "originals"), arranged(avatars, "avatars")
    found = both_hidden_rates(here, there, closest, known, most)
    assert found == (hidden_rate(originals, avatars), hidden_rate(originals, avatars, ties="exposed"))


def test_nobody_is_found_when_every_closest_avatar_is_a_strangers() -> None:
    points = np.arange(6.0)
    assert hidden_rate(points, points[::-1]) == 100


def test_four_equal_avatars_leave_one_chance_in_four() -> None:
    assert hidden_rate(np.zeros(4), np.zeros(4)) == 75
    assert hidden_rate(np.zeros(4), np.zeros(4), ties="exposed") == 0


def test_a_tie_between_two_avatars_at_different_places_is_a_tie() -> None:
    # x = 0 lies between its own avatar 1 and the stranger's -1; x = 10 finds its own, 11
    assert hidden_rate([0.0, 10.0, -9.0], [1.0, 11.0, -1.0]) == pytest.approx(100 * (1 - 2.5 / 3))
    assert hidden_rate([0.0, 10.0, -9.0], [1.0, 11.0, -1.0], ties="exposed") == 0


@pytest.mark.parametrize("seed", range(3))
def test_rates_are_those_of_an_all_pairs_search_with_ties_and_duplicates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    originals = rng.integers(0, 5, size=(150, 2)) * 0.1
    avatars = originals + rng.integers(-1, 2, size=(150, 2)) * 0.1
    expected, exposed = rates_by_hand(originals, avatars)
    assert hidden_rate(originals, avatars) == pytest.approx(expected, abs=1e-10)
    assert hidden_rate(originals, avatars, ties="exposed", workers=2) == pytest.approx(exposed, abs=1e-10)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=30))
def test_exposed_ties_never_hide_more_than_expected_ones(pairs: list[tuple[int, int]]) -> None:
    originals, avatars = np.array(pairs, dtype=np.float64).T
    expected, exposed = hidden_rate(originals, avatars), hidden_rate(originals, avatars, ties="exposed")
    assert 0 <= exposed <= expected <= 100
    assert (expected, exposed) == pytest.approx(rates_by_hand(originals[:, None], avatars[:, None]), abs=1e-9)


def test_permuting_the_rows_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    originals, avatars = rng.integers(0, 4, size=(2, 120, 2)).astype(np.float64)
    order = rng.permutation(120)
    assert hidden_rate(originals[order], avatars[order]) == pytest.approx(
        hidden_rate(originals, avatars), abs=1e-10
    )


def test_an_unknown_rule_of_ties_is_refused() -> None:
    with pytest.raises(ValueError, match='ties must be "expected" or "exposed"'):
        hidden_rate([0.0], [0.0], ties="first")  # type: ignore[arg-type]


def test_sets_that_do_not_match_row_for_row_are_refused() -> None:
    with pytest.raises(ValueError, match="2 originals x 1 components against 3 avatars x 1"):
        hidden_rate([0.0, 1.0], [0.0, 1.0, 2.0])
