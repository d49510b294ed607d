"""Singling out against conditions and counts worked by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.attacks import singling_out_multivariate, singling_out_univariate
from sosie.attacks.cells import Cells
from sosie.attacks.predicates import (
    Clause,
    Operator,
    Predicate,
    describing_rows,
    extreme_and_rare,
    is_unique,
    matching_rows,
    random_predicate,
)
from sosie.attacks.rates import Rate

TablesOf = Callable[..., Any]  # as many tables as frames
Patients = Callable[[int, int], pd.DataFrame]

GAP = float("nan")
CELLS = Cells(
    ("age", "ward"),
    (True, False),
    (np.array([10.0, 20, 20, 30, GAP]), np.array([0.0, 1, 1, GAP, GAP])),
    (np.array([0, 0, 0, 0, 1], dtype=np.int8), np.array([0, 0, 0, 1, 1], dtype=np.int8)),
)


def spelled(predicates: list[Predicate]) -> set[str]:
    return {f"{CELLS.names[p[0].column]} {p[0].operator} {p[0].value:g}" for p in predicates}


def test_conditions_on_one_column_are_its_extremes_its_lone_values_and_its_only_gap() -> None:
    # both ages at 20 and the two gaps of ward are no condition on one person
    assert spelled(list(extreme_and_rare(CELLS))) == {
        "age missing 1",
        "age = 10",
        "age = 30",
        "age ≤ 10",
        "age ≥ 30",
        "ward = 0",
    }


@pytest.mark.parametrize(
    ("operator", "rows"),
    [
        ("=", [1, 2]),
        ("≠", [0, 3]),
        ("≤", [0, 1, 2]),
        ("≥", [1, 2, 3]),
        ("<", [0]),
        (">", [3]),
        ("missing", [4]),
        ("present", [0, 1, 2, 3]),
    ],
)
def test_a_gap_satisfies_only_being_missing(operator: Operator, rows: list[int]) -> None:
    value = 1.0 if operator == "missing" else 20.0
    assert matching_rows((Clause(0, operator, value),), CELLS).tolist() == rows


def test_several_conditions_hold_together() -> None:
    predicate = (Clause(0, "≥", 20.0), Clause(1, "=", 1.0))
    assert matching_rows(predicate, CELLS).tolist() == [1, 2]
    assert not is_unique(predicate, CELLS)
    assert is_unique((Clause(0, "≥", 20.0), Clause(1, "missing", 1.0)), CELLS)


def test_a_row_is_described_away_from_the_median_by_its_category_and_its_gaps() -> None:
    rng = np.random.default_rng(0)
    medians = np.array([20.0, GAP])
    found = describing_rows(CELLS, medians, np.array([0, 3]), np.array([[1, 0], [0, 1]]), rng)
    assert found.predicate(0) == (Clause(0, "≤", 10.0), Clause(1, "=", 0.0))
    assert found.predicate(1) == (Clause(0, "≥", 30.0), Clause(1, "missing", 1.0))
    assert found.rare(CELLS).tolist() == [
        len(matching_rows(found.predicate(place), CELLS)) <= 1 for place in (0, 1)
    ]


def test_a_number_on_the_median_goes_either_way_drawn_in_the_order_of_the_rows() -> None:
    rows, columns = np.ones(30, dtype=np.int64), np.zeros((30, 1), dtype=np.int64)
    medians = np.array([20.0, GAP])
    together = describing_rows(CELLS, medians, rows, columns, np.random.default_rng(1))
    rng = np.random.default_rng(1)
    alone = [describing_rows(CELLS, medians, rows[:1], columns[:1], rng).predicate(0) for _ in rows]
    assert [together.predicate(place) for place in range(30)] == alone
    assert set(alone) == {(Clause(0, "≥", 20.0),), (Clause(0, "≤", 20.0),)}
    assert together.ties.tolist() == [1] * 30


def test_random_conditions_use_values_that_exist_and_fitting_operators() -> None:
    rng = np.random.default_rng(0)
    values = tuple(np.unique(column) for column in CELLS.columns)
    drawn = [random_predicate(CELLS, values, np.array([1]), rng) for _ in range(50)]
    assert spelled(drawn) == {
        "ward = 0",
        "ward = 1",
        "ward ≠ 0",
        "ward ≠ 1",
        "ward missing 1",
        "ward present 1",
    }


def test_counts_on_one_column_are_those_worked_by_hand(tables_of: TablesOf) -> None:
    working, avatars, holdout = tables_of(
        pd.DataFrame({"age": [10, 20, 30, 30]}),
        pd.DataFrame({"age": [10, 20, 20, 30]}),
        pd.DataFrame({"age": [25, 25, 25, 25]}),
    )
    # the avatars give =10, =30, ≤10, ≥30: one working row is 10 (twice said), two are 30, no holdout row is any
    attack = singling_out_univariate(working, avatars, holdout, 100, np.random.default_rng(0))
    assert (attack.main, attack.control) == (Rate(2, 4), Rate(0, 4))
    assert attack.worst == "age"


def test_copies_are_singled_out_and_strangers_are_not(tables_of: TablesOf, patients: Patients) -> None:
    working, avatars, holdout = tables_of(patients(200, 0), patients(200, 0), patients(200, 1))
    for attack_on in (singling_out_univariate, singling_out_multivariate):
        attack = attack_on(working, avatars, holdout, 300, np.random.default_rng(2))
        # every condition that fits one avatar fits that very individual
        assert attack.main.successes == attack.main.attempts
        assert attack.risk.value == 1
        assert attack.control.value < 0.5
        assert attack.p_value == 0.001
        assert attack.advantage_detected
        assert attack.better_than_guessing


def test_a_missing_code_is_a_condition_of_its_own() -> None:
    # one gap, one code −7, one code −9 twice over
    cells = Cells(
        ("pay",),
        (True,),
        (np.array([5.0, 5, GAP, GAP, GAP, GAP]),),
        (np.array([0, 0, 1, 2, 3, 3], dtype=np.int8),),
    )
    assert list(extreme_and_rare(cells)) == [(Clause(0, "missing", 1.0),), (Clause(0, "missing", 2.0),)]
    assert matching_rows((Clause(0, "missing", 3.0),), cells).tolist() == [4, 5]


def test_a_larger_side_is_reduced_to_the_smaller(tables_of: TablesOf, patients: Patients) -> None:
    # asked of all 1,000 working rows, 20 of each person, no condition would fit exactly one
    few = patients(50, 0)
    working, avatars, holdout = tables_of(pd.concat([few] * 20), few, patients(50, 1))
    reduced = singling_out_univariate(working, avatars, holdout, 50, np.random.default_rng(0))
    assert 0 < reduced.main.value < 1


def test_equal_rows_are_several_individuals(tables_of: TablesOf, patients: Patients) -> None:
    once = patients(60, 0)
    working, avatars, holdout = tables_of(pd.concat([once, once]), once, patients(120, 1))
    attack = singling_out_multivariate(working, avatars, holdout, 50, np.random.default_rng(0))
    assert attack.main.successes == 0


def test_avatars_of_which_nobody_stands_alone_give_no_condition(tables_of: TablesOf) -> None:
    pair = pd.DataFrame({"ward": ["a", "b"] * 10, "sick": [True, False] * 10})
    working, avatars, holdout = tables_of(pair, pair, pair)
    with pytest.raises(ValueError, match="no value stands alone among the avatars"):
        singling_out_univariate(working, avatars, holdout, 10, np.random.default_rng(0))
    with pytest.raises(
        ValueError, match=r"no combination of 2 columns fits one avatar alone \(400 were tried\)"
    ):
        singling_out_multivariate(working, avatars, holdout, 10, np.random.default_rng(0))


def test_a_table_of_one_column_has_no_combination(tables_of: TablesOf) -> None:
    working, avatars, holdout = tables_of(*[pd.DataFrame({"age": range(9)})] * 3)
    with pytest.raises(ValueError, match="at least two columns"):
        singling_out_multivariate(working, avatars, holdout, 10, np.random.default_rng(0))
