"""Numbers that stand for a reason why there is none: levels of their own beside the numbers."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sosie
from sosie.columns import FIRST_CODE, Fixed, encode
from sosie.errors import InputError
from sosie.projection import fit_projection
from sosie.recognition import Declaration, recognise
from sosie.schemas.configuration import parse_configuration

Check = Callable[[pd.DataFrame, pd.DataFrame], None]
FEW_ATTACKS: Any = {"attempts": 10}


def incomes(dtype: Any, n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    income = pd.Series(rng.integers(20_000, 90_000, n), dtype="Int64")
    income[rng.choice(n, 100, replace=False)] = -7
    income[rng.choice(n, 40, replace=False)] = -8
    if dtype != "int64":
        income[rng.choice(n, 60, replace=False)] = pd.NA
    return pd.DataFrame({"income": income.astype(dtype), "age": rng.integers(20, 80, n)})


@pytest.mark.parametrize("dtype", ["int64", "Int64", "float64", "float32", "Float64"])
def test_a_code_comes_back_as_a_code_and_is_never_averaged(dtype: str, keeps_contract: Check) -> None:
    frame = incomes(dtype)
    declared = {"income": {"missing_codes": [-7, -8]}}
    avatars = sosie.anonymize(frame, k=10, ncp=2, seed=0, columns=declared, attacks=FEW_ATTACKS).avatars
    keeps_contract(frame, avatars)
    income = avatars["income"].dropna()
    assert set(income[income < 20_000]) == {-7, -8}
    for code in (-7, -8):
        assert abs((income == code).mean() - (frame["income"].dropna() == code).mean()) < 0.06
    assert abs(avatars["income"].isna().mean() - frame["income"].isna().mean()) < 0.06


def test_the_caller_may_declare_codes_of_any_kind_of_number_or_date() -> None:
    days = pd.to_datetime(["1900-01-01", "2021-01-01", "2021-02-01", "NaT"])
    frame = pd.DataFrame(
        {
            "price": pd.Series([Decimal("-9.00"), Decimal("1.25"), Decimal("2.50"), None], dtype=object),
            "share": np.array([-9.9, 0.5, 0.25, np.nan], dtype=np.float32),
            "big": pd.Series([2**60 + 1, 2**60 + 4, 2**60 + 3, 2**60]),
            "seen": days,
            "zoned": days.tz_localize("Europe/Paris"),
            "text": ["01/01/1900", "21/01/2021", "13/02/2021", None],
        }
    )
    declared = {
        "price": Declaration(missing_codes=(-9,)),
        "share": Declaration(missing_codes=(-9.9,)),
        "seen": Declaration(missing_codes=("1900-01-01",)),
        "zoned": Declaration(missing_codes=(pd.Timestamp("1900-01-01").date(),)),
        "text": Declaration(missing_codes=("01/01/1900",)),
    }
    table = encode(frame, recognise(frame, declared).columns)
    states = pd.DataFrame(table.states, columns=list(frame.columns))
    for name in declared:
        assert states[name].tolist() == [FIRST_CODE, 0, 0, 1], name
    assert np.isnan(table.numbers[0, [0, 1, 3, 4, 5]]).all()
    pd.testing.assert_frame_equal(table.to_frame(), frame)


@pytest.mark.parametrize(
    "dtype",
    [
        np.longdouble,
        np.float16,
        pd.ArrowDtype(pa.int16()),
        pd.ArrowDtype(pa.float16()),
        pd.ArrowDtype(pa.float64()),
        pd.ArrowDtype(pa.decimal32(9, 1)),
        pd.ArrowDtype(pa.decimal128(10, 1)),
    ],
    ids=str,
)
@pytest.mark.parametrize("code", [-9, -9.0])
def test_whatever_stores_the_numbers_a_code_among_them_is_none(dtype: Any, code: float) -> None:
    frame = pd.DataFrame({"age": pd.Series([30, -9, 40, 50], dtype=object).astype(dtype)})
    table = encode(frame, recognise(frame, {"age": Declaration(missing_codes=(code,))}).columns)
    assert table.states[:, 0].tolist() == [0, FIRST_CODE, 0, 0]
    pd.testing.assert_frame_equal(table.to_frame(), frame)


@pytest.mark.parametrize(
    ("dtype", "code"),
    [
        ("int64", 10**30),
        ("int64", 10**400),
        ("float64", 10**400),
        ("float32", 1e300),
        (pd.ArrowDtype(pa.int64()), 10**30),
        (pd.ArrowDtype(pa.decimal128(5, 1)), 10**400),
    ],
    ids=range(6),
)
def test_a_code_too_large_for_its_column_is_refused(dtype: Any, code: float) -> None:
    frame = pd.DataFrame({"age": pd.Series([Decimal(30), Decimal(40)]).astype(dtype)})
    with pytest.raises(InputError, match='missing_codes of "age" must be numbers') as refused:
        recognise(frame, {"age": Declaration(missing_codes=(code,))})
    assert refused.value.code == "BAD_CONFIG"


@pytest.mark.parametrize("code", [np.nan, np.inf])
def test_a_code_is_finite(code: float) -> None:
    with pytest.raises(InputError, match="missing_codes must be finite") as refused:
        parse_configuration({"columns": {"age": {"missing_codes": [-9, code]}}})
    assert refused.value.code == "BAD_CONFIG"


def thousands() -> pd.DataFrame:
    return pd.DataFrame({"pay": pd.Series([Decimal("5E+3"), Decimal("7E+3"), None], dtype=object)})


@pytest.mark.parametrize("code", [9000, 9000.0, 8e300])
def test_a_code_of_decimals_may_have_any_size(code: float) -> None:
    (pay,) = recognise(thousands(), {"pay": Declaration(missing_codes=(code,))}).columns
    assert isinstance(pay, Fixed)
    assert pay.missing_codes == pytest.approx((code / 1000,), rel=1e-12)


@pytest.mark.parametrize("code", [-99, 1500, 0.5])
def test_a_code_that_decimals_do_not_hold_is_refused(code: float) -> None:
    frame = thousands()
    with pytest.raises(InputError, match='missing_codes of "pay" must be numbers') as refused:
        recognise(frame, {"pay": Declaration(missing_codes=(code,))})
    assert refused.value.code == "BAD_CONFIG"


def test_each_code_is_an_indicator_of_its_own_in_the_projection() -> None:
    frame = incomes("Int64")
    columns = recognise(frame, {"income": Declaration(missing_codes=(-7, -8))}).columns
    table = encode(frame, columns)
    coordinates = fit_projection(table, ncp=3).coordinates(table)
    states = table.states[:, 0]
    centres = np.stack([coordinates[states == state].mean(axis=0) for state in np.unique(states)])
    gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)[~np.eye(len(centres), dtype=bool)]
    assert len(centres) == 4
    assert gaps.min() > 0.5


def test_a_distribution_counts_each_code_as_a_class() -> None:
    frame = incomes("int64", n=600)
    swapped = frame.assign(income=frame["income"].replace({-7: -8, -8: -7}))
    declared = {"income": {"missing_codes": [-7, -8]}}
    alike, other = (
        sosie.evaluate(frame, avatars, columns=declared, seed=0, attacks=FEW_ATTACKS).variables[0].hellinger
        for avatars in (frame, swapped)
    )
    assert alike > 99
    assert other < 90


def test_rows_with_another_code_are_not_the_same_row() -> None:
    frame = pd.DataFrame({"income": [-7, -8] * 30, "age": np.arange(60) * 2})
    other = frame.assign(income=-15 - frame["income"])
    declared = {"income": {"missing_codes": [-7, -8]}}
    figures = sosie.evaluate(frame, other, columns=declared, seed=0, attacks=FEW_ATTACKS).metrics
    assert figures["row_direct_match"].value == 0
    assert figures["row_direct_match_own"].value == 0


@pytest.mark.parametrize(
    ("cells", "codes", "words"),
    [
        ([1, 2, 3], (-7.5,), "hold exactly"),
        ([1, 2, 3], ("soon",), "must be numbers"),
        (pd.to_datetime(["2021-01-01", "2021-01-02", "2021-01-03"]), ("soon",), "must be dates"),
        (["a", "b", "a"], ("a",), "missing_codes is for numbers"),
    ],
)
def test_a_code_that_the_column_could_not_hold_is_refused(cells: Any, codes: Any, words: str) -> None:
    frame = pd.DataFrame({"x": cells, "y": [1, 2, 3]})
    with pytest.raises(sosie.InputError, match=words) as caught:
        recognise(frame, {"x": Declaration(missing_codes=codes)})
    assert (caught.value.code, caught.value.columns) == ("BAD_CONFIG", ("x",))


@pytest.mark.parametrize(
    "cells",
    [
        [*range(20, 80), *[999] * 4],
        [*range(20, 80), *[-9] * 4],
        [*(np.arange(20.0, 80.0) / 3), *[-99.0] * 4],
        [*pd.date_range("2020-01-01", periods=60), *[pd.Timestamp("1900-01-01")] * 4],
        [*(str(day.date()) for day in pd.date_range("2020-01-01", periods=60)), *["9999-12-31"] * 4],
    ],
    ids=["999", "-9", "-99 among floats", "1900-01-01", "9999-12-31 as text"],
)
def test_an_undeclared_code_is_suspected_by_count_and_never_quoted(cells: list[Any]) -> None:
    frame = pd.DataFrame({"x": cells})
    (told,) = [n for n in recognise(frame, {}).notices if n.code == "SENTINEL_SUSPECTED"]
    assert told.column == "x"
    assert "4 row" in told.message
    assert "missing_codes" in told.message


def test_a_code_is_suspected_also_where_all_others_are_codes_of_few_rows() -> None:
    others = [-1, -7, -8, -9, -77, -88, -97, -98, -99, 99, 888, 997]
    (told,) = recognise(pd.DataFrame({"x": [*others, *[9999999] * 4]}), {}).notices
    assert told.code == "SENTINEL_SUSPECTED"
    assert "4 row" in told.message


def test_a_declared_code_is_no_longer_suspected() -> None:
    frame = pd.DataFrame({"x": [*range(20, 80), *[999] * 4]})
    assert not recognise(frame, {"x": Declaration(missing_codes=(999,))}).notices


@pytest.mark.parametrize(
    "cells",
    [
        [*range(20, 80), 999],
        [*range(-60, 60), *[-9] * 4],
        [*range(900, 1100), *[999] * 4],
        [*[1, 2, 3, 4, 5] * 20, *[-1] * 4],
        [*pd.date_range("1890-01-01", periods=300, freq="30D"), *[pd.Timestamp("1900-01-01")] * 4],
        [*np.geomspace(1, 9000, 60), *[9999.0] * 4],
    ],
    ids=["once", "within", "within, large", "a scale", "a date among its like", "a long tail"],
)
def test_honest_values_are_not_suspected(cells: list[Any]) -> None:
    assert "SENTINEL_SUSPECTED" not in {n.code for n in recognise(pd.DataFrame({"x": cells}), {}).notices}
