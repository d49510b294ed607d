"""Copies against counts worked by hand."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.attacks import Copies, Survivors, copies, named_levels
from sosie.columns import Table
from sosie.estimates import NotComputed
from sosie.recognition import Declaration

TablesOf = Callable[..., Any]  # as many tables as frames
Patients = Callable[[int, int], pd.DataFrame]

WORKING = pd.DataFrame(
    {
        "age": [10.0, 20.0, 30.0, 40.0, np.nan],
        "job": ["nurse", "nurse", "nurse", "cook", "pilot"],
        "town": ["a", "a", "b", "b", "b"],
    }
)
AVATARS = pd.DataFrame(
    {
        "age": [10.0, 15.0, 30.0, np.nan, np.nan],
        "job": ["nurse", "nurse", "nurse", "pilot", "pilot"],
        "town": ["a", "b", "a", "b", "a"],
    }
)
HOLDOUT = pd.DataFrame({"age": [10.0, 11.0], "job": ["nurse", "cook"], "town": ["a", "b"]})


def of(tables: list[Table], linked: bool, min_count: int) -> Copies:
    working, avatars, holdout = tables
    return copies(working, avatars, holdout, linked, min_count)


def counted(tables_of: TablesOf, linked: bool = True) -> Copies:
    return of(tables_of(WORKING, AVATARS, HOLDOUT), linked, 2)


def test_rows_and_cells_are_shared_as_worked_by_hand(tables_of: TablesOf) -> None:
    found = counted(tables_of)
    # avatar 0 is original 0; avatar 3 is original 4, not its own
    assert (found.rows_any_original, found.rows_own, found.rows_holdout) == (40.0, 20.0, 50.0)
    age, job, town = found.columns
    assert (age.name, age.any_original, age.own, age.holdout) == ("age", 80.0, 60.0, 50.0)
    assert (job.name, job.any_original, job.own, job.holdout) == ("job", 100.0, 80.0, 100.0)
    assert (town.name, town.any_original, town.own, town.holdout) == ("town", 100.0, 40.0, 100.0)


def test_rare_levels_are_those_of_fewer_than_min_count_originals(tables_of: TablesOf) -> None:
    # below 2 individuals: cook, which no avatar has, and pilot, which two have; the holdout has cook
    assert counted(tables_of).levels == Survivors(
        originals=2,
        surviving=1,
        unique=2,
        unique_surviving=1,
        avatars_carrying=2,
        holdout_surviving=1,
    )


def test_rare_combinations_count_pairs_of_categories(tables_of: TablesOf) -> None:
    found = counted(tables_of)
    # once each: nurse in b, cook in b, pilot in b; avatars keep nurse in b and pilot in b
    assert found.pairs_of_levels == Survivors(3, 2, 3, 2, 2, 1)
    assert found.pairs_of_columns == (1, 1)


def test_a_missing_pattern_of_one_person_is_counted_where_avatars_repeat_it(tables_of: TablesOf) -> None:
    assert counted(tables_of).missing_patterns == Survivors(1, 1, 1, 1, 2, 0)


def test_a_missing_code_is_a_value_like_another(tables_of: TablesOf) -> None:
    pays = [[5.0, 6.0, -7.0], [-7.0, np.nan, -9.0], [np.nan, -9.0, 5.0]]
    tables = tables_of(*(pd.DataFrame({"pay": pay}) for pay in pays), pay=Declaration(missing_codes=(-7, -9)))
    found = of(tables, linked=True, min_count=5)
    (pay,) = found.columns
    # of the avatars only −7 is an original, and not its own; of the holdout only 5
    assert pay.own == 0.0
    assert (pay.any_original, pay.holdout) == pytest.approx((100 / 3, 100 / 3))
    assert found.rows_any_original == pytest.approx(100 / 3)


def test_unlinked_rows_have_no_own_copy(tables_of: TablesOf) -> None:
    found = counted(tables_of, linked=False)
    assert found.rows_own == NotComputed("rows are not linked")
    assert {column.own for column in found.columns} == {NotComputed("rows are not linked")}


def test_a_perfect_copy_is_copied_entirely(tables_of: TablesOf, patients: Patients) -> None:
    people = patients(150, 0)
    found = of(tables_of(people, people, patients(150, 1)), linked=True, min_count=5)
    assert (found.rows_any_original, found.rows_own, found.rows_holdout) == (100.0, 100.0, 0.0)
    assert {(column.any_original, column.own) for column in found.columns} == {(100.0, 100.0)}
    assert found.pairs_of_levels.surviving == found.pairs_of_levels.originals


def test_a_table_without_categories_has_no_level_to_lose(tables_of: TablesOf) -> None:
    frame = pd.DataFrame({"x": np.arange(8.0)})
    found = of(tables_of(frame, frame, frame), linked=True, min_count=5)
    assert found.levels == found.pairs_of_levels == Survivors(0, 0, 0, 0, 0, 0)
    assert found.pairs_of_columns == (0, 0)


def test_many_pairs_are_bounded_and_said_to_be(tables_of: TablesOf) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{j:02}": rng.choice(["x", "y"], 30) for j in range(30)})
    found = of(tables_of(frame, frame, frame), linked=False, min_count=5)
    assert found.pairs_of_columns == (300, 435)


def test_only_the_internal_list_names_levels(tables_of: TablesOf) -> None:
    working, avatars, _ = tables_of(WORKING, AVATARS, HOLDOUT)
    (job,) = named_levels(working, avatars, 2)
    assert (job.column, job.levels) == ("job", (("pilot", 1, 2),))
    assert "pilot" not in repr(counted(tables_of))


@pytest.mark.parametrize("seed", range(3))
def test_counts_do_not_depend_on_the_order_of_the_rows(
    tables_of: TablesOf, patients: Patients, seed: int
) -> None:
    frames = [patients(80, 0), patients(80, 1), patients(80, 2)]
    mixed = [frame.sample(frac=1, random_state=seed) for frame in frames]
    assert of(tables_of(*frames), linked=False, min_count=5) == of(
        tables_of(*mixed), linked=False, min_count=5
    )


@pytest.mark.parametrize("countable", [0, 1_000_000])
def test_combinations_counted_in_a_table_or_numbered_give_the_same(
    tables_of: TablesOf, monkeypatch: pytest.MonkeyPatch, countable: int
) -> None:
    monkeypatch.setattr(import_module("sosie.attacks.copies"), "_COUNTABLE", countable)
    assert counted(tables_of).pairs_of_levels == Survivors(3, 2, 3, 2, 2, 1)
    assert counted(tables_of).levels == Survivors(2, 1, 2, 1, 2, 1)
