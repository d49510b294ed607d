"""One seed, one stream for each purpose and place."""

from itertools import combinations

import numpy as np
import pytest

from sosie.columns import Floats
from sosie.streams import Purpose, child_seed, fresh_seed, stream

PURPOSES: list[Purpose] = ["holdout", "deal", "weights", "donors", "shuffle", "attack base"]


def draws(seed: int, purpose: Purpose, *place: int) -> Floats:
    return stream(seed, purpose, *place).random(1000)


def test_equal_arguments_give_equal_streams() -> None:
    assert (draws(7, "weights", 1, 2) == draws(7, "weights", 1, 2)).all()


def test_purposes_places_and_seeds_share_no_draw() -> None:
    streams = [draws(7, purpose) for purpose in PURPOSES]
    streams += [draws(7, "weights", *place) for place in ((0,), (1,), (0, 0), (0, 1), (1, 0))]
    streams += [draws(8, "weights"), draws(2**100, "weights"), draws(child_seed(7, 0), "weights")]
    for one, other in combinations(streams, 2):
        assert not np.isin(one, other).any()
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.15


def test_streams_are_counter_based() -> None:
    assert isinstance(stream(1, "deal").bit_generator, np.random.Philox)


def test_a_stream_is_part_of_what_a_seed_means() -> None:
    """Changing these numbers changes every table that a kept seed makes again."""
    assert stream(7, "weights", 0, 0).integers(0, 1000, 4).tolist() == [144, 512, 76, 34]
    assert stream(7, "shuffle").integers(0, 1000, 4).tolist() == [406, 876, 487, 933]


def test_a_fresh_seed_is_128_bits_and_never_the_same() -> None:
    seeds = {fresh_seed() for _ in range(50)}
    assert len(seeds) == 50
    assert max(seeds).bit_length() > 100


def test_parts_of_a_run_have_seeds_of_their_own() -> None:
    assert child_seed(7, 0) == child_seed(7, 0)
    assert len({child_seed(seed, part) for seed in (7, 8) for part in range(5)}) == 10


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="non-negative"):
        stream(-1, "deal")
