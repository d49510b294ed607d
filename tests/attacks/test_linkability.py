"""Linkability against links worked by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.attacks import column_groups, linkability
from sosie.attacks.rates import Rate

TablesOf = Callable[..., Any]  # as many tables as frames
Patients = Callable[[int, int], pd.DataFrame]


def test_a_target_is_linked_when_both_parties_name_one_avatar(tables_of: TablesOf) -> None:
    working, avatars, holdout = tables_of(
        pd.DataFrame({"x": [1.0, 9.0, 1.0], "y": [2.0, 8.0, 9.0]}),
        pd.DataFrame({"x": [0.0, 10.0], "y": [0.0, 10.0]}),
        pd.DataFrame({"x": [1.0, 9.0, 9.0], "y": [9.0, 8.0, 1.0]}),
    )
    # (1, 2) and (9, 8) lie at one avatar in both columns, (1, 9) at two; of the holdout only (9, 8)
    attack = linkability(working, avatars, holdout, (("x",), ("y",)), 10, np.random.default_rng(0))
    assert (attack.main, attack.control) == (Rate(2, 3), Rate(1, 3))
    assert attack.baseline.attempts == 3
    assert attack.worst == '"x"'


def test_two_names_each_link_when_one_is_common(tables_of: TablesOf) -> None:
    working, avatars, holdout = tables_of(
        pd.DataFrame({"x": [1.0], "y": [6.0]}),
        pd.DataFrame({"x": [0.0, 4.0, 10.0, 20.0], "y": [0.0, 4.0, 10.0, 20.0]}),
        pd.DataFrame({"x": [0.0], "y": [20.0]}),
    )
    groups = (("x",), ("y",))
    alone = linkability(working, avatars, holdout, groups, 10, np.random.default_rng(0), neighbours=1)
    pairs = linkability(working, avatars, holdout, groups, 10, np.random.default_rng(0), neighbours=2)
    # x names 0 then 4, y names 4 then 10; of the holdout x names 0 then 4, y names 20 then 10
    assert (alone.main.successes, alone.control.successes) == (0, 0)
    assert (pairs.main.successes, pairs.control.successes) == (1, 0)


def test_copies_are_linked_and_strangers_by_chance_only(tables_of: TablesOf, patients: Patients) -> None:
    working, avatars, holdout = tables_of(patients(200, 0), patients(200, 0), patients(200, 1))
    groups = (("age", "kg"), ("dose", "ward"))
    attack = linkability(working, avatars, holdout, groups, 500, np.random.default_rng(0))
    assert attack.main.value > 0.8
    assert attack.control.value < 0.1
    assert attack.baseline.value < 0.05
    assert attack.advantage_detected


def test_attempts_bound_the_targets_of_each_side(tables_of: TablesOf, patients: Patients) -> None:
    working, avatars, holdout = tables_of(patients(90, 0), patients(80, 2), patients(30, 1))
    attack = linkability(working, avatars, holdout, (("age",), ("kg",)), 50, np.random.default_rng(0))
    assert (attack.main.attempts, attack.control.attempts, attack.baseline.attempts) == (50, 30, 50)


def test_columns_are_dealt_by_their_number_of_distinct_values(tables_of: TablesOf) -> None:
    rng = np.random.default_rng(0)
    sizes = {"a": 2, "b": 9, "c": 300, "d": 30, "e": 90}
    frame = pd.DataFrame({name: rng.integers(0, size, 400) for name, size in sizes.items()})
    (table,) = tables_of(frame)
    (turned,) = tables_of(frame[["e", "a", "d", "c", "b"]])
    # c, e, d, b, a by distinct values: 1-2-2-1-1
    assert column_groups(table) == (("a", "b", "c"), ("d", "e"))
    assert column_groups(turned) == column_groups(table)


def test_named_columns_stand_against_all_others(tables_of: TablesOf, patients: Patients) -> None:
    (table,) = tables_of(patients(50, 0))
    assert column_groups(table, ["ward", "age"]) == (("age", "ward"), ("dose", "kg", "sick"))


def test_a_party_without_a_column_cannot_link(tables_of: TablesOf) -> None:
    (table,) = tables_of(pd.DataFrame({"age": range(9)}))
    with pytest.raises(ValueError, match="1 named and 0 others among 1 columns"):
        column_groups(table)
