"""Matrices between steps: what the next step must not be given is told with its count."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sosie.generation import Barycentres, draw_barycentres
from sosie.schemas.matrices import BrokenMatrixError, check_barycentres, check_coordinates

COORDINATES = np.random.default_rng(0).normal(size=(30, 2))
DRAWN = draw_barycentres(COORDINATES, [np.arange(30)], 4, "published", "floor", seed=1)


def changed(matrix: Any, place: tuple[int, int], value: float) -> Any:
    copy = matrix.copy()
    copy[place] = value
    return copy


@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_what_the_method_draws_is_accepted(law: Any) -> None:
    check_coordinates(COORDINATES, 30, 5)
    drawn = draw_barycentres(COORDINATES, [np.arange(30)], 4, law, "floor", seed=1)
    check_barycentres(drawn, 30, 4)


@pytest.mark.parametrize(
    ("coordinates", "told"),
    [
        (COORDINATES[:29], r"shape \(29, 2\), not \(30, 1 to 2\)"),
        (COORDINATES[:, :0], r"shape \(30, 0\)"),
        (np.hstack([COORDINATES, COORDINATES]), r"shape \(30, 4\)"),
        (COORDINATES[:, 0], r"shape \(30,\)"),
        (COORDINATES.astype(np.float32), "float32, not float64"),
        (changed(COORDINATES, (3, 1), np.nan), "1 cells of coordinates are not finite"),
        (changed(COORDINATES, (3, 1), -np.inf), "1 cells of coordinates are not finite"),
    ],
)
def test_broken_coordinates_are_refused(coordinates: Any, told: str) -> None:
    with pytest.raises(BrokenMatrixError, match=told):
        check_coordinates(coordinates, 30, 2)


@pytest.mark.parametrize(
    ("drawn", "told"),
    [
        (
            replace(DRAWN, neighbours=DRAWN.neighbours[:, :3]),
            r"neighbours have shape \(30, 3\), not \(30, 4\)",
        ),
        (replace(DRAWN, weights=DRAWN.weights[:7]), r"weights have shape \(7, 4\)"),
        (replace(DRAWN, neighbours=DRAWN.neighbours.astype(float)), "neighbours are float64, not whole"),
        (replace(DRAWN, weights=DRAWN.weights.astype(np.float32)), "weights are float32, not float64"),
        (replace(DRAWN, neighbours=changed(DRAWN.neighbours, (0, 0), 30)), "1 neighbours are no row"),
        (replace(DRAWN, neighbours=changed(DRAWN.neighbours, (0, 0), -1)), "1 neighbours are no row"),
        (replace(DRAWN, neighbours=changed(DRAWN.neighbours, (5, 2), 5)), "1 rows are their own neighbour"),
        (replace(DRAWN, weights=changed(DRAWN.weights, (0, 0), np.nan)), "1 cells of weights are not finite"),
        (replace(DRAWN, weights=DRAWN.weights * 1.0001), "the weights of 30 rows do not sum to 1"),
    ],
)
def test_broken_barycentres_are_refused(drawn: Barycentres, told: str) -> None:
    with pytest.raises(BrokenMatrixError, match=told):
        check_barycentres(drawn, 30, 4)


def test_published_weights_are_never_negative_and_gaussian_ones_may_be() -> None:
    lent = DRAWN.weights.copy()
    lent[0] = [1.5, -0.5, 0.0, 0.0]
    with pytest.raises(BrokenMatrixError, match="1 weights are negative"):
        check_barycentres(replace(DRAWN, weights=lent), 30, 4)
    check_barycentres(replace(DRAWN, weights=lent, law="gaussian"), 30, 4)
