"""Tables too small, too flat, too wide or too unique."""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import sosie

Check = Callable[[pd.DataFrame, pd.DataFrame], None]


def test_constants_come_back_and_score_100(keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"seven": 7.0, "letter": "A", "kg": rng.normal(70, 9, 200), "ward": rng.choice(["n", "s"], 200)}
    )
    release = sosie.anonymize(frame, k=5, ncp=2, seed=0)
    keeps_contract(frame, release.avatars)
    assert set(release.avatars["seven"]) == {7.0}
    assert set(release.avatars["letter"]) == {"A"}
    scores = {variable.name: variable.hellinger for variable in release.evaluation.variables}
    assert (scores["seven"], scores["letter"]) == (100.0, 100.0)
    assert {warning.column for warning in release.warnings if warning.code == "CONSTANT_COLUMN"} == {
        "seven",
        "letter",
    }


def test_one_column_is_a_table(keeps_contract: Check) -> None:
    frame = pd.DataFrame({"kg": np.random.default_rng(0).normal(70, 9, 100)})
    keeps_contract(frame, sosie.anonymize(frame, k=5, ncp=1, seed=0).avatars)


def test_a_frame_without_rows_is_refused() -> None:
    with pytest.raises(sosie.InputError, match="0 rows") as caught:
        sosie.anonymize(pd.DataFrame({"age": [], "kg": []}), k=5)
    assert caught.value.code == "EMPTY_TABLE"


@pytest.mark.parametrize(("rows", "k", "usable"), [(1, 5, 0), (6, 20, 5), (6, 6, 5)])
def test_more_neighbours_than_other_rows_is_refused_with_the_largest_usable_k(
    rows: int, k: int, usable: int
) -> None:
    frame = pd.DataFrame({"age": np.arange(rows), "kg": np.arange(rows) / 2})
    with pytest.raises(
        sosie.InputError, match=rf"\b{rows} row.*k = {k}\b.*largest usable k is {usable}\b"
    ) as caught:
        sosie.anonymize(frame, k=k, ncp=1, seed=0)
    assert caught.value.code == "TOO_FEW_ROWS"


def test_k_of_all_other_rows_is_enough(keeps_contract: Check) -> None:
    frame = pd.DataFrame({"age": np.arange(6), "kg": np.arange(6)[::-1] / 2})
    keeps_contract(frame, sosie.anonymize(frame, k=5, ncp=1, seed=0).avatars)


def test_three_hundred_levels_take_seconds(keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "town": [f"t{level}" for level in rng.integers(0, 300, 1000)],
            "age": rng.integers(20, 80, 1000),
            "kg": rng.normal(70, 9, 1000),
        }
    )
    started = time.process_time()
    keeps_contract(frame, sosie.anonymize(frame, k=5, ncp=5, seed=0).avatars)
    assert time.process_time() - started < 60


@pytest.fixture(scope="module")
def referenced() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "ref": [f"P-{number:05d}" for number in range(3000)],
            "age": rng.integers(20, 80, 3000),
            "kg": rng.normal(70, 9, 3000).round(1),
        }
    )


def test_an_identifier_is_refused_within_seconds(referenced: pd.DataFrame) -> None:
    started = time.process_time()
    with pytest.raises(sosie.InputError, match=r'"ref".*role: drop') as caught:
        sosie.anonymize(referenced, k=5, ncp=2, seed=0)
    assert (caught.value.code, caught.value.columns) == ("IDENTIFIER_COLUMN", ("ref",))
    assert time.process_time() - started < 5


def test_a_dropped_identifier_is_absent(referenced: pd.DataFrame, keeps_contract: Check) -> None:
    avatars = sosie.anonymize(referenced, k=5, ncp=2, seed=0, columns={"ref": {"role": "drop"}}).avatars
    keeps_contract(referenced[["age", "kg"]], avatars)


def test_an_index_with_repeated_labels_gives_way_to_a_fresh_one_in_another_order(
    keeps_contract: Check,
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": np.arange(200), "kg": rng.normal(70, 9, 200)}, index=range(100, 300))
    frame = frame.rename(index={101: 100})
    release = sosie.anonymize(frame, k=5, ncp=2, seed=0)
    keeps_contract(frame, release.avatars)
    # ages are nearly their own before the shuffle, and in no order after it
    assert np.corrcoef(frame["age"], release.linked["age"])[0, 1] > 0.9
    assert abs(np.corrcoef(frame["age"], release.avatars["age"])[0, 1]) < 0.2


def test_a_name_used_twice_is_refused_with_its_positions() -> None:
    frame = pd.DataFrame(np.ones((30, 3)), columns=["age", "bmi", "age"])
    with pytest.raises(sosie.InputError, match='"age" at positions 1 and 3') as caught:
        sosie.anonymize(frame, k=5)
    assert (caught.value.code, caught.value.columns) == ("DUPLICATE_COLUMNS", ("age",))
