"""Nearest avatars in the raw columns against distances worked by hand and an all-pairs reference."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from sosie import _gower
from sosie.attacks.cells import Cells, cells_of
from sosie.attacks.gower import GowerSpace, Targets, gower_space, targets_in
from sosie.attacks.gower_search import nearest_avatars, nearest_without
from sosie.attacks.rates import NotMeasurableError

TablesOf = Callable[..., Any]  # as many tables as frames
Patients = Callable[[int, int], pd.DataFrame]


def cells(*columns: list[float], numeric: tuple[bool, ...] | None = None) -> Cells:
    names = tuple("abcdefgh"[: len(columns)])
    values = tuple(np.array(column, dtype=float) for column in columns)
    states = tuple(np.isnan(column).astype(np.int8) for column in values)
    return Cells(names, numeric or (True,) * len(columns), values, states)


def distances(avatars: Cells, targets: Cells, columns: list[int] | None = None) -> list[list[float]]:
    """All distances to all avatars, in the avatars' order."""
    space = gower_space(avatars)
    asked = columns or list(range(len(avatars.names)))
    found, rows = nearest_avatars(space, targets_in(space, targets), asked, len(avatars))
    ordered: list[list[float]] = np.take_along_axis(found, np.argsort(rows, axis=1), axis=1).tolist()
    return ordered


def by_hand(avatars: Cells, targets: Cells, columns: list[int]) -> NDArray[np.float64]:
    total = np.zeros((len(targets), len(avatars)))
    for j in columns:
        here, there = targets.columns[j][:, None], avatars.columns[j][None, :]
        span = np.nanmax(avatars.columns[j]) - np.nanmin(avatars.columns[j])
        apart = np.abs(here - there) / span if avatars.numeric[j] and span > 0 else (here != there) * 1.0
        either, both = np.isnan(here) | np.isnan(there), np.isnan(here) & np.isnan(there)
        total += np.where(both, 0.0, np.where(either, 1.0, apart))
    return total / len(columns)


def test_a_number_counts_by_the_avatars_range_and_a_category_by_equality() -> None:
    avatars = cells([0, 10], [1, 2], numeric=(True, False))
    assert distances(avatars, cells([5], [1], numeric=(True, False))) == [[0.25, 0.75]]


def test_a_gap_equals_a_gap_and_nothing_else() -> None:
    gap = float("nan")
    avatars = cells([0, 10, gap], [1, gap, 2], numeric=(True, False))
    assert distances(avatars, cells([gap], [gap], numeric=(True, False))) == [[1.0, 0.5, 0.5]]


def test_missing_codes_differ_from_gaps_from_each_other_and_from_numbers() -> None:
    def paid(states: list[int]) -> Cells:
        held = np.array(states, dtype=np.int8)
        return Cells(("pay",), (True,), (np.where(held == 0, 1.0, np.nan),), (held,))

    everything = paid([0, 1, 2, 3, 127])
    found = np.array(distances(everything, everything))
    np.testing.assert_array_equal(found, 1 - np.eye(5))


def test_the_last_missing_code_is_no_number_either() -> None:
    states = np.array([0, 0, 127], dtype=np.int8)
    pay = Cells(("pay",), (True,), (np.array([0.0, 10.0, np.nan]),), (states,))
    assert distances(pay, pay)[1] == [1.0, 0.0, 1.0]


def test_a_number_beyond_the_range_keeps_its_full_distance() -> None:
    assert distances(cells([0, 10]), cells([30, -10])) == [[3.0, 2.0], [1.0, 2.0]]


