"""Numbers that come in pieces are put in order as they are together, a bounded number of them at a time."""

from collections.abc import Iterable

import numpy as np
import pytest

from sosie import ordered
from sosie.columns import Floats
from sosie.ordered import Ends, Pieces, commonest_of, ends_of, median_of, whole
from sosie.transforms import Quantile, fit_transform, fit_transform_in_pieces


def in_pieces(numbers: Floats, size: int) -> Pieces:
    def pieces() -> Iterable[Floats]:
        return (numbers[start : start + size] for start in range(0, len(numbers), size))

    return pieces


def numbers(n: int = 900) -> Floats:
    rng = np.random.default_rng(0)
    found: Floats = rng.integers(-60, 60, n) / 4.0
    found[rng.random(n) < 0.1] = np.nan
    return found


@pytest.mark.parametrize("many", [1, 7, 120, 2**20])
@pytest.mark.parametrize("size", [1, 50, 900])
def test_different_numbers_are_those_of_all_pieces_together(
    many: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordered, "MANY", many)
    found = list(ordered.ordered(in_pieces(numbers(), size)))
    present = numbers()[~np.isnan(numbers())]
    expected, rows = np.unique(present, return_counts=True)
    np.testing.assert_array_equal(np.concatenate([values for values, _ in found]), expected)
    np.testing.assert_array_equal(np.concatenate([counts for _, counts in found]), rows)
    assert max(len(values) for values, _ in found) <= max(many, size)


def test_of_nothing_but_gaps_there_is_no_number() -> None:
    gaps = np.full(5, np.nan)
    assert list(ordered.ordered(whole(gaps))) == []
    assert ends_of(whole(gaps)) == Ends(np.inf, -np.inf, np.inf, 0)


def test_ends_are_those_of_all_pieces() -> None:
    given = np.array([3.0, np.nan, -2.0, 0.0, 0.5, -7.0])
    assert ends_of(in_pieces(given, 2)) == Ends(-7.0, 3.0, 0.5, 2)


@pytest.mark.parametrize("different", [900, 5_000])
def test_quantiles_of_few_numbers_at_a_time_are_those_of_all(
    different: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = np.random.default_rng(1).integers(0, different, 20_000).astype(float)
    expected = fit_transform("quantile", given, "x")
    monkeypatch.setattr(ordered, "MANY", 300)
    found = fit_transform_in_pieces("quantile", in_pieces(given, 100), "x")
    assert isinstance(expected, Quantile)
    assert isinstance(found, Quantile)
    np.testing.assert_array_equal(found.knots, expected.knots)
    np.testing.assert_array_equal(found.scores, expected.scores)


@pytest.mark.parametrize("n", [899, 900])
@pytest.mark.parametrize("many", [1, 7, 2**20])
def test_medians_and_commonest_numbers_are_those_of_all_pieces(
    n: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordered, "MANY", many)
    given, pieces = numbers(n), in_pieces(numbers(n), 7)
    distinct, rows = np.unique(given[~np.isnan(given)], return_counts=True)
    assert median_of(pieces) == np.nanmedian(given)
    assert commonest_of(pieces) == distinct[rows.argmax()]


def test_of_an_odd_number_of_numbers_the_median_is_one_of_them_however_large() -> None:
    assert median_of(whole(np.array([1.7e308, np.nan, 1.7e308, 1.7e308]))) == 1.7e308


def test_of_nothing_but_gaps_median_and_commonest_number_are_0() -> None:
    gaps = whole(np.full(3, np.nan))
    assert median_of(gaps) == commonest_of(gaps) == 0.0
