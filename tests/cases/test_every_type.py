"""Frames of every type, with and without gaps, under hard names: what comes back looks as the source would have it."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sosie

Series = "pd.Series[Any]"
Rng = np.random.Generator


def integers(dtype: str) -> Callable[[Rng, int], Any]:
    kind = np.dtype(dtype.lower())
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)

    def cells(rng: Rng, n: int) -> Any:
        width = int(rng.choice([3, 90, high - max(low, -high)]))
        start = int(rng.integers(max(low, -high), high - min(width, high) + 1, dtype=kind))
        values = [min(high, start + int(step * width)) for step in rng.random(n)]
        return pd.Series(values, dtype=dtype)

    return cells


def floats(dtype: Any) -> Callable[[Rng, int], Any]:
    return lambda rng, n: pd.Series(rng.normal(70, 20, n).round(int(rng.integers(0, 4)))).astype(dtype)


def levels(values: list[Any], dtype: Any) -> Callable[[Rng, int], Any]:
    return lambda rng, n: pd.Series([values[place] for place in rng.integers(0, len(values), n)], dtype=dtype)


def instants(unit: str, step: str, zone: str | None = None) -> Callable[[Rng, int], Any]:
    def cells(rng: Rng, n: int) -> Any:
        starts = np.datetime64("2019-10-20") + rng.integers(0, 700, n) * np.timedelta64(1, "D")
        length = np.timedelta64(int(rng.integers(0, 10**6)) if step != "D" else 0, step)  # type: ignore[call-overload]
        series = pd.Series((starts + length).astype(f"M8[{unit}]"))
        return series if zone is None else series.dt.tz_localize(zone, ambiguous="NaT", nonexistent="NaT")

    return cells


def texts(format_: str) -> Callable[[Rng, int], Any]:
    # a day beyond the twelfth is always there: nothing is ambiguous
    def cells(rng: Rng, n: int) -> Any:
        days = [*rng.integers(0, 700, n - 1), 30]
        written = [(dt.datetime(2019, 1, 1) + dt.timedelta(days=int(day), minutes=int(day))) for day in days]
        return pd.Series([moment.strftime(format_) for moment in written])

    return cells


def objects(make: Callable[[int], Any], most: int = 300) -> Callable[[Rng, int], Any]:
    return lambda rng, n: pd.Series([make(int(i)) for i in rng.integers(0, most, n)], dtype=object)


def of_arrow(type_: Any, make: Callable[[int], Any]) -> Callable[[Rng, int], Any]:
    def cells(rng: Rng, n: int) -> Any:
        held = pa.array([make(int(i)) for i in rng.integers(0, 100, n)]).cast(type_)
        return pd.Series(pd.arrays.ArrowExtensionArray(held))

    return cells


DAY = dt.date(2020, 2, 25)
NOON = dt.datetime(2020, 2, 25, 12)
PARIS = "Europe/Paris"

KINDS: dict[str, Callable[[Rng, int], Any]] = {
    **{
        dtype: integers(dtype)
        for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
    **{
        dtype: integers(dtype)
        for dtype in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
    },
    **{dtype: floats(dtype) for dtype in ("float32", "float64", "Float32", "Float64")},
    "object integers": objects(lambda i: 10**20 + i),
    "object floats": objects(lambda i: i / 8),
    "decimals": objects(lambda i: Decimal(i).scaleb(-2)),
    "bool": levels([True, False], "bool"),
    "boolean": levels([True, False], "boolean"),
    "object booleans": levels([True, False], object),
    "str": levels(["", "été", "a,b", '"', "007", "0042"], "str"),
    "string": levels(["north", "south"], "string"),
    "object text": levels(["north", "south", "<b>"], object),
    "constant": levels(["only"], "str"),
    "category": levels(["x", "y"], pd.CategoricalDtype(["y", "never", "x"], ordered=True)),
    "category of integers": levels([30, 11], pd.CategoricalDtype([30, 12, 11])),
    "category of dates": levels(
        [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")],
        pd.CategoricalDtype(pd.to_datetime(["2020-01-01", "2021-01-01"])),
    ),
    "intervals": levels([pd.Interval(0, 1), pd.Interval(1, 2)], pd.IntervalDtype("int64", "right")),
    "days in s": instants("s", "D"),
    "days in ns": instants("ns", "D"),
    "seconds in ms": instants("ms", "s"),
    "us": instants("us", "us"),
    "ns": instants("ns", "ns"),
    "days in a zone": instants("us", "D", PARIS),
    "days where midnight may not exist": instants("s", "D", "America/Havana"),
    "seconds in a zone": instants("ns", "s", PARIS),
    "durations": lambda rng, n: pd.Series(pd.to_timedelta(rng.integers(0, 900, n), unit="min")),
    "months": lambda rng, n: pd.Series(pd.PeriodIndex.from_ordinals(rng.integers(500, 600, n), freq="M")),  # type: ignore[attr-defined]
    "object dates": objects(lambda i: DAY + dt.timedelta(days=i)),
    "object datetimes": objects(lambda i: NOON + dt.timedelta(seconds=i)),
    "object Timestamps in a zone": objects(
        lambda i: pd.Timestamp(NOON + dt.timedelta(hours=17 * i), tz=PARIS)
    ),
    "object times": objects(lambda i: dt.time(i // 60, i % 60)),
    "object durations": objects(lambda i: dt.timedelta(minutes=i)),
    "text 31/12/2021": texts("%d/%m/%Y"),
    "text 12/31/2021": texts("%m/%d/%Y"),
    "text ISO": texts("%Y-%m-%d"),
    "text ISO with a time": texts("%Y-%m-%dT%H:%M:%S"),
    "text ISO in UTC": texts("%Y-%m-%d %H:%M:%SZ"),
    "Arrow int": of_arrow(pa.int16(), lambda i: i),
    "Arrow double": of_arrow(pa.float64(), lambda i: i / 4),
    "Arrow bool": of_arrow(pa.bool_(), lambda i: i % 2 == 0),
    "Arrow string": of_arrow(pa.string(), lambda i: "abc"[i % 3]),
    "Arrow dictionary": of_arrow(pa.dictionary(pa.int8(), pa.string()), lambda i: "abc"[i % 3]),
    "Arrow decimal": of_arrow(pa.decimal128(20, 3), lambda i: Decimal(i).scaleb(-1)),
    "Arrow date": of_arrow(pa.date32(), lambda i: DAY + dt.timedelta(days=i)),
    "Arrow timestamp": of_arrow(pa.timestamp("us"), lambda i: NOON + dt.timedelta(seconds=i)),
    "Arrow timestamp in a zone": of_arrow(
        pa.timestamp("ms", tz=PARIS), lambda i: NOON + dt.timedelta(days=i)
    ),
    "Arrow duration": of_arrow(pa.duration("s"), lambda i: dt.timedelta(seconds=i)),
    "Arrow time": of_arrow(pa.time64("us"), lambda i: dt.time(i // 10, i % 10)),
}
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FEW_ATTACKS: Any = {"attempts": 10}  # figures are not what these tests look at
FORMATS = {
    "text 31/12/2021": "%d/%m/%Y",
    "text 12/31/2021": "%m/%d/%Y",
    "text ISO": "%Y-%m-%d",
    "text ISO with a time": "%Y-%m-%dT%H:%M:%S",
    "text ISO in UTC": "%Y-%m-%d %H:%M:%SZ",
}
MARKERS = (None, np.nan, pd.NA, pd.NaT)


def with_gaps(series: Any, share: float, marker: object, rng: Rng) -> Any:
    """The series with some cells missing, where its dtype has a way to say so."""
    dtype = series.dtype
    if (dtype.kind in "biu" and isinstance(dtype, np.dtype)) or isinstance(dtype, pd.IntervalDtype):
        return series
    gaps = rng.random(len(series)) < share
    if dtype == np.dtype(object):
        held = series.to_numpy(dtype=object).copy()
        held[gaps] = marker
        return pd.Series(held, dtype=object)
    return series.mask(gaps)


def comparable(series: Any, kind: str) -> Any:
    """The cells as what can be put in order, or as levels."""
    if kind in FORMATS:
        return pd.to_datetime(series, format=FORMATS[kind])
    return series


def is_category(kind: str, series: Any) -> bool:
    return (
        kind.endswith(("bool", "boolean", "booleans", "string", "dictionary", "text"))
        or kind in ("str", "constant", "intervals")
        or kind.startswith("category")
    )


def assert_contract(kind: str, before: Any, after: Any) -> None:
    """What every column of a release promises."""
    assert after.dtype == before.dtype
    if isinstance(before.dtype, pd.CategoricalDtype):
        assert list(after.cat.categories) == list(before.cat.categories)
        assert after.cat.ordered == before.cat.ordered
    held, given_ = after.dropna(), before.dropna()
    if len(given_) == len(before):
        assert len(held) == len(after)
    missing = {repr(cell) for cell in after[after.isna()]}
    assert missing <= {repr(cell) for cell in before[before.isna()]}
    if not len(given_):
        assert not len(held)
        return
    types = {type(cell) for cell in given_.astype(object)}
    assert {type(cell) for cell in held.astype(object)} <= types
    if is_category(kind, before):
        assert set(held) <= set(given_)
        return
    values, bounds = comparable(held, kind), comparable(given_, kind)
    assert all(bounds.min() <= value <= bounds.max() for value in values)


NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(
        ["a b", "l'âge", 'quo"te', "a,b", "a;b", "<b>x</b>", "two\nlines", "{{ x }}", "id,", "%d"]
    ),
    st.integers(-5, 2100),
)


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
@given(st.data())
def test_frames_of_every_type_come_back_as_the_source_would_have_written_them(data: st.DataObject) -> None:
    names = data.draw(st.lists(NAMES, min_size=2, max_size=6, unique_by=lambda name: str(name)))
    kinds = data.draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=len(names), max_size=len(names)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n = data.draw(st.integers(8, 40))
    columns = [
        with_gaps(
            KINDS[kind](rng, n),
            data.draw(st.sampled_from([0.0, 0.3, 1.0])),
            data.draw(st.sampled_from(MARKERS)),
            rng,
        )
        for kind in kinds
    ]
    frame = pd.concat(columns, axis="columns", keys=names)
    frame.index = rng.integers(0, 3, n)
    copy = frame.copy(deep=True)
    # a name such as "id" or a count from 1 is another test's concern
    declared = {
        str(name): {"type": "integer"} if kind.lower() in WHOLE else {}
        for name, kind in zip(names, kinds, strict=True)
    }
    avatars = sosie.anonymize(frame, k=3, ncp=2, seed=0, columns=declared, attacks=FEW_ATTACKS).avatars
    pd.testing.assert_frame_equal(frame, copy)
    assert list(avatars.columns) == list(frame.columns)
    assert avatars.index.equals(pd.RangeIndex(n))
    for name, kind in zip(names, kinds, strict=True):
        assert_contract(kind, frame[name].reset_index(drop=True), avatars[name])


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("kind", KINDS)
def test_each_type_keeps_its_contract(kind: str, share: float) -> None:
    rng = np.random.default_rng(0)
    series = with_gaps(KINDS[kind](rng, 60), share, None, rng)
    frame = pd.DataFrame({"x": series, "kg": rng.normal(70, 9, 60)})
    avatars = sosie.anonymize(frame, k=3, ncp=2, seed=0, attacks=FEW_ATTACKS).avatars
    assert_contract(kind, series, avatars["x"])
