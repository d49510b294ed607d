"""What pictures are drawn from shows a column and nobody in it."""

import numpy as np
import pytest

from sosie.distributions import bins

MIN_COUNT = 5


def column(*present: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([*present, *[np.nan] * 50])


def test_shares_are_of_all_rows_and_every_bin_is_held_by_several() -> None:
    originals = column(*range(30))
    found = bins(originals, originals, originals, MIN_COUNT)
    assert sum(found.originals) == pytest.approx(30 / 80)
    assert min(found.originals) * 80 >= MIN_COUNT - 1e-9
    assert found.avatars == found.holdout == found.originals


@pytest.mark.parametrize(
    "present", [(), (123.4,), (100.2, 123.4, 180.9), (1.0, 2.0, 3.0, 4.0, 51234.0, 6.0, 7.0)]
)
def test_the_place_of_what_few_have_is_not_told(present: tuple[float, ...]) -> None:
    originals = column(*present)
    found = bins(originals, originals, originals, MIN_COUNT)
    assert found.edges == (0.0, 1.0)
    assert found.originals == found.avatars == found.holdout == (0.0,)


def test_one_value_that_several_share_is_told() -> None:
    originals = column(*[7.0] * MIN_COUNT)
    assert bins(originals, originals, None, MIN_COUNT).edges == (6.5, 7.5)
