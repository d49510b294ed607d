"""Survival of originals and avatars: groups, reference, rounded times, and nobody's own step."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from sosie.columns import Table
from sosie.errors import InputError
from sosie.estimates import NotComputed
from sosie.utility.hazards import NO_EVENT, Followed, kaplan_meier
from sosie.utility.survival import (
    FEW_EVENTS,
    NEGATIVE,
    NO_AVATAR,
    NO_GROUP,
    NO_REFERENCE,
    NOT_A_NUMBER,
    ONE_GROUP,
    Curve,
    HazardRatios,
    Survival,
    SurvivalPlan,
    survival,
)

Tables = Callable[..., tuple[Table, Table]]
PLAN = SurvivalPlan("days", "dead", "arm")


def patients(seed: int, n: int = 600) -> pd.DataFrame:
    """Three arms: the hazard of b is half of a's, that of c a third; observation ends at random."""
    draw = np.random.default_rng(seed)
    arm = draw.integers(0, 3, n)
    until, observed = draw.exponential(np.array([400, 800, 1200])[arm]), draw.uniform(300, 1500, n)
    return pd.DataFrame(
        {
            "days": np.minimum(until, observed).round(1),
            "dead": until <= observed,
            "arm": np.array(["a", "b", "c"])[arm],
        }
    )


def survived(tables: Tables, *frames: pd.DataFrame, plan: SurvivalPlan = PLAN, least: int = 5) -> Survival:
    found = survival(*tables(*frames), plan, least)
    assert isinstance(found, Survival)
    return found


def ratios(found: Survival) -> HazardRatios:
    assert isinstance(found.hazard_ratios, HazardRatios)
    return found.hazard_ratios


def curve(found: Survival, place: int) -> Curve:
    held = found.curves[place].curve
    assert isinstance(held, Curve)
    return held


def test_copies_have_the_originals_curves_and_ratios(tables: Tables) -> None:
    found = survived(tables, patients(0), patients(0))
    assert ratios(found).avatars == ratios(found).originals
    assert [group.group for group in found.curves] == ["a", "b", "c"]
    assert all(curve(found, place).avatars == curve(found, place).originals for place in range(3))
    assert found.withheld == 0


def test_the_true_ratios_lie_in_the_intervals_against_the_first_group(tables: Tables) -> None:
    found = ratios(survived(tables, patients(0), patients(1)))
    assert (found.reference, found.groups) == ("a", ("b", "c"))
    for side in (found.originals, found.avatars):
        assert not isinstance(side, NotComputed)
        assert side[0].low < 1 / 2 < side[0].high
        assert side[1].low < 1 / 3 < side[1].high


def test_another_reference_inverts_the_ratio(tables: Tables) -> None:
    frames = patients(0), patients(1)
    first = ratios(survived(tables, *frames)).originals
    found = ratios(survived(tables, *frames, plan=SurvivalPlan("days", "dead", "arm", reference="b")))
    assert not isinstance(first, NotComputed)
    assert not isinstance(found.originals, NotComputed)
    assert (found.reference, found.groups) == ("b", ("a", "c"))
    assert found.originals[0].value == pytest.approx(1 / first[0].value)


def test_events_and_groups_may_be_numbers_or_texts(tables: Tables) -> None:
    frames = [patients(seed) for seed in (0, 1)]
    coded = [
        frame.assign(dead=frame["dead"].astype(int), arm=frame["arm"].map({"a": 2, "b": 10, "c": 11}))
        for frame in frames
    ]
    spelt = [frame.assign(dead=frame["dead"].map({True: "died", False: "left"})) for frame in frames]
    expected = ratios(survived(tables, *frames))
    numbers = ratios(survived(tables, *coded))
    assert (numbers.reference, numbers.groups) == ("2", ("10", "11"))
    assert numbers.originals == expected.originals
    texts = SurvivalPlan("days", "dead", "arm", event_values=("died",))
    assert ratios(survived(tables, *spelt, plan=texts)) == expected


