"""Relations inside a row: constraints and derivations hold in every avatar, transforms are fitted on its own rows."""

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
from sosie.generation import WeightLaw, draw_barycentres
from sosie.projection import fit_projection
from sosie.recognition import recognise
from sosie.relations import Relations, refuse_untrue, relations_of

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
            unit = rng.choice(["s", "us", "ns"])
            cells = pd.Series(np.datetime64("2020-01-01") + number.astype("timedelta64[D]")).astype(
                f"M8[{unit}]"
            )
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
    kinds = [None, "quantile", "yeo-johnson", "sqrt"]
    uppers = {constraint.split()[2] for constraint in constraints}
    declared = {name: Declaration(transform=rng.choice(kinds)) for name in uppers}
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
