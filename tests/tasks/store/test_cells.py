"""Single values come back equal and of their type; what stands for nothing is kept apart."""

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from importlib import import_module
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.errors import Notice
from sosie.schemas.configuration import Configuration, parse_configuration
from sosie.tasks.store.codec import canonical

Returned = Callable[[Any], Any]
PARIS = ZoneInfo("Europe/Paris")
# the hour that comes twice, in its second turn
AGAIN = dt.datetime(2020, 10, 25, 2, 30, fold=1, tzinfo=PARIS)

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -(2**63), 2**63, -(2**70), 1.5, -0.0, 5e-324, math.inf, -math.inf),
    *("", "été", "\x00", "\ud800", "\U0001f600", b"", b"\x00\xff", 1j),
    *(Decimal("1.50"), Decimal("-0"), Decimal("Infinity"), Fraction(-1, 3), UUID(int=7)),
    *(dt.date(1, 1, 1), dt.datetime(2020, 2, 29, 1, 2, 3, 4), AGAIN, dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
    *(dt.time(23, 59, 59, 999_999), dt.time(1, tzinfo=dt.UTC), dt.timedelta(-1, 3, 5)),
    *(pd.Timestamp("2020-10-25 00:30Z").tz_convert(PARIS), pd.Timestamp("0001-01-01").as_unit("s")),
    *(
        pd.Timestamp(2**62),
        pd.Timedelta("3s"),
        pd.Timedelta(1, "ns"),
        pd.Period("2020Q1"),
        pd.Period("2020", "Y"),
    ),
    *(pd.Interval(0, 1), pd.Interval(pd.Timestamp("2020"), pd.Timestamp("2021"), "both")),
    *(np.float32(1.5), np.float64(-0.0), np.int8(-3), np.uint64(2**64 - 1), np.bool_(True), np.complex64(1j)),
    *(np.str_(""), np.str_("é"), np.bytes_(b"a"), np.datetime64("2020", "Y"), np.timedelta64(3, "D")),
    *((), (1, [2, {"a": (None,)}]), [], {}, {(1, "a"): 1, None: 2, 1.5: 3}, {1, 2}, frozenset({("a",)})),
    *(dt.UTC, dt.timezone(dt.timedelta(hours=-2)), dt.timezone(dt.timedelta(0), "Z"), PARIS),
    *(Notice("CODE", ("name", 1), "told"), pa.list_(pa.int8()), pa.timestamp("ms", "Europe/Paris")),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__}")
def test_a_value_comes_back_equal_and_of_its_type(value: Any, returned: Returned) -> None:
    back = returned(value)
    assert type(back) is type(value)
    assert back == value
    assert repr(back) == repr(value)


@pytest.mark.parametrize("nothing", [None, pd.NA, pd.NaT, np.nan])
def test_what_stands_for_nothing_comes_back_as_the_very_same(nothing: Any, returned: Returned) -> None:
    assert returned((nothing,))[0] is nothing
    held = np.array(["a", nothing], dtype=object)
    assert returned(held)[1] is nothing


def test_numpys_own_nothing_and_decimals_nothing_come_back(returned: Returned) -> None:
    assert np.isnat(returned(np.datetime64("NaT", "s")))
    assert returned(np.datetime64("NaT", "s")).dtype == np.dtype("M8[s]")
    assert str(returned(Decimal("sNaN"))) == "sNaN"
    assert np.isnan(returned(np.float32("nan")))


def test_a_whole_number_of_any_length_comes_back(returned: Returned) -> None:
    assert returned(10**6000) == 10**6000  # more digits than Python reads from a text


def test_the_order_of_a_mapping_is_kept(returned: Returned) -> None:
    assert list(returned({"b": 1, "a": 2})) == ["b", "a"]


ZONES = [
    ("pytz", lambda pytz: pytz.timezone("Europe/Paris")),
    ("pytz", lambda pytz: pytz.timezone("Europe/Paris").localize(dt.datetime(2020, 7, 1)).tzinfo),
    ("pytz", lambda pytz: pytz.UTC),
    ("pytz", lambda pytz: pytz.FixedOffset(-90)),
    ("dateutil.tz", lambda tz: tz.gettz("Europe/Paris")),
    ("dateutil.tz", lambda tz: tz.tzutc()),
    ("dateutil.tz", lambda tz: tz.tzlocal()),
    ("dateutil.tz", lambda tz: tz.tzoffset("BRST", -7200)),
    ("dateutil.tz", lambda tz: tz.tzoffset(None, 3600)),
]


@pytest.mark.parametrize(("library", "make"), ZONES)
def test_a_zone_of_another_library_tells_the_same_time(
    library: str, make: Callable[[Any], dt.tzinfo], returned: Returned
) -> None:
    zone = make(import_module(library))
    back = returned(zone)
    assert back == zone
    moment = dt.datetime(2020, 7, 1, 12)
    assert moment.replace(tzinfo=back).isoformat() == moment.replace(tzinfo=zone).isoformat()


def test_a_model_comes_back_with_what_was_given_and_what_was_added(returned: Returned) -> None:
    configuration = parse_configuration(
        {"method": {"k": 7}, "columns": {"a": {"type": "date"}}, "targets": {"hidden_rate": {"min": 50}}}
    )
    back = returned(configuration)
    assert isinstance(back, Configuration)
    assert back == configuration
    assert back.targets.by_metric() == configuration.targets.by_metric()
    assert back.method.model_fields_set == {"k"}


@dataclass(frozen=True)
class Elsewhere:
    secret: str


class Numbered(IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (Elsewhere("a cell"), "Elsewhere"),
        (Numbered.ONE, "Numbered"),
        (object(), r"builtins\.object"),
        (lambda: "a cell", r"builtins\.function"),
        (Notice, r"builtins\.type"),
        (np.ma.MaskedArray(["a cell"]), r"MaskedArray"),
        (np.array([(1, "a cell")], dtype=[("a", "i4"), ("b", "O")]), "ndarray"),
        (np.array(["a cell"], dtype=np.dtypes.StringDType()), "StringDType"),
    ],
)
def test_what_is_of_an_unknown_kind_is_refused_by_its_type_alone(
    value: Any, named: str, returned: Returned
) -> None:
    with pytest.raises(TypeError, match=named) as refused:
        returned([value])
    assert "a cell" not in str(refused.value)


SIMPLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
NESTED = st.recursive(
    SIMPLE | st.decimals(allow_nan=False) | st.dates() | st.datetimes() | st.times() | st.timedeltas(),
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(SIMPLE | st.tuples(SIMPLE), inner)
    ),
    max_leaves=10,
)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(value=NESTED)
def test_nested_values_come_back(value: Any, returned: Returned) -> None:
    back = returned(value)
    assert back == value
    assert repr(back) == repr(value)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(one=NESTED, other=NESTED)
def test_values_that_differ_have_another_canonical_text(one: Any, other: Any) -> None:
    assert canonical(one) == canonical(one)
    if one != other:
        assert canonical(one) != canonical(other)


def test_the_canonical_text_knows_no_order_of_mappings_and_sets_but_all_else() -> None:
    assert canonical({"a": 1, "b": {2, 3}}) == canonical({"b": {3, 2}, "a": 1})
    assert canonical((1, 2)) != canonical((2, 1)) != canonical([2, 1])
    assert len({canonical(value) for value in (1, 1.0, True, "1", Decimal(1), np.int64(1))}) == 6
    assert canonical(np.arange(3)) == canonical(np.arange(3)) != canonical(np.arange(3.0))
