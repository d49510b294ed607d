"""What `inspect` proposes: relations that every row keeps, found in little time, and nothing that says nothing."""

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table, encode
from sosie.declarations import Declaration
from sosie.proposals import Proposals, propose
from sosie.recognition import recognise
from sosie.relations import relations_of
from sosie.untrue import refuse_untrue


def table_of(frame: pd.DataFrame) -> Table:
    return encode(frame, recognise(frame, {}).columns)


def proposed(frame: pd.DataFrame) -> dict[str, str]:
    return {str(found.name): found.expression for found in propose(table_of(frame)).computable}


def base(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "a": rng.integers(0, 50, n),
            "b": rng.integers(0, 90, n),
            "c d": rng.normal(20, 6, n).round(1),
            "kg": rng.normal(70, 12, n).round(1),
            "cm": rng.integers(150, 200, n),
        }
    )


@pytest.mark.parametrize(
    ("column", "expression"),
    [
        (lambda f: f["a"], "a"),
        (lambda f: 3 * f["a"] + 7, "3 * a + 7"),
        (lambda f: 100 - f["b"], "-b + 100"),
        (lambda f: (f["kg"] * 2.20462).round(2), "2.20462 * kg"),
        (lambda f: (f["c d"] * 9 / 5 + 32).round(2), "9 * col('c d') / 5 + 32"),
        (lambda f: f["a"] + f["b"], "a + b"),
        (lambda f: f["a"] - f["b"] + f["cm"], "a - b + cm"),
        (lambda f: (f["a"] + f["b"] + f["c d"] + f["kg"]).round(1), "a + b + col('c d') + kg"),
        (lambda f: f["b"] * f["cm"], "b * cm"),
        (lambda f: (f["kg"] / f["cm"]).round(4), "kg / cm"),
        (lambda f: (f["kg"] / (f["cm"] / 100) ** 2).round(1), "10000 * kg / cm ** 2"),
        (lambda f: f["cm"] ** 2, "cm * cm"),
    ],
)
def test_a_column_computed_from_others_is_found(column: Any, expression: str) -> None:
    frame = base()
    assert proposed(frame.assign(y=column(frame))) == {"y": expression}


def test_a_total_that_comes_first_is_the_total_of_its_parts_also_where_they_have_gaps() -> None:
    frame = base().astype({"a": "Int64", "b": "Int64"})
    frame.loc[frame.index % 7 == 0, "b"] = pd.NA
    frame.insert(0, "total", frame["a"] + frame["b"])
    assert proposed(frame) == {"total": "b + a"}


def test_a_product_that_comes_first_is_found_rather_than_its_ratios() -> None:
    frame = base()[["a", "cm"]]
    frame.insert(0, "y", (frame["a"] + 1) * frame["cm"])
    assert proposed(frame.assign(a=frame["a"] + 1)) == {"y": "a * cm"}


def test_spans_between_dates_and_ages_are_found() -> None:
    rng = np.random.default_rng(0)
    born = pd.Series(np.datetime64("1950-01-01") + rng.integers(0, 20_000, 300).astype("m8[D]"))
    seen = pd.Series(np.datetime64("2020-01-01") + rng.integers(0, 700, 300).astype("m8[D]"))
    left = seen + pd.to_timedelta(rng.integers(0, 40, 300), unit="D")
    age = seen.dt.year - born.dt.year - (seen.dt.strftime("%m%d") < born.dt.strftime("%m%d"))
    nights = (left - seen).dt.days
    frame = pd.DataFrame(
        {
            "age": age,
            "born": born,
            "seen": seen,
            "left": left,
            "nights": nights,
            "billed": nights + 1,
            "hours": 24.0 * nights,
        }
    )
    found = proposed(frame)
    assert found == {
        "age": "years(born, seen)",
        "nights": "days(seen, left)",
        "billed": "days(seen, left) + 1",
        "hours": "24 * days(seen, left)",
    }
    assert propose(table_of(frame)).constraints == ("seen <= left",)


def test_what_fails_in_one_row_of_many_is_not_proposed() -> None:
    frame = base(30_000)
    frame["y"] = frame["a"] + frame["b"]
    frame["z"] = frame["a"] + 5
    frame.loc[12_345, ["y", "z"]] = -1
    found = propose(table_of(frame))
    assert found == Proposals((), ())


@pytest.mark.parametrize("seed", range(5))
def test_unrelated_columns_give_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    coarse = pd.DataFrame(rng.poisson(2, (300, 12)), columns=[f"n{j}" for j in range(12)])
    flags = pd.DataFrame(rng.integers(0, 2, (300, 8)), columns=[f"f{j}" for j in range(8)])
    frame = pd.concat([base(300, seed), coarse, flags], axis=1)
    assert propose(table_of(frame)).computable == ()
    assert not set(propose(table_of(frame)).constraints) - {"a <= cm", "b <= cm"}


def test_numbers_near_the_ends_of_what_is_computed_with_are_left_alone() -> None:
    rng = np.random.default_rng(0)
    frame = base().assign(huge=rng.normal(size=400) * 1e299, tiny=rng.choice([5e-324, 1e-310, 0, 1], 400))
    frame["limits"] = rng.choice([1e300, -1e300, 1, 2], 400)
    assert propose(table_of(frame)).computable == ()


def test_constraints_are_those_that_unrelated_columns_would_break() -> None:
    rng = np.random.default_rng(0)
    low = rng.integers(50, 90, 500)
    frame = pd.DataFrame(
        {"pulse": rng.integers(60, 180, 500), "systolic": low + rng.integers(5, 70, 500), "diastolic": low}
    )
    frame["tiny"] = rng.random(500).round(2)  # below all others whatever they are
    frame["mean"] = low + 1 + rng.integers(0, 4, 500)
    frame["systolic"] = np.maximum(frame["systolic"], frame["mean"])
    assert set(propose(table_of(frame)).constraints) == {"diastolic <= mean", "mean <= systolic"}


def test_what_is_proposed_can_be_declared_together() -> None:
    frame = base()
    frame["copy of a"] = frame["a"]
    frame["a > b"] = frame["a"] + frame["b"]
    frame["again"] = frame["a > b"] + frame["copy of a"]
    frame["low <"] = frame["cm"] - 10 - frame["b"] // 20
    table = table_of(frame)
    found = propose(table)
    assert len(found.computable) == 3
    declarations = {str(each.name): Declaration(derived=each.expression) for each in found.computable}
    refuse_untrue(relations_of(table.columns, declarations, found.constraints), table)
    assert found.constraints


def test_many_columns_of_many_rows_take_seconds() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(50, 10, (20_000, 58)).round(1), columns=[f"x{j}" for j in range(58)])
    frame["sum"] = (frame["x1"] + frame["x2"] + frame["x3"]).round(1)
    frame["ratio"] = (frame["x4"] / frame["x5"]).round(3)
    table = table_of(frame)
    started = time.process_time()
    found = {str(each.name): each.expression for each in propose(table).computable}
    assert found == {"sum": "x1 + x2 + x3", "ratio": "x4 / x5"}
    assert time.process_time() - started < 30
