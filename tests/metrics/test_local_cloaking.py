"""Local cloaking against worked values and an all-pairs reference."""

import sys

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.arranged import arranged
from sosie.metrics import local_cloaking, local_cloaking_counts, local_cloaking_summary
from sosie.metrics.isolation import most_isolated

Floats = npt.NDArray[np.floating]


def counts_by_hand(originals: Floats, avatars: Floats) -> list[int]:
    pairs = np.sqrt(((originals[:, None] - avatars[None]) ** 2).sum(axis=2))
    own = np.diag(pairs)[:, None] * (1 + 1e-12)
    return [int(count) - 1 for count in (pairs <= own).sum(axis=1)]


def test_three_originals_on_a_line_have_the_counts_worked_by_hand() -> None:
    # x = 20 is at 15 from its avatar 35, at 19 from 1 and at 11 from 9: one stranger is as near
    originals, avatars = [[0], [10], [20]], [[1], [9], [35]]
    assert local_cloaking_counts(originals, avatars).tolist() == [0, 0, 1]
    assert local_cloaking(originals, avatars) == 0


def test_avatars_equally_far_on_both_sides_hide_each_other() -> None:
    assert local_cloaking_counts([0, 0], [1, -1]).tolist() == [1, 1]


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_an_all_pairs_search_with_ties_and_duplicates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    originals = rng.integers(0, 4, size=(200, 2)) * 0.1
    avatars = originals[rng.permutation(200)]
    assert local_cloaking_counts(originals, avatars).tolist() == counts_by_hand(originals, avatars)
    noisy = originals + rng.normal(size=originals.shape)
    assert local_cloaking_counts(originals, noisy, workers=2).tolist() == counts_by_hand(originals, noisy)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=30))
def test_no_count_is_below_0_or_above_n_minus_1(pairs: list[tuple[int, int]]) -> None:
    originals, avatars = np.array(pairs, dtype=np.float64).T / 3
    counts = local_cloaking_counts(originals, avatars)
    assert counts.tolist() == counts_by_hand(originals[:, None], avatars[:, None])
    assert ((counts >= 0) & (counts < len(pairs))).all()


def test_a_perfect_copy_of_distinct_rows_hides_nobody() -> None:
    points = np.random.default_rng(3).normal(size=(300, 3))
    summary = local_cloaking_summary(points, points)
    assert (summary.median, summary.zero_share, summary.isolated_median) == (0.0, 100.0, 0.0)
    assert summary.deciles == (0.0,) * 9


def test_the_summary_names_what_the_median_hides() -> None:
    # 39 equal individuals hide each other; the fortieth stands alone with its avatar
    originals = np.array([0.0] * 39 + [100.0])
    summary = local_cloaking_summary(originals, originals)
    assert (summary.median, summary.zero_share, summary.isolated_median) == (38.0, 2.5, 0.0)
    assert summary.deciles == (38.0,) * 9


@pytest.mark.parametrize("spread", [0.01, 0.3, 30.0], ids=["few", "many", "all"])
def test_counts_that_are_stopped_leave_the_medians_exact(
    monkeypatch: pytest.MonkeyPatch, spread: float
) -> None:
    rng = np.random.default_rng(6)
    originals = rng.standard_t(3, size=(500, 2))
    avatars = originals + spread * rng.normal(size=originals.shape)
    counts, isolated = local_cloaking_counts(originals, avatars), most_isolated(originals)
    monkeypatch.setattr(sys.modules["sosie.metrics.local_cloaking"], "_MOST", 3)  # the function has its name
    found = local_cloaking_summary(originals, avatars)
    assert found.median == np.median(counts)
    assert found.isolated_median == np.median(counts[isolated])
    assert found.zero_share == 100 * np.mean(counts == 0)
    exact, shown = np.percentile(counts, range(10, 100, 10)), np.array(found.deciles)
    stopped = np.inf if found.most is None else found.most
    np.testing.assert_array_equal(shown[shown < stopped], exact[shown < stopped])
    assert (exact[shown >= stopped] >= stopped).all()


def test_where_counts_of_a_large_table_stop_does_not_depend_on_the_order_of_its_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(8)
    originals = rng.normal(size=(600, 2))
    avatars = originals + rng.choice([0.02, 0.3, 3.0], (600, 1)) * rng.normal(size=originals.shape)
    counts = local_cloaking_counts(originals, avatars)
    module = sys.modules["sosie.metrics.local_cloaking"]
    for name, value in (("_MOST", 12), ("_LARGE", 500), ("_GUESSED_FROM", 30)):
        monkeypatch.setattr(module, name, value)
    orders = [rng.permutation(600) for _ in range(5)]
    guesses = [
        module._guessed_middle(
            arranged(originals[order], "originals"),
            arranged(avatars[order], "avatars"),
            np.linalg.norm(originals - avatars, axis=1)[order],
            1,
        )
        for order in orders
    ]
    assert len(set(guesses)) > 1
    summaries = {local_cloaking_summary(originals[order], avatars[order]) for order in orders}
    (found,) = summaries
    assert found.median == np.median(counts)
    assert found.most == 12  # 3 · 4: the first stop above the median
    assert 3 <= found.median < 12
    np.testing.assert_array_equal(found.deciles, np.minimum(np.percentile(counts, range(10, 100, 10)), 12))


def test_permuting_the_rows_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    originals = np.vstack([rng.normal(size=(80, 3)), rng.integers(0, 2, size=(80, 3))])
    avatars = originals + np.round(rng.normal(size=originals.shape))
    order = rng.permutation(160)
    assert local_cloaking_summary(originals[order], avatars[order]) == local_cloaking_summary(
        originals, avatars
    )


def test_the_most_isolated_are_the_farthest_from_others_with_their_ties() -> None:
    points = np.array([0.0, 1.0, 2.0, 10.0, 14.0])  # isolations 1, 1, 1, 4, 4
    assert most_isolated(points, share=0.2).tolist() == [False, False, False, True, True]
    assert most_isolated(points, share=1.0).all()


def test_a_share_of_most_isolated_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0 and up to 1: 0"):
        most_isolated([0.0, 1.0], share=0)


def test_sets_that_do_not_match_row_for_row_are_refused() -> None:
    with pytest.raises(ValueError, match="4 originals x 2 components against 3 avatars x 2"):
        local_cloaking_counts(np.zeros((4, 2)), np.zeros((3, 2)))


def test_missing_coordinates_are_refused_with_their_count() -> None:
    with pytest.raises(ValueError, match="avatars must be finite: 1 coordinates in 1 rows"):
        local_cloaking([[0.0], [1.0]], [[0.0], [np.nan]])
