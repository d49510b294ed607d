"""Compiled sums over rows: the bits of the formulas in NumPy, whatever the numbers of columns."""

from itertools import accumulate

import numpy as np
import numpy.typing as npt
import pytest

from sosie import _rows
from sosie.columns import Codes, Floats
from sosie.famd import Axes

SIZES = [3, 1, 7]
LAST, FIRST = 2**31 - 1, -(2**31)


def numbers(rows: int, columns: int) -> Floats:
    """Of magnitudes so far apart that any other order of summing shows."""
    rng = np.random.default_rng(rows + columns)
    return rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-9, 9, (rows, columns))


def cells(rows: int, sizes: list[int]) -> Codes:
    """Codes of every level, of none below 0, and of none beyond."""
    codes = np.random.default_rng(rows).integers(-2, [size + 1 for size in sizes], (rows, len(sizes)))
    return codes.astype(np.int32)


def tables(sizes: list[int], components: int) -> list[Floats]:
    return [numbers(size + 1, components) for size in sizes]


def sizes_of(sizes: list[int]) -> npt.NDArray[np.int64]:
    return np.array(sizes, dtype=np.int64)


def compiled(values: Floats, means: Floats, slopes: Floats, codes: Codes, levels: list[Floats]) -> Floats:
    coordinates = np.full((len(values), slopes.shape[1]), np.nan)
    sizes = sizes_of([len(table) - 1 for table in levels])
    held = np.concatenate([*levels, np.empty((0, slopes.shape[1]))])
    _rows.coordinates(len(values), values, means, slopes, codes, sizes, held, coordinates)
    return coordinates


def places(codes: Codes, sizes: list[int]) -> list[list[int]]:
    """By row, where its levels are among all."""
    starts = list(accumulate(sizes, initial=0))
    return [
        [start + code for start, code, size in zip(starts, row, sizes, strict=False) if 0 <= code < size]
        for row in codes.tolist()
    ]


@pytest.mark.parametrize("components", [*range(1, 10), 16, 17])
@pytest.mark.parametrize(("columns", "sizes"), [(4, SIZES), (0, SIZES), (4, []), (1, [2]), (0, [])])
def test_coordinates_are_numbers_then_levels_added_one_by_one(
    components: int, columns: int, sizes: list[int]
) -> None:
    values, codes = numbers(50, columns), cells(50, sizes)
    means, slopes, levels = (
        numbers(columns, 1).ravel(),
        numbers(columns, components),
        tables(sizes, components),
    )
    expected = np.zeros((50, components))
    for j in range(columns):
        expected += (values[:, j] - means[j])[:, None] * slopes[j]
    for j, table in enumerate(levels):
        seen = (codes[:, j] >= 0) & (codes[:, j] < sizes[j])
        expected += table[np.where(seen, codes[:, j], sizes[j])]
    found = compiled(values, means, slopes, codes, levels)
    np.testing.assert_array_equal(found.view(np.int64), expected.view(np.int64))


@pytest.mark.parametrize("columns", [*range(10), 16, 17])
@pytest.mark.parametrize("sizes", [SIZES, [2], []])
def test_sums_by_level_are_added_row_after_row(columns: int, sizes: list[int]) -> None:
    values, codes = numbers(60, columns), cells(60, sizes)
    counts, sums = np.ones(sum(sizes)), numbers(sum(sizes), columns)
    expected_counts, expected = counts.copy(), sums.copy()
    for row, held in zip(values, places(codes, sizes), strict=True):
        for place in held:
            expected_counts[place] += 1
            expected[place] += row
    _rows.by_level(60, codes, sizes_of(sizes), values, counts, sums)
    np.testing.assert_array_equal(counts, expected_counts)
    np.testing.assert_array_equal(sums.view(np.int64), expected.view(np.int64))


