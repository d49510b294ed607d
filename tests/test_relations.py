"""Relations inside a row: constraints and derivations hold in every avatar, transforms are fitted on its own rows."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.columns import Table, encode
from sosie.declarations import Declaration
from sosie.decoding import Decoding, invert
from sosie.errors import InputError
from sosie.generation import Barycentres, WeightLaw, draw_barycentres
from sosie.projection import fit_projection
from sosie.recognition import recognise
from sosie.relations import Relations, relations_of
from sosie.space import fit_space
from sosie.transforms import TransformKind
from sosie.untrue import refuse_untrue

Declared = Mapping[str, Declaration]


def related(
    frame: pd.DataFrame, declared: Declared | None = None, constraints: Sequence[str] = ()
) -> tuple[Table, Relations]:
    """The table and its relations, after every refusal."""
    table = encode(frame, recognise(frame, declared or {}).columns)
    relations = relations_of(table.columns, declared or {}, constraints)
    refuse_untrue(relations, table)
    return table, relations


def avatars_of(
    frame: pd.DataFrame,
    declared: Declared | None = None,
    constraints: Sequence[str] = (),
    law: WeightLaw = "published",
    seed: int = 0,
    k: int = 5,
    integers: Any = "round",
) -> pd.DataFrame:
    table, relations = related(frame, declared, constraints)
    projection = fit_projection(table, 5, relations=relations)
    drawn = draw_barycentres(
        projection.coordinates(table), [np.arange(len(table))], k, law, "floor", seed, workers=1
    )
    return invert(table, drawn, Decoding(integers=integers), seed, projection.space).to_frame()


def refusal(
    frame: pd.DataFrame, declared: Declared | None = None, constraints: Sequence[str] = ()
) -> InputError:
    with pytest.raises(InputError) as refused:
        related(frame, declared, constraints)
    return refused.value


def derived(text: str) -> Declaration:
    return Declaration(derived=text)


def stays(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """Stays in a hospital, with gaps: dates, pressures, and what follows from them."""
    rng = np.random.default_rng(seed)
    admitted = pd.Series(np.datetime64("2020-01-01") + rng.integers(0, 700, n).astype("timedelta64[D]"))
    length = pd.Series(rng.exponential(6, n).astype(int))
    weight, height = rng.normal(70, 12, n).round(1), rng.integers(150, 200, n)
    diastolic = rng.integers(50, 90, n)
    frame = pd.DataFrame(
        {
            "admitted": admitted.astype("datetime64[ns]"),
            "discharged": (admitted + pd.to_timedelta(length, unit="D")).astype("datetime64[ns]"),
            "nights": length.astype("Int64"),
            "weight": weight,
            "height": height,
            "bmi": (weight / (height / 100) ** 2).round(1),
            "systolic": diastolic + rng.integers(1, 80, n),
            "diastolic": diastolic,
            "ward": rng.choice(["a", "b"], n),
        }
    )
    gaps = rng.random(n) < 0.2
    frame.loc[gaps, "discharged"] = pd.NaT
    frame.loc[gaps, "nights"] = pd.NA
    frame.loc[rng.random(n) < 0.1, ["weight", "bmi"]] = np.nan
    return frame


@pytest.mark.parametrize("law", ["published", "gaussian"])
def test_what_is_declared_holds_in_every_avatar(law: WeightLaw) -> None:
    declared = {
        "bmi": derived("weight / (height / 100) ** 2"),
        "nights": derived("days(admitted, discharged)"),
        "discharged": Declaration(transform="log"),
    }
    constraints = ["admitted <= discharged", "systolic > diastolic"]
    originals = stays()
    avatars = avatars_of(originals, declared, constraints, law)
    assert (avatars["systolic"] > avatars["diastolic"]).all()
    both = avatars["discharged"].notna()
    assert (avatars["admitted"] <= avatars["discharged"])[both].all()
    assert ((avatars["discharged"] - avatars["admitted"]).dt.days == avatars["nights"])[both].all()
    assert avatars["nights"].isna().equals(~both)
    expected = (avatars["weight"] / (avatars["height"] / 100) ** 2).round(1)
    pd.testing.assert_series_equal(avatars["bmi"], expected, check_names=False)
    assert (avatars.dtypes == originals.dtypes).all()
    assert list(avatars.columns) == list(originals.columns)
    for name in ("admitted", "discharged", "weight", "systolic", "diastolic"):
        assert avatars[name].dropna().between(originals[name].min(), originals[name].max()).all()


_SHARED = st.integers(0, 2**32 - 1)


def random_chain(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str]]:
    """Three to four columns, each above one or more of those before it, of mixed types and with gaps of their own."""
    n = int(rng.integers(12, 40))
    kind = rng.choice(["integer", "decimals", "mixed", "dates", "narrow", "large"])
    columns: dict[str, pd.Series[Any]] = {}
    constraints = []
    values: list[np.ndarray[Any, Any]] = []
    for j in range(int(rng.integers(2, 5))):
        below = [i for i in range(j) if rng.random() < 0.6]
        floor = np.max([values[i] for i in below], axis=0) if below else rng.integers(-50, 50, n)
        strict = bool(below) and rng.random() < 0.4
        number = floor + rng.integers(int(strict), rng.choice([2, 5, 200]), n)
        values.append(number)
        constraints += [f"x{i} {'<' if strict else '<='} x{j}" for i in below]
        cells: pd.Series[Any]
        if kind == "integer":
            cells = pd.Series(number, dtype="Int64")
        elif kind == "decimals":
            cells = pd.Series(number / 10)
        elif kind == "mixed":
            cells = pd.Series(number, dtype="Int32" if rng.random() < 0.5 else "float64")
        elif kind == "narrow":
            cells = pd.Series((number / 8).astype(np.float32))
        elif kind == "large":
            cells = pd.Series(number + 2**60, dtype="Int64")
        else:
            days = np.datetime64("2020-01-01") + number.astype("timedelta64[D]")
            cells = pd.Series(days.astype(f"M8[{rng.choice(['s', 'us', 'ns'])}]"))
        cells[rng.random(n) < rng.choice([0, 0, 0.3])] = None
        columns[f"x{j}"] = cells
    frame = pd.DataFrame(columns).iloc[:, rng.permutation(len(columns))]
    return frame.assign(free=rng.normal(size=n).round(2)), constraints


@settings(max_examples=60, deadline=None)
@given(
    seed=_SHARED,
    law=st.sampled_from(["published", "gaussian"]),
    integers=st.sampled_from(["round", "truncate"]),
)
def test_a_constraint_holds_in_every_avatar_of_any_table(seed: int, law: WeightLaw, integers: str) -> None:
    rng = np.random.default_rng(seed)
    frame, constraints = random_chain(rng)
    kinds: list[TransformKind | None] = [None, "quantile", "yeo-johnson", "sqrt"]
    uppers = {constraint.split()[2] for constraint in constraints}
    declared = {name: Declaration(transform=kinds[rng.integers(4)]) for name in uppers}
    avatars = avatars_of(frame, declared, constraints, law, seed, k=4, integers=integers)
    for constraint in constraints:
        lower, sign, upper = constraint.split()
        both = avatars[lower].notna() & avatars[upper].notna()
        holds = avatars[lower] < avatars[upper] if sign == "<" else avatars[lower] <= avatars[upper]
        assert holds[both].all(), constraint
    for name in frame:
        assert avatars[name].dropna().between(frame[name].min(), frame[name].max()).all()
        assert avatars[name].dtype == frame[name].dtype
    assert set(map(tuple, avatars.isna().to_numpy())) <= set(map(tuple, frame.isna().to_numpy()))


def barycentre(
    frame: pd.DataFrame,
    weights: list[float],
    declared: Declared | None = None,
    constraints: Sequence[str] = (),
) -> pd.DataFrame:
    """Every individual's avatar from all individuals with the same weights."""
    table, relations = related(frame, declared, constraints)
    n = len(frame)
    drawn = Barycentres(np.tile(np.arange(n), (n, 1)), np.tile(weights, (n, 1)), "published")
    return invert(table, drawn, Decoding(), 0, fit_space(table, relations)).to_frame()


