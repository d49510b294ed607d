"""Transforms of a column: worked values, an outside oracle, and that each is undone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.preprocessing import PowerTransformer

from sosie.errors import InputError
from sosie.transforms import Identity, Log, Quantile, Sqrt, TransformKind, YeoJohnson, fit_transform

KINDS: list[TransformKind] = ["log", "sqrt", "yeo-johnson", "quantile"]


def test_the_logarithm_of_numbers_above_0_has_no_shift() -> None:
    transform = fit_transform("log", np.array([1.0, 10.0, 100.0]), "x")
    assert transform == Log(0.0, 1.0, 100.0)
    np.testing.assert_allclose(transform.forward(np.array([10.0])), np.log(10))


def test_where_there_are_zeros_the_logarithm_is_shifted_by_the_smallest_number_above() -> None:
    transform = fit_transform("log", np.array([0.0, 0.5, 8.0]), "x")
    assert transform == Log(0.5, 0.0, 8.0)
    np.testing.assert_allclose(transform.forward(np.array([0.0, 0.5])), [np.log(0.5), 0.0])


def test_the_root_is_the_root() -> None:
    transform = fit_transform("sqrt", np.array([0.0, 4.0, 9.0]), "x")
    assert transform == Sqrt(0.0, 9.0)
    np.testing.assert_array_equal(transform.forward(np.array([4.0])), [2.0])


def test_the_power_and_its_image_are_those_of_scikit_learn() -> None:
    numbers = np.random.default_rng(0).gamma(2, 30, 400) - 20
    oracle = PowerTransformer(method="yeo-johnson", standardize=False).fit(numbers[:, None])
    transform = fit_transform("yeo-johnson", numbers, "x")
    assert isinstance(transform, YeoJohnson)
    assert transform.power == pytest.approx(oracle.lambdas_[0], abs=1e-6)
    image = np.asarray(oracle.transform(numbers[:, None]))[:, 0]
    np.testing.assert_allclose(transform.forward(numbers), image, rtol=1e-4)


@pytest.mark.parametrize("power", [-3.0, 0.0, 0.5, 1.0, 2.0, 4.0])
def test_the_power_transform_of_every_power_is_that_of_scipy_and_is_undone(power: float) -> None:
    numbers = np.linspace(-3, 3, 13)
    transform = YeoJohnson(power, -3.0, 3.0)
    image = np.asarray(stats.yeojohnson(numbers, power))
    np.testing.assert_allclose(transform.forward(numbers), image, rtol=1e-12)
    np.testing.assert_allclose(transform.inverse(transform.forward(numbers)), numbers, atol=1e-12)


def test_normal_scores_are_the_normal_quantiles_of_mid_ranks() -> None:
    transform = fit_transform("quantile", np.array([5.0, 5.0, 7.0, 1000.0]), "x")
    assert isinstance(transform, Quantile)
    expected = np.asarray(stats.norm.ppf([0.25, 0.625, 0.875]))
    np.testing.assert_allclose(transform.forward(np.array([5.0, 7.0, 1000.0])), expected)
    np.testing.assert_allclose(transform.forward(np.array([6.0])), expected[:2].mean())


def test_normal_scores_of_many_numbers_keep_a_thousand_knots_and_the_ends() -> None:
    numbers = np.random.default_rng(0).lognormal(0, 2, 20_000)
    transform = fit_transform("quantile", numbers, "x")
    assert isinstance(transform, Quantile)
    assert len(transform.knots) <= 1_000
    assert (transform.knots[0], transform.knots[-1]) == (numbers.min(), numbers.max())
    assert stats.kstest(transform.forward(numbers), "norm").statistic < 0.01


_COLUMNS = st.lists(
    st.integers(0, 10**6).map(lambda number: number / 100) | st.sampled_from([0.0, 1.0, 2.5]),
    min_size=2,
    max_size=60,
)


@pytest.mark.parametrize("kind", KINDS)
@given(cells=_COLUMNS)
def test_the_inverse_undoes_every_transform(kind: TransformKind, cells: list[float]) -> None:
    numbers = np.array([*cells, np.nan])
    transform = fit_transform(kind, numbers, "x")
    there = transform.forward(numbers)
    np.testing.assert_allclose(transform.inverse(there), numbers, rtol=1e-8, atol=1e-9)
    order = np.argsort(numbers[:-1], kind="stable")
    assert (np.diff(there[:-1][order]) >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_what_lies_beyond_the_fitted_range_counts_as_its_end(kind: TransformKind) -> None:
    transform = fit_transform(kind, np.array([1.0, 2.0, 4.0, 8.0]), "x")
    ends = transform.forward(np.array([1.0, 8.0]))
    np.testing.assert_array_equal(transform.forward(np.array([-5.0, 1e300])), ends)
    np.testing.assert_allclose(transform.inverse(np.array([-1e9, 1e9])), [1.0, 8.0])


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_missing_stays_missing(kind: TransformKind) -> None:
    transform = fit_transform(kind, np.array([1.0, np.nan, 3.0]), "x")
    assert np.isnan(transform.forward(np.array([np.nan, 2.0]))).tolist() == [True, False]
    assert np.isnan(transform.inverse(np.array([np.nan, 1.0]))).tolist() == [True, False]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cells", [[], [np.nan], [7.0, 7.0, np.nan]])
def test_a_column_that_does_not_vary_keeps_its_scale(kind: TransformKind, cells: list[float]) -> None:
    assert fit_transform(kind, np.array(cells), "x") == Identity()


@pytest.mark.parametrize("kind", ["log", "sqrt"])
def test_negative_numbers_have_no_logarithm_and_no_root(kind: TransformKind) -> None:
    with pytest.raises(
        InputError, match=r'of "debt" needs values of at least 0, 2 are below: use yeo-johnson'
    ) as refused:
        fit_transform(kind, np.array([-1.0, -2.0, 3.0, np.nan]), "debt")
    assert refused.value.code == "BAD_CONFIG"
    assert refused.value.columns == ("debt",)


def test_numbers_too_large_for_any_power_are_refused() -> None:
    with pytest.raises(InputError, match=r'"x" finds its values too large: use quantile'):
        fit_transform("yeo-johnson", np.random.default_rng(0).normal(size=100) * 1e200, "x")
