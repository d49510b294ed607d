"""Tables that are hard in one way each: very many columns or levels, nearly everything missing, many neighbours."""

import numpy as np
import pandas as pd

import sosie
from sosie.columns import encode
from sosie.neighbours import nearest_others
from sosie.projection import fit_projection
from sosie.recognition import recognise
from sosie.streams import stream


def test_more_columns_than_rows_are_anonymised() -> None:
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(80, 3))
    numbers = factors @ rng.normal(size=(3, 100)) + rng.normal(size=(80, 100))
    frame = pd.DataFrame(numbers.round(2), columns=[f"x{j}" for j in range(100)])
    for j in range(10):
        frame[f"c{j}"] = np.where(numbers[:, j] > 0, "above", "below")
    release = sosie.anonymize(frame, k=5, seed=1, attacks={"attempts": 10})
    assert release.avatars.shape == frame.shape
    assert (release.avatars.max(numeric_only=True) <= frame.max(numeric_only=True)).all()


def test_a_category_of_very_many_levels_is_projected_without_a_matrix_of_them() -> None:
    """More than the dense solver takes."""
    rng = np.random.default_rng(1)
    towns = [f"town {code}" for code in rng.integers(0, 8000, 7000)]
    frame = pd.DataFrame({"town": towns, "x": rng.normal(size=7000).round(3)})
    table = encode(frame, recognise(frame, {}).columns)
    projection = fit_projection(table, 3)
    coordinates = projection.coordinates(table)
    assert len(table.category_columns[0].levels) > 3000
    # one column of weight 1 cannot have an eigenvalue above 2 beside another one
    assert (projection.axes.eigenvalues <= 2 + 1e-9).all()
    np.testing.assert_allclose(
        coordinates.T @ coordinates / 7000, np.diag(projection.axes.eigenvalues), atol=1e-8
    )


def test_nine_cells_in_ten_may_be_missing() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(400, 6)).round(2), columns=list("abcdef"))
    frame["ward"] = rng.choice(["north", "south"], 400)
    absent = stream(1, "shuffle").random(frame.shape) < 0.9
    sparse = frame.mask(absent)
    release = sosie.anonymize(sparse, k=10, seed=1, attacks={"attempts": 10})
    patterns = {tuple(row) for row in sparse.isna().to_numpy()}
    assert {tuple(row) for row in release.avatars.isna().to_numpy()} <= patterns


def test_two_hundred_neighbours_on_twenty_components_are_the_nearest() -> None:
    points = np.random.default_rng(3).normal(size=(600, 20))
    found = nearest_others(points, 200)
    pairs = np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))
    np.fill_diagonal(pairs, np.inf)
    np.testing.assert_allclose(found.distances, np.sort(pairs, axis=1)[:, :200], rtol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(pairs, found.indices, axis=1), found.distances, rtol=1e-12)