def coordinates(
    frame: pd.DataFrame, declared: Declared | None = None, constraints: Sequence[str] = ()
) -> np.ndarray[Any, Any]:
    table, relations = related(frame, declared, constraints)
    return fit_projection(table, 5, relations=relations).coordinates(table)


@pytest.mark.parametrize(
    ("transform", "cells", "expected"),
    [
        (None, [1.0, 100.0, 1.25], 50.5),
        ("log", [1.0, 100.0, 1.25], 10.0),
        ("log", [0.0, 10.0, 1.25], 2.5),  # shifted by 1.25: √(1.25 · 11.25) − 1.25
        ("sqrt", [0.0, 16.0, 1.25], 4.0),
        ("quantile", [1.0, 100.0, 1.25], 1.25),  # the middle one of three ranks
    ],
)
def test_an_avatar_lies_between_its_neighbours_on_the_scale_of_the_transform(
    transform: Any, cells: list[float], expected: float
) -> None:
    avatars = barycentre(pd.DataFrame({"x": cells}), [0.5, 0.5, 0.0], {"x": Declaration(transform=transform)})
    assert avatars["x"].tolist() == [expected] * 3


def test_the_space_of_a_transformed_column_is_that_of_its_transformed_values() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.lognormal(0, 1, 50), "y": rng.normal(size=50), "c": rng.choice(["a", "b"], 50)}
    )
    found = coordinates(frame, {"x": Declaration(transform="log")})
    np.testing.assert_allclose(found, coordinates(frame.assign(x=np.log(frame["x"]))), atol=1e-9)


