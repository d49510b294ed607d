"""Steps hand on no matrix that breaks its contract."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sosie
from sosie.generation import draw_barycentres
from sosie.schemas.matrices import BrokenMatrixError


def anonymized(patients: pd.DataFrame) -> None:
    sosie.anonymize(patients.head(60), k=5, ncp=2, seed=0)


def test_coordinates_that_are_not_finite_go_no_further(
    patients: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sosie.projection.Projection.coordinates", lambda self, table: np.full((len(table), 2), np.nan)
    )
    with pytest.raises(BrokenMatrixError, match="120 cells of coordinates are not finite"):
        anonymized(patients)


def test_weights_that_do_not_sum_to_1_go_no_further(
    patients: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = draw_barycentres

    def doubled(*arguments: Any) -> Any:
        barycentres = drawn(*arguments)
        return replace(barycentres, weights=2 * barycentres.weights)

    monkeypatch.setattr("sosie.tasks.steps.draw_barycentres", doubled)
    with pytest.raises(BrokenMatrixError, match="the weights of 60 rows do not sum to 1"):
        anonymized(patients)
