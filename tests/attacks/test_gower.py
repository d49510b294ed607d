"""Nearest avatars in the raw columns against distances worked by hand and an all-pairs reference."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from sosie.attacks import gower_search
from sosie.attacks.cells import Cells, cells_of
from sosie.attacks.gower import gower_space, targets_in
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


def test_a_number_beyond_the_range_keeps_its_full_distance() -> None:
    assert distances(cells([0, 10]), cells([30, -10])) == [[3.0, 2.0], [1.0, 2.0]]


def test_a_constant_column_counts_as_a_category() -> None:
    assert distances(cells([4, 4]), cells([4, 5])) == [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("many", [0.0, 1.0])
def test_the_nearest_are_those_of_an_all_pairs_search(
    tables_of: TablesOf,
    patients: Patients,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    workers: int,
    many: float,
) -> None:
    monkeypatch.setattr(gower_search, "_MANY", many)
    monkeypatch.setattr(gower_search, "_TARGETS_AT_ONCE", 20)
    monkeypatch.setattr(gower_search, "_LOOKED_AT_FIRST", 1)
    monkeypatch.setattr(gower_search, "_PAIRS_AT_ONCE", 37)
    avatars, targets = (cells_of(table) for table in tables_of(patients(1_500, 0), patients(90, 1)))
    space = gower_space(avatars)
    for columns in ([0, 1, 2, 3, 4], [4], [1, 3]):
        expected = by_hand(avatars, targets, columns)
        found, rows = nearest_avatars(space, targets_in(space, targets), columns, count, workers)
        np.testing.assert_allclose(found, np.sort(expected, axis=1)[:, :count], atol=1e-6)
        np.testing.assert_allclose(np.take_along_axis(expected, rows, axis=1), found, atol=1e-6)
        assert all(len(set(row)) == count for row in rows)


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
    """The bytes that are compared first are full there: 255 steps at these numbers of columns."""
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
