"""Principal axes against independent oracles: scikit-learn's PCA, a dense SVD of the literal FAMD matrix."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from sosie import blocks, famd
from sosie.columns import UNSEEN, Codes, Floats
from sosie.famd import Axes, fit_axes

CATEGORIES = ["target", "sex", "stage"]


def mixed_table(categories_only: bool = False) -> pd.DataFrame:
    """scikit-learn's diabetes table, its sex and quartiles of its target as categories."""
    loaded: pd.DataFrame = load_diabetes(as_frame=True, scaled=False).frame
    stage = pd.qcut(loaded["target"], 4, labels=False).astype(int)
    table: pd.DataFrame = loaded.assign(sex=loaded["sex"].astype(int), stage=stage).drop(columns="target")
    return table if not categories_only else table.round(-1).drop(columns="s4").astype(int)


def literal_famd_matrix(table: pd.DataFrame, categories: list[str], weights: dict[str, float]) -> Floats:
    """The encoded table, written out: standardised numbers, then (indicator − p)/√p, times √w."""
    blocks = []
    for name in sorted(table.columns, key=lambda name: name in categories):
        cells = table[name]
        if name in categories:
            indicators = pd.get_dummies(cells).to_numpy(dtype=np.float64)
            proportions = indicators.mean(axis=0)
            block = (indicators - proportions) / np.sqrt(proportions)
        else:
            block = ((cells - cells.mean()) / cells.std(ddof=0)).to_numpy()[:, None]
        blocks.append(np.sqrt(weights.get(str(name), 1.0)) * block)
    return np.hstack(blocks)


def dense_coordinates(matrix: Floats, ncp: int) -> tuple[Floats, Floats]:
    """Coordinates and shares of inertia from a full SVD."""
    left, singular, _ = np.linalg.svd(matrix, full_matrices=False)
    return (left * singular)[:, :ncp], (singular**2 / (singular**2).sum())[:ncp]


def fitted(
    table: pd.DataFrame, categories: list[str], ncp: int, weights: dict[str, float] | None = None
) -> tuple[Axes, Floats, Codes]:
    ordered = [name for name in table.columns if name in categories]
    numbers = table.drop(columns=ordered).to_numpy(dtype=np.float64)
    codes = [np.unique(table[name], return_inverse=True)[1] for name in ordered]
    held = np.stack(codes, axis=1).astype(np.int32) if codes else np.empty((len(table), 0), np.int32)
    weight = {str(name): (weights or {}).get(str(name), 1.0) for name in table.columns}
    axes = fit_axes(
        numbers,
        held,
        [table[name].nunique() for name in ordered],
        [weight[str(name)] for name in table.columns if name not in ordered],
        [weight[str(name)] for name in ordered],
        ncp,
    )
    return axes, numbers, held


def assert_equal_up_to_sign(found: Floats, expected: npt.NDArray[Any], atol: float = 1e-8) -> None:
    assert found.shape == expected.shape
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected * signs, rtol=0, atol=atol)


@pytest.mark.parametrize("load", [load_iris, load_diabetes, load_breast_cancer])
def test_numbers_alone_are_scikit_learns_pca(load: Any) -> None:
    table = pd.DataFrame(load().data)
    ncp = min(5, table.shape[1])
    axes, numbers, codes = fitted(table, [], ncp)
    oracle = PCA(ncp, svd_solver="full")
    expected = oracle.fit_transform(StandardScaler().fit_transform(table))
    assert_equal_up_to_sign(axes.coordinates(numbers, codes), expected)
    np.testing.assert_allclose(axes.explained_variance_ratio, oracle.explained_variance_ratio_, atol=1e-12)


@pytest.mark.parametrize("categories_only", [False, True], ids=["mixed", "all categories"])
@pytest.mark.parametrize("weights", [{}, {"sex": 3.0, "bmi": 0.25, "stage": 0.5}], ids=["equal", "weighted"])
def test_coordinates_are_those_of_a_dense_svd_of_the_literal_matrix(
    categories_only: bool, weights: dict[str, float]
) -> None:
    table = mixed_table(categories_only)
    categories = list(table.columns) if categories_only else CATEGORIES
    axes, numbers, codes = fitted(table, categories, 6, weights)
    expected, shares = dense_coordinates(literal_famd_matrix(table, categories, weights), 6)
    assert_equal_up_to_sign(axes.coordinates(numbers, codes), expected)
    np.testing.assert_allclose(axes.explained_variance_ratio, shares, atol=1e-12)


