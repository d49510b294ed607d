"""Gaps: kept where they were, never filled, never invented, and never in the way of a figure."""

from collections.abc import Callable

import numpy as np
import pandas as pd

import sosie

Check = Callable[[pd.DataFrame, pd.DataFrame], None]


def test_a_column_nine_tenths_missing_stays_so_without_zeros(keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    fee = np.full(1000, np.nan)
    fee[rng.permutation(1000)[:100]] = rng.uniform(50, 500, 100).round(2)
    frame = pd.DataFrame({"loan_fee": fee, "age": rng.integers(20, 80, 1000)})
    avatars = sosie.anonymize(frame, k=5, ncp=3, seed=0).avatars
    keeps_contract(frame, avatars)
    assert abs(avatars["loan_fee"].isna().mean() - 0.9) <= 0.03
    assert not (avatars["loan_fee"] == 0).any()


def test_a_complete_table_has_no_gap_afterwards(keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "ward": rng.choice(["a", "b"], 200),
            "smoker": rng.choice([True, False], 200),
            "kg": rng.normal(70, 9, 200),
        }
    )
    avatars = sosie.anonymize(frame, k=5, ncp=3, seed=0).avatars
    keeps_contract(frame, avatars)
    assert not avatars.isna().to_numpy().any()


def test_a_pattern_that_one_row_alone_has_is_told_by_count_and_not_shown() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.normal(3e4, 5e3, 300).round(2), "age": rng.integers(20, 80, 300)})
    frame.loc[123, "income"] = np.nan
    release = sosie.anonymize(frame, k=5, ncp=2, seed=0)
    told = [warning for warning in release.warnings if warning.code == "UNIQUE_MISSING_PATTERN"]
    assert len(told) == 1
    assert "1 row" in told[0].message
    assert "123" not in told[0].message
    assert str(frame.loc[123, "age"]) not in told[0].message


def test_every_figure_of_a_table_with_gaps_is_finite_or_says_why_not() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "kg": rng.normal(70, 9, 200),
            "visits": pd.array(rng.integers(1, 9, 200), dtype="Int64"),
            "ward": rng.choice(["a", "b", "c"], 200),
            "empty": np.nan,
        }
    )
    for name in ("kg", "visits", "ward"):
        frame.loc[rng.choice(200, 50, replace=False), name] = None
    evaluation = sosie.anonymize(frame, k=5, ncp=3, seed=0).evaluation
    for name, metric in evaluation.metrics.items():
        if metric.status == "measured":
            assert metric.value is not None, name
            assert np.isfinite(metric.value), name
        else:
            assert metric.reason, name
    assert all(np.isfinite(variable.hellinger) for variable in evaluation.variables)
