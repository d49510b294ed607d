"""From barycentres to cells: the inverse transform, unbiased draws, masks of donors, rounding, bounds."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sosie import blocks
from sosie.batches import deal
from sosie.columns import Floats, Table, encode
from sosie.decoding import Decoding, invert, invert_batch
from sosie.generation import Barycentres, WeightLaw, draw_barycentres
from sosie.projection import fit_projection
from sosie.recognition import Declaration, recognise
from sosie.space import PLAIN
from sosie.whole import whole_of


def table_of(frame: pd.DataFrame, **declared: Declaration) -> Table:
    return encode(frame, recognise(frame, declared).columns)


def patients(n: int = 600, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 90, n)
    return pd.DataFrame(
        {
            "age": age,
            "kg": np.round(70 + age / 5 + rng.normal(0, 9, n), 1),
            "ward": rng.choice(["north", "south"], n),
            "rare": rng.permutation(np.repeat([True, False], [n // 10, n - n // 10])),
        }
    )


def barycentres_of(table: Table, k: int = 20, law: WeightLaw = "published", seed: int = 0) -> Barycentres:
    coordinates = fit_projection(table, 5).coordinates(table)
    return draw_barycentres(coordinates, [np.arange(len(table))], k, law, "floor", seed)


def avatars_of(
    table: Table, decoding: Decoding | None = None, law: WeightLaw = "published", seed: int = 0
) -> Table:
    return invert(table, barycentres_of(table, law=law, seed=seed), decoding or Decoding(), seed)


def single(
    frame: pd.DataFrame, weights: list[float], decoding: Decoding, **declared: Declaration
) -> pd.DataFrame:
    """Every individual's avatar from all individuals with the same weights."""
    n = len(frame)
    barycentres = Barycentres(np.tile(np.arange(n), (n, 1)), np.tile(weights, (n, 1)), "published")
    return invert(table_of(frame, **declared), barycentres, decoding, seed=0).to_frame()


@pytest.mark.parametrize("seed", range(4))
def test_the_inverse_of_the_barycentre_is_the_barycentre_of_the_values(seed: int) -> None:
    """Against a literal FAMD: every axis kept, barycentre of the coordinates, transposed axes, unscaled."""
    rng = np.random.default_rng(seed)
    n = 60
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(14),
            "y": rng.exponential(size=n).round(14),
            "c": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]),
            "d": rng.choice(["u", "v"], n),
        }
    )
    table = table_of(frame)
    barycentres = barycentres_of(table, k=6, seed=seed)

    numbers = frame[["x", "y"]].to_numpy()
    indicators = pd.get_dummies(frame[["c", "d"]]).to_numpy(dtype=np.float64)
    means, sds, shares = numbers.mean(axis=0), numbers.std(axis=0), indicators.mean(axis=0)
    root_weights = np.sqrt([2.0, 0.5, *[3.0] * 3, *[1.0] * 2])  # any column weights
    encoded = np.hstack([(numbers - means) / sds, (indicators - shares) / np.sqrt(shares)]) * root_weights
    axes = np.linalg.svd(encoded, full_matrices=False)[2]
    places = encoded @ axes.T
    barycentre = np.einsum("nk,nkc->nc", barycentres.weights, places[barycentres.neighbours])
    back = (barycentre @ axes) / root_weights
    literal_numbers = back[:, :2] * sds + means
    literal_masses = back[:, 2:] * np.sqrt(shares) + shares

    masses = np.einsum("nk,nkl->nl", barycentres.weights, indicators[barycentres.neighbours])
    np.testing.assert_allclose(masses, literal_masses, rtol=0, atol=1e-10)
    found = invert(table, barycentres, Decoding(categories="mode"), seed)
    clipped = np.clip(literal_numbers, numbers.min(axis=0), numbers.max(axis=0))
    np.testing.assert_allclose(found.numbers, clipped, rtol=0, atol=1e-10)
    assert (found.codes[:, 0] == literal_masses[:, :3].argmax(axis=1)).all()
    assert (found.codes[:, 1] == literal_masses[:, 3:].argmax(axis=1)).all()


def test_a_category_is_drawn_in_proportion_to_its_mass() -> None:
    n = 20_000
    table = table_of(pd.DataFrame({"c": ["a", "b", "a"] + ["b"] * (n - 3)}))
    weights = np.tile([0.2, 0.5, 0.3], (n, 1))
    found = invert(table, Barycentres(np.tile([0, 1, 2], (n, 1)), weights, "published"), Decoding(), seed=1)
    assert (found.codes == 0).mean() == pytest.approx(0.5, abs=0.015)


