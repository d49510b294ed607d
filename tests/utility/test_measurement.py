"""Everything together: copies are perfect, odd tables are explained, and what comes out is JSON."""

import dataclasses
import json
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table
from sosie.projection import fit_projection
from sosie.utility import (
    NotComputed,
    SurvivalPlan,
    Utility,
    UtilityPlan,
    association_change,
    measure_utility,
)
from sosie.utility.features import most_rows
from sosie.utility.measurement import GAP, NO_DURATION, NO_TARGET, NO_VARIABLE

Tables = Callable[..., tuple[Table, Table, Table]]
PLAN = UtilityPlan(5, target="stage", survival=SurvivalPlan("days", "dead", "stage"))
NAMES = [
    "range_coverage_mean",
    "sd_ratio_mean",
    "level_coverage_mean",
    "association_difference_mean",
    "association_difference_max",
    "principal_space_agreement",
    "discriminator_auc",
    "learning_score",
]


def people(seed: int, n: int = 300) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    age = draw.normal(50, 12, n)
    return pd.DataFrame(
        {
            "age": pd.Series(age.round()).mask(draw.random(n) < 0.05),
            "stage": np.array(list("abc"))[
                np.clip((age - 30 + draw.normal(0, 8, n)) // 14, 0, 2).astype(int)
            ],
            "days": draw.exponential(500, n).round(),
            "dead": draw.random(n) < 0.6,
        }
    )


def measured(tables: Tables, *frames: pd.DataFrame, plan: UtilityPlan = PLAN, seed: int = 0) -> Utility:
    working, avatars, holdout = tables(*frames)
    projection = fit_projection(working, 3)
    return measure_utility(working, working, avatars, holdout, projection, plan, np.random.default_rng(seed))


def test_copies_are_perfect_in_every_figure(tables: Tables) -> None:
    found = measured(tables, people(0), people(0), people(1)).metrics
    assert list(found) == NAMES
    values = {name: metric.value for name, metric in found.items()}
    assert [values[name] for name in NAMES[:5]] == [100, 1, 100, 0, 0]
    assert values["principal_space_agreement"] == pytest.approx(1)
    assert values["learning_score"] == found["learning_score"].reference


def test_what_comes_out_is_json_without_nan(tables: Tables) -> None:
    found = measured(tables, people(0), people(2), people(1))
    text = json.dumps(dataclasses.asdict(found), allow_nan=False)
    assert json.loads(text)["learning"]["target"] == "stage"


def test_equal_seeds_give_equal_figures_and_parts_do_not_disturb_each_other(tables: Tables) -> None:
    frames = people(0), people(2), people(1)
    found = measured(tables, *frames)
    assert measured(tables, *frames) == found
    fewer = measured(tables, *frames, plan=UtilityPlan(5))
    assert fewer.discriminator == found.discriminator
    assert fewer.learning == NotComputed(NO_TARGET)
    assert fewer.survival == NotComputed(NO_DURATION)


@pytest.mark.parametrize("rows", [2, 12, 300])
def test_gaps_constants_and_few_rows_are_figures_or_reasons(tables: Tables, rows: int) -> None:
    def odd(seed: int) -> pd.DataFrame:
        frame = people(seed).assign(one=1.0, only="yes", none=np.nan, absent=None, nearly=np.nan)
        frame.loc[[0, 1], "nearly"] = [1.0, 2.0]
        return frame.head(rows)

    found = measured(tables, odd(0), odd(2), odd(1))
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    for metric in found.metrics.values():
        assert (metric.value is None) == (metric.status == "not computed") == (metric.reason is not None)
        assert metric.value is None or np.isfinite(metric.value)


@pytest.mark.parametrize("column", ["age", "stage", "dead"])
def test_one_column_alone_is_measured(tables: Tables, column: str) -> None:
    frames = [people(seed)[[column]] for seed in (0, 2, 1)]
    found = measured(tables, *frames, plan=UtilityPlan(5)).metrics
    assert found["association_difference_mean"].value is None
    assert found["principal_space_agreement"].value == pytest.approx(1, abs=0.2)
    assert found["level_coverage_mean" if column == "age" else "sd_ratio_mean"].reason == NO_VARIABLE


def test_wide_tables_are_measured_on_fewer_rows_and_say_so(tables: Tables) -> None:
    wide = [
        pd.DataFrame(
            np.random.default_rng(seed).normal(size=(1100, 320)), columns=[f"x{j}" for j in range(320)]
        )
        for seed in range(3)
    ]
    assert most_rows(14) == 10_000
    assert most_rows(400) == 5_000
    assert most_rows(5_000) == 1_000
    found = association_change(*tables(*wide), np.random.default_rng(0))
    assert not isinstance(found, NotComputed)
    assert (found.pairs, found.computed, len(found.names)) == (320 * 319 // 2, 300 * 299 // 2, 100)
    assert found.rows == 1100


def test_a_column_that_avatars_lack_leaves_no_mean(tables: Tables) -> None:
    found = measured(tables, people(0), people(2).assign(age=np.nan), people(1)).metrics
    assert found["range_coverage_mean"].value is None
    assert found["range_coverage_mean"].reason == found["sd_ratio_mean"].reason == GAP


def test_the_order_of_columns_changes_no_figure_but_the_models_draws(tables: Tables) -> None:
    frames = people(0), people(2), people(1)
    found = measured(tables, *frames).metrics
    other = measured(tables, *(frame[["dead", "days", "age", "stage"]] for frame in frames)).metrics
    for name in NAMES[:6]:
        assert other[name].value == pytest.approx(found[name].value), name
