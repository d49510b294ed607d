"""Hellinger mean: worked values, the grid, kinds of column, and what must not flatter."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.metrics import hellinger_distance, hellinger_mean
from sosie.metrics.frequencies import bin_count, bin_edges, number_frequencies
from sosie.metrics.hellinger import (
    hellinger_of_codes,
    hellinger_of_numbers,
    hellinger_score,
    hellinger_summary,
)

Floats = npt.NDArray[np.float64]


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_distance_between_a_fair_and_a_loaded_coin() -> None:
    assert hellinger_distance([0.5, 0.5], [0.9, 0.1]) == pytest.approx(0.324920, abs=5e-7)


def test_the_distance_goes_from_0_for_equal_to_1_for_disjoint() -> None:
    assert hellinger_distance([0.2, 0.8], [0.2, 0.8]) == 0
    assert hellinger_distance([1, 0], [0, 1]) == 1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20))
def test_the_distance_is_symmetric_and_within_0_and_1(counts: list[tuple[int, int]]) -> None:
    p, q = np.array(counts).T + 1
    forth, back = hellinger_distance(p / p.sum(), q / q.sum()), hellinger_distance(q / q.sum(), p / p.sum())
    assert 0 <= forth == back <= 1
    affinity = np.sqrt(p / p.sum() * (q / q.sum())).sum()
    assert forth**2 == pytest.approx(1 - affinity, abs=1e-12)


def test_the_score_subtracts_the_reference_in_squares() -> None:
    assert hellinger_score(0.10, 0.05) == pytest.approx(91.3397, abs=5e-5)


def test_a_distance_below_the_reference_scores_100() -> None:
    assert hellinger_score(0.04, 0.05) == 100


@pytest.mark.parametrize(
    ("span", "bins"),
    [(0.3, 20), (10, 20), (27, 20), (30, 22), (34, 26), (100, 75), (1000, 200), (np.inf, 200)],
)
def test_the_number_of_bins_is_three_quarters_of_the_range_half_to_even(span: float, bins: int) -> None:
    assert bin_count(span) == bins


def test_a_symmetric_variable_is_cut_into_equal_widths() -> None:
    np.testing.assert_allclose(bin_edges(np.arange(101.0)), np.linspace(0, 100, 76), rtol=1e-14)


def test_a_skewed_variable_is_cut_into_equal_counts() -> None:
    values = np.exp(rng(0).normal(size=2_000))  # range about 30, so about 20 bins
    edges = bin_edges(values)
    counts = np.histogram(values, edges)[0]
    assert len(counts) == bin_count(values.max() - values.min())
    assert counts.max() - counts.min() <= 1


def test_the_skewness_beyond_which_counts_are_equal_is_the_population_one() -> None:
    # one 1 among m zeros: population skewness (m - 1) / sqrt m, 0.9 at m = 2.41, 1.155 at m = 3
    assert len(bin_edges(np.array([0.0, 0.0, 1.0]))) == 21
    assert len(bin_edges(np.array([0.0, 0.0, 0.0, 1.0]))) < 21


def test_the_grid_is_laid_on_the_originals_alone_and_is_open_at_its_ends() -> None:
    working, holdout = np.array([0.0, 10.0]), np.array([4.0, 6.0])
    _, avatars, _ = number_frequencies(working, np.array([-1e9, 0.4, 1e9, np.nan]), holdout)
    assert len(avatars) == 21
    assert (avatars[0], avatars[19], avatars[20]) == (0.5, 0.25, 0.25)


@pytest.mark.parametrize("seed", range(3))
def test_a_symmetric_variable_scores_what_numpys_histogram_gives(seed: int) -> None:
    working, avatars, holdout = rng(seed).normal(size=(3, 400))
    originals = np.concatenate([working, holdout])
    edges = np.linspace(originals.min(), originals.max(), 21)
    p, q, r = (
        np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0] / 400
        for values in (working, avatars, holdout)
    )
    expected = hellinger_score(hellinger_distance(q, r), hellinger_distance(p, r))
    assert hellinger_of_numbers(working, avatars, holdout) == pytest.approx(expected)


@pytest.mark.parametrize(("common", "rare"), [(0.0, 1.0), (1.0, 0.0)])
@pytest.mark.parametrize("share", [0.005, 0.02, 0.05, 0.2])
def test_a_rare_value_beside_a_common_one_is_not_merged_with_it(
    common: float, rare: float, share: float
) -> None:
    originals = np.where(np.arange(1_000) < 1_000 * share, rare, common)
    lost = np.full(1_000, common)
    p = [share, 1 - share]
    expected = hellinger_score(hellinger_distance([0, 1], p), 0)
    assert hellinger_of_numbers(originals, lost, originals) == pytest.approx(expected)


def test_zeros_of_a_zero_inflated_variable_are_told_from_small_values() -> None:
    values = np.concatenate([np.zeros(600), np.exp(rng(1).normal(size=400))])
    blurred = np.where(values == 0, 1e-6, values)
    # all zeros gone: the affinity that is left is that of the 40 % others
    assert hellinger_of_numbers(values, blurred, values) == pytest.approx(100 * (1 - np.sqrt(0.6)))


def test_missing_values_are_one_class_more() -> None:
    full = np.tile([1.0, 2.0], 50)
    gaps = np.where(np.arange(100) < 50, np.nan, full)
    expected = hellinger_score(hellinger_distance([0.5, 0.5, 0], [0.25, 0.25, 0.5]), 0)
    assert hellinger_of_numbers(gaps, full, gaps) == pytest.approx(expected)
    codes, lost = np.array([0, 1, 0, 1]), np.array([-1, -1, 0, 1])
    assert hellinger_of_codes(lost, codes, lost) == pytest.approx(expected)


@pytest.mark.parametrize("value", [7.0, np.nan])
def test_a_constant_scores_100_even_when_it_is_nothing_at_all(value: float) -> None:
    column = np.full(50, value)
    assert hellinger_of_numbers(column, column[:20], column[:30]) == 100
    assert hellinger_of_codes(np.full(5, -1), np.full(4, -1), np.full(3, -1)) == 100


def test_values_lost_where_there_were_some_score_0() -> None:
    column = rng(2).normal(size=50)
    assert hellinger_of_numbers(column, np.full(50, np.nan), column) == 0


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1.0, 1e308])
def test_very_small_and_very_large_numbers_are_scored_without_a_warning(size: float) -> None:
    column = np.array([-1.0, -0.5, 0.5, 1.0]) * size
    assert hellinger_of_numbers(column, column, column) == 100


def test_categories_are_compared_over_the_union_of_levels() -> None:
    working, avatars, holdout = np.array([0, 0, 1, 1]), np.array([0, 0, 2, 2]), np.array([0, 1, 1, 3])
    reference = hellinger_distance([0.5, 0.5, 0, 0], [0.25, 0.5, 0, 0.25])
    distance = hellinger_distance([0.5, 0, 0.5, 0], [0.25, 0.5, 0, 0.25])
    assert hellinger_of_codes(working, avatars, holdout) == pytest.approx(
        hellinger_score(distance, reference)
    )


def test_the_mean_goes_over_the_columns_with_its_spread_and_worst() -> None:
    summary = hellinger_summary({"age": 100.0, "ward": 80.0})
    assert (summary.mean, summary.std, summary.worst) == (90.0, 10.0, 80.0)
    assert summary.by_variable == {"age": 100.0, "ward": 80.0}


def table(seed: int, rows: int = 120) -> pd.DataFrame:
    """A column of every kind, gaps in half of them."""
    draw = rng(seed)
    ages = draw.normal(50, 12, rows).round()
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(draw.integers(0, 90, rows), unit="D")
    return pd.DataFrame(
        {
            "age": ages,
            "visits": pd.Series(ages // 10).where(ages <= 60).astype("Int64"),
            "ward": draw.choice([11, 12, 30], rows),
            "name": pd.array(draw.choice(["north", "south"], rows), dtype="str"),
            "grade": pd.Categorical(draw.choice(list("abc"), rows), categories=list("abcd"), ordered=True),
            "smoker": draw.random(rows) < 0.3,
            "consent": pd.Series(ages > 40, dtype=object).where(ages <= 60, None),
            "admitted": pd.Series(days).where(ages < 60),
            "seen": pd.Series(days).dt.tz_localize("Europe/Paris"),
            "stay": pd.to_timedelta(draw.integers(1, 40, rows), unit="h"),
            "empty": np.full(rows, np.nan),
        }
    )


def test_a_table_of_every_kind_of_column_is_scored_column_by_column() -> None:
    working, avatars, holdout = table(0), table(1, rows=90), table(2, rows=150)
    score = hellinger_mean(working, avatars, holdout, categorical=["ward"])
    assert list(score.by_variable) == list(working.columns)
    assert all(0 <= value <= 100 for value in score.by_variable.values())
    assert score.by_variable["empty"] == 100
    ages = [np.asarray(frame["age"], dtype=np.float64) for frame in (working, avatars, holdout)]
    assert score.by_variable["age"] == hellinger_of_numbers(*ages)
    wards = [np.searchsorted([11, 12, 30], frame["ward"]) for frame in (working, avatars, holdout)]
    assert score.by_variable["ward"] == pytest.approx(hellinger_of_codes(*wards))
    epoch, day = pd.Timestamp(0), pd.Timedelta(days=1)
    days = [np.asarray((f["admitted"] - epoch) / day, dtype=np.float64) for f in (working, avatars, holdout)]
    assert score.by_variable["admitted"] == pytest.approx(hellinger_of_numbers(*days))
    assert score.mean == pytest.approx(np.mean(list(score.by_variable.values())))


def test_the_working_half_itself_scores_100() -> None:
    score = hellinger_mean(table(0), table(0), table(2))
    assert (score.mean, score.std, score.worst) == (100, 0, 100)


def test_the_order_of_rows_and_of_columns_changes_no_score() -> None:
    frames = [table(0), table(1), table(2)]
    straight = hellinger_mean(*frames)
    shuffled = [frame.sample(frac=1, random_state=3)[frame.columns[::-1]] for frame in frames]
    assert hellinger_mean(*shuffled).by_variable == pytest.approx(dict(straight.by_variable))


def test_the_unit_of_a_date_changes_no_score() -> None:
    frames = [pd.DataFrame({"seen": table(seed)["seen"]}) for seed in range(3)]
    seconds = [frame.assign(seen=frame["seen"].dt.as_unit("s")) for frame in frames]
    assert hellinger_mean(*seconds) == hellinger_mean(*frames)


def test_dates_far_beyond_the_nanoseconds_are_scored() -> None:
    years = pd.DataFrame({"until": np.array(["1500-01-01", "9999-12-31"], dtype="datetime64[s]")})
    assert hellinger_mean(years, years, years).mean == 100


def test_the_tables_are_left_as_they_were() -> None:
    frames = [table(0), table(1), table(2)]
    before = [frame.copy(deep=True) for frame in frames]
    hellinger_mean(*frames)
    for frame, copy in zip(frames, before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)


def test_tables_of_other_columns_are_refused_by_name() -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"same columns: avatars differs in \['age', 'Age'\]"):
        hellinger_mean(frame, frame.rename(columns={"age": "Age"}), frame)
    twice = pd.DataFrame([[1, 2]], columns=["age", "age"])
    with pytest.raises(ValueError, match=r"unique in working: \['age'\]"):
        hellinger_mean(twice, twice, twice)
    with pytest.raises(
        ValueError, match=r"categorical names 1 columns that are not in the tables: \['ward'\]"
    ):
        hellinger_mean(frame, frame, frame, categorical=["ward"])
    with pytest.raises(ValueError, match="at least one column: 0 columns"):
        hellinger_mean(frame[[]], frame[[]], frame[[]])


def test_a_column_of_another_kind_in_the_avatars_is_refused_by_name() -> None:
    frame = pd.DataFrame({"seen": pd.to_datetime(["2021-01-01", "2021-01-02"])})
    with pytest.raises(ValueError, match=r"'seen' must be of one kind .* date in working, level in avatars"):
        hellinger_mean(frame, frame.astype(str), frame)


def test_infinite_values_and_empty_tables_are_refused_with_column_and_count() -> None:
    frame = pd.DataFrame({"x": [1.0, np.inf, -np.inf]})
    with pytest.raises(ValueError, match="column 'x': numbers must be finite or missing: 6 are infinite"):
        hellinger_mean(frame, frame, frame)
    with pytest.raises(
        ValueError, match="column 'x': every set must have at least one row: 0 rows in avatars"
    ):
        hellinger_mean(frame[:1], frame[:0], frame[:1])
    with pytest.raises(ValueError, match="0 rows in working, holdout"):
        hellinger_of_codes(np.empty(0, dtype=np.int64), np.array([0]), np.empty(0, dtype=np.int64))


def test_codes_below_minus_1_are_refused_with_their_count() -> None:
    with pytest.raises(ValueError, match="2 are below -1"):
        hellinger_of_codes(np.array([-2, 0]), np.array([-3, 0]), np.array([0, 0]))


@pytest.mark.parametrize(
    ("p", "q", "rule"),
    [
        ([3, 1], [0.5, 0.5], "p must be shares >= 0 that sum to 1: their sum is 4"),
        ([0.5, 0.5], [1.5, -0.5], "q must be shares >= 0"),
        ([np.nan, 1.0], [0.5, 0.5], "p must be shares >= 0"),
        ([1.0], [0.5, 0.5], "over the same classes"),
        ([[0.5, 0.5]], [[0.5, 0.5]], "over the same classes"),
    ],
)
def test_what_is_not_a_distribution_is_refused(p: list[float], q: list[float], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        hellinger_distance(p, q)