def test_columns_are_drawn_independently() -> None:
    n = 20_000
    table = table_of(pd.DataFrame({name: ["a", "b"] * (n // 2) for name in ("c", "d")}))
    barycentres = Barycentres(np.tile([0, 1], (n, 1)), np.full((n, 2), 0.5), "published")
    codes = invert(table, barycentres, Decoding(), seed=1).codes
    assert (codes[:, 0] == codes[:, 1]).mean() == pytest.approx(0.5, abs=0.015)


def rare_shares(decoding: Decoding) -> Floats:
    """The share of a 10 % level among the avatars of 40 tables: six numbers that share a cause, and the level.

    One axis, which the level has no part in: were it an axis of its own, its individuals would be each other's
    neighbours and nothing could shrink.
    """
    shares = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(600, 1)) + rng.normal(size=(600, 6)), columns=list("uvwxyz"))
        table = table_of(frame.assign(rare=rng.permutation(np.arange(600) < 60)))
        coordinates = fit_projection(table, 1).coordinates(table)
        barycentres = draw_barycentres(coordinates, [np.arange(600)], 20, "published", "floor", seed)
        shares.append((invert(table, barycentres, decoding, seed).codes[:, 0] == 1).mean())
    return np.array(shares)


def test_a_level_of_10_percent_stays_10_percent_when_drawn_and_shrinks_under_mode() -> None:
    drawn = rare_shares(Decoding()).mean()
    assert drawn == pytest.approx(0.10, abs=0.008)  # 4 standard errors
    assert rare_shares(Decoding(categories="mode")).mean() == pytest.approx(0.07, abs=0.01)


def gappy(n: int = 600, seed: int = 0) -> pd.DataFrame:
    """Gaps that come together (kg and ward), gaps that come alone, gaps that depend on age."""
    rng = np.random.default_rng(seed)
    frame = patients(n, seed).assign(score=rng.normal(size=n).round(2))
    frame.loc[rng.random(n) < 0.2, ["kg", "ward"]] = None
    frame.loc[rng.random(n) < (frame["age"] - 20) / 140, "score"] = np.nan
    return frame


@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_each_mask_of_missing_values_is_one_of_the_input(law: WeightLaw) -> None:
    frame = gappy()
    back = avatars_of(table_of(frame), law=law).to_frame()
    assert set(map(tuple, back.isna().to_numpy())) <= set(map(tuple, frame.isna().to_numpy()))
    assert (back["kg"].isna() == back["ward"].isna()).all()


@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_shares_of_missing_values_are_unbiased(law: WeightLaw) -> None:
    differences = []
    for seed in range(20):
        frame = gappy(seed=seed)
        back = avatars_of(table_of(frame), law=law, seed=seed).to_frame()
        differences.append(back[["kg", "score"]].isna().mean() - frame[["kg", "score"]].isna().mean())
    assert np.abs(np.mean(differences, axis=0)).max() < 0.01


def test_a_present_number_combines_the_neighbours_that_have_it() -> None:
    frame = pd.DataFrame({"x": [0.25, 10.25, np.nan, 50.25]})
    barycentres = Barycentres(np.tile([0, 1, 2], (4, 1)), np.tile([0.6, 0.2, 0.2], (4, 1)), "published")
    found = [invert(table_of(frame), barycentres, Decoding(), seed).numbers for seed in range(30)]
    present = np.concatenate([numbers[~np.isnan(numbers)] for numbers in found])
    assert len(present) == pytest.approx(0.8 * 120, abs=15)
    assert set(present) == {2.75}  # (0.6·0.25 + 0.2·10.25)/0.8


@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_every_number_lies_within_its_column_and_every_level_exists_in_it(law: WeightLaw) -> None:
    frame = gappy()
    back = avatars_of(table_of(frame), law=law).to_frame()
    for name in ("age", "kg", "score"):
        assert back[name].dropna().between(frame[name].min(), frame[name].max()).all()
    for name in ("ward", "rare"):
        assert set(back[name].dropna()) <= set(frame[name].dropna())
    assert (back.dtypes == frame.dtypes).all()


@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_floats_show_no_more_decimals_than_the_input(law: WeightLaw) -> None:
    frame = pd.DataFrame(
        {
            "a": np.random.default_rng(0).integers(9 * 10**9, 10**10, 300) / 10_000,
            "b": np.random.default_rng(1).choice([12.5, 12.75, 13.0], 300),
            "c": np.random.default_rng(2).choice([0.5, 1.0, -0.5], 300),
        }
    )
    frame.loc[:1, "a"] = [944343.1221, 944120.5]
    back = avatars_of(table_of(frame), law=law).to_frame()
    for name, most in (("a", 4), ("b", 2), ("c", 1)):
        assert max(len(str(cell).split(".")[1]) for cell in back[name]) <= most
    assert "-0.0" not in set(back["c"].astype(str))


def test_a_float32_column_shows_no_more_decimals_than_the_input() -> None:
    cells = (np.random.default_rng(0).integers(0, 100, 200) / 10).astype(np.float32)
    back = avatars_of(table_of(pd.DataFrame({"x": cells, "y": np.arange(200)}))).to_frame()
    assert back["x"].dtype == np.float32
    assert max(len(str(cell).split(".")[1]) for cell in back["x"].to_numpy()) == 1


@pytest.mark.parametrize("dtype", ["float32", "Float32", "float64", "Float64", "int8", "UInt16"])
@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_the_numbers_measured_are_the_numbers_written(dtype: str, law: WeightLaw) -> None:
    """Else an avatar equal to an original would not be counted as equal, which looks safer than it is."""
    whole = np.random.default_rng(0).integers(0, 100, 200)
    cells = pd.Series(whole if "int" in dtype.lower() else whole / 10, dtype=dtype)
    table = table_of(pd.DataFrame({"x": cells, "y": np.arange(200)}))
    avatars = avatars_of(table, law=law)
    np.testing.assert_array_equal(encode(avatars.to_frame(), table.columns).numbers, avatars.numbers)


@pytest.mark.parametrize(
    ("weights", "rounding", "expected"),
    [
        ([0.5, 0.5], "round", [2, -2]),  # 2.5 and −2.5: half to even
        ([0.5, 0.5], "truncate", [2, -2]),
        ([0.25, 0.75], "round", [4, -4]),  # 3.75
        ([0.25, 0.75], "truncate", [3, -3]),
    ],
)
def test_integers_are_rounded_half_to_even_or_truncated(
    weights: list[float], rounding: str, expected: list[int]
) -> None:
    decoding = Decoding(integers="round" if rounding == "round" else "truncate")
    back = single(pd.DataFrame({"x": [0, 5], "y": [0, -5]}), weights, decoding)
    assert back.iloc[0].tolist() == expected
    assert (back.dtypes == np.int64).all()


def test_truncation_does_not_take_one_from_neighbours_that_agree() -> None:
    weights = [0.1, 0.2, 0.3, 0.4]
    back = single(pd.DataFrame({"x": [7, 7, 7, 7]}), weights, Decoding(integers="truncate"))
    assert back["x"].tolist() == [7, 7, 7, 7]


def test_round_to_gives_multiples_only_and_reaches_both_ends() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"rent": rng.integers(300, 2000, 300), "dose": rng.choice([0.1, 0.2, 0.3], 300)})
    table = table_of(frame, rent=Declaration(round_to=100.0), dose=Declaration(round_to=0.1))
    back = avatars_of(table, law="gaussian").to_frame()
    assert (back["rent"] % 100 == 0).all()
    assert set(back["dose"]) == {0.1, 0.2, 0.3}
    assert back["rent"].dtype == np.int64


