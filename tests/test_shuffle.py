"""The shuffle in buckets: a permutation, uniform, and the same whether buckets are held together or apart."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from sosie import blocks as blocks_module
from sosie import shuffle as module
from sosie.blocks import BLOCK, blocks
from sosie.shuffle import bucket_count, buckets_of_block, order_inside, shuffled_rows


@pytest.mark.parametrize("n", [0, 1, 5, 300_000])
def test_every_row_appears_once(n: int) -> None:
    assert np.sort(shuffled_rows(n, 0)).tolist() == list(range(n))


def test_every_order_is_equally_likely_over_several_blocks_and_buckets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for here in (blocks_module, module):
        monkeypatch.setattr(here, "BLOCK", 3)
    monkeypatch.setattr(module, "_BUCKET_ROWS", 2)
    orders = list(permutations(range(4)))
    times = np.zeros(len(orders))
    for seed in range(2400):
        times[orders.index(tuple(shuffled_rows(4, seed).tolist()))] += 1
    assert stats.chisquare(times).pvalue > 0.001


def test_buckets_written_apart_from_any_order_of_the_rows_give_the_same_permutation() -> None:
    n = 300_000
    bucket = np.concatenate([buckets_of_block(n, number, 7) for number, _ in enumerate(blocks(n))])
    written = np.random.default_rng(0).permutation(n)  # as batches finish
    apart = []
    for number in range(bucket_count(n)):
        members = np.sort(written[bucket[written] == number])
        apart.append(members[order_inside(number, len(members), 7)])
    assert bucket_count(n) == 2
    assert np.concatenate(apart).tolist() == shuffled_rows(n, 7).tolist()


def test_a_block_says_its_buckets_without_the_others() -> None:
    n = 5 * BLOCK
    assert buckets_of_block(n, 3, 1).tolist() == buckets_of_block(n, 3, 1).tolist()
    assert buckets_of_block(n, 3, 1).tolist() != buckets_of_block(n, 2, 1).tolist()
