"""What each column contributes to the components."""

import numpy as np
import pandas as pd
import pytest

from sosie.columns import encode
from sosie.contributions import contributions
from sosie.projection import fit_projection
from sosie.recognition import recognise


def shares_of(
    frame: pd.DataFrame, ncp: int, weights: dict[str, float] | None = None
) -> dict[str, tuple[float, ...]]:
    from sosie.declarations import Declaration

    declared = {name: Declaration(weight=weight) for name, weight in (weights or {}).items()}
    table = encode(frame, recognise(frame, declared).columns)
    found = contributions(fit_projection(table, ncp), table)
    return {contribution.name: contribution.shares for contribution in found}


def test_the_shares_of_all_columns_make_one_of_each_component(patients: pd.DataFrame) -> None:
    gappy = patients.assign(kg=patients["kg"].where(patients.index % 7 > 0))
    shares = np.array(list(shares_of(gappy, 4, {"ward": 2.0}).values()))
    assert shares.shape == (4, 4)
    assert shares.sum(axis=0) == pytest.approx(np.ones(4), abs=5e-4)


def test_of_two_columns_that_go_together_and_one_apart_the_first_component_is_made_by_the_two() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    shares = shares_of(pd.DataFrame({"a": x, "b": 3 * x, "c": rng.normal(size=200)}), 1)
    assert shares["a"][0] == pytest.approx(0.5, abs=0.02)
    assert shares["a"] == shares["b"]


def test_where_nothing_varies_nothing_contributes() -> None:
    assert shares_of(pd.DataFrame({"a": [1.0, 1.0, 1.0]}), 1) == {}
