"""Learning: what avatars teach, against what originals teach, for each kind of target."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table
from sosie.errors import InputError
from sosie.estimates import NotComputed
from sosie.utility.learning import (
    FEW_OF_A_LEVEL,
    FEW_ROWS,
    MANY_LEVELS,
    NO_FEATURE,
    NO_SPREAD,
    ONE_LEVEL,
    Learning,
    train_and_test,
)

Tables = Callable[..., tuple[Table, Table, Table]]


def people(seed: int, n: int = 300) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    x = draw.normal(size=n)
    noisy = x + draw.normal(size=n) * 0.5
    return pd.DataFrame(
        {
            "x": pd.Series(x).mask(draw.random(n) < 0.05),
            "ward": np.where(draw.random(n) < 0.8, np.where(x > 0, "high", "low"), "other"),
            "weight": 70 + 10 * noisy,
            "ill": np.where(noisy > 0.5, "yes", "no"),
            "coded": (noisy > 0.5).astype(int),
            "stage": np.array(list("abc"))[np.clip(noisy + 1.5, 0, 2).astype(int)],
        }
    )


FEATURES = ["x", "ward"]


def learnt(tables: Tables, target: str, *frames: pd.DataFrame) -> Learning | NotComputed:
    return train_and_test(
        *tables(*(frame[[*FEATURES, target]] for frame in frames)), target, np.random.default_rng(0)
    )


@pytest.mark.parametrize(
    ("target", "scoring", "guessing"),
    [
        ("ill", "auc", 0.5),
        ("coded", "auc", 0.5),
        ("stage", "balanced accuracy", 1 / 3),
        ("weight", "r2", 0.0),
    ],
)
def test_copies_teach_what_the_originals_teach_and_shuffled_targets_nothing(
    tables: Tables, target: str, scoring: str, guessing: float
) -> None:
    working, holdout = people(0), people(1)
    copies = learnt(tables, target, working, working, holdout)
    shuffled = working.assign(**{target: working[target].sample(frac=1, random_state=0).to_numpy()})
    nonsense = learnt(tables, target, working, shuffled, holdout)
    assert isinstance(copies, Learning)
    assert isinstance(nonsense, Learning)
    assert copies.scoring == scoring
    assert (copies.train_rows, copies.test_rows) == (300, 300)
    assert [scores.model for scores in copies.models] == ["gradient boosting", "linear"]
    for same, worse in zip(copies.models, nonsense.models, strict=True):
        assert same.difference.low == same.difference.value == same.difference.high == 0
        assert same.originals.low < same.originals.value < same.originals.high
        assert same.originals.low > guessing + 0.15
        assert worse.originals == same.originals
        assert worse.difference.high < -0.05


def test_rows_without_a_target_are_left_out_and_sides_train_on_as_many(tables: Tables) -> None:
    working, avatars = people(0), people(2)
    working.loc[:99, "ill"] = None
    found = learnt(tables, "ill", working, avatars, people(1))
    assert isinstance(found, Learning)
    assert found.train_rows == 200


def test_a_number_of_two_values_is_told_by_what_avatars_are_nearer_to(tables: Tables) -> None:
    working = people(0)
    between = working.assign(coded=working["coded"] * 0.6 + 0.1)
    found = learnt(tables, "coded", working, between, people(1))
    assert isinstance(found, Learning)
    assert found.models[0].difference.value == 0


def test_what_cannot_be_learnt_is_a_reason(tables: Tables) -> None:
    working, holdout = people(0), people(1)
    many = [frame.assign(ill=[f"l{i % 25}" for i in range(300)]) for frame in (working, holdout)]
    one_ill = ["no"] * 299 + ["yes"]
    reasons = [
        learnt(tables, "ill", working, working.assign(ill="no"), holdout),
        learnt(tables, "weight", working, working.assign(weight=1.0), holdout),
        learnt(tables, "weight", working, working, holdout.assign(weight=1.5)),
        learnt(tables, "ill", working, working, holdout.assign(ill=one_ill)),
        learnt(tables, "ill", many[0], many[0], many[1]),
        learnt(tables, "ill", working, working, holdout.head(20)),
    ]
    expected = [ONE_LEVEL, ONE_LEVEL, NO_SPREAD, FEW_OF_A_LEVEL, MANY_LEVELS, FEW_ROWS]
    assert reasons == [NotComputed(reason) for reason in expected]


def test_a_target_needs_another_column_and_must_exist(tables: Tables) -> None:
    alone = tables(*[people(seed)[["ill"]] for seed in (0, 0, 1)])
    assert train_and_test(*alone, "ill", np.random.default_rng(0)) == NotComputed(NO_FEATURE)
    with pytest.raises(InputError, match='no column "age"'):
        train_and_test(*alone, "age", np.random.default_rng(0))
