"""Batches: each individual in one, none too small, near individuals together."""

from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from sosie import batches as batches_module
from sosie.batches import batch_count, deal, lay_out, random_cells, sample_size
from sosie.blocks import BLOCK, blocks, draw_parts
from sosie.columns import Floats
from sosie.kd_cuts import find_cuts
from sosie.neighbours import nearest_others

By = Literal["local", "random"]
both = pytest.mark.parametrize("by", ["local", "random"])


def cloud(n: int) -> Floats:
    points: Floats = np.random.default_rng(0).normal(size=(n, 3)) * np.array([5.0, 2.0, 1.0])
    points[: n // 3] = points[0]  # a third of the rows are twins
    return points


def dealt(n: int, rows: int | None, by: By, k: int = 5) -> list[npt.NDArray[np.int64]]:
    return deal(cloud(n), rows, by, k, 1)


@both
@pytest.mark.parametrize("rows", [None, 100, 500])
def test_up_to_rows_individuals_are_one_batch_in_order(by: By, rows: int | None) -> None:
    batches = dealt(100, rows, by)
    assert len(batches) == 1
    assert batches[0].tolist() == list(range(100))


@both
@pytest.mark.parametrize("n", [101, 150, 199, 200, 201, 999, 1000, 1234])
@pytest.mark.parametrize("rows", [10, 33, 100])
@pytest.mark.parametrize("k", [2, 20, 60])
def test_batches_are_a_partition_and_none_is_too_small(by: By, n: int, rows: int, k: int) -> None:
    batches = dealt(n, rows, by, k)
    assert sorted(np.concatenate(batches).tolist()) == list(range(n))
    sizes = [len(batch) for batch in batches]
    assert min(sizes) >= min(n, max(k + 1, rows / 2))
    if k + 1 <= rows / 2:
        assert max(sizes) <= rows


@both
def test_positions_are_sorted_inside_a_batch(by: By) -> None:
    assert all((np.diff(batch) > 0).all() for batch in dealt(1000, 100, by))


def test_random_batches_depend_on_the_seed_and_local_ones_cut_on_every_row_do_not() -> None:
    first, second = ([deal(cloud(500), 100, by, 5, seed) for seed in (1, 2)] for by in ("local", "random"))
    assert all((a == b).all() for a, b in zip(*first, strict=True))
    assert any((a != b).any() for a, b in zip(*second, strict=True))


def mean_distance(batches: list[npt.NDArray[np.int64]], points: Floats) -> float:
    return float(np.mean([nearest_others(points[batch], 10).distances.mean() for batch in batches]))


def test_local_batches_keep_neighbours_near_and_random_ones_do_not() -> None:
    points = np.random.default_rng(0).normal(size=(8000, 3))
    whole = mean_distance([np.arange(8000)], points)
    local = mean_distance(deal(points, 1000, "local", 10, 0), points)
    random = mean_distance(deal(points, 1000, "random", 10, 0), points)
    assert local < 1.1 * whole
    assert random > 1.4 * whole


@both
@pytest.mark.parametrize("components", [0, 1])
def test_a_table_without_spread_is_cut_all_the_same(by: By, components: int) -> None:
    batches = deal(np.zeros((300, components)), 100, by, 5, 0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(300))
    assert all(50 <= len(batch) <= 100 for batch in batches)


@both
def test_a_deal_block_by_block_is_the_deal_of_all_rows(by: By) -> None:
    n, rows = 3 * BLOCK - 7, 20_000
    points = np.random.default_rng(0).normal(size=(n, 2)).round(1)
    count = batch_count(n, rows, 5)
    if by == "random":
        drawn = random_cells(n, count, 3)
        cells = [drawn.of_block(number) for number, _ in enumerate(blocks(n))]
        most = drawn.cells
    else:
        (sample,) = draw_parts(n, (sample_size(n, count),), 3, "deal").rows()
        cuts = find_cuts(points[sample], count)
        cells, most = [cuts.cells_of(points[block]) for block in blocks(n)], cuts.cells
    before = np.zeros(most, dtype=np.int64)
    plan = lay_out(np.bincount(np.concatenate(cells), minlength=most), count, by, 3)
    dealt_to = []
    for part in cells:
        dealt_to.append(plan.batches_of(part, before))
        before = before + np.bincount(part, minlength=most)
    batch = np.concatenate(dealt_to)
    for number, members in enumerate(deal(points, rows, by, 5, 3)):
        assert np.flatnonzero(batch == number).tolist() == members.tolist()


def test_every_random_deal_is_equally_likely() -> None:
    choices = list(combinations(range(6), 3))
    times = np.zeros(len(choices))
    for seed in range(2000):
        first = deal(np.zeros((6, 1)), 3, "random", 2, seed)[0]
        times[choices.index(tuple(first.tolist()))] += 1
    assert stats.chisquare(times).pvalue > 0.001


def test_cuts_found_on_a_sample_keep_neighbours_near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches_module, "_SAMPLE_ROWS", 1_000)
    monkeypatch.setattr(batches_module, "_SAMPLE_OF_BATCH", 100)
    points = np.random.default_rng(0).normal(size=(8000, 3))
    batches = deal(points, 1000, "local", 10, 0)
    assert {len(batch) for batch in batches} == {1000}
    assert mean_distance(batches, points) < 1.15 * mean_distance([np.arange(8000)], points)
