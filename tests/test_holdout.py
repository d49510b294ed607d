"""Two random halves, and which rows the measured avatars are made from."""

import numpy as np
import pytest

from sosie.errors import InputError
from sosie.holdout import split


@pytest.mark.parametrize("n", [4, 5, 500, 501, 200_001])
@pytest.mark.parametrize("mode", ["real", "approximate"])
def test_working_and_holdout_are_disjoint_and_of_equal_size(n: int, mode: str) -> None:
    halves = split(n, "real" if mode == "real" else "approximate", 500, 0)
    assert len(halves.working) == len(halves.holdout) == n // 2
    assert not set(halves.working) & set(halves.holdout)
    assert set(halves.working) | set(halves.holdout) <= set(range(n))


@pytest.mark.parametrize(("n", "mode"), [(499, "approximate"), (500, "real"), (5000, "real")])
def test_auto_is_real_from_min_rows_on(n: int, mode: str) -> None:
    assert split(n, "auto", 500, 0).mode == mode


def test_a_real_holdout_is_not_anonymised_and_an_approximate_one_is() -> None:
    real, approximate = split(100, "real", 500, 0), split(100, "approximate", 50, 0)
    assert real.anonymised.tolist() == real.working.tolist()
    assert approximate.anonymised.tolist() == list(range(100))


def test_which_half_a_row_falls_in_is_random() -> None:
    times = np.bincount(np.concatenate([split(20, "real", 4, seed).working for seed in range(2000)]))
    np.testing.assert_allclose(times / 2000, 0.5, atol=0.05)


def test_one_seed_gives_one_split() -> None:
    assert split(50, "real", 4, 3).working.tolist() == split(50, "real", 4, 3).working.tolist()


@pytest.mark.parametrize("n", [0, 1, 3])
def test_fewer_than_4_rows_are_refused(n: int) -> None:
    with pytest.raises(InputError, match=rf"{n} row.*at least 4") as caught:
        split(n, "auto", 500, 0)
    assert caught.value.code == "TOO_FEW_ROWS"
