"""Parts drawn block by block: exact sizes, every choice equally likely, each block by itself."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from sosie import blocks as module
from sosie.blocks import BLOCK, blocks, draw_parts


def test_blocks_cover_every_row_once_and_the_last_is_shorter() -> None:
    assert [(b.start, b.stop) for b in blocks(2 * BLOCK + 1)] == [
        (0, BLOCK),
        (BLOCK, 2 * BLOCK),
        (2 * BLOCK, 2 * BLOCK + 1),
    ]
    assert not list(blocks(0))


@pytest.mark.parametrize("n", [1, 7, BLOCK, BLOCK + 1, 3 * BLOCK - 5])
def test_parts_are_disjoint_and_of_exactly_the_sizes_asked(n: int) -> None:
    first, second = draw_parts(n, (n // 3, n // 2), 0, "holdout").rows()
    assert (len(first), len(second)) == (n // 3, n // 2)
    assert len(np.unique(np.concatenate([first, second]))) == n // 3 + n // 2
    assert (np.diff(first) > 0).all()


def test_every_choice_of_rows_is_equally_likely_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 3)
    choices = list(combinations(range(7), 3))
    times = np.zeros(len(choices))
    for seed in range(3500):
        (chosen,) = draw_parts(7, (3,), seed, "holdout").rows()
        times[choices.index(tuple(chosen.tolist()))] += 1
    assert stats.chisquare(times).pvalue > 0.001


def test_a_block_is_drawn_without_the_others() -> None:
    parts = draw_parts(3 * BLOCK, (BLOCK,), 5, "holdout")
    (rows,) = parts.rows()
    (last,) = parts.of_block(2)
    assert (last + 2 * BLOCK).tolist() == rows[rows >= 2 * BLOCK].tolist()


def test_purposes_and_places_draw_different_rows() -> None:
    drawn = [
        draw_parts(1000, (500,), 0, "holdout").rows()[0],
        draw_parts(1000, (500,), 0, "deal").rows()[0],
        draw_parts(1000, (500,), 0, "holdout", 1).rows()[0],
    ]
    assert len({part.tobytes() for part in drawn}) == 3


def test_more_rows_than_there_are_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="6 rows cannot be drawn from 5"):
        draw_parts(5, (3, 3), 0, "holdout")