@pytest.mark.parametrize("sizes", [SIZES, [2], [], [2] * 40])
def test_rows_with_both_of_two_levels_are_added_to_the_upper_half(sizes: list[int]) -> None:
    codes, met = cells(60, sizes), np.ones((sum(sizes), sum(sizes)))
    indicators = np.zeros((60, sum(sizes)))
    for row, held in zip(indicators, places(codes, sizes), strict=True):
        row[held] = 1
    _rows.together(60, codes, sizes_of(sizes), met)
    np.testing.assert_array_equal(met, 1 + np.triu(indicators.T @ indicators))


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 127, 128, 129, 136, 1000])
@pytest.mark.parametrize("columns", [*range(10), 16, 17])
def test_columns_are_added_and_centred_as_numpy_does_it(rows: int, columns: int) -> None:
    values, units, means = (
        numbers(rows, columns),
        np.ldexp(1.0, np.arange(columns)),
        numbers(columns, 1).ravel(),
    )
    sums, squares, centred = np.full(columns, np.nan), np.full(columns, np.nan), np.empty_like(values)
    _rows.columns(rows, values, units, sums)
    _rows.centred(rows, values, units, means, centred, squares)
    expected = values / units - means
    np.testing.assert_array_equal(sums, (values / units).sum(axis=0))
    np.testing.assert_array_equal(centred, expected)
    np.testing.assert_array_equal(squares, np.square(expected).sum(axis=0))


@pytest.mark.parametrize("columns", [1, 2, 9])
def test_gaps_add_nothing_and_are_no_ends(columns: int) -> None:
    values = numbers(200, columns)
    values[cells(200, [2] * columns) < 0] = np.nan
    sums, counts = np.empty(columns), np.empty(columns)
    least, most = np.full(columns, np.inf), np.full(columns, -np.inf)
    _rows.columns(200, values, np.ones(columns), sums)
    _rows.ends(200, values, least, most, counts)
    np.testing.assert_array_equal(sums, np.where(np.isnan(values), 0.0, values).sum(axis=0))
    np.testing.assert_array_equal(least, np.nanmin(values, axis=0))
    np.testing.assert_array_equal(most, np.nanmax(values, axis=0))
    np.testing.assert_array_equal(counts, (~np.isnan(values)).sum(axis=0))


def test_ends_are_widened_only() -> None:
    least, most = np.array([-5.0, 2.0, np.inf]), np.array([5.0, 2.0, -np.inf])
    _rows.ends(2, np.array([[1.0, 1.0, np.nan], [2.0, 3.0, np.nan]]), least, most, np.empty(3))
    assert (least.tolist(), most.tolist()) == ([-5.0, 1.0, np.inf], [5.0, 3.0, -np.inf])


@pytest.mark.parametrize("columns", [*range(10), 16, 17])
def test_numbers_of_neighbours_are_weighed_and_added_one_by_one(columns: int) -> None:
    values, weights = numbers(30, columns), numbers(60, 5)
    neighbours = np.random.default_rng(columns).integers(0, 30, (60, 5)).astype(np.int32)
    expected = np.zeros((60, columns))
    for j in range(5):
        expected += weights[:, [j]] * values[neighbours[:, j]]
    sums = np.full((60, columns), np.nan)
    _rows.weighed(60, neighbours, weights, 30, values, sums)
    np.testing.assert_array_equal(sums.view(np.int64), expected.view(np.int64))


@pytest.mark.parametrize("place", [-1, FIRST, 3, LAST])
def test_a_neighbour_that_is_no_row_is_refused(place: int) -> None:
    neighbours, sums = np.array([[0, 2], [place, 1]], dtype=np.int32), np.zeros((2, 1))
    with pytest.raises(ValueError, match="sizes"):
        _rows.weighed(2, neighbours, np.ones((2, 2)), 3, np.ones((3, 1)), sums)
    assert not sums.any()


@pytest.mark.parametrize("code", [-1, -7, FIRST, 2, LAST])
def test_a_code_that_no_level_has_is_an_unseen_one(code: int) -> None:
    codes, sizes = np.array([[code]], dtype=np.int32), sizes_of([2])
    found = compiled(
        np.empty((1, 0)), np.empty(0), np.empty((0, 1)), codes, [np.array([[1.0], [2.0], [3.0]])]
    )
    counts, sums, met = np.zeros(2), np.zeros((2, 1)), np.zeros((2, 2))
    _rows.by_level(1, codes, sizes, np.ones((1, 1)), counts, sums)
    _rows.together(1, codes, sizes, met)
    assert found.tolist() == [[3.0]]
    for left in (counts, sums, met):
        assert not left.any()