def test_the_space_of_a_bounded_column_is_that_of_its_differences() -> None:
    frame = stays()[["admitted", "discharged", "weight", "ward"]]
    nights = (frame["discharged"] - frame["admitted"]).dt.days
    found = coordinates(frame, constraints=["admitted <= discharged"])
    np.testing.assert_allclose(found, coordinates(frame.assign(discharged=nights)), atol=1e-9)


def test_a_transform_of_a_bounded_column_is_of_its_differences_in_days() -> None:
    frame = stays()[["admitted", "discharged", "weight", "ward"]]
    nights = (frame["discharged"] - frame["admitted"]).dt.days
    declared = {"discharged": Declaration(transform="sqrt")}
    found = coordinates(frame, declared, ["discharged >= admitted"])
    np.testing.assert_allclose(found, coordinates(frame.assign(discharged=np.sqrt(nights))), atol=1e-9)


def test_a_derived_column_takes_no_part_in_the_projection() -> None:
    frame = stays()
    declared = {
        "bmi": derived("weight / (height / 100) ** 2"),
        "nights": derived("days(admitted, discharged)"),
    }
    np.testing.assert_array_equal(
        coordinates(frame, declared), coordinates(frame.drop(columns=list(declared)))
    )


def test_a_difference_is_added_to_the_avatars_own_lower_cell() -> None:
    frame = pd.DataFrame({"a": [0, 10, 3], "b": [4, 10, 5]})
    avatars = barycentre(frame, [0.5, 0.5, 0.0], constraints=["a <= b"])
    assert avatars.to_numpy().tolist() == [[5, 7]] * 3


def test_where_the_lower_column_is_missing_the_upper_one_stands_for_itself() -> None:
    frame = pd.DataFrame({"a": [np.nan, np.nan, np.nan, 1.0], "b": [2.0, 8.0, 8.0, 9.0]})
    avatars = barycentre(frame, [0.5, 0.25, 0.25, 0.0], constraints=["a <= b"])
    assert avatars["a"].isna().all()
    assert (avatars["b"] == 5).all()


def test_a_column_above_several_lies_above_the_highest_present() -> None:
    frame = pd.DataFrame({"a": [1.0, 5.0], "b": [4.0, np.nan], "c": [6.0, 9.0]})
    avatars = barycentre(frame, [0.0, 1.0], constraints=["a < c", "b < c"])
    assert avatars.fillna(-1).to_numpy().tolist() == [[5, -1, 9]] * 2


def test_rounding_keeps_the_order() -> None:
    frame = pd.DataFrame({"a": [0.26, 0.74, 0.5], "b": [1, 1, 1], "c": [1.1, 1.0, 3.0]})
    avatars = barycentre(frame, [0.4, 0.4, 0.2], {"c": Declaration(round_to=0.5)}, ["a < b", "b <= c"])
    assert avatars["c"].tolist() == [1.5] * 3  # 1 + 0.44