@pytest.mark.parametrize("dtype", [object, pd.ArrowDtype(pa.decimal128(20, -3))], ids=str)
def test_decimals_of_whole_thousands_stay_so(dtype: Any) -> None:
    thousands = pd.Series([Decimal(place).scaleb(3) for place in (3, 8, 1, 12, 5, 9)] * 5, dtype=dtype)
    frame = pd.DataFrame({"pay": thousands, "rent": thousands})
    back = avatars_of(table_of(frame, rent=Declaration(round_to=2000.0)), law="gaussian").to_frame()
    assert set(back["pay"]) <= {Decimal(1000 * place) for place in range(1, 13)}
    assert set(back["rent"]) <= {Decimal(2000 * place) for place in range(1, 7)}
    assert {cell.as_tuple().exponent for cell in back.to_numpy().ravel()} == {3}


def test_a_step_of_decimals_is_exact_past_two_to_the_53() -> None:
    frame = pd.DataFrame({"x": pd.Series([Decimal(10**17 + 29 * place).scaleb(-2) for place in range(40)])})
    back = avatars_of(table_of(frame, x=Declaration(round_to=0.29)), law="gaussian").to_frame()
    assert {cell % Decimal("0.29") for cell in back["x"]} == {0}


def test_round_to_means_multiples_of_the_number_itself_past_two_to_the_53() -> None:
    frame = pd.DataFrame({"id": 2**60 + 7 + np.random.default_rng(0).integers(0, 10**6, 100)})
    back = avatars_of(table_of(frame, id=Declaration(round_to=1000.0)), law="gaussian").to_frame()
    assert (back["id"] % 1000 == 0).all()


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_small_integers_never_wrap_around(dtype: str, law: WeightLaw) -> None:
    limits = np.iinfo(dtype)
    cells = np.random.default_rng(0).choice([limits.min, limits.max, limits.max - 1], 300).astype(dtype)
    back = avatars_of(table_of(pd.DataFrame({"x": cells, "y": np.arange(300)})), law=law).to_frame()
    assert back["x"].dtype == dtype
    # a wrapped value would join the wrong extreme; what is made lies between the neighbours
    assert back["x"].astype(int).mean() == pytest.approx(cells.astype(int).mean(), abs=25)


