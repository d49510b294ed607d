"""Associations before and after: what is averaged, over which pairs, beside what chance does."""

from collections.abc import Callable
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from sosie.associations import CONSTANT, REASONS
from sosie.columns import Table
from sosie.estimates import NotComputed
from sosie.utility.association_change import (
    BEYOND,
    LOST,
    NO_PAIR,
    ONE_COLUMN,
    AssociationChange,
    Uncounted,
    association_change,
)

Tables = Callable[..., tuple[Table, Table, Table]]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def people(seed: int, n: int = 500) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    x = draw.normal(size=n)
    return pd.DataFrame(
        {"x": x, "y": x + draw.normal(size=n), "c": np.where(x + draw.normal(size=n) > 0, "a", "b")}
    )


def change(tables: Tables, *frames: pd.DataFrame) -> AssociationChange:
    found = association_change(*tables(*frames), rng())
    assert isinstance(found, AssociationChange)
    return found


def test_identical_tables_differ_by_0_over_all_pairs(tables: Tables) -> None:
    found = change(tables, people(0), people(0), people(1))
    assert found.mean_difference.value == found.max_difference.value == 0
    assert found.mean_difference.reference is not None
    assert 0 < found.mean_difference.reference < 0.1
    assert (found.computed, found.pairs, found.uncounted) == (3, 3, ())


def test_a_correlation_that_is_reversed_is_the_worst_pair(tables: Tables) -> None:
    before = people(0)
    found = change(tables, before, before.assign(y=-before["y"]), people(1))
    r = np.corrcoef(before["x"], before["y"])[0, 1]
    assert found.max_difference.value == pytest.approx(2 * r)
    assert found.mean_difference.value == pytest.approx(2 * r / 3)
    assert (found.worst.first, found.worst.second) == ("x", "y")
    assert (found.worst.originals, found.worst.avatars) == (round(r, 4), round(-r, 4))


def test_a_pair_that_avatars_lose_is_counted_and_not_averaged(tables: Tables) -> None:
    before = people(0)
    found = change(tables, before, before.assign(c="a"), people(1))
    assert (found.computed, found.pairs) == (1, 3)
    assert found.uncounted == (Uncounted(LOST, 2),)
    assert found.avatars[0][2] is None
    assert found.originals[0][2] is not None
    assert found.difference[0][2] is None


def test_a_constant_original_is_counted_with_its_reason(tables: Tables) -> None:
    frames = [people(seed).assign(k=1.0) for seed in (0, 0, 1)]
    assert change(tables, *frames).uncounted == (Uncounted(REASONS[CONSTANT], 3),)


def test_one_column_has_no_pair_and_constants_have_none_to_compute(tables: Tables) -> None:
    alone = people(0)[["x"]]
    assert association_change(*tables(alone, alone, alone), rng()) == NotComputed(ONE_COLUMN)
    flat = pd.DataFrame({"a": [1.0] * 20, "b": ["x"] * 20})
    assert association_change(*tables(flat, flat, flat), rng()) == NotComputed(NO_PAIR)


def test_many_columns_are_summed_up_whole_and_shown_in_part(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("sosie.utility.association_change")  # the package's attribute is the function
    monkeypatch.setattr(module, "MOST_COLUMNS", 4)
    monkeypatch.setattr(module, "MOST_SHOWN", 2)
    before = pd.DataFrame(rng().normal(size=(60, 5)), columns=list("abcde"))
    found = change(tables, before, before.assign(b=before["d"]), before)
    assert (found.pairs, found.computed) == (10, 6)
    assert found.uncounted == (Uncounted(BEYOND, 4),)
    assert found.names == ("b", "d")
    assert found.avatars == ((1.0, 1.0), (1.0, 1.0))


def test_the_order_of_rows_changes_no_figure(tables: Tables) -> None:
    frames = [people(seed) for seed in range(3)]
    found = change(tables, *frames)
    other = change(tables, *(frame.iloc[::-1] for frame in frames))
    assert other.mean_difference.value == pytest.approx(found.mean_difference.value)
    assert other.originals == found.originals
