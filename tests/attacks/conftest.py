"""Tables for the attacks' tests."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table, encode
from sosie.recognition import Declaration, recognise

TablesOf = Callable[..., Any]  # as many tables as frames


@pytest.fixture
def tables_of() -> TablesOf:
    """Frames of the same columns as tables with common levels; declarations by column name."""

    def encoded(*frames: pd.DataFrame, **declared: Declaration) -> list[Table]:
        columns = recognise(pd.concat(frames, ignore_index=True), declared).columns
        return [encode(frame, columns) for frame in frames]

    return encoded


@pytest.fixture
def patients() -> Callable[[int, int], pd.DataFrame]:
    """People drawn independently: integers, floats with gaps, categories, booleans."""

    def drawn(n: int, seed: int) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        age = rng.integers(20, 90, n)
        kg = (60 + age / 4 + rng.normal(0, 9, n)).round(1)
        kg[rng.random(n) < 0.1] = np.nan
        return pd.DataFrame(
            {
                "age": age,
                "kg": kg,
                "ward": rng.choice(["north", "south", "east"], n, p=[0.6, 0.3, 0.1]),
                "dose": rng.exponential(20, n).round(2),
                "sick": rng.random(n) < age / 150,
            }
        )

    return drawn