@pytest.mark.parametrize(
    "cells", [pd.Series([0, 2**63 - 1] * 50), pd.Series([0, 2**64 - 1] * 50, dtype="uint64")]
)
def test_integers_over_the_whole_range_of_their_dtype_stay_in_it(cells: "pd.Series[int]") -> None:
    back = avatars_of(table_of(pd.DataFrame({"x": cells, "y": np.arange(100)})), law="gaussian").to_frame()[
        "x"
    ]
    assert back.dtype == cells.dtype
    assert 0 <= int(back.min()) <= int(back.max()) <= int(cells.max())


def test_constants_come_back() -> None:
    frame = pd.DataFrame({"x": [7.3] * 100, "y": ["A"] * 100, "z": [0.1 + 0.2] * 100, "n": np.arange(100)})
    back = avatars_of(table_of(frame)).to_frame()
    pd.testing.assert_frame_equal(back[["x", "y", "z"]], frame[["x", "y", "z"]])


def test_a_column_without_any_value_comes_back_empty() -> None:
    frame = pd.DataFrame(
        {"x": np.full(50, np.nan), "y": pd.Series([None] * 50, dtype=object), "n": range(50)}
    )
    pd.testing.assert_frame_equal(avatars_of(table_of(frame)).to_frame()[["x", "y"]], frame[["x", "y"]])


def test_the_originals_are_left_as_they_were() -> None:
    table = table_of(gappy())
    numbers, codes = table.numbers.copy(), table.codes.copy()
    avatars_of(table)
    np.testing.assert_array_equal(table.numbers, numbers)
    np.testing.assert_array_equal(table.codes, codes)


def test_blocks_of_rows_share_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 100)
    table = table_of(pd.DataFrame({"c": [str(i % 10) for i in range(400)]}))
    barycentres = Barycentres(np.tile(np.arange(10), (400, 1)), np.full((400, 10), 0.1), "published")
    codes = invert(table, barycentres, Decoding(), seed=0).codes[:, 0].reshape(4, 100)
    assert all((codes[0] == other).mean() < 0.3 for other in codes[1:])


@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_the_number_of_workers_changes_nothing(law: WeightLaw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 50)
    table = table_of(patients())
    barycentres = barycentres_of(table, law=law)
    alone, together = (invert(table, barycentres, Decoding(), 3, workers=workers) for workers in (1, 3))
    pd.testing.assert_frame_equal(alone.to_frame(), together.to_frame())


def test_one_seed_gives_one_table_and_another_seed_another() -> None:
    table = table_of(gappy())
    barycentres = barycentres_of(table)
    one, same, other = (invert(table, barycentres, Decoding(), seed) for seed in (1, 1, 2))
    assert one.numbers.tobytes() == same.numbers.tobytes()
    assert one.codes.tobytes() == same.codes.tobytes()
    assert (one.codes != other.codes).any()


@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_a_batch_decoded_by_itself_has_the_cells_it_has_among_the_others(law: WeightLaw) -> None:
    table = table_of(patients(300))
    coordinates = fit_projection(table, 5).coordinates(table)
    batches = deal(coordinates, 100, "local", 20, 0)
    whole = invert(
        table, draw_barycentres(coordinates, batches, 20, law, "floor", 1), Decoding(), 1
    ).to_frame()
    for number, rows in enumerate(batches):
        alone = draw_barycentres(coordinates[rows], [np.arange(len(rows))], 20, law, "floor", 1, first=number)
        avatars = invert_batch(table.take(rows), alone, Decoding(), 1, PLAIN, whole_of(table, False))[
            0
        ].to_frame()
        pd.testing.assert_frame_equal(avatars, whole.iloc[rows].reset_index(drop=True))


def test_a_batch_without_a_gap_has_the_digits_it_has_among_others_that_have_one() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "y": rng.normal(size=300)})
    frame.loc[np.argsort(frame["x"])[:30], "y"] = np.nan
    table = table_of(frame)
    coordinates = fit_projection(table, 2).coordinates(table)
    batches = deal(coordinates, 100, "local", 20, 0)
    whole = invert(table, draw_barycentres(coordinates, batches, 20, "published", "floor", 1), Decoding(), 1)
    assert sum(bool(frame["y"].iloc[rows].isna().any()) for rows in batches) < len(batches)
    for number, rows in enumerate(batches):
        alone = draw_barycentres(
            coordinates[rows], [np.arange(len(rows))], 20, "published", "floor", 1, first=number
        )
        avatars, _ = invert_batch(table.take(rows), alone, Decoding(), 1, PLAIN, whole_of(table, False))
        assert avatars.numbers.tobytes() == whole.numbers[rows].tobytes()
