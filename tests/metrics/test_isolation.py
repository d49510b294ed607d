"""The most isolated individuals against a search of everybody's nearest other one."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sosie.metrics.isolation import farthest, most_isolated, most_isolated_of_sides

RNG = np.random.default_rng(3)
CLOUDS: dict[str, list[NDArray[np.float64]]] = {
    "heavy tails": [
        RNG.standard_t(2, (900, 3)).astype(np.float64),
        RNG.standard_t(2, (300, 3)).astype(np.float64),
    ],
    "a lattice with twins": [RNG.integers(0, 9, (rows, 2)).astype(np.float64) for rows in (700, 40)],
    "everybody at one place": [np.zeros((150, 2)), np.zeros((70, 2))],
    "few": [np.array([[0.0], [1.0], [5.0]]), np.array([[9.0]])],
}


@pytest.mark.parametrize("name", CLOUDS)
def test_those_named_are_the_farthest_from_anybody_of_both_sides(name: str) -> None:
    sides = CLOUDS[name]
    points = np.concatenate(sides)
    away = np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))
    np.fill_diagonal(away, np.inf)
    expected = [farthest(part) for part in np.split(away.min(axis=1), [len(sides[0])])]
    for found, wanted in zip(most_isolated_of_sides(sides), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_one_row_and_a_share_of_nobody_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 rows: 1 row"):
        most_isolated([[0.0]])
    with pytest.raises(ValueError, match="above 0 and up to 1: 0"):
        most_isolated([[0.0], [1.0]], share=0)