def test_columns_may_lie_anywhere() -> None:
    values, codes = numbers(50, 4), cells(50, SIZES)
    axes = Axes(values[0], numbers(4, 5), tuple(tables(SIZES, 5)), np.ones(5), 5.0)
    expected = axes.coordinates(values, codes)
    np.testing.assert_array_equal(
        axes.coordinates(np.asfortranarray(values), np.asfortranarray(codes)), expected
    )
    np.testing.assert_array_equal(
        axes.coordinates(values[::-3], codes[::-3].astype(np.int64)), expected[::-3]
    )
    assert axes.coordinates(values[:0], codes[:0]).shape == (0, 5)


def test_arrays_whose_sizes_do_not_belong_together_are_refused() -> None:
    right = (
        *(2, np.ones((2, 3)), np.ones(3), np.ones((3, 4)), np.zeros((2, 1), np.int32), sizes_of([5])),
        *(np.ones((6, 4)), np.ones((2, 4))),
    )
    _rows.coordinates(*right)
    for place in range(1, 8):
        with pytest.raises(ValueError, match="sizes"):
            _rows.coordinates(*right[:place], np.ones(7), *right[place + 1 :])  # type: ignore[call-arg, arg-type]
    codes, sizes, counts, met = np.zeros((2, 1), np.int32), sizes_of([5]), np.zeros(5), np.zeros((5, 5))
    for counted, summed in ((counts, np.zeros((5, 2))), (np.zeros(4), np.zeros((5, 3)))):
        with pytest.raises(ValueError, match="sizes"):
            _rows.by_level(2, codes, sizes, np.ones((2, 3)), counted, summed)
    with pytest.raises(ValueError, match="sizes"):
        _rows.together(2, codes, sizes, met[:4])
    table, row, wrong = np.ones((2, 5)), np.ones(5), np.ones(7)
    for ends in (
        (wrong, row, row, row),
        (table, wrong, row, row),
        (table, row, wrong, row),
        (table, row, row, wrong),
    ):
        with pytest.raises(ValueError, match="sizes"):
            _rows.ends(2, *ends)
    for values, units, more in ((wrong, row, row), (table, wrong, row), (table, row, wrong)):
        with pytest.raises(ValueError, match="sizes"):
            _rows.columns(2, values, units, more)
        with pytest.raises(ValueError, match="sizes"):
            _rows.centred(2, values, units, more, table, row)
    for centred, squares in ((table, wrong), (wrong, row)):
        with pytest.raises(ValueError, match="sizes"):
            _rows.centred(2, table, row, row, centred, squares)
    whole = (2, np.zeros((2, 3), np.int32), np.ones((2, 3)), 4, np.ones((4, 5)), np.ones((2, 5)))
    _rows.weighed(*whole)
    for place in (1, 2, 4, 5):
        with pytest.raises(ValueError, match="sizes"):
            _rows.weighed(*whole[:place], np.ones(7, np.float32), *whole[place + 1 :])  # type: ignore[call-arg, arg-type]


@pytest.mark.parametrize("rows", [-1, 0, 1, 3, 2**40])
def test_codes_are_those_of_as_many_rows(rows: int) -> None:
    with pytest.raises(ValueError, match="sizes"):
        _rows.together(rows, np.zeros((2, 1), np.int32), sizes_of([5]), np.zeros((5, 5)))


@pytest.mark.parametrize("sizes", [[-1, 6], [LAST, LAST], [2**62, 2**62]])
def test_levels_are_as_many_as_can_be_counted(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="sizes"):
        _rows.together(1, np.zeros((1, 2), np.int32), sizes_of(sizes), np.zeros((5, 5)))