def test_the_curve_is_kaplan_meiers_at_rounded_times_with_enough_events_between(tables: Tables) -> None:
    frame = patients(0)
    found = curve(survived(tables, frame, frame, least=8), 1)
    arm = frame[frame["arm"] == "b"]
    followed = Followed(arm["days"].to_numpy(), arm["dead"].to_numpy())
    assert found.originals == pytest.approx(kaplan_meier(followed, np.array(found.times)), abs=5e-5)
    assert all(time % 50 == 0 for time in found.times)
    events, _ = np.histogram(arm.loc[arm["dead"], "days"], np.array(found.times) + 1e-9)
    assert events.min() >= 8
    assert (arm["days"] > found.times[-1]).sum() >= 8


def test_a_group_of_few_events_is_neither_named_nor_compared(tables: Tables) -> None:
    frame = patients(0)
    frame.loc[:19, "arm"] = "rare"
    frame.loc[:16, "dead"] = False
    frame.loc[17:19, "dead"] = True
    found = survived(tables, frame, patients(1))
    assert found.withheld == 1
    assert [group.group for group in found.curves] == ["a", "b", "c"]
    assert ratios(found).groups == ("b", "c")


def test_without_a_group_there_is_one_curve_and_no_ratio(tables: Tables) -> None:
    found = survived(tables, patients(0), patients(1), plan=SurvivalPlan("days", "dead"))
    assert [group.group for group in found.curves] == [""]
    assert found.hazard_ratios == NotComputed(NO_GROUP)


def test_rows_with_a_gap_are_left_out(tables: Tables) -> None:
    frame = patients(0)
    gaps = pd.concat([frame, frame.head(90).assign(days=np.nan), frame.head(90).assign(arm=None)])
    assert ratios(survived(tables, gaps, frame)).originals == ratios(survived(tables, frame, frame)).originals


def test_avatars_that_lose_a_group_or_its_events_are_a_reason(tables: Tables) -> None:
    frame = patients(0)
    without = survived(tables, frame, frame[frame["arm"] != "c"])
    assert without.curves[2].curve == NotComputed(NO_AVATAR)
    assert ratios(without).avatars == NotComputed(NO_EVENT)
    assert not isinstance(ratios(without).originals, NotComputed)
    spared = survived(tables, frame, frame.assign(dead=frame["dead"] & (frame["arm"] != "c")))
    assert curve(spared, 2).avatars[-1] == 1
    assert ratios(spared).avatars == NotComputed(NO_EVENT)


def test_what_is_no_survival_is_a_reason(tables: Tables) -> None:
    frame = patients(0)
    pair = tables(frame, frame)
    assert survival(*pair, SurvivalPlan("arm", "dead"), 5) == NotComputed(NOT_A_NUMBER)
    below = frame.assign(days=frame["days"] - 100)
    assert survival(*tables(below, frame), PLAN, 5) == NotComputed(NEGATIVE)
    alone = frame.assign(arm="a")
    assert survived(tables, alone, alone).hazard_ratios == NotComputed(ONE_GROUP)
    unknown = SurvivalPlan("days", "dead", "arm", reference="z")
    assert survived(tables, frame, frame, plan=unknown).hazard_ratios == NotComputed(NO_REFERENCE)
    few = frame.head(24).assign(arm="a")
    assert survived(tables, few, few, least=12).curves[0].curve == NotComputed(FEW_EVENTS)
    with pytest.raises(InputError, match='no column "ward"'):
        survival(*pair, SurvivalPlan("days", "dead", "ward"), 5)


def test_avatars_at_the_first_moment_only_give_a_curve_all_the_same(tables: Tables) -> None:
    frame = patients(0)
    found = survived(tables, frame, frame.assign(days=0.0))
    assert curve(found, 0).avatars[0] < 1
