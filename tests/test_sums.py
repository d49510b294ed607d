"""Sums over blocks of rows: those of the whole table, whatever the blocks, magnitudes and number of categories."""

import numpy as np
import pytest

from sosie import blocks, sums
from sosie.columns import Codes, Floats
from sosie.famd import Encoding, fit_axes, fit_blocks
from sosie.sums import PresentMeans, Sums, blocks_of, level_counts


def mixed(n: int = 500, categories: int = 3) -> tuple[Floats, Codes, list[int]]:
    rng = np.random.default_rng(0)
    sizes = [2 + place % 4 for place in range(categories)]
    codes = np.stack([rng.integers(-2, size, n) for size in sizes], axis=1).astype(np.int32)
    return rng.normal([5.0, -3.0], [1.0, 100.0], (n, 2)), codes, sizes


def summed(numbers: Floats, codes: Codes, sizes: list[int], rows: int) -> Sums:
    found = Sums(numbers.shape[1], sizes)
    for start in range(0, len(numbers), rows):
        found.add(numbers[start : start + rows], codes[start : start + rows])
    return found


@pytest.mark.parametrize("rows", [1, 7, 500])
def test_sums_are_those_of_the_whole_table(rows: int) -> None:
    numbers, codes, sizes = mixed()
    found = summed(numbers, codes, sizes, rows)
    centred = numbers - numbers.mean(axis=0)
    indicators = np.hstack([codes[:, [j]] == np.arange(size) for j, size in enumerate(sizes)]).astype(float)
    np.testing.assert_allclose(found.means * found.units, numbers.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(
        found.products * np.outer(found.units, found.units), centred.T @ centred, rtol=1e-12
    )
    np.testing.assert_allclose(found.deviations, np.diag(found.products), rtol=1e-12)
    np.testing.assert_allclose(found.by_level * found.units, indicators.T @ centred, atol=1e-9)
    np.testing.assert_array_equal(found.together, indicators.T @ indicators)
    np.testing.assert_array_equal(found.counts, indicators.sum(axis=0))


@pytest.mark.parametrize("magnitudes", [(1e-200, 1.0, 1e200), (1e200, 1.0, 1e-200), (0.0, 1e-200, 1e-200)])
def test_blocks_of_any_magnitude_add_up(magnitudes: tuple[float, ...]) -> None:
    numbers = np.concatenate([size * np.arange(1.0, 11.0) for size in magnitudes])[:, None]
    found = summed(numbers, np.empty((30, 0), np.int32), [], 10)
    scaled = numbers / max(magnitudes)
    np.testing.assert_allclose(
        np.sqrt(found.deviations / 30) * found.units / max(magnitudes), scaled.std(axis=0), rtol=1e-12
    )


def test_few_and_many_categories_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, codes, sizes = mixed(categories=40)
    many = summed(numbers, codes, sizes, 500)
    monkeypatch.setattr(sums, "_FEW_CATEGORIES", 40)
    np.testing.assert_array_equal(summed(numbers, codes, sizes, 500).together, many.together)


def test_a_table_that_comes_in_blocks_has_the_axes_of_one_in_memory_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 64)
    numbers, codes, sizes = mixed()
    whole = fit_axes(numbers, codes, sizes, [1.0, 2.0], [1.0] * 3, 4)
    files = [(numbers[rows].copy(), codes[rows].copy()) for rows in blocks.blocks(500)]
    streamed = fit_blocks(lambda: iter(files), Encoding(sizes, [1.0, 2.0], [1.0] * 3), 4)
    for here, there in zip(whole.tables, streamed.tables, strict=True):
        np.testing.assert_array_equal(here, there)
    np.testing.assert_array_equal(whole.slopes, streamed.slopes)
    assert len(list(blocks_of(numbers, codes))) == 8


def test_levels_are_counted_category_by_category() -> None:
    codes = np.array([[0, 1], [0, -1], [2, -2], [-1, 0]], dtype=np.int32)
    assert [counts.tolist() for counts in level_counts(codes, [3, 2])] == [[2, 0, 1], [1, 1]]
    assert [counts.tolist() for counts in level_counts(codes[:0], [3, 2])] == [[0, 0, 0], [0, 0]]
    assert level_counts(codes[:, :0], []) == []


@pytest.mark.parametrize("scale", [1.0, 1e300])
def test_means_of_numbers_with_gaps_are_those_of_the_present_ones(scale: float) -> None:
    rng = np.random.default_rng(1)
    numbers = scale * rng.normal(3, 1, (90, 2))
    numbers[rng.random((90, 2)) < 0.4] = np.nan
    numbers[:30, 1] = np.nan  # a block without any
    means = PresentMeans(2)
    for start in range(0, 90, 30):
        means.add(numbers[start : start + 30])
    np.testing.assert_allclose(means.means / scale, np.nanmean(numbers / scale, axis=0), rtol=1e-12)
    np.testing.assert_array_equal(means.counts, (~np.isnan(numbers)).sum(axis=0))
