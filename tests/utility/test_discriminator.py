"""The discriminator: it guesses between halves of the same people and sees what is different."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table
from sosie.estimates import NotComputed
from sosie.utility.discriminator import FEW_ROWS, Discriminator, auc_interval, discriminate

Tables = Callable[..., tuple[Table, Table, Table]]


def people(seed: int, n: int = 400) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    x = draw.normal(size=n)
    frame = pd.DataFrame({"x": x, "y": x + draw.normal(size=n), "c": draw.choice(list("abc"), n)})
    return frame.mask(draw.random(frame.shape) < 0.05)


def told_apart(tables: Tables, *frames: pd.DataFrame) -> Discriminator:
    found = discriminate(*tables(*frames), np.random.default_rng(0))
    assert isinstance(found, Discriminator)
    return found


def test_people_of_the_same_kind_are_not_told_apart(tables: Tables) -> None:
    found = told_apart(tables, people(0), people(1), people(2))
    assert found.avatars.low < 0.5 < found.avatars.high
    assert found.control.low < 0.5 < found.control.high
    assert found.rows == 400


def test_shrunken_avatars_are_told_apart_and_their_control_is_not(tables: Tables) -> None:
    found = told_apart(tables, people(0), people(1)[["x", "y"]].mul(0.5).assign(c=people(1)["c"]), people(2))
    assert found.avatars.low > 0.55
    assert found.control.low < 0.5


def test_a_lost_relation_between_columns_is_seen_although_each_column_is_right(tables: Tables) -> None:
    avatars = people(1)
    avatars["y"] = avatars["y"].sample(frac=1, random_state=0).to_numpy()
    assert told_apart(tables, people(0), avatars, people(2)).avatars.low > 0.55


def test_avatars_that_give_themselves_away_score_1_with_an_interval_below(tables: Tables) -> None:
    found = told_apart(tables, people(0), people(1).assign(x=99.0), people(2))
    assert found.avatars.value == found.avatars.high == 1
    assert 0.97 < found.avatars.low < 1


def test_equal_seeds_give_equal_figures_and_sides_are_as_many(tables: Tables) -> None:
    frames = people(0), people(1, 300), people(2, 350)
    assert told_apart(tables, *frames) == told_apart(tables, *frames)
    assert told_apart(tables, *frames).rows == 300


def test_wide_categories_empty_columns_and_constants_are_taken(tables: Tables) -> None:
    def odd(seed: int) -> pd.DataFrame:
        levels = np.random.default_rng(seed).choice([f"l{i}" for i in range(390)], 400)
        return people(seed).assign(many=levels, empty=np.nan, gone=None, one=1.0)

    assert told_apart(tables, odd(0), odd(1), odd(2)).avatars.low < 0.55


def test_gaps_that_avatars_lack_give_them_away(tables: Tables) -> None:
    avatars = people(1).fillna({"x": 0.0, "y": 0.0, "c": "a"})
    assert told_apart(tables, people(0), avatars, people(2)).avatars.low > 0.5


def test_the_interval_holds_a_guess_about_95_times_in_100(tables: Tables) -> None:
    columns = ["x", "y"]
    missed = 0
    for seed in range(20):
        sides = tables(*(people(3 * seed + side, 200)[columns] for side in range(3)))
        found = discriminate(*sides, np.random.default_rng(seed))
        assert isinstance(found, Discriminator)
        missed += sum(not area.low <= 0.5 <= area.high for area in (found.avatars, found.control))
    assert missed <= 5  # of 40; folds instead of halves miss 7 and more


def test_too_few_rows_are_a_reason(tables: Tables) -> None:
    found = discriminate(*tables(people(0), people(1, 20), people(2)), np.random.default_rng(0))
    assert found == NotComputed(FEW_ROWS)


def test_the_interval_mirrors_and_narrows_and_holds_the_area() -> None:
    some, mirrored, many = auc_interval(0.8, 50, 40), auc_interval(0.2, 50, 40), auc_interval(0.8, 5000, 4000)
    assert some.low < 0.8 < some.high
    assert (1 - some.high, 1 - some.low) == pytest.approx((mirrored.low, mirrored.high))
    assert many.high - many.low < (some.high - some.low) / 8
    assert auc_interval(0.0, 50, 40).low == 0


def test_the_interval_of_a_guess_is_about_that_of_the_rank_sum_test() -> None:
    found = auc_interval(0.5, 200, 300)
    error = np.sqrt((200 + 300 + 1) / (12 * 200 * 300))  # Mann–Whitney U / mn under the null hypothesis
    assert found.high - 0.5 == pytest.approx(1.96 * error, rel=0.02)
