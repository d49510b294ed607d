"""How near individuals are to avatars and to the holdout."""

import numpy as np
import pytest

from sosie.arranged import arranged
from sosie.closeness import PERCENTS, closeness_of
from sosie.columns import Floats
from sosie.evaluation import Closeness
from sosie.measure import _near
from sosie.neighbours import nearest

POINTS = np.arange(11.0)[:, None]


def closeness(working: Floats, avatars: Floats, holdout: Floats) -> Closeness:
    return closeness_of(*(nearest(working, base, 2)[0] for base in (avatars, holdout)))


def test_percentiles_of_distances_are_those_of_the_nearest() -> None:
    found = closeness(POINTS, POINTS + 0.25, POINTS + 0.5)
    assert found.distance.percents == PERCENTS
    assert found.distance.avatars == (0.25,) * len(PERCENTS)
    assert found.distance.holdout == (0.5,) * len(PERCENTS)


def test_a_copy_stands_out_completely_and_twins_not_at_all() -> None:
    found = closeness(POINTS, POINTS, np.repeat(POINTS, 2, axis=0))
    assert found.ratio.avatars == (0.0,) * len(PERCENTS)
    assert found.ratio.holdout == (1.0,) * len(PERCENTS)


def test_of_very_many_individuals_some_are_looked_at() -> None:
    many = np.linspace(0, 1, 25_001)[:, None]
    found = closeness(many, many + 0.5, many + 0.5)
    assert found.distance.avatars == pytest.approx(found.distance.holdout)


def test_one_row_has_no_second_closest() -> None:
    everybody, alone = arranged(POINTS, "points"), arranged(POINTS[:1], "points")
    assert _near(everybody, alone, everybody, workers=1) is None
