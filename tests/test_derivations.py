"""Derived columns: what may be declared, and that avatars hold exactly what the expression says of their own cells."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.columns import Table, decimals, encode
from sosie.declarations import Declaration
from sosie.decoding import Decoding, invert
from sosie.errors import InputError
from sosie.expressions import parse_expression
from sosie.generation import Barycentres, draw_barycentres
from sosie.projection import fit_projection
from sosie.recognition import recognise
from sosie.recomputation import computed
from sosie.relations import Relations, relations_of
from sosie.space import fit_space
from sosie.untrue import refuse_untrue


def declared(texts: Mapping[str, str], **more: Any) -> dict[str, Declaration]:
    return {name: Declaration(derived=text, **more) for name, text in texts.items()}


def related(frame: pd.DataFrame, declarations: Mapping[str, Declaration]) -> tuple[Table, Relations]:
    table = encode(frame, recognise(frame, declarations).columns)
    relations = relations_of(table.columns, declarations, ())
    refuse_untrue(relations, table)
    return table, relations


def avatars_of(frame: pd.DataFrame, declarations: Mapping[str, Declaration], seed: int = 0) -> pd.DataFrame:
    table, relations = related(frame, declarations)
    projection = fit_projection(table, 5, relations=relations)
    batches = [np.arange(len(table))]
    drawn = draw_barycentres(projection.coordinates(table), batches, 5, "published", "floor", seed, workers=1)
    return invert(table, drawn, Decoding(), seed, projection.space).to_frame()


def numbers(n: int = 60, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.integers(-20, 60, n), "b": rng.normal(10, 4, n).round(2)})


def test_columns_derived_of_derived_ones_are_computed_in_order() -> None:
    frame = numbers().assign(double=lambda f: 2 * f["a"], triple=lambda f: f["double"] + f["a"])
    avatars = avatars_of(frame, declared({"triple": "double + a", "double": "a * 2"}))
    assert (avatars["double"] == 2 * avatars["a"]).all()
    assert (avatars["triple"] == 3 * avatars["a"]).all()
    assert avatars["a"].nunique() > 10


def test_a_boolean_is_derived_of_a_comparison_and_read_as_0_or_1() -> None:
    frame = numbers().assign(adult=lambda f: f["a"] >= 18, fee=lambda f: np.where(f["adult"], 10, 4))
    avatars = avatars_of(frame, declared({"adult": "a >= 18", "fee": "4 + 6 * adult"}))
    assert (avatars["adult"] == (avatars["a"] >= 18)).all()
    assert (avatars["fee"] == np.where(avatars["a"] >= 18, 10, 4)).all()
    assert avatars.dtypes.equals(frame.dtypes)


def test_decimals_are_computed_to_their_last_place() -> None:
    frame = pd.DataFrame({"net": [Decimal(number).scaleb(-2) for number in range(1000, 1040)]})
    frame["gross"] = [(net * Decimal("1.2")).quantize(Decimal("0.01")) for net in frame["net"]]
    avatars = avatars_of(frame, declared({"gross": "net * 1.2"}))
    assert all(isinstance(cell, Decimal) and cell.as_tuple().exponent == -2 for cell in avatars["gross"])
    # a tie such as 12.345 may be rounded either way
    assert all(
        abs(g - n * Decimal("1.2")) <= Decimal("0.005")
        for n, g in zip(avatars["net"], avatars["gross"], strict=True)
    )


def test_a_duration_is_derived_of_days_and_read_in_days() -> None:
    first = pd.Series(pd.date_range("2020-01-01", periods=40, freq="7h"))
    last = first + pd.to_timedelta(np.arange(40) * 37, unit="min")
    frame = pd.DataFrame({"first": first, "last": last, "stay": last - first})
    frame["hours"] = (frame["stay"].dt.total_seconds() / 3600).round(2)
    avatars = avatars_of(frame, declared({"stay": "days(first, last)", "hours": "24 * stay"}))
    assert (avatars["stay"] == avatars["last"] - avatars["first"]).all()
    assert ((avatars["hours"] - avatars["stay"].dt.total_seconds() / 3600).abs() <= 0.005000001).all()


def test_an_age_is_counted_by_the_calendar_of_each_zone() -> None:
    frame = pd.DataFrame(
        {
            "born": pd.to_datetime(["2000-06-15", "2000-06-16"]),
            # half past midnight in Paris, the day before in UTC
            "seen": pd.to_datetime(["2020-06-14 22:30", "2020-06-15 21:59"])
            .tz_localize("UTC")
            .tz_convert("Europe/Paris"),
            "age": [20, 19],
        }
    )
    related(frame, declared({"age": "years(born, seen)"}))


def test_days_between_local_dates_are_whole_across_a_change_of_the_clocks() -> None:
    seen = pd.to_datetime(["2020-03-28", "2020-03-30"]).tz_localize("Europe/Paris")
    frame = pd.DataFrame({"a": seen, "b": seen[::-1], "d": [2, -2]})
    related(frame, declared({"d": "days(a, b)"}))


def test_a_derived_column_may_leave_the_range_of_the_originals_but_not_its_multiples() -> None:
    frame = pd.DataFrame({"a": [0, 0, 10, 10] * 10, "b": [0, 10, 0, 10] * 10})
    frame["c"] = 50 * (frame["a"] * frame["b"] // 50)
    avatars = avatars_of(frame, declared({"c": "a * b"}, round_to=50))
    assert (avatars["c"] == 50 * np.rint(avatars["a"] * avatars["b"] / 50)).all()


def test_gaps_are_where_the_expression_has_nothing_to_say() -> None:
    rng = np.random.default_rng(0)
    frame = numbers().astype({"a": "Int64"})
    frame.loc[rng.random(60) < 0.3, "a"] = pd.NA
    frame["c"] = (frame["a"] * 3).astype("Int64")
    avatars = avatars_of(frame, declared({"c": "3 * a"}))
    assert avatars["c"].dtype == "Int64"
    assert (avatars["c"].isna() == avatars["a"].isna()).all()
    assert 0 < avatars["c"].isna().sum() < 60


_PARTS = st.recursive(
    st.sampled_from(["a", "b", "2", "0.5"]),
    lambda parts: (
        st.builds("({} {} {})".format, parts, st.sampled_from(["+", "-", "*", "<="]), parts)
        | st.builds("max({}, {})".format, parts, parts)
        | st.builds("where({} > 10, {}, {})".format, parts, parts, parts)
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(text=_PARTS, seed=st.integers(0, 10**6), places=st.integers(0, 3), gaps=st.booleans())
def test_what_is_derived_is_recomputed_in_every_avatar_of_any_table(
    text: str, seed: int, places: int, gaps: bool
) -> None:
    expression = parse_expression(f"{text} + 0 * a * b", "c")
    frame = numbers(30, seed)
    if gaps:
        frame.loc[frame.index % 5 == 1, "b"] = np.nan
    frame["c"] = computed(expression, encode(frame, recognise(frame, {}).columns)).round(places) + 0.0
    avatars = avatars_of(frame, declared({"c": expression.text}), seed)
    found = computed(expression, encode(avatars, recognise(avatars, {}).columns))
    np.testing.assert_array_equal(avatars["c"].isna(), np.isnan(found))
    # to the last place that the originals show, which may be fewer decimals than asked
    shown = decimals(frame["c"].to_numpy(), frame["c"].dtype)
    assert np.nanmax(np.abs(avatars["c"] - found), initial=0) <= 0.5 * 10.0**-shown * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("c", "a + 2", "BAD_CONFIG", r'derived of "c" is not what the column holds in 3 of 4 row\(s\)'),
        (
            "c",
            "where(a == 4, b, c0)",
            "BAD_CONFIG",
            r"in 1 of 4 row\(s\)",
        ),  # a gap where the column has a value
        (
            "c",
            "a + nowhere",
            "UNKNOWN_COLUMN",
            r'derived of "c" names column\(s\) "nowhere" that the table lacks',
        ),
        ("c", "c + 1", "BAD_CONFIG", r'"c" are derived of each other'),
        ("c", "word + 1", "BAD_CONFIG", r'cannot read "word" as a number'),
        ("c", "day + 1", "BAD_CONFIG", r'cannot read "day" as a number: dates are read by days\(a, b\)'),
        ("c", "days(a, day)", "BAD_CONFIG", r'cannot read "a" as a date'),
        ("c", "days(day, zoned)", "BAD_CONFIG", r'"day", "zoned", of which only one has a zone'),
        ("c", "large - 1", "BAD_CONFIG", r'reads integers beyond 2\^53 in "large"'),
        ("large", "a + 1", "BAD_CONFIG", r'"large" holds integers beyond 2\^53, so it cannot be derived'),
        (
            "word",
            "a + 1",
            "BAD_CONFIG",
            r'"word" is a category: numbers, durations and booleans can be derived',
        ),
        ("day", "a + 1", "BAD_CONFIG", r'"day" is a date: numbers, durations and booleans can be derived'),
        ("c", "a.real", "BAD_CONFIG", r'derived of "c" at character 1: a dot after a name is not allowed'),
    ],
)
def test_what_cannot_be_derived_is_refused(name: str, text: str, code: str, message: str) -> None:
    frame = pd.DataFrame(
        {
            "a": [1, 2, 3, 4],
            "b": [0.0, 0.0, 0.0, np.nan],
            "c": [3.0, 2.0, 3.0, 4.0],
            "c0": [3.0, 2.0, 3.0, 4.0],
            "word": ["x", "y", "x", "y"],
            "day": pd.date_range("2020-01-01", periods=4),
            "zoned": pd.date_range("2020-01-01", periods=4, tz="UTC"),
            "large": np.arange(4) + 2**60,
        }
    )
    with pytest.raises(InputError) as refused:
        related(frame, declared({name: text}))
    assert refused.value.code == code
    assert re.search(message, refused.value.message), refused.value.message
    assert refused.value.columns


def test_columns_derived_of_each_other_are_refused() -> None:
    frame = numbers().assign(c=lambda f: f["a"] + 1)
    with pytest.raises(InputError, match="are derived of each other: leave one as it is") as refused:
        related(frame, declared({"a": "c - 1", "c": "a + 1"}))
    assert set(refused.value.columns) == {"a", "c"}


@pytest.mark.parametrize("more", [{"weight": 2.0}, {"transform": "log"}])
def test_a_derived_column_has_neither_weight_nor_transform(more: dict[str, Any]) -> None:
    frame = numbers().assign(c=lambda f: f["a"] + 1)
    with pytest.raises(InputError, match='leave out transform and weight of "c"'):
        related(frame, declared({"c": "a + 1"}, **more))


def middle(frame: pd.DataFrame, declarations: Mapping[str, Declaration]) -> pd.DataFrame:
    """Every avatar in the middle of the first two individuals."""
    table, relations = related(frame, declarations)
    n = len(frame)
    drawn = Barycentres(np.tile([0, 1], (n, 1)), np.full((n, 2), 0.5), "published")
    return invert(table, drawn, Decoding(), 0, fit_space(table, relations)).to_frame()


def test_an_expression_that_gives_an_avatar_nothing_is_refused_where_no_row_lacks_it() -> None:
    frame = pd.DataFrame({"a": [-1, 1, 2], "b": [4, 8, 2], "c": [-4.0, 8.0, 1.0]})
    with pytest.raises(InputError, match="nothing, though no row lacks it: say what it is there") as refused:
        middle(frame, declared({"c": "b / a"}))
    assert refused.value.code == "BAD_CONFIG"
    frame.loc[2, ["a", "c"]] = np.nan
    assert middle(frame, declared({"c": "b / a"}))["c"].isna().all()


def test_a_result_that_the_dtype_does_not_hold_is_refused_not_wrapped_around() -> None:
    frame = pd.DataFrame({"a": [2, 100], "b": [100, 2], "c": [200, 200]}, dtype="uint8")
    with pytest.raises(InputError, match='"c" gives avatars values that its type uint8 does not hold'):
        middle(frame, declared({"c": "a * b"}))


def test_a_truth_that_no_row_has_is_refused() -> None:
    frame = pd.DataFrame({"a": [2, 100], "b": [100, 2], "c": [False, False]})
    with pytest.raises(InputError, match=r'"c" gives 2 avatar\(s\) a value that no row has'):
        middle(frame, declared({"c": "a * b > 1000"}))
