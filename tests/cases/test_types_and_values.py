"""Columns that other tools spoil: codes, booleans, whole numbers, narrow integers, text with gaps, infinities."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sosie

Check = Callable[[pd.DataFrame, pd.DataFrame], None]


def test_declared_codes_stay_the_codes_they_were(keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"ward": rng.choice([11, 12, 30], 200), "kg": rng.normal(70, 9, 200)})
    avatars = sosie.anonymize(frame, k=5, ncp=2, seed=0, columns={"ward": {"type": "category"}}).avatars
    keeps_contract(frame, avatars)
    assert avatars["ward"].dtype == np.dtype("int64")
    assert set(avatars["ward"]) <= {11, 12, 30}


def test_objects_of_true_false_and_none_stay_so_and_the_callers_frame_is_unchanged(
    keeps_contract: Check,
) -> None:
    truths = [True, False, None] * 70
    frame = pd.DataFrame(
        {"object": pd.Series(truths, dtype=object), "boolean": pd.array(truths, dtype="boolean")}
    )
    before = frame.copy(deep=True)
    avatars = sosie.anonymize(frame, k=5, ncp=2, seed=0).avatars
    keeps_contract(frame, avatars)
    assert {type(cell) for cell in avatars["object"]} == {bool, type(None)}
    assert avatars["boolean"].dtype == pd.BooleanDtype()
    assert avatars["boolean"].isna().any()
    pd.testing.assert_frame_equal(frame, before)
    assert all(cell is other for cell, other in zip(frame["object"], before["object"], strict=True))


def test_whole_numbers_may_become_any_whole_number(keeps_contract: Check) -> None:
    frame = pd.DataFrame({"rent": np.random.default_rng(0).integers(3, 30, 200) * 100})
    avatars = sosie.anonymize(frame, k=5, ncp=1, seed=0).avatars
    keeps_contract(frame, avatars)
    assert (avatars["rent"] % 100 != 0).any()


def test_rounding_to_100_gives_multiples_of_100_only(keeps_contract: Check) -> None:
    frame = pd.DataFrame({"rent": np.random.default_rng(0).integers(3, 30, 200) * 100})
    avatars = sosie.anonymize(frame, k=5, ncp=1, seed=0, columns={"rent": {"round_to": 100}}).avatars
    keeps_contract(frame, avatars)
    assert (avatars["rent"] % 100 == 0).all()


def test_narrow_integers_keep_their_dtype_and_do_not_wrap_around(keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "level": rng.integers(0, 256, 300).astype(np.uint8),
            "shift": rng.integers(-128, 128, 300).astype(np.int8),
        }
    )
    avatars = sosie.anonymize(frame, k=5, ncp=2, seed=0).avatars
    keeps_contract(frame, avatars)
    # a wrapped value would land at the other end: barycentres of neighbours stay near their own
    assert abs(avatars["level"].mean() - frame["level"].mean()) < 15
    assert abs(avatars["shift"].mean() - frame["shift"].mean()) < 15


@pytest.mark.parametrize("dtype", [pd.StringDtype(), "str"])
def test_text_keeps_its_dtype_and_its_mark_of_a_missing_value(dtype: Any, keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"place": pd.array(["north", None, "south"] * 80, dtype=dtype), "kg": rng.normal(70, 9, 240)}
    )
    avatars = sosie.anonymize(frame, k=5, ncp=2, seed=0).avatars
    keeps_contract(frame, avatars)
    missing = avatars["place"][avatars["place"].isna()]
    assert len(missing)
    assert {type(cell) for cell in missing} == {type(frame["place"].iloc[1])}


def test_many_declared_codes_stay_among_the_codes(keeps_contract: Check) -> None:
    frame = pd.DataFrame({"code": np.repeat(np.arange(50), 10)})
    avatars = sosie.anonymize(frame, k=5, ncp=5, seed=0, columns={"code": {"type": "category"}}).avatars
    keeps_contract(frame, avatars)
    assert set(avatars["code"]) <= set(range(50))


def test_infinite_numbers_are_refused_by_column_and_count() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, np.inf, -np.inf, np.nan, *np.arange(95.0)]})
    with pytest.raises(sosie.InputError, match=r'"x" has 2 infinite') as caught:
        sosie.anonymize(frame, k=5, ncp=1, seed=0)
    assert (caught.value.code, caught.value.columns) == ("NON_FINITE", ("x",))


def test_missing_numbers_are_not_infinite(keeps_contract: Check) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, np.nan, *np.arange(96.0)]})
    keeps_contract(frame, sosie.anonymize(frame, k=5, ncp=1, seed=0).avatars)
