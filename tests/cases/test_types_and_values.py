"""Columns that other tools spoil: codes, booleans, whole numbers, narrow integers, text with gaps, infinities."""

from collections.abc import Callable
from decimal import Decimal
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


MIXED = [1, "1", 2.5, "n/a", None]


def test_values_of_several_types_are_refused(keeps_contract: Check) -> None:
    frame = pd.DataFrame({"x": pd.Series(MIXED * 40, dtype=object), "kg": np.arange(200.0)})
    with pytest.raises(sosie.InputError, match=r'"x".*type: category') as caught:
        sosie.anonymize(frame, k=5, ncp=2, seed=0)
    assert (caught.value.code, caught.value.columns) == ("MIXED_TYPES", ("x",))
    assert "n/a" not in caught.value.message


def test_values_of_several_types_declared_a_category_become_their_texts() -> None:
    frame = pd.DataFrame({"x": pd.Series(MIXED * 40, dtype=object), "kg": np.arange(200.0)})
    x = sosie.anonymize(frame, k=5, ncp=2, seed=0, columns={"x": {"type": "category"}}).avatars["x"]
    assert x.dtype == np.dtype(object)
    assert set(x) <= {"1", "2.5", "n/a", None}
    assert None in set(x)


def test_floats_show_no_more_decimals_than_their_column_had() -> None:
    rng = np.random.default_rng(0)
    most = {"price": 4, "ratio": 15, "half": 2}
    frame = pd.DataFrame(
        {
            "price": rng.uniform(944_000, 945_000, 200).round(4),
            "ratio": 1 + rng.random(200),
            "half": rng.integers(40, 80, 200) / 4,
        }
    )
    avatars = sosie.anonymize(frame, k=5, ncp=3, seed=0).avatars
    for name, decimals in most.items():
        shown = avatars[name].map(repr).str.partition(".")[2]
        assert shown.str.len().max() <= decimals, name


def test_decimals_stay_decimals_with_all_their_places(keeps_contract: Check) -> None:
    cents = np.random.default_rng(0).integers(0, 10**6, 200)
    frame = pd.DataFrame(
        {"pay": pd.Series([Decimal(int(c)).scaleb(-2) for c in cents], dtype=object), "kg": cents / 7}
    )
    pay = sosie.anonymize(frame, k=5, ncp=2, seed=0).avatars["pay"]
    assert {type(cell) for cell in pay} == {Decimal}
    assert {cell.as_tuple().exponent for cell in pay} == {-2}
    assert frame["pay"].min() <= min(pay)
    assert max(pay) <= frame["pay"].max()


def test_integers_beyond_two_to_the_53_stay_exact_and_are_told(keeps_contract: Check) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"stamp": 2**60 + rng.integers(0, 1000, 200), "kg": rng.normal(70, 9, 200)})
    release = sosie.anonymize(frame, k=5, ncp=2, seed=0)
    keeps_contract(frame, release.avatars)
    assert (release.avatars["stamp"] % 2 == 1).any()  # a float64 would have even ones only
    assert ("LARGE_INTEGER", "stamp") in {(told.code, told.column) for told in release.warnings}
    (shown,) = [variable for variable in release.evaluation.variables if variable.name == "stamp"]
    assert shown.distribution.edges[0] >= 2**59  # type: ignore[union-attr]  # bins of a number


def test_postcodes_with_leading_zeros_stay_text(keeps_contract: Check) -> None:
    codes = np.random.default_rng(0).choice(["01000", "02100", "75011"], 200)
    frame = pd.DataFrame({"code": codes, "kg": np.arange(200.0)})
    keeps_contract(frame, sosie.anonymize(frame, k=5, ncp=2, seed=0).avatars)


def test_avatars_whose_dates_are_text_are_of_another_type() -> None:
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 200), unit="D")
    frame = pd.DataFrame({"seen": days, "kg": rng.normal(70, 9, 200), "age": rng.integers(20, 80, 200)})
    avatars = frame[["seen", "kg"]].assign(seen=days.strftime("%Y-%m-%d"))
    with pytest.raises(sosie.InputError, match=r'"age".*"seen"') as caught:
        sosie.evaluate(frame, avatars)
    assert (caught.value.code, set(caught.value.columns)) == ("SCHEMA_MISMATCH", {"seen", "age"})


@pytest.mark.parametrize("other", ["%m/%d/%Y", "%Y-%m-%d"])
def test_avatars_whose_dates_are_written_otherwise_are_of_another_type(other: str) -> None:
    days = pd.Series(pd.date_range("2020-01-01", periods=200))
    frame = pd.DataFrame({"seen": days.dt.strftime("%d/%m/%Y"), "kg": np.arange(200.0)})
    sosie.evaluate(frame, frame.copy(), linked=True)
    with pytest.raises(sosie.InputError, match='"seen"') as caught:
        sosie.evaluate(frame, frame.assign(seen=days.dt.strftime(other)))
    assert caught.value.code == "SCHEMA_MISMATCH"
