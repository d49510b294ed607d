"""Membership against distances worked by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.attacks import Membership, isolated_rows, membership_density, membership_projected, membership_raw
from sosie.attacks.membership import candidates_of
from sosie.columns import Floats, Mask, Table
from sosie.estimates import Estimate, NotComputed

TablesOf = Callable[..., Any]  # as many tables as frames
Patients = Callable[[int, int], pd.DataFrame]


def line(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)[:, None]


def nobody(*sizes: int) -> tuple[Mask, Mask]:
    here, there = (np.zeros(size, dtype=bool) for size in sizes)
    return here, there


def test_distances_on_a_line_give_the_area_worked_by_hand() -> None:
    working, holdout = line(1, 12, 23, 34, 45), line(3, 14, 20.5, 36, 44)
    # nearest avatars 0, 10, 20, 30, 40: members at 1, 2, 3, 4, 5; others at 3, 4, 0.5, 4 (to 40), 4
    found = membership_projected(
        working, line(0, 10, 20, 30, 40), holdout, nobody(5, 5), np.random.default_rng(0)
    )
    # nearer than 3, 4, 4, 4: 1 and 2 by four each; 3 ties once and beats three; 4 ties three; 5 none
    assert found.overall.auc.value == pytest.approx((4 + 4 + 3.5 + 1.5) / 25)
    assert found.attack == "nearest avatar, projected"
    assert not found.sampled
    assert isinstance(found.isolated, NotComputed)


def test_the_most_isolated_are_those_farthest_from_any_other_original_on_each_side() -> None:
    working, holdout = np.arange(40.0), np.arange(40.0) + 0.4
    working[7], holdout[11] = 1000, 2000
    here, there = isolated_rows(working[:, None], holdout[:, None])
    assert np.flatnonzero(here).tolist() == [7]
    assert np.flatnonzero(there).tolist() == [11]


def test_the_isolated_are_attacked_apart() -> None:
    rng = np.random.default_rng(0)
    working, holdout = rng.normal(size=(400, 2)), rng.normal(size=(400, 2))
    isolated = isolated_rows(working, holdout)
    # only the isolated members are in the avatars
    avatars = np.vstack([rng.normal(size=(390, 2)), working[isolated[0]]])
    found = membership_projected(working, avatars, holdout, isolated, rng)
    assert not isinstance(found.isolated, NotComputed)
    assert (found.isolated.members, found.isolated.auc.value) == (10, 1.0)
    assert found.overall.auc.value < 0.6
    assert found.advantage_detected


def run(attack: Callable[..., Membership], tables: list[Table], rng: np.random.Generator) -> Membership:
    """The attack with nobody marked as isolated."""
    return attack(*tables, nobody(len(tables[0]), len(tables[2])), rng)


@pytest.mark.parametrize("attack", [membership_raw, membership_density])
def test_copies_are_all_told_from_strangers(
    tables_of: TablesOf, patients: Patients, attack: Callable[..., Membership]
) -> None:
    people = patients(250, 0)
    tables = tables_of(people, people, patients(250, 1))
    found = run(attack, tables, np.random.default_rng(0))
    assert found.overall.auc.value == 1.0
    level, rate = found.overall.true_positives[0]
    assert isinstance(rate, Estimate)
    assert (level, rate.value) == (0.01, 1.0)
    assert found.roc[1] == (0.0, 1.0)


def test_a_density_ratio_finds_avatars_in_places_where_people_are_rare(tables_of: TablesOf) -> None:
    rng = np.random.default_rng(3)
    # people crowd around 0 and are spread thin up to 1000; avatars miss everybody by a thousandth of what is usual
    # there
    place = rng.exponential(1, 600) ** 4
    members, strangers = place[:300], place[300:]
    avatars = members + rng.normal(0, 1, 300) * members * 0.02
    tables = tables_of(*(pd.DataFrame({"x": values}) for values in (members, avatars, strangers)))
    plain, ratio = (run(attack, tables, rng) for attack in (membership_raw, membership_density))
    assert ratio.overall.auc.value > plain.overall.auc.value + 0.05
    assert (ratio.overall.members, ratio.overall.others) == (
        300,
        150,
    )  # half of the holdout is the attacker's


def test_a_perfect_copy_among_duplicates_is_a_tie_not_a_failure(tables_of: TablesOf) -> None:
    frame = pd.DataFrame({"ward": ["a", "b"] * 20, "age": [1, 2] * 20})
    with pytest.raises(ValueError, match="all 80 rows score the same"):
        run(membership_raw, tables_of(frame, frame, frame), np.random.default_rng(0))


def test_targets_beyond_the_bound_are_drawn_and_said_to_be() -> None:
    isolated = (np.arange(1000) < 100, np.arange(40) < 10)
    drawn = candidates_of(isolated, 80, np.random.default_rng(0))
    assert drawn.sampled
    assert [int(drawn.working_drawn.sum()), int(drawn.holdout_drawn.sum())] == [80, 40]
    assert [int(drawn.working_isolated.sum()), int(drawn.holdout_isolated.sum())] == [20, 10]
    assert not candidates_of(isolated, 1000, np.random.default_rng(0)).sampled


def test_intervals_of_strangers_hold_one_half(tables_of: TablesOf, patients: Patients) -> None:
    tables = tables_of(patients(200, 0), patients(200, 1), patients(200, 2))
    for attack in (membership_raw, membership_density):
        auc = run(attack, tables, np.random.default_rng(0)).overall.auc
        assert isinstance(auc, Estimate)
        assert auc.low < 0.5 < auc.high
