"""Tables and what was fitted on them come back: the same frame, the same coordinates, the same figures."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sosie
from sosie.columns import Category, Identifier, Table, encode, with_identifiers
from sosie.declarations import Declaration
from sosie.projection import fit_projection
from sosie.rare_levels import Rare
from sosie.recognition import recognise
from sosie.relations import relations_of
from sosie.schemas.metrics import judge
from sosie.schemas.targets import profile_targets

Returned = Callable[[Any], Any]
PARIS = ZoneInfo("Europe/Paris")
DAY = dt.date(2020, 2, 25)
NOON = dt.datetime(2020, 2, 25, 12)


def of(dtype: Any, *cells: Any) -> Callable[[], Any]:
    """A column that repeats these cells."""
    return lambda: pd.Series([cells[place % len(cells)] for place in range(12)], dtype=dtype)


def of_arrow(type_: Any, *cells: Any) -> Callable[[], Any]:
    return lambda: pd.Series(
        pd.arrays.ArrowExtensionArray(
            pa.array([cells[place % len(cells)] for place in range(12)]).cast(type_)
        )
    )


# every kind that recognition tells apart, of every storage that it knows, with each marker for nothing
COLUMNS: dict[str, Callable[[], Any]] = {
    **{dtype: of(dtype, 1, 2, 5) for dtype in ("int8", "uint8", "int16", "int32", "int64", "uint64")},
    **{dtype: of(dtype, 1, None, 5) for dtype in ("Int8", "UInt16", "Int32", "Int64", "UInt64")},
    **{dtype: of(dtype, 1.5, None, 2.25) for dtype in ("float32", "float64", "Float32", "Float64")},
    "numbers beyond 2^53": of("int64", 2**60, 2**60 + 1, 2**60 + 7),
    "object integers": of(object, 10**20, pd.NA, 10**20 + 3),
    "object floats": of(object, 1.5, None, 2.25),
    "decimals": of(object, Decimal("1.50"), None, Decimal("2.05")),
    "bool": of("bool", True, False),
    "boolean": of("boolean", True, False, None),
    "object booleans": of(object, True, False, np.nan),
    "str": of("str", "", "été", None),
    "string": of("string", "north", "south", None),
    "python string": of(pd.StringDtype("python"), "north", "south", None),
    "object text": of(object, "north", "south", pd.NaT),
    "mixed objects": of(object, "north", 1, b"\x00"),
    "nothing at all": of(object, None),
    "category": of(pd.CategoricalDtype(["y", "never", "x"], ordered=True), "x", "y", None),
    "category of numbers": of(pd.CategoricalDtype([30, 12, 11]), 30, 11),
    "category of dates": of(
        pd.CategoricalDtype(pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize(PARIS)),
        pd.Timestamp("2020-01-01", tz=PARIS),
        pd.Timestamp("2021-01-01", tz=PARIS),
    ),
    "intervals": of(pd.IntervalDtype("int64", "left"), pd.Interval(0, 1, "left"), pd.Interval(1, 2, "left")),
    "object intervals": of(object, pd.Interval(0, 1), pd.Interval(1, 2), None),
    **{
        f"days in {unit}": of(f"M8[{unit}]", DAY, None, dt.date(2021, 1, 1))
        for unit in ("s", "ms", "us", "ns")
    },
    "datetimes": of("M8[us]", NOON, None, NOON + dt.timedelta(seconds=5)),
    "days in a zone": lambda: pd.Series(pd.to_datetime(["2020-02-25", "NaT"] * 6)).dt.tz_localize(PARIS),
    "datetimes in a zone": lambda: pd.Series(pd.to_datetime(["2020-02-25 12:00", "NaT"] * 6)).dt.tz_localize(
        PARIS
    ),
    "datetimes at an offset": lambda: pd.Series(
        pd.to_datetime(["2020-02-25 12:00", "NaT"] * 6)
    ).dt.tz_localize("+02:00"),
    "durations": of("m8[ms]", dt.timedelta(minutes=3), None, dt.timedelta(minutes=9)),
    "months": of(pd.PeriodDtype("M"), pd.Period("2020-01"), None, pd.Period("2021-03")),
    "quarters": of(pd.PeriodDtype("Q-MAR"), pd.Period("2020Q1", "Q-MAR"), pd.Period("2020Q2", "Q-MAR")),
    "object dates": of(object, DAY, None, dt.date(2021, 1, 1)),
    "object datetimes": of(object, NOON, pd.NaT, NOON + dt.timedelta(seconds=5)),
    "object datetimes in a zone": of(object, NOON.replace(tzinfo=PARIS), NOON.replace(tzinfo=PARIS, hour=3)),
    "object Timestamps": of(object, pd.Timestamp(NOON, tz="UTC"), pd.Timestamp(NOON, tz="UTC").floor("D")),
    "object times": of(object, dt.time(1, 2), None, dt.time(3, 4)),
    "object durations": of(object, dt.timedelta(minutes=3), None, dt.timedelta(minutes=9)),
    "object Timedeltas": of(object, pd.Timedelta("3min"), pd.NaT, pd.Timedelta("9min")),
    "text dates": of("str", "31/12/2021", None, "01/02/2020"),
    "text datetimes": of(object, "2021-12-31T01:02:03+02:00", None, "2020-02-01T00:00:00+02:00"),
    "dates as numbers": of("int64", 20_211_231, 20_200_201),
    "Arrow int": of_arrow(pa.int16(), 1, None, 5),
    "Arrow double": of_arrow(pa.float64(), 1.5, None, 2.25),
    "Arrow bool": of_arrow(pa.bool_(), True, None, False),
    "Arrow string": of_arrow(pa.large_string(), "north", None, "south"),
    "Arrow dictionary": of_arrow(pa.dictionary(pa.int8(), pa.string()), "north", None, "south"),
    "Arrow decimal": of_arrow(pa.decimal128(20, 3), Decimal("1.5"), None, Decimal("2.25")),
    "Arrow date": of_arrow(pa.date32(), DAY, None, dt.date(2021, 1, 1)),
    "Arrow timestamp": of_arrow(pa.timestamp("ms", tz="Europe/Paris"), NOON, None, NOON.replace(hour=3)),
    "Arrow duration": of_arrow(pa.duration("s"), dt.timedelta(minutes=3), None, dt.timedelta(minutes=9)),
    "Arrow time": of_arrow(pa.time64("us"), dt.time(1, 2), None, dt.time(3, 4)),
    "Arrow null": of_arrow(pa.null(), None),
}
DECLARED = {
    "mixed objects": Declaration(type="category"),
    "text dates": Declaration(format="%d/%m/%Y"),
    "dates as numbers": Declaration(type="date", format="%Y%m%d"),
}
NAMES = st.text(max_size=5) | st.integers(-5, 2100) | st.tuples(st.text(max_size=2), st.integers(0, 9))


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, Table, Any]:
    """A frame of any kinds of column under any names, what it is encoded as, and its relations."""
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique_by=str))
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=len(names), max_size=len(names)))
    frame = pd.concat([COLUMNS[kind]() for kind in kinds], axis="columns")
    frame.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    declared = {str(name): DECLARED.get(kind, Declaration()) for name, kind in zip(names, kinds, strict=True)}
    columns = recognise(frame, declared, Rare(1, None)).columns
    return frame, encode(frame, columns), relations_of(columns, declared, ())


def test_the_columns_tried_are_of_every_kind() -> None:
    found = set()
    for name, make in COLUMNS.items():
        frame = pd.DataFrame({"x": make()})
        (column,) = recognise(frame, {"x": DECLARED.get(name, Declaration())}, Rare(1, None)).columns
        found.add((type(column).__name__, type(getattr(column, "clock", None)).__name__))
    clocks = ("NumpyClock", "ZonedClock", "ArrowClock", "PeriodClock", "ObjectClock", "TextClock")
    assert found == {
        *(("Number", "NoneType"), ("Fixed", "NoneType"), ("Category", "NoneType")),
        *(("Instant", clock) for clock in clocks),
    }


def assert_same_frame(back: pd.DataFrame, frame: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(back, frame, check_exact=True)
    for position in range(frame.shape[1]):  # None, NaN, NA and NaT are equal to pandas, and not to us
        cells, before = back.iloc[:, position].astype(object), frame.iloc[:, position].astype(object)
        assert [type(cell) for cell in cells] == [type(cell) for cell in before]


@settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(made=tables(), imputation=st.sampled_from(["fast_knn", "knn", "mean", "median", "mode"]))
def test_tables_and_projections_of_every_kind_of_column_come_back(
    made: Any, imputation: Any, returned: Returned
) -> None:
    frame, table, relations = made
    projection = fit_projection(table, 3, imputation, relations)
    back, fitted, still = returned((table, projection, frame))
    assert_same_frame(back.to_frame(), table.to_frame())
    assert_same_frame(still, frame)
    assert fitted.project(frame).tobytes() == projection.project(frame).tobytes()
    assert fitted.coordinates(back).tobytes() == projection.coordinates(table).tobytes()


@pytest.mark.parametrize("kind", COLUMNS)
def test_each_kind_of_column_comes_back(kind: str, returned: Returned) -> None:
    frame = pd.DataFrame({"x": COLUMNS[kind]()})
    columns = recognise(frame, {"x": DECLARED.get(kind, Declaration())}, Rare(1, None)).columns
    table = encode(frame, columns)
    assert_same_frame(returned(table).to_frame(), table.to_frame())
    assert_same_frame(returned(frame), frame)
    index = pd.Index(frame["x"], name=("a", 1))
    pd.testing.assert_index_equal(returned(index), index, exact=True)


@pytest.mark.parametrize("kind", ["str", "string", "object text", "mixed objects", "Arrow string"])
def test_merged_levels_come_back(kind: str, returned: Returned) -> None:
    frame = pd.DataFrame({"x": COLUMNS[kind]()})
    (column,) = recognise(frame, {"x": DECLARED.get(kind, Declaration())}, Rare(5, "other")).columns
    (back,) = returned((column,))
    assert isinstance(column, Category)
    assert back.merged == column.merged != {}
    assert back.codes(frame["x"]).tolist() == column.codes(frame["x"]).tolist()


def test_regenerated_identifiers_come_back(returned: Returned) -> None:
    frame = pd.DataFrame({"id": [f"A{place:03d}" for place in range(30)], "x": range(30)})
    declared = {"id": Declaration(role="regenerate")}
    recognised = recognise(frame, declared, Rare(1, None))
    table = encode(frame[["x"]], recognised.columns)
    table = with_identifiers(table, recognised.regenerated, np.random.default_rng(0))
    back = returned(table)
    assert_same_frame(back.to_frame(), table.to_frame())
    (identifier,) = back.identifiers
    assert isinstance(identifier, Identifier)
    assert identifier.taken == table.identifiers[0].taken


def test_transforms_constraints_and_derived_columns_come_back(returned: Returned) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.gamma(2, 3, 60).round(1), "b": rng.normal(9, 2, 60).round(1)})
    frame["later"] = frame["a"] + rng.integers(0, 9, 60)
    frame["sum"] = (frame["a"] + frame["b"]).round(1)
    for kind in ("log", "sqrt", "yeo-johnson", "quantile"):
        declared = {"b": Declaration(transform=kind), "sum": Declaration(derived="a + b", round_to=None)}
        columns = recognise(frame, declared, Rare(1, None)).columns
        table = encode(frame, columns)
        projection = fit_projection(table, 3, "mean", relations_of(columns, declared, ["a <= later"]))
        back = returned(projection)
        assert back.project(frame).tobytes() == projection.project(frame).tobytes()
        assert back.space.relations == projection.space.relations


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.random.default_rng(0).random((50, 7))),
        np.random.default_rng(0).random((300, 1000)).T,
        np.random.default_rng(0).random((4, 5, 6)).transpose(1, 2, 0)[::2],
        np.random.default_rng(0).random((2000, 1000))[:, ::2],
        np.broadcast_to(np.arange(3), (4, 3)),
        np.array(3.0),
        np.empty((0, 3)),
        np.array([1.5, np.nan], dtype=">f4"),
        np.array(["2020", "NaT"], dtype="M8[ms]"),
        np.array(["", "été"]),
        np.zeros(3, dtype="S0"),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
        np.array([["a", None], [pd.NA, (1, 2)]], dtype=object).T,
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_an_array_comes_back_with_its_layout(array: Any, returned: Returned) -> None:
    back = returned(array)
    assert type(back) is np.ndarray
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.flags.writeable
    assert back.flags.c_contiguous or not array.flags.c_contiguous
    assert back.flags.f_contiguous or not array.flags.f_contiguous
    if array.dtype == object:
        assert repr(back) == repr(array)
    else:
        assert np.ascontiguousarray(back).tobytes() == np.ascontiguousarray(array).tobytes()


def test_what_was_shared_is_written_once_and_shared_again(returned: Returned) -> None:
    array = np.arange(5)
    one, other, [third] = returned((array, array, [array]))
    assert one is other is third


def test_a_large_array_is_written_and_read_without_a_copy_of_it(tmp_path: Any) -> None:
    import tracemalloc

    from sosie.tasks.store import open_store

    store = open_store(tmp_path / "store")
    size = 40_000_000
    array = np.ones(size // 8)
    awkward = np.ones((size // 40, 10))[:, ::2]  # must be gathered: in pieces
    tracemalloc.start()
    store.save("0123456789abcdef", (array, awkward))
    loaded = store.load("0123456789abcdef")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < size
    assert loaded[0].sum() == loaded[1].sum() == size // 8


@pytest.fixture(scope="module")
def release(patients: pd.DataFrame) -> Any:
    return sosie.anonymize(
        patients.assign(months=patients["age"], dead=patients["smoker"].astype(int)),
        k=5,
        seed=1,
        utility={"target": "smoker", "survival": {"duration": "months", "event": "dead", "group": "ward"}},
        attacks={"attempts": 20},
        holdout={"mode": "real"},
    )


def test_a_whole_evaluation_comes_back_equal(release: Any, returned: Returned) -> None:
    back = returned(release.evaluation)
    assert back == release.evaluation
    assert returned(release.evaluation.attacks) == release.evaluation.attacks


def test_the_figures_file_comes_back_equal(release: Any, returned: Returned) -> None:
    figures = judge(release.evaluation, profile_targets("open"), k=5, released=600)
    back = returned(figures)
    assert back == figures
    assert back.model_dump_json() == figures.model_dump_json()


def test_a_projection_that_has_searched_for_gaps_comes_back_without_its_search_trees(
    returned: Returned,
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    frame.loc[::5, "a"] = np.nan
    recognised = recognise(frame, {})
    table = encode(frame, recognised.columns)
    projection = fit_projection(table, 2, "fast_knn", relations_of(table.columns, {}, ()))
    placed = projection.coordinates(table)  # the search trees are grown, and kept, where there are gaps
    assert np.array_equal(returned(projection).coordinates(table), placed)
