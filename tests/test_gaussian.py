"""The gaussian law from end to end: avatars have what their neighbourhood has, and nothing gathers at the ends."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from sosie import blocks
from sosie.columns import Table, encode
from sosie.decoding import Decoding, invert
from sosie.gaussian import among, combine
from sosie.generation import Barycentres, draw_barycentres, gaussian_weights
from sosie.projection import fit_projection
from sosie.recognition import Declaration, recognise
from sosie.relations import relations_of


def table_of(frame: pd.DataFrame, **declared: Declaration) -> Table:
    return encode(frame, recognise(frame, declared).columns)


def barycentres_of(table: Table, k: int = 20, seed: int = 0, workers: int = 1) -> Barycentres:
    coordinates = fit_projection(table, 5).coordinates(table)
    return draw_barycentres(
        coordinates, [np.arange(len(table))], k, "gaussian", "floor", seed, workers=workers
    )


def avatars_of(table: Table, k: int = 20, seed: int = 0) -> pd.DataFrame:
    return invert(table, barycentres_of(table, k, seed), Decoding(), seed).to_frame()


def one_neighbourhood(table: Table, n: int, seed: int = 0) -> Barycentres:
    """n avatars that all have the whole table for neighbours."""
    k = len(table)
    everybody = np.tile(np.arange(k, dtype=np.int32), (n, 1))
    return Barycentres(everybody, gaussian_weights(n, k, np.random.default_rng(seed)), "gaussian")


def patients(n: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Amounts: nothing without treatment, heavy-tailed with it."""
    rng = np.random.default_rng(seed)
    arms = rng.integers(0, 4, n)
    level = rng.normal(size=n)
    amount = np.where(arms == 0, 0.0, np.exp(1.5 * level + 0.3 * rng.normal(size=n)).round(4))
    return pd.DataFrame(
        {
            "age": (50 + 12 * level + 5 * rng.normal(size=n)).round().astype(int),
            "amount": amount,
            "share": rng.random(n).round(6),
            "arms": arms.astype(str),
            "treated": arms != 0,
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
        }
    )


def test_scores_keep_the_mean_and_the_covariance_of_the_neighbourhood() -> None:
    rng = np.random.default_rng(3)
    neighbours = rng.normal(size=(20, 3))
    neighbours[:, 2] += neighbours[:, 1]
    weights = gaussian_weights(200_000, 20, rng)
    found = np.stack([combine(np.tile(column, (len(weights), 1)), weights) for column in neighbours.T])
    expected = np.cov(neighbours.T, ddof=1)
    error = np.sqrt(np.diag(expected) / len(weights))
    assert (np.abs(found.mean(axis=1) - neighbours.mean(axis=0)) < 5 * error).all()
    np.testing.assert_allclose(np.cov(found), expected, atol=0.03)


def test_scores_keep_them_among_the_neighbours_that_have_the_value() -> None:
    values = np.random.default_rng(0).normal(size=10)
    values[5:] = np.nan
    weights = gaussian_weights(20_000, 10, np.random.default_rng(1))
    found = combine(np.tile(values, (len(weights), 1)), weights)
    assert found.mean() == pytest.approx(values[:5].mean(), abs=0.02)
    assert found.std() == pytest.approx(values[:5].std(ddof=1), rel=0.03)


def test_weights_among_some_sum_to_1_and_leave_out_the_others() -> None:
    having = np.array([[True, False, True, False], [False, False, False, True]])
    weights = among(having, gaussian_weights(2, 4, np.random.default_rng(0)))
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert not weights[~having].any()


def test_every_column_keeps_its_mean_its_spread_and_its_quantiles() -> None:
    frame = patients()
    avatars = avatars_of(table_of(frame))
    for name in ("age", "amount", "share"):
        assert avatars[name].mean() == pytest.approx(frame[name].mean(), abs=0.06 * frame[name].std())
        assert avatars[name].std() == pytest.approx(frame[name].std(), rel=0.1)
    quantiles = np.linspace(0.05, 0.95, 10)
    np.testing.assert_allclose(
        avatars["share"].quantile(quantiles), frame["share"].quantile(quantiles), atol=0.02
    )