def test_a_lower_cell_leaves_room_below_the_highest_upper_one() -> None:
    # rows without b pull a above every b
    frame = pd.DataFrame({"a": [1.0, 1.0, 90.0, 90.0], "b": [2.0, 3.0, np.nan, np.nan]})
    for seed in range(5):
        avatars = avatars_of(frame, constraints=["a < b"], k=3, seed=seed)
        assert (avatars["a"] < avatars["b"])[avatars["b"].notna()].all()


def test_a_constraint_across_units_and_zones_is_of_instants() -> None:
    days = pd.Series(pd.date_range("2020-03-27", periods=20, freq="D", tz="Europe/Paris"))
    frame = pd.DataFrame(
        {
            "ordered": (days + pd.Timedelta(minutes=90)).dt.tz_convert("America/New_York").dt.as_unit("s"),
            "given": (days + pd.to_timedelta(90 + np.arange(20) % 3, unit="m")).dt.as_unit("ns"),
            "kg": np.arange(20.0),
        }
    )
    avatars = avatars_of(frame, constraints=["ordered <= given"])
    assert (avatars["ordered"] <= avatars["given"]).all()
    assert (avatars.dtypes == frame.dtypes).all()


def test_names_may_hold_blanks_and_operators() -> None:
    frame = pd.DataFrame({"date of < entry": [1, 2, 3], "b >= c": [2, 3, 4], 7: [3, 4, 5]})
    constraints = ['col("date of < entry") <= b >= c', "b >= c < 7"]
    upper, last = related(frame, constraints=constraints)[1].bounded
    assert [(lower.name, lower.strict) for lower in upper.lowers] == [("date of < entry", False)]
    assert [(lower.name, lower.strict) for lower in last.lowers] == [
        ("b >= c", True),
        ("date of < entry", True),
    ]
    assert (upper.name, last.name) == ("b >= c", 7)


@pytest.mark.parametrize(
    ("constraints", "code", "message"),
    [
        (["a <= b"], "BAD_CONFIG", r'constraint "a <= b" does not hold in 2 row\(s\): correct them'),
        (["low < a", "a <= top"], "BAD_CONFIG", r'constraint "low < top" does not hold in 1 row\(s\)'),
        (["low < a"], "BAD_CONFIG", None),
        (["low <= a", "a <= low"], "BAD_CONFIG", "go round in a circle"),
        (["a <= a"], "BAD_CONFIG", "go round in a circle"),
        (["a = b"], "BAD_CONFIG", 'constraint "a = b" compares no two columns'),
        (["a <= nowhere"], "UNKNOWN_COLUMN", r'names column\(s\) "nowhere" that the table lacks'),
        (["a <= 100"], "UNKNOWN_COLUMN", '"100"'),
        (["a <= word"], "BAD_CONFIG", '"word" are neither'),
        (["a <= day"], "BAD_CONFIG", "compares columns of one kind"),
        (["day <= zoned"], "BAD_CONFIG", "compares columns of one kind"),
        (["a <= sum"], "BAD_CONFIG", r'constraints name derived column\(s\) "sum"'),
    ],
)
def test_a_constraint_that_cannot_be_kept_is_refused(
    constraints: list[str], code: str, message: str | None
) -> None:
    frame = pd.DataFrame(
        {
            "a": [1.0, 2.0, 3.0, np.nan],
            "b": [5.0, 1.0, 1.0, 0.0],
            "low": [0.0, 1.0, 2.0, 9.0],
            "top": [1.0, 2.0, 3.0, 8.0],
            "word": ["x", "y", "x", "y"],
            "day": pd.date_range("2020-01-01", periods=4),
            "zoned": pd.date_range("2020-01-01", periods=4, tz="UTC"),
            "sum": [6.0, 3.0, 4.0, np.nan],
        }
    )
    declared = {"sum": derived("a + b")}
    if message is None:
        related(frame, declared, constraints)
        return
    refused = refusal(frame, declared, constraints)
    assert refused.code == code
    assert re.search(message, refused.message), refused.message
    assert refused.columns or "compares no" in refused.message


def test_multiples_that_leave_a_constraint_no_room_are_refused() -> None:
    frame = pd.DataFrame({"a": [11, 12, 13, 14], "b": [12, 13, 13, 14]})
    with pytest.raises(InputError, match='round_to leaves no values of "a", "b" that') as refused:
        avatars_of(frame, {"b": Declaration(round_to=12), "a": Declaration(round_to=13)}, ["a <= b"], k=2)
    assert refused.value.code == "BAD_CONFIG"
