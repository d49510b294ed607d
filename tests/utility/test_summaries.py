"""Summaries: worked values, and nobody's extreme in sight."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table
from sosie.estimates import NotComputed
from sosie.utility.summaries import (
    FEW_ROWS,
    NO_RANGE,
    NO_SPREAD,
    NOTHING_PRESENT,
    ONE_ROW_RULES,
    THIN_TAIL,
    CategorySummary,
    Moments,
    NumberSummary,
    summarise,
)

Tables = Callable[..., tuple[Table, Table, Table]]


def number(tables: Tables, *sides: list[float | None], min_count: int = 5) -> NumberSummary:
    (summary,) = summarise(*tables(*(pd.DataFrame({"x": side}, dtype=float) for side in sides)), min_count)
    assert isinstance(summary, NumberSummary)
    return summary


def category(tables: Tables, *sides: str) -> CategorySummary:
    (summary,) = summarise(*tables(*(pd.DataFrame({"c": list(side)}) for side in sides)), 5)
    assert isinstance(summary, CategorySummary)
    return summary


def shown(moments: Moments) -> list[object]:
    return [
        quantile.value.reason if isinstance(quantile.value, NotComputed) else quantile.value
        for quantile in moments.quantiles
    ]


HUNDRED: list[float | None] = [float(value) for value in range(1, 101)]


def test_mean_sd_and_quantiles_of_one_to_a_hundred(tables: Tables) -> None:
    moments = number(tables, HUNDRED, HUNDRED, HUNDRED).originals
    assert (moments.present, moments.mean, moments.sd) == (100, 50.5, 28.9)  # √(9999/12) = 28.866
    assert shown(moments) == [6.0, 25.8, 50.5, 75.2, 95.0]  # 5.95 … 95.05, to the spread's third digit


def test_a_quantile_is_withheld_where_its_tail_is_thinner_than_the_smallest_count(tables: Tables) -> None:
    fewer = HUNDRED[:40]
    moments = number(tables, fewer, fewer, fewer).originals
    assert shown(moments) == [THIN_TAIL, 10.75, 20.5, 30.25, THIN_TAIL]


def test_nothing_is_said_of_fewer_rows_than_the_smallest_count(tables: Tables) -> None:
    moments = number(tables, [1, 2, 3, 4, None, None], HUNDRED, HUNDRED).originals
    assert moments.present == 4
    assert moments.mean == moments.sd == NotComputed(FEW_ROWS)
    assert set(shown(moments)) == {THIN_TAIL}


def test_one_extreme_row_cannot_be_read_from_mean_sd_or_ratio(tables: Tables) -> None:
    summary = number(tables, [*HUNDRED, 1e6], HUNDRED, HUNDRED)
    assert summary.originals.mean == summary.originals.sd == NotComputed(ONE_ROW_RULES)
    assert summary.sd_ratio.value is None
    assert summary.sd_ratio.reason == ONE_ROW_RULES
    assert shown(summary.originals) == [6.0, 26.0, 51.0, 76.0, 96.0]


def test_identical_tables_cover_the_range_and_keep_the_spread(tables: Tables) -> None:
    summary = number(tables, HUNDRED, HUNDRED, HUNDRED)
    assert summary.range_coverage.value == summary.range_coverage.reference == 100
    assert summary.sd_ratio.value == summary.sd_ratio.reference == 1


def test_avatars_in_the_lower_half_cover_half_of_the_range(tables: Tables) -> None:
    summary = number(tables, [0.0, 100.0] * 500, [0.0, 50.0] * 500, [0.0, 100.0] * 500)
    assert summary.range_coverage.value == 50
    assert summary.sd_ratio.value == 0.5


def test_avatars_beside_the_range_cover_nothing(tables: Tables) -> None:
    assert (
        number(tables, HUNDRED, [value + 200 for value in HUNDRED if value], HUNDRED).range_coverage.value
        == 0
    )


def test_a_constant_has_no_range_and_no_spread_to_keep(tables: Tables) -> None:
    summary = number(tables, [0.1] * 50, [0.1] * 50, [0.1] * 50)
    assert summary.originals.mean == 0.1
    assert (summary.range_coverage.reason, summary.sd_ratio.reason) == (NO_RANGE, NO_SPREAD)


def test_avatars_without_a_value_are_a_reason_and_not_a_zero(tables: Tables) -> None:
    summary = number(tables, HUNDRED, [None] * 100, HUNDRED)
    assert summary.range_coverage.value is None
    assert summary.range_coverage.reason == summary.sd_ratio.reason == NOTHING_PRESENT
    assert summary.range_coverage.reference == 100


@pytest.mark.parametrize(
    ("scale", "shift"), [(2.0, 0.0), (-1.0, 3.0), (1000.0, -5.0), (1e200, 0.0), (1e-200, 0.0)]
)
def test_coverage_and_sd_ratio_do_not_depend_on_the_unit(tables: Tables, scale: float, shift: float) -> None:
    rng = np.random.default_rng(0)
    sides = [rng.normal(size=200), rng.normal(size=200) * 0.6, rng.normal(size=200)]
    plain = number(tables, *(side.tolist() for side in sides))
    other = number(tables, *((side * scale + shift).tolist() for side in sides))
    assert other.range_coverage.value == pytest.approx(plain.range_coverage.value)
    assert other.sd_ratio.value == pytest.approx(plain.sd_ratio.value)


def test_levels_kept_lost_and_new_are_counted_and_coverage_weighs_them(tables: Tables) -> None:
    summary = category(tables, "aaaaaabbbc", "aaaabbbbdd", "aaaaaaaaab")
    assert (summary.kept, summary.lost, summary.new, summary.lost_in_holdout) == (2, 1, 1, 1)
    assert summary.coverage.value == summary.coverage.reference == 90


def test_a_level_of_the_holdout_alone_is_not_lost(tables: Tables) -> None:
    assert category(tables, "aabb", "aabb", "aabz").lost == 0


def test_dates_are_summarised_in_days(tables: Tables) -> None:
    days = pd.DataFrame({"on": pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(100) % 50, unit="D")})
    (summary,) = summarise(*tables(days, days, days), 5)
    assert isinstance(summary, NumberSummary)
    assert summary.originals.mean == 18262 + 24.5


def test_the_order_of_rows_and_columns_changes_no_summary(tables: Tables) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=150), "c": rng.choice(list("abc"), 150)})
    first = summarise(*tables(frame, frame, frame), 5)
    other = frame.sample(frac=1, random_state=2)[["c", "x"]]
    assert summarise(*tables(other, other, other), 5) == first[::-1]