def test_a_constant_column_counts_as_a_category() -> None:
    assert distances(cells([4, 4]), cells([4, 5])) == [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_nearest_are_those_of_an_all_pairs_search(
    tables_of: TablesOf, patients: Patients, count: int, workers: int
) -> None:
    avatars, targets = (cells_of(table) for table in tables_of(patients(1_500, 0), patients(90, 1)))
    space = gower_space(avatars)
    for columns in ([0, 1, 2, 3, 4], [4], [1, 3]):
        expected = by_hand(avatars, targets, columns)
        found, rows = nearest_avatars(space, targets_in(space, targets), columns, count, workers)
        np.testing.assert_allclose(found, np.sort(expected, axis=1)[:, :count], atol=1e-6)
        np.testing.assert_allclose(np.take_along_axis(expected, rows, axis=1), found, atol=1e-6)
        assert all(len(set(row)) == count for row in rows)


def drawn(rng: np.random.Generator, rows: int, numeric: tuple[bool, ...], held: int) -> Cells:
    """Cells of few values, so that many rows are tied, with gaps, missing codes and a column that is constant."""
    columns, states = [], []
    for j, number in enumerate(numeric):
        values = rng.integers(0, 1 if j == 1 else held, rows).astype(float)
        state = (rng.integers(0, 12, rows) - 9).clip(0, 3 if number else 1).astype(np.int8)
        columns.append(np.where(state == 0, values, np.nan))
        states.append(state)
    return Cells(tuple(range(len(numeric))), numeric, tuple(columns), tuple(states))


def all_pairs(space: GowerSpace, targets: Targets, columns: Sequence[int]) -> NDArray[np.int64]:
    """(targets, avatars) distances in units, of which a column's is at most one."""
    total = np.zeros((len(targets), space.avatars), dtype=np.int64)
    for j in columns:
        apart = np.abs(targets.grid[j][:, None].astype(np.int64) - space.grid[j])
        total += np.minimum(apart, space.unit) if space.numeric[j] else (apart > 0) * space.unit
    return total


@pytest.mark.parametrize("rows", [1, 2, 63, 64, 65, 128, 129, 4_096, 4_097, 5_000])
@pytest.mark.parametrize(
    "numeric",
    [(True, True, True), (False, False, False), (True, False, False, True, True), (False,)],
    ids=str,
)
@pytest.mark.parametrize("held", [3, 1_000])
def test_rows_and_ties_are_those_of_all_pairs_whatever_the_leaves(
    rows: int, numeric: tuple[bool, ...], held: int
) -> None:
    rng = np.random.default_rng(rows)
    space = gower_space(drawn(rng, rows, numeric, held))
    targets = targets_in(space, drawn(rng, 40, numeric, held))
    columns = list(range(len(numeric)))
    expected = np.argsort(all_pairs(space, targets, columns), axis=1, kind="stable")
    for count in sorted({1, min(3, rows), min(200, rows)}):
        np.testing.assert_array_equal(nearest_avatars(space, targets, columns, count)[1], expected[:, :count])
    if len(columns) > 1:
        found = nearest_without(space, targets, columns, columns)
        for secret in columns:
            total = all_pairs(space, targets, [j for j in columns if j != secret])
            np.testing.assert_array_equal(found[secret], total.argmin(axis=1))


def test_all_avatars_are_found_once_each_the_nearest_first() -> None:
    rng = np.random.default_rng(1)
    space = gower_space(drawn(rng, 700, (True, False, True), 4))
    targets = targets_in(space, drawn(rng, 5, (True, False, True), 4))
    _, rows = nearest_avatars(space, targets, [0, 1, 2], 700)
    np.testing.assert_array_equal(
        rows, np.argsort(all_pairs(space, targets, [0, 1, 2]), axis=1, kind="stable")
    )


def test_as_many_columns_as_there_may_be_add_up_in_full() -> None:
    rng, numeric = np.random.default_rng(2), (True, False) * 512
    space = gower_space(drawn(rng, 200, numeric, 5))
    targets = targets_in(space, drawn(rng, 20, numeric, 5), drawn(rng, 20, numeric, 50_000))
    columns = range(1_024)
    expected = all_pairs(space, targets, columns)
    _, rows = nearest_avatars(space, targets, columns, 3)
    np.testing.assert_array_equal(rows, np.argsort(expected, axis=1, kind="stable")[:, :3])
    found = nearest_without(space, targets, columns, [0, 1_023])
    for secret, guessed in zip([0, 1_023], found, strict=True):
        total = expected - all_pairs(space, targets, [secret])
        np.testing.assert_array_equal(guessed, total.argmin(axis=1))


def test_among_equals_the_first_rows_are_taken() -> None:
    avatars = cells([3, 1, 1, 1, 5])
    space = gower_space(avatars)
    _, rows = nearest_avatars(space, targets_in(space, cells([1])), [0], 2)
    assert rows.tolist() == [[1, 2]]


def test_leaving_a_column_out_is_searching_the_others(tables_of: TablesOf, patients: Patients) -> None:
    avatars, targets = (cells_of(table) for table in tables_of(patients(200, 2), patients(60, 3)))
    space = gower_space(avatars)
    asked = targets_in(space, targets)
    for known in ([0, 1, 2, 3, 4], [1, 3]):
        found = nearest_without(space, asked, known, [0, 1, 3])
        for secret, rows in zip([0, 1, 3], found, strict=True):
            others = [j for j in known if j != secret]
            np.testing.assert_array_equal(rows, nearest_avatars(space, asked, others)[1][:, 0])


def test_more_than_255_categories_are_counted_in_full() -> None:
    width = 300
    avatars, target = (
        Cells(
            tuple(range(width)),
            (False,) * width,
            (np.array(codes),) * width,
            (np.zeros(len(codes), dtype=np.int8),) * width,
        )
        for codes in ([0.0, 1.0], [2.0])
    )
    assert distances(avatars, target) == [[1.0, 1.0]]


def test_levels_that_a_byte_cannot_tell_apart_are_different_still() -> None:
    avatars, target = (
        Cells(("place",), (False,), (np.array(codes),), (np.zeros(len(codes), dtype=np.int8),))
        for codes in ([256.0, 512.0, 0.0, 255.0, np.nan], [0.0])
    )
    assert distances(avatars, target) == [[1.0, 1.0, 0.0, 1.0, 1.0]]


def test_nothing_known_and_no_avatar_are_refused() -> None:
    space = gower_space(cells([0, 1]))
    with pytest.raises(NotMeasurableError, match="at least one other"):
        nearest_without(space, targets_in(space, cells([0])), [0], [0])
    with pytest.raises(ValueError, match="1 to 2 of them: 1 columns, 3 asked"):
        nearest_avatars(space, targets_in(space, cells([0])), [0], 3)
    with pytest.raises(NotMeasurableError, match="0 avatars, 1 columns"):
        gower_space(cells([]))


@pytest.mark.parametrize("columns", [3, 5, 15, 17])
def test_targets_that_share_no_level_have_the_first_avatar_at_distance_1(columns: int) -> None:
    rng = np.random.default_rng(0)

    def levels(least: int, rows: int) -> Cells:
        held = tuple(rng.integers(least, least + 60, rows).astype(float) for _ in range(columns))
        states = tuple(np.zeros(rows, dtype=np.int8) for _ in range(columns))
        return Cells(tuple(f"c{j}" for j in range(columns)), (False,) * columns, held, states)

    space = gower_space(levels(0, 60))
    targets = targets_in(space, levels(60, 40))
    found, rows = nearest_avatars(space, targets, list(range(columns)), 2)
    np.testing.assert_array_equal(found, np.ones((40, 2)))
    np.testing.assert_array_equal(rows, np.tile([0, 1], (40, 1)))
    np.testing.assert_array_equal(
        nearest_without(space, targets, list(range(columns)), [0, 1]), np.zeros((2, 40))
    )


@pytest.mark.parametrize(
    ("cells", "numeric", "unit", "message"),
    [
        (5, 2, 1, "sizes"),
        (0, 2, 1, "sizes"),
        (4, 0, 1, "sizes"),
        (4, 2, 0, "int32"),
        (4, 2, -1, "int32"),
        (4, 2, 2**30, "int32"),
    ],
)
def test_avatars_whose_distances_or_sizes_do_not_fit_are_refused(
    cells: int, numeric: int, unit: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _gower.leaves(np.zeros(cells, dtype=np.int32), np.ones(numeric, dtype=bool), unit)


@pytest.mark.parametrize(
    ("asked", "left_out", "count", "places", "message"),
    [
        (5, [-1], 1, 2, "sizes"),
        (4, [-1], 1, 3, "sizes"),
        (4, [], 1, 0, "sizes"),
        (4, [-1, 0], 1, 2, "sizes"),
        (4, [2], 1, 2, "no such column"),
        (4, [-2], 1, 2, "no such column"),
        (4, [-1], 0, 0, "count"),
        (4, [-1], 4, 8, "count"),
    ],
)
def test_targets_whose_sizes_do_not_fit_are_refused(
    asked: int, left_out: list[int], count: int, places: int, message: str
) -> None:
    leaves = _gower.leaves(np.zeros((2, 3), dtype=np.int32), np.ones(2, dtype=bool), 1)
    targets, without = np.zeros(asked, dtype=np.int32), np.array(left_out, dtype=np.int32)
    with pytest.raises(ValueError, match=message):
        _gower.nearest(leaves, targets, without, count, np.empty(places, dtype=np.int64))


def test_numbers_below_0_are_refused_and_categories_are_not() -> None:
    low = np.array([[0, -1], [-5, 0]], dtype=np.int32)
    with pytest.raises(ValueError, match="below 0"):
        _gower.leaves(low, np.array([True, False]), 1)
    leaves = _gower.leaves(np.abs(low), np.array([True, False]), 1)
    found, without = np.empty(2, dtype=np.int64), np.array([-1], dtype=np.int32)
    with pytest.raises(ValueError, match="below 0"):
        _gower.nearest(leaves, low, without, 1, found)
    _gower.nearest(_gower.leaves(low, np.array([False, False]), 1), low, without, 1, found)


def test_distances_as_far_as_int32_goes_are_found_once_each() -> None:
    codes, far = np.arange(150, dtype=np.int32), 2**31 - 2
    leaves = _gower.leaves(codes, np.zeros(1, dtype=bool), far)
    found = np.empty(150, dtype=np.int64)
    _gower.nearest(leaves, codes[:1], np.array([-1], dtype=np.int32), 150, found)
    np.testing.assert_array_equal(found, far * (codes > 0) * 2**32 + codes)
