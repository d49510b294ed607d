"""The tables that `speed.py` measures: an ordinary one of any number of rows, and hard ones, each its own way.

python speed_tables.py ROWS|NAME TABLE.parquet
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

LEVELS = (5, 8, 10, 12, 16, 20, 30, 40)


def generated(rows: int) -> pd.DataFrame:
    """Four latent factors behind 14 columns, every one of them with noise of its own."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(rows, 4)) @ rng.normal(size=(4, 14)) + rng.normal(size=(rows, 14))
    columns: dict[str, object] = {f"x{place}": scores[:, place].round(3) for place in range(4)}
    columns["stay"] = np.exp(1 + scores[:, 4] / 3).round().astype(int)
    columns["age"] = np.clip(50 + 6 * scores[:, 5], 18, 99).round().astype(int)
    for place, levels in enumerate(LEVELS):
        score = scores[:, 6 + place]
        rank = 1 / (1 + np.exp(-1.7 * (score - score.mean()) / score.std()))
        labels = np.array([f"level {level}" for level in range(levels)])
        columns[f"c{place}"] = labels[np.minimum((rank**1.5 * levels).astype(int), levels - 1)]
    return pd.DataFrame(columns)


@dataclass(frozen=True)
class Hard:
    """A table, and what a run of it is asked beside the defaults."""

    make: Callable[[], pd.DataFrame]
    method: str = "{}"


def wide() -> pd.DataFrame:
    """2,000 rows of 2,000 columns: 1,500 numbers and 500 categories behind ten factors."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(2_000, 10)) @ rng.normal(size=(10, 2_000)) + rng.normal(size=(2_000, 2_000))
    columns: dict[str, object] = {f"x{place}": scores[:, place].round(3) for place in range(1_500)}
    for place in range(1_500, 2_000):
        columns[f"c{place}"] = np.array(list("abcde"))[np.clip(scores[:, place] + 2, 0, 4).astype(int)]
    return pd.DataFrame(columns)


def many_levels() -> pd.DataFrame:
    """300,000 rows with a category of 100,000 levels, as places of birth or products are."""
    rng = np.random.default_rng(2)
    level = (100_000 * rng.random(300_000) ** 2).astype(int)
    level[:100_000] = np.arange(100_000)
    score = level / 50_000 + rng.normal(size=300_000)
    frame = {"place": [f"place {number}" for number in level], "score": score.round(3)}
    return pd.DataFrame({**frame, "kind": np.where(rng.random(300_000) < 0.3, "a", "b")})


def mostly_missing() -> pd.DataFrame:
    """100,000 rows of 20 columns, nine cells in ten missing."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(100_000, 20)) + rng.normal(size=(100_000, 1))
    frame = pd.DataFrame(
        np.where(rng.random((100_000, 20)) < 0.9, np.nan, scores.round(2)),
        columns=[f"x{place}" for place in range(20)],
    )
    for place in range(0, 20, 4):
        name = f"x{place}"
        frame[name] = pd.cut(frame[name], 5, labels=list("abcde")).astype(object)
    return frame


def all_equal() -> pd.DataFrame:
    """100,000 rows, all of them the same."""
    return pd.DataFrame({"weight": [70.5] * 100_000, "sex": "f", "visits": 3})


def ordinary(rows: int = 100_000) -> pd.DataFrame:
    """24 columns that hang together: 16 numbers, 8 categories."""
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(rows, 24)) @ (0.6 * np.eye(24) + 0.1 * rng.normal(size=(24, 24)))
    frame = pd.DataFrame(scores.round(3), columns=[f"x{place}" for place in range(24)])
    for place in range(16, 24):
        frame[f"x{place}"] = pd.qcut(frame[f"x{place}"], 6, labels=list("abcdef")).astype(str)
    return frame


HARD: Mapping[str, Hard] = {
    "2,000 columns, 2,000 rows": Hard(wide),
    "a category of 100,000 levels, 300,000 rows": Hard(many_levels),
    "90 % missing, 100,000 rows": Hard(mostly_missing),
    "all rows equal, 100,000 rows": Hard(all_equal),
    "k = 200, 100,000 rows": Hard(ordinary, "{k: 200}"),
    "ncp = 20, 100,000 rows": Hard(ordinary, "{ncp: 20}"),
}


if __name__ == "__main__":
    asked, table = sys.argv[1:]
    (HARD[asked].make() if asked in HARD else generated(int(asked))).to_parquet(table, index=False)
