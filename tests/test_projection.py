"""A fitted projection holds all its state: rows alone, twins, unseen levels, holdout rows planted as canaries."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from sosie import blocks
from sosie.batches import deal
from sosie.columns import Floats, Table, encode
from sosie.decoding import Decoding, invert
from sosie.errors import InputError
from sosie.generation import draw_barycentres
from sosie.missing import ImputationRule
from sosie.projection import Projection, fit_projection
from sosie.recognition import Declaration, recognise
from sosie.streams import stream

RULES: list[ImputationRule] = ["fast_knn", "knn", "mean", "median", "mode"]


def patients(n: int = 300, seed: int = 0, gaps: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 90, n)
    frame = pd.DataFrame(
        {
            "age": age,
            "kg": (70 + age / 5 + rng.normal(0, 9, n)).round(1),
            "ward": rng.choice(["north", "south", "east"], n, p=[0.6, 0.3, 0.1]),
            "smoker": rng.random(n) < age / 150,
        }
    )
    if gaps:
        frame.loc[rng.random(n) < 0.15, "kg"] = np.nan
        frame.loc[rng.random(n) < 0.1, "ward"] = None
    return frame


def table_of(frame: pd.DataFrame, declared: dict[str, Declaration] | None = None) -> Table:
    return encode(frame, recognise(frame, declared or {}).columns)


def literal_coordinates(table: Table, projection: Projection, weights: dict[str, float], ncp: int) -> Floats:
    """A dense SVD of the encoded table: completed cells, then one indicator a column with gaps."""
    numbers, codes = projection.imputation.complete(table)
    weighted: list[tuple[Floats, float]] = []
    for j, column in enumerate(table.number_columns):
        cells = numbers[:, j]
        weighted.append((((cells - cells.mean()) / cells.std())[:, None], weights.get(str(column.name), 1.0)))
    indicators = [
        (codes[:, j, None] == np.arange(len(column.levels)), weights.get(str(column.name), 1.0))
        for j, column in enumerate(table.category_columns)
    ]
    for j, number in enumerate(table.number_columns):
        gap = np.isnan(table.numbers[:, j, None])
        indicators.append((np.hstack([~gap, gap]), weights.get(str(number.name), 1.0)))
    for j, category in enumerate(table.category_columns):
        gap = table.codes[:, j, None] == -1
        indicators.append((np.hstack([~gap, gap]), weights.get(str(category.name), 1.0)))
    for block, weight in indicators:
        shares = block.mean(axis=0)
        weighted.append(((block - shares)[:, shares > 0] / np.sqrt(shares[shares > 0]), weight))
    matrix = np.hstack([np.sqrt(weight) * block for block, weight in weighted])
    left, singular, _ = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray((left * singular)[:, :ncp])


@pytest.mark.parametrize("weights", [{}, {"kg": 4.0, "ward": 0.5, "age": 2.0}], ids=["equal", "weighted"])
def test_coordinates_are_a_dense_svd_with_an_indicator_of_each_column_with_gaps(
    weights: dict[str, float],
) -> None:
    table = table_of(patients(), {name: Declaration(weight=weight) for name, weight in weights.items()})
    projection = fit_projection(table, 5)
    expected = literal_coordinates(table, projection, weights, 5)
    found = projection.coordinates(table)
    np.testing.assert_allclose(found, expected * np.sign((found * expected).sum(axis=0)), rtol=0, atol=1e-8)


@pytest.mark.parametrize("rule", RULES)
def test_projecting_rows_alone_equals_projecting_them_among_others_bit_for_bit(rule: ImputationRule) -> None:
    table = table_of(patients())
    projection = fit_projection(table, 5, rule)
    among = projection.coordinates(table)
    for row in range(0, len(table), 3):
        alone = projection.coordinates(table.take(np.array([row])))
        assert alone.tobytes() == among[row].tobytes()
    backwards = projection.coordinates(table.take(np.arange(len(table))[::-1]))
    assert backwards[::-1].tobytes() == among.tobytes()


@pytest.mark.parametrize("rule", RULES)
def test_equal_rows_have_equal_coordinates_to_the_last_bit(rule: ImputationRule) -> None:
    frame = patients(100)
    table = table_of(pd.concat([frame, frame], ignore_index=True))
    coordinates = fit_projection(table, 5, rule).coordinates(table)
    assert coordinates[:100].tobytes() == coordinates[100:].tobytes()


def test_the_number_of_workers_changes_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 64)
    table = table_of(patients())
    alone, together = (fit_projection(table, 5, workers=workers).coordinates(table) for workers in (1, 2))
    assert alone.tobytes() == together.tobytes()


def test_a_frame_is_projected_like_its_table_and_left_as_it_was() -> None:
    frame = patients()
    before = frame.copy(deep=True)
    table = table_of(frame)
    projection = fit_projection(table, 5)
    assert projection.project(frame).tobytes() == projection.coordinates(table).tobytes()
    pd.testing.assert_frame_equal(frame, before)


def test_a_frame_that_lacks_a_column_is_refused() -> None:
    projection = fit_projection(table_of(patients()), 5)
    with pytest.raises(InputError, match='"ward"'):
        projection.project(patients().drop(columns="ward"))


def test_an_unseen_level_contributes_an_all_zero_indicator_whatever_it_is() -> None:
    frame = patients(gaps=False)
    projection = fit_projection(table_of(frame), 5)
    one = frame.iloc[:1]
    unseen = projection.project(one.assign(ward="elsewhere"))[0]
    assert (projection.project(one.assign(ward="nowhere"))[0] == unseen).all()
    # the levels, weighted by their proportions, have their mean at 0: the unseen one lies that far from it
    wards = frame["ward"].value_counts(normalize=True)
    places = {ward: projection.project(one.assign(ward=ward))[0] for ward in wards.index}
    centre = sum(share * (places[str(ward)] - unseen) for ward, share in wards.items())
    np.testing.assert_allclose(centre, -projection.axes.tables[0][-1], atol=1e-12)


def test_components_are_those_asked_at_most_the_rank() -> None:
    table = table_of(patients(gaps=False))
    assert fit_projection(table, 2).ncp == 2
    assert fit_projection(table, 50).ncp == 2 + 2 + 1
    shares = fit_projection(table, 50).explained_variance_ratio
    assert shares.sum() == pytest.approx(1)
    assert (np.diff(shares) <= 0).all()


def test_a_table_that_varies_nowhere_puts_everybody_at_the_same_place() -> None:
    table = table_of(pd.DataFrame({"x": [7.0] * 30, "y": ["A"] * 30}))
    coordinates = fit_projection(table, 5).coordinates(table)
    assert len(coordinates) == 30
    assert not coordinates.any()


def canaries(frame: pd.DataFrame, holdout: npt.NDArray[np.int64]) -> pd.DataFrame:
    """The same working rows; the others wildly different: extreme numbers, new levels, more decimals, more gaps."""
    wild = frame.copy()
    wild.loc[holdout, "age"] = 10**6 + holdout
    wild.loc[holdout, "kg"] = -1e9 + holdout / 7
    wild.loc[holdout[::2], "kg"] = np.nan
    wild.loc[holdout, "ward"] = [f"A new level {i % 40}" for i in range(len(holdout))]
    wild.loc[holdout, "smoker"] = True
    return wild


@pytest.mark.parametrize("rule", RULES)
def test_holdout_rows_planted_as_canaries_influence_nothing_fitted(rule: ImputationRule) -> None:
    frame = patients(400)
    rows = stream(3, "holdout").permutation(len(frame))
    working, holdout = np.sort(rows[:200]), np.sort(rows[200:])
    made = []
    for seen in (frame, canaries(frame, holdout)):
        table = table_of(seen).take(working)  # levels are recognised on all rows, nothing else is
        projection = fit_projection(table, 5, rule)
        coordinates = projection.coordinates(table)
        batches = deal(coordinates, 100, "local", 10, 3)
        barycentres = draw_barycentres(coordinates, batches, 10, "published", "floor", 3)
        made.append((coordinates, invert(table, barycentres, Decoding(), 3).to_frame()))
    assert made[0][0].tobytes() == made[1][0].tobytes()
    pd.testing.assert_frame_equal(made[0][1], made[1][1])
