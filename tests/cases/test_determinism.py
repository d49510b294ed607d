"""One seed, one table of avatars, on however many workers; no seed, another table each time."""

import hashlib

import numpy as np
import pandas as pd
import pytest

import sosie


@pytest.fixture(scope="module")
def mixed() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 500),
            "kg": rng.normal(70, 9, 500).round(1),
            "ward": rng.choice(["north", "south", "east"], 500),
            "smoker": rng.choice([True, False], 500),
        }
    )
    frame.loc[rng.choice(500, 60, replace=False), "kg"] = np.nan
    return frame


def fingerprint(frame: pd.DataFrame) -> str:
    return hashlib.sha256(frame.to_csv().encode()).hexdigest()


@pytest.mark.parametrize("workers", [-1, 1, 2])
def test_one_seed_gives_one_table_and_one_set_of_figures(mixed: pd.DataFrame, workers: int) -> None:
    first = sosie.anonymize(mixed, k=5, ncp=5, seed=7, workers=1)
    again = sosie.anonymize(mixed, k=5, ncp=5, seed=7, workers=workers)
    assert fingerprint(again.avatars) == fingerprint(first.avatars)
    for name, metric in first.evaluation.metrics.items():
        other = again.evaluation.metrics[name]
        assert (other.status, other.reason) == (metric.status, metric.reason), name
        if metric.value is not None:
            assert other.value == pytest.approx(metric.value, abs=1e-9, rel=0), name


def test_another_seed_gives_another_table(mixed: pd.DataFrame) -> None:
    first, second = (sosie.anonymize(mixed, k=5, ncp=5, seed=seed).avatars for seed in (7, 8))
    assert fingerprint(first) != fingerprint(second)


def test_without_a_seed_each_table_is_another(mixed: pd.DataFrame) -> None:
    first, second = (sosie.anonymize(mixed, k=5, ncp=5).avatars for _ in range(2))
    assert fingerprint(first) != fingerprint(second)
