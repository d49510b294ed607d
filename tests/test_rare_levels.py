"""Rare levels, merged under a label before anything sees them."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sosie
from sosie.columns import Category
from sosie.rare_levels import Rare
from sosie.recognition import Declaration, recognise

FEW_ATTACKS: Any = {"attempts": 10}
JOBS = ["nurse"] * 120 + ["teacher"] * 79 + ["astronaut"]
OTHER = {"min_count": 5, "label": "other"}


@pytest.fixture
def workers() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"job": JOBS, "age": rng.integers(20, 65, 200), "pay": rng.normal(3e4, 5e3, 200).round()}
    )


def warned(release: sosie.Release) -> list[tuple[Any, str]]:
    return [(told.column, told.message) for told in release.warnings if told.code == "RARE_VALUE"]


def test_a_rare_level_is_told_by_count_and_not_named(workers: pd.DataFrame) -> None:
    ((column, message),) = warned(sosie.anonymize(workers, k=5, ncp=2, seed=0, attacks=FEW_ATTACKS))
    assert column == "job"
    assert "1 value(s) below 5" in message
    assert "astronaut" not in message


@pytest.mark.parametrize("dtype", ["str", "string", "object", "category", pd.ArrowDtype(pa.string())])
def test_a_rare_level_is_nowhere_once_it_has_a_label(workers: pd.DataFrame, dtype: Any) -> None:
    frame = workers.astype({"job": dtype})
    release = sosie.anonymize(frame, k=5, ncp=2, seed=0, rare_values=OTHER, attacks=FEW_ATTACKS)
    for avatars in (release.avatars, release.linked):
        assert set(avatars["job"]) <= {"nurse", "teacher", "other"}
        if dtype == "category":
            assert list(avatars["job"].cat.categories) == ["nurse", "teacher", "other"]
        else:
            assert avatars["job"].dtype == frame["job"].dtype
    assert "astronaut" not in repr(release.evaluation)
    assert warned(release)  # the one row is still alone under its label


def test_levels_that_are_many_enough_under_the_label_are_told_no_longer(workers: pd.DataFrame) -> None:
    frame = workers.assign(job=[f"rare {place}" if place < 8 else "nurse" for place in range(200)])
    release = sosie.anonymize(frame, k=5, ncp=2, seed=0, rare_values=OTHER, attacks=FEW_ATTACKS)
    assert set(release.avatars["job"]) <= {"nurse", "other"}
    assert not warned(release)


def test_a_categorical_dtype_without_rare_levels_is_not_widened() -> None:
    cells = pd.Series(pd.Categorical(["x", "y"] * 10, ["never", "y", "x"], ordered=True))
    column = recognise(pd.DataFrame({"x": cells}), {}, Rare(5, "other")).columns[0]
    assert column.dtype == cells.dtype


def test_a_label_that_is_a_level_already_takes_the_rare_ones_in() -> None:
    cells = pd.Categorical(["other"] * 10 + ["nurse"] * 9 + ["astronaut"])
    (column,) = recognise(pd.DataFrame({"x": cells}), {}, Rare(5, "other")).columns
    assert list(column.levels) == ["nurse", "other"]  # type: ignore[union-attr]  # a category
    assert list(column.dtype.categories) == ["nurse", "other"]  # type: ignore[union-attr]


def test_numbers_as_levels_need_a_number_as_label() -> None:
    frame = pd.DataFrame({"ward": [11] * 30 + [12] * 30 + [99], "kg": np.arange(61.0)})
    declared = {"ward": Declaration(type="category")}
    assert list(recognise(frame, declared, Rare(5, "0")).columns[0].levels) == [11, 12, 0]  # type: ignore[union-attr]
    with pytest.raises(sosie.InputError, match="choose a number") as caught:
        recognise(frame, declared, Rare(5, "other"))
    assert (caught.value.code, caught.value.columns) == ("BAD_CONFIG", ("ward",))


def test_booleans_are_never_merged() -> None:
    frame = pd.DataFrame({"smoker": [True] * 30 + [False]})
    assert list(recognise(frame, {}, Rare(5, "other")).columns[0].levels) == [False, True]  # type: ignore[union-attr]


@pytest.mark.parametrize("dtype", [np.dtype("longdouble"), pd.ArrowDtype(pa.float16())], ids=str)
def test_levels_that_pandas_has_no_index_for_are_counted(dtype: Any) -> None:
    cells = pd.Series(np.array([0.5] * 9 + [1.5], dtype="float16")).astype(dtype)
    found = recognise(pd.DataFrame({"x": cells}), {"x": Declaration(type="category")}, Rare(1, "7"))
    assert [column.levels.tolist() for column in found.columns if isinstance(column, Category)] == [
        [0.5, 1.5]
    ]