def test_the_variance_of_a_coordinate_is_its_eigenvalue() -> None:
    axes, numbers, codes = fitted(mixed_table(), CATEGORIES, 4)
    coordinates = axes.coordinates(numbers, codes)
    np.testing.assert_allclose(coordinates.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(
        coordinates.T @ coordinates / len(numbers), np.diag(axes.eigenvalues), atol=1e-10
    )


def test_all_axes_explain_everything_and_there_are_no_more_than_the_rank() -> None:
    table = mixed_table()
    axes, _, _ = fitted(table, CATEGORIES, 1000)
    assert axes.ncp == np.linalg.matrix_rank(literal_famd_matrix(table, CATEGORIES, {}))
    assert axes.explained_variance_ratio.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("categories_only", [False, True], ids=["mixed", "all categories"])
def test_lanczos_finds_the_same_axes_as_the_dense_solver(
    monkeypatch: pytest.MonkeyPatch, categories_only: bool
) -> None:
    table = mixed_table(categories_only)
    categories = list(table.columns) if categories_only else CATEGORIES
    dense, numbers, codes = fitted(table, categories, 5, {"sex": 2.0})
    monkeypatch.setattr(famd, "_DENSE_DIMENSIONS", 1)
    lanczos, _, _ = fitted(table, categories, 5, {"sex": 2.0})
    # same signs too: they follow from the loadings
    np.testing.assert_allclose(
        lanczos.coordinates(numbers, codes), dense.coordinates(numbers, codes), rtol=0, atol=1e-8
    )
    np.testing.assert_allclose(lanczos.eigenvalues, dense.eigenvalues, rtol=1e-10)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dense_up_to", [1, 3000], ids=["Lanczos", "dense"])
def test_no_axis_is_lost_where_many_levels_share_an_eigenvalue(
    monkeypatch: pytest.MonkeyPatch, seed: int, dense_up_to: int
) -> None:
    monkeypatch.setattr(famd, "_DENSE_DIMENSIONS", dense_up_to)
    rng = np.random.default_rng(seed)
    towns = rng.integers(0, 300, 1000)
    table = pd.DataFrame({"town": towns, "sex": rng.integers(0, 2, 1000), "x": rng.normal(size=1000)})
    axes, _, _ = fitted(table, ["town", "sex"], 5)
    singular = np.linalg.svd(literal_famd_matrix(table, ["town", "sex"], {}), compute_uv=False)
    np.testing.assert_allclose(axes.eigenvalues, (singular**2 / 1000)[:5], rtol=1e-10)


def test_sums_over_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, numbers, codes = fitted(mixed_table(), CATEGORIES, 5)
    monkeypatch.setattr(blocks, "BLOCK", 37)
    cut, _, _ = fitted(mixed_table(), CATEGORIES, 5)
    np.testing.assert_allclose(cut.coordinates(numbers, codes), whole.coordinates(numbers, codes), atol=1e-10)


def test_signs_do_not_depend_on_the_order_of_the_rows() -> None:
    table = mixed_table()
    axes, numbers, codes = fitted(table, CATEGORIES, 5)
    shuffled, _, _ = fitted(table.sample(frac=1, random_state=0), CATEGORIES, 5)
    np.testing.assert_allclose(
        shuffled.coordinates(numbers, codes), axes.coordinates(numbers, codes), rtol=0, atol=1e-8
    )


def test_constants_and_absent_levels_contribute_nothing() -> None:
    axes, numbers, codes = fitted(mixed_table(), CATEGORIES, 5)
    n = len(numbers)
    padded = fit_axes(
        np.hstack([np.full((n, 1), 7.0), numbers]),
        np.hstack([codes, np.zeros((n, 1), np.int32)]),
        [2 + 3, 4, 1],  # three levels that nobody has, a category of one level
        [5.0] + [1.0] * numbers.shape[1],
        [1.0, 1.0, 5.0],
        5,
    )
    np.testing.assert_allclose(padded.eigenvalues, axes.eigenvalues, rtol=1e-12)
    assert padded.total_inertia == pytest.approx(axes.total_inertia, rel=1e-12)
    assert not padded.slopes[0].any()
    there = padded.coordinates(
        np.hstack([np.full((n, 1), 900.0), numbers]), np.hstack([codes, codes[:, :1] * 0])
    )
    np.testing.assert_allclose(there, axes.coordinates(numbers, codes), rtol=0, atol=1e-8)


def test_an_unseen_level_is_an_all_zero_indicator() -> None:
    table = mixed_table()
    axes, numbers, codes = fitted(table, CATEGORIES, 5)
    matrix = literal_famd_matrix(table, CATEGORIES, {})
    right = np.linalg.svd(matrix, full_matrices=False)[2][:5]
    # the columns of "stage" come last; an all-zero indicator is −p/√p in each
    shares = table["stage"].value_counts(normalize=True).sort_index().to_numpy()
    unseen = matrix[0].copy()
    unseen[-4:] = -np.sqrt(shares)
    first = codes[:1].copy()
    first[0, -1] = UNSEEN
    found = axes.coordinates(numbers[:1], first)[0]
    np.testing.assert_allclose(np.abs(found), np.abs(right @ unseen), rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("numbers", "codes", "counts"),
    [
        (np.full((6, 2), 3.5), np.zeros((6, 1), np.int32), [1]),
        (np.empty((6, 0)), np.empty((6, 0), np.int32), []),
        (np.empty((6, 0)), np.full((6, 1), UNSEEN, np.int32), [0]),
    ],
    ids=["constants", "no column", "no level"],
)
def test_where_nothing_varies_everybody_is_at_0(numbers: Floats, codes: Codes, counts: list[int]) -> None:
    weights = [1.0] * numbers.shape[1], [1.0] * codes.shape[1]
    axes = fit_axes(numbers, codes, counts, *weights, ncp=5)
    coordinates = axes.coordinates(numbers, codes)
    assert coordinates.shape == (6, axes.ncp)
    assert not coordinates.any()
    assert not axes.explained_variance_ratio.any()


@pytest.mark.parametrize("unit", [[1e9, 1.0, 1e-9], [1e200, 1.0, 1e-200], [1e307, 1.0, 1e-300]])
def test_a_column_of_huge_or_tiny_unit_is_standardised_like_any_other(unit: list[float]) -> None:
    plain = np.random.default_rng(0).normal(size=(50, 3))
    codes = np.empty((50, 0), np.int32)
    axes = fit_axes(plain, codes, [], [1.0] * 3, [], 3)
    scaled = plain * unit
    other = fit_axes(scaled, codes, [], [1.0] * 3, [], 3)
    np.testing.assert_allclose(
        other.coordinates(scaled, codes), axes.coordinates(plain, codes), rtol=0, atol=1e-8
    )
    np.testing.assert_allclose(
        other.explained_variance_ratio, axes.explained_variance_ratio, rtol=0, atol=1e-12
    )


def test_where_very_many_axes_are_as_long_as_each_other_the_longest_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On one in a hundred such tables the vectors that Lanczos keeps at first do not suffice; this is one."""
    rng = np.random.default_rng(72)
    rows = 3_600 + int(rng.integers(0, 400))
    codes = np.concatenate([np.arange(3_100), rng.integers(0, 3_100, rows - 3_100)]).astype(np.int32)
    numbers = np.column_stack([rng.normal(size=rows), rng.normal(size=rows)])

    def fitted() -> Axes:
        return fit_axes(numbers, codes[:, None], [3_100], [1.0, 1.0], [1.0], 5)

    found = fitted()
    monkeypatch.setattr(famd, "_DENSE_DIMENSIONS", 4_000)
    np.testing.assert_allclose(found.eigenvalues, fitted().eigenvalues, rtol=1e-9)