def rank_correlation(cells: pd.DataFrame) -> float:
    return float(spearmanr(cells["age"], cells["amount"]).statistic)


def test_numbers_of_one_cause_stay_together_however_heavy_the_tail() -> None:
    frame = patients()
    avatars = avatars_of(table_of(frame))
    before, after = (rank_correlation(cells[cells["treated"]]) for cells in (frame, avatars))
    assert before > 0.8
    assert after == pytest.approx(before, abs=0.08)


def test_a_pile_follows_the_category_that_goes_with_it() -> None:
    frame = patients()
    avatars = avatars_of(table_of(frame))
    assert ((avatars["arms"] != "0") == avatars["treated"]).all()
    assert ((avatars["amount"] > 0) == avatars["treated"]).all()
    assert (avatars["amount"] == 0).mean() == pytest.approx((frame["amount"] == 0).mean(), abs=0.04)


def test_nothing_leaves_the_range_and_no_mass_gathers_at_its_ends() -> None:
    frame = patients()
    avatars = avatars_of(table_of(frame))
    for name in ("age", "amount", "share", "seen"):
        least, most = frame[name].min(), frame[name].max()
        assert avatars[name].between(least, most).all()
        for end in (least, most):
            # an end that only one individual has is at most as common among avatars; a pile is drawn
            allowed = 1 / len(frame) if name != "amount" or end == most else 0.04
            assert (avatars[name] == end).mean() <= (frame[name] == end).mean() + allowed


def test_a_continuous_column_holds_nobodys_own_value() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(800, 3)), columns=list("abc"))
    assert not np.isin(avatars_of(table_of(frame)).to_numpy(), frame.to_numpy()).any()


def test_integers_keep_the_rates_of_their_values() -> None:
    scores = np.random.default_rng(0).choice([1, 2, 3, 4, 10], 2000, p=[0.1, 0.15, 0.35, 0.2, 0.2])
    frame = pd.DataFrame({"score": scores, "x": scores + np.random.default_rng(1).normal(size=2000)})
    before, after = (
        np.bincount(cells["score"], minlength=11) / len(cells)
        for cells in (frame, avatars_of(table_of(frame)))
    )
    np.testing.assert_allclose(after, before, atol=0.03)


def test_masks_and_missing_codes_keep_their_rates_and_what_goes_with_them() -> None:
    frame = patients()
    refused = np.random.default_rng(5).random(len(frame)) < 0.2
    frame["income"] = np.where(refused, -7, np.random.default_rng(6).integers(1000, 9000, len(frame)))
    frame["asked"] = np.where(refused, "refused", "told")
    frame.loc[~frame["treated"], "age"] = -1
    table = table_of(frame, income=Declaration(missing_codes=(-7,)), age=Declaration(missing_codes=(-1,)))
    avatars = avatars_of(table)
    assert (avatars["income"] == -7).mean() == pytest.approx(refused.mean(), abs=0.04)
    assert ((avatars["income"] == -7) == (avatars["asked"] == "refused")).all()
    assert ((avatars["age"] == -1) == ~avatars["treated"]).all()
    assert (avatars.loc[avatars["income"] != -7, "income"] >= 1000).all()


def test_a_constrained_column_that_stands_alone_is_drawn_from_those_that_do() -> None:
    rng = np.random.default_rng(0)
    lower = rng.random(600).round(6)
    alone = rng.random(600) < 0.3
    upper = np.where(alone, 100 + rng.random(600), lower + rng.random(600)).round(6)
    frame = pd.DataFrame({"lower": np.where(alone, np.nan, lower), "upper": upper})
    table = table_of(frame)
    relations = relations_of(table.columns, {}, ["lower <= upper"])
    projection = fit_projection(table, 2, relations=relations)
    coordinates = projection.coordinates(table)
    barycentres = draw_barycentres(coordinates, [np.arange(600)], 20, "gaussian", "floor", 0)
    back = invert(table, barycentres, Decoding(), 0, projection.space).to_frame()
    gone = back["lower"].isna()
    assert gone.mean() == pytest.approx(alone.mean(), abs=0.05)
    assert (back.loc[gone, "upper"] >= 100).all()
    assert (back.loc[~gone, "upper"] >= back.loc[~gone, "lower"]).all()
    assert (back.loc[~gone, "upper"] <= 2).all()


