"""Stability: spreads worked by hand, and no mean over a gap."""

import pytest

from sosie.estimates import Metric, NotComputed
from sosie.utility.stability import NOT_IN_ALL, ONE_REPEAT, UNINFORMATIVE, Spread, stability


def test_the_spread_of_three_repeats() -> None:
    found = stability([{"auc": Metric(value)} for value in (1.0, 2.0, 6.0)])
    assert found.repeats == 3
    spread = found.metrics["auc"]
    assert isinstance(spread, Spread)
    assert (spread.mean, spread.least, spread.most) == (3, 1, 6)
    assert spread.sd == pytest.approx(7**0.5)


def test_equal_repeats_have_no_spread() -> None:
    assert stability([{"auc": Metric(0.5)}] * 4).metrics["auc"] == Spread(0.5, 0.0, 0.5, 0.5)


def test_a_repeat_without_the_figure_leaves_no_spread() -> None:
    failed = Metric(None, status="not computed", reason="rows are not linked")
    found = stability([{"a": Metric(1.0), "b": Metric(1.0)}, {"a": failed}])
    assert found.metrics == {"a": NotComputed(NOT_IN_ALL), "b": NotComputed(NOT_IN_ALL)}


def test_an_uninformative_repeat_leaves_no_spread() -> None:
    flat = Metric(100.0, status="uninformative", reason="nothing to compare with")
    assert stability([{"a": Metric(99.0)}, {"a": flat}]).metrics["a"] == NotComputed(UNINFORMATIVE)


def test_one_repeat_has_no_spread_and_none_is_an_error() -> None:
    assert stability([{"a": Metric(1.0)}]).metrics["a"] == NotComputed(ONE_REPEAT)
    with pytest.raises(ValueError, match="at least one repeat: 0 repeats"):
        stability([])
