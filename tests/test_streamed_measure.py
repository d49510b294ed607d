"""Measuring block by block: the sample's figures are those of the whole table, the counts are exact."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table, encode
from sosie.measure import Comparison, measure
from sosie.metrics.isolation import farthest
from sosie.metrics.local_cloaking import local_cloaking_counts
from sosie.neighbours import distances_to_nearest_other
from sosie.projection import Projection, fit_projection
from sosie.recognition import recognise
from sosie.streamed_frequencies import Frequencies
from sosie.streamed_measure import Everyone, measure_streamed


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "cost": rng.lognormal(3, 1, n).round(1),
            "ward": rng.choice(["north", "south", "east"], n),
        }
    )
    frame.loc[rng.random(n) < 0.05, "cost"] = np.nan
    return frame


@pytest.fixture(scope="module")
def whole() -> tuple[Comparison, Projection]:
    columns = recognise(people(3_000, 0), {}).columns
    working, avatars, holdout = (encode(people(1_500, seed), columns) for seed in (1, 2, 3))
    own = np.arange(1_500)[:, None] % 3 == 0  # a third keep their own numbers
    near = replace(
        avatars,
        numbers=np.where(own, working.numbers, avatars.numbers),
        states=np.where(own, working.states, avatars.states),
    )
    projection = fit_projection(working, 3)
    return Comparison("real", True, working, near, working, near, holdout), projection


def everyone(comparison: Comparison, size: int = 400) -> Everyone:
    def blocks(table: Table) -> Callable[[], Iterator[Table]]:
        return lambda: (
            table.take(np.arange(start, min(start + size, len(table))))
            for start in range(0, len(table), size)
        )

    return Everyone(
        blocks(comparison.working),
        blocks(comparison.avatars),
        blocks(comparison.holdout),
        len(comparison.working),
    )


def sampled(comparison: Comparison, rows: Any) -> Comparison:
    working, avatars = comparison.working.take(rows), comparison.avatars.take(rows)
    holdout = comparison.holdout.take(rows)
    return Comparison("real", True, working, avatars, working, avatars, holdout)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_a_sample_of_everybody_measures_what_is_measured_in_memory(
    whole: tuple[Comparison, Projection],
) -> None:
    comparison, projection = whole
    assert measure_streamed(comparison, everyone(comparison), projection, 5, rng()) == measure(
        comparison, projection, 5, rng()
    )


def test_each_individual_is_held_against_every_avatar(whole: tuple[Comparison, Projection]) -> None:
    comparison, projection = whole
    rows = np.arange(0, 1_500, 2)
    found = measure_streamed(sampled(comparison, rows), everyone(comparison), projection, 5, rng())
    originals, avatars = (projection.coordinates(table) for table in (comparison.working, comparison.avatars))
    counts = local_cloaking_counts(originals, avatars)[rows]
    cloaking = found.metrics["local_cloaking"]
    assert cloaking.value == np.median(counts)
    assert cloaking.interval is not None
    assert cloaking.value is not None
    assert cloaking.interval[0] <= cloaking.value <= cloaking.interval[1]
    assert cloaking.attempts == 750
    assert found.metrics["local_cloaking_zero_share"].value == pytest.approx(100 * (counts == 0).mean())
    isolated = farthest(distances_to_nearest_other(originals)[rows])
    assert found.metrics["local_cloaking_isolated"].value == np.median(counts[isolated])


def test_intervals_hold_the_figures_of_everybody(whole: tuple[Comparison, Projection]) -> None:
    comparison, projection = whole
    rows = np.sort(np.random.default_rng(7).choice(1_500, 500, replace=False))
    found = measure_streamed(sampled(comparison, rows), everyone(comparison), projection, 5, rng())
    all_rows = measure(comparison, projection, 5, rng())
    for name in (
        "local_cloaking",
        "hidden_rate",
        "hidden_rate_worst",
        "distance_to_closest_median",
        "closest_distances_ratio_median",
        "row_direct_match",
    ):
        interval, value = found.metrics[name].interval, all_rows.metrics[name].value
        assert interval is not None
        assert value is not None
        assert interval[0] <= value <= interval[1], name


def test_distributions_are_compared_on_all_rows(whole: tuple[Comparison, Projection]) -> None:
    comparison, projection = whole
    rows = np.arange(1_200)
    found = measure_streamed(sampled(comparison, rows), everyone(comparison), projection, 5, rng())
    all_rows = measure(comparison, projection, 5, rng())
    assert found.rows == all_rows.rows
    for here, there in zip(found.variables, all_rows.variables, strict=True):
        assert here.missing == there.missing
        if here.kind == "category":  # the bins of numbers are laid on the sample
            assert here.hellinger == pytest.approx(there.hellinger, abs=1e-9)
    assert [notice.code for notice in found.notices] == ["SAMPLED_FIGURES"]


def test_counts_by_block_give_the_scores_of_whole_columns(whole: tuple[Comparison, Projection]) -> None:
    comparison, projection = whole
    frequencies = Frequencies.laid_on(comparison.working, comparison.holdout)
    rows = everyone(comparison)
    for side, blocks in enumerate((rows.working, rows.avatars, rows.holdout)):
        for block in blocks():
            frequencies.add(side, block)
    variables = measure(comparison, projection, 5, rng()).variables
    assert frequencies.scores() == pytest.approx([variable.hellinger for variable in variables], abs=1e-9)
    assert frequencies.missing() == [variable.missing for variable in variables]