@pytest.mark.parametrize("k", [2, 3])
def test_few_neighbours_and_twins_are_enough(k: int) -> None:
    frame = pd.concat([patients(30)] * 2, ignore_index=True)  # everybody has a twin at distance 0
    avatars = avatars_of(table_of(frame), k)
    assert avatars["amount"].between(frame["amount"].min(), frame["amount"].max()).all()
    assert ((avatars["arms"] != "0") == avatars["treated"]).mean() > 0.9
    assert (avatars.dtypes == frame.dtypes).all()


@pytest.mark.parametrize("n", [3, 40])
def test_where_all_rows_are_equal_so_are_the_avatars(n: int) -> None:
    frame = pd.concat([patients(1)] * n, ignore_index=True)
    pd.testing.assert_frame_equal(avatars_of(table_of(frame), 2), frame)


@pytest.mark.parametrize("columns", [["arms", "treated"], ["age", "share"]])
def test_tables_of_one_kind_of_column_have_avatars(columns: list[str]) -> None:
    frame = patients(200)[columns]
    avatars = avatars_of(table_of(frame))
    assert list(avatars.columns) == columns
    assert avatars.nunique().min() > 1


def test_one_seed_gives_the_same_bytes_for_any_number_of_workers_and_another_seed_another_table() -> None:
    table = table_of(patients(500))
    one, two = (invert(table, barycentres_of(table, workers=workers), Decoding(), 7) for workers in (1, 2))
    assert one.numbers.tobytes() == two.numbers.tobytes()
    assert one.codes.tobytes() == two.codes.tobytes()
    other = invert(table, barycentres_of(table, seed=8), Decoding(), 8)
    assert (one.codes != other.codes).any()
    assert (one.numbers != other.numbers).any()


def test_blocks_share_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 100)
    table = table_of(pd.DataFrame({"c": [str(i % 10) for i in range(400)]}))
    barycentres = Barycentres(np.tile(np.arange(10), (400, 1)), np.full((400, 10), 0.1), "gaussian")
    codes = invert(table, barycentres, Decoding(), seed=0).codes[:, 0].reshape(4, 100)
    assert all((codes[0] == other).mean() < 0.3 for other in codes[1:])


def test_a_neighbourhood_of_two_dependent_categories_keeps_how_they_meet() -> None:
    """Drawn each from a donor of its own, they would agree in half of the avatars."""
    halves = ["a", "b"] * 10
    table = table_of(pd.DataFrame({"here": halves, "there": halves, "x": np.arange(20.0)}))
    back = invert(table, one_neighbourhood(table, 20), Decoding(), 1).to_frame()
    assert (back["here"] == back["there"]).all()
    assert back["here"].nunique() == 2


def test_a_number_goes_with_the_level_that_decides_it_inside_a_neighbourhood() -> None:
    """Everybody is everybody's neighbour: drawn apart, level and number would have nothing to do with each other."""
    rng = np.random.default_rng(0)
    dead = rng.random(300) < 0.4
    frame = pd.DataFrame({"dead": dead, "days": np.where(dead, 200, 1000) + rng.normal(0, 60, 300)})
    table = table_of(frame)
    back = invert(table, one_neighbourhood(table, 300), Decoding(), 1).to_frame()
    assert back["dead"].mean() == pytest.approx(dead.mean(), abs=0.09)
    assert ((back["days"] < 600) == back["dead"]).mean() > 0.9
