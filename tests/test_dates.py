"""Dates as text: recognised when every value reads as one, refused when day and month could change places."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sosie
from sosie.columns import Category, Instant, encode
from sosie.recognition import Declaration, recognise

SECRET = "Tuesday the ninth"
FEW_ATTACKS: Any = {"attempts": 10}


def column_of(cells: Any, **declared: Any) -> Any:
    (column,) = recognise(pd.DataFrame({"vu le": cells}), {"vu le": Declaration(**declared)}).columns
    return column


def refusal(cells: Any, **declared: Any) -> sosie.InputError:
    with pytest.raises(sosie.InputError) as caught:
        column_of(cells, **declared)
    assert caught.value.columns == ("vu le",)
    return caught.value


@pytest.mark.parametrize(
    "cells",
    [
        ["03/04/2021", "01/12/2020"],
        ["3-4-2021", "1-12-2020"],
        ["03/04/2021 10:00", "01/12/2020 11:30"],
        ["01/01/2021"],
    ],
)
def test_a_day_and_a_month_that_could_change_places_are_refused_with_the_declaration_to_make(
    cells: list[str],
) -> None:
    error = refusal(cells)
    assert error.code == "AMBIGUOUS_DATE"
    mark = "-" if "-" in cells[0] else "/"
    assert f"%d{mark}%m{mark}%Y" in error.message
    assert f"%m{mark}%d{mark}%Y" in error.message
    assert "type: date" in error.message
    assert "2021" not in error.message


def test_one_day_beyond_the_twelfth_tells_them_apart() -> None:
    assert column_of(["03/04/2021", "26/06/2021"]).reason == "text that reads as %d/%m/%Y"
    assert column_of(["03/04/2021", "06/26/2021"]).reason == "text that reads as %m/%d/%Y"


@pytest.mark.parametrize(
    ("cells", "format_"),
    [
        (["Jan 1 2000", "Feb 12 2001"], "%b %d %Y"),
        (["January 1, 2000", "May 12, 2001"], "%B %d, %Y"),
        (["01 Jan 2000", "12 May 2001"], "%d %b %Y"),
        (["1-Jan-2000", "12-May-2001"], "%d-%b-%Y"),
        (["Jan 1 2000 10:30", "Feb 12 2001 09:15"], "%b %d %Y %H:%M"),
    ],
)
def test_the_name_of_a_month_tells_them_apart(cells: list[str], format_: str) -> None:
    column = column_of(cells)
    assert column.reason == f"text that reads as {format_}"
    series = pd.Series(cells, name="vu le")
    pd.testing.assert_series_equal(column.cells(column.numbers(series)), series)


def test_dates_that_recognition_told_apart_are_encoded_as_those_of_the_frame() -> None:
    frame = pd.DataFrame({"vu le": pd.Series(["2021-02-03", None, "2021-02-01", "2021-02-03"], dtype="str")})
    recognised = recognise(frame, {})
    told = encode(frame, recognised.columns, recognised.told)
    np.testing.assert_array_equal(told.numbers[:, 0], [2, np.nan, 0, 2])
    np.testing.assert_array_equal(told.numbers, encode(frame, recognised.columns).numbers)


def test_between_dots_the_day_comes_first() -> None:
    assert column_of(["03.04.2021", "01.12.2020"]).reason == "text that reads as %d.%m.%Y"


@pytest.mark.parametrize("format_", ["%d/%m/%Y", "%m/%d/%Y"])
def test_a_declared_order_is_taken(format_: str) -> None:
    column = column_of(["03/04/2021", "01/12/2020"], type="date", format=format_)
    assert (column.kind, column.reason) == ("date", "declared")


def test_a_format_alone_declares_a_date() -> None:
    assert isinstance(column_of(["03/04/2021", "01/12/2020"], format="%d/%m/%Y"), Instant)


@pytest.mark.parametrize(
    "cells",
    [
        ["2021-01-01", SECRET],
        ["2021-13-01", "2021-01-01"],
        ["2021-02-30", "2021-01-01"],
        ["03/04/21", "26/06/21"],
        ["2021-01-01", "01/02/2021"],
        ["2021-01", "2021-02"],
        ["10:30", "11:30"],
        ["1.2.3", "1.2.4"],
        ["192.168.10.1", "192.168.10.2"],
        ["", "2021-01-01"],
    ],
)
def test_text_that_does_not_read_as_a_date_everywhere_is_a_category(cells: list[str]) -> None:
    assert isinstance(column_of(cells), Category)


def test_declared_text_that_is_no_date_is_refused_by_count() -> None:
    error = refusal(["03/04/2021", "31/02/2021", SECRET, None], type="date", format="%d/%m/%Y")
    assert error.code == "BAD_DATE"
    assert "2 of 3" in error.message
    assert SECRET not in error.message
    assert "31/02" not in error.message


@pytest.mark.parametrize("odd", [20210103.5, np.inf, -np.inf])
def test_a_number_that_is_not_whole_is_no_date_of_a_format(odd: float) -> None:
    error = refusal([20210101.0, 20210102.0, odd, np.nan], format="%Y%m%d")
    assert error.code == "BAD_DATE"
    assert "1 of 3" in error.message


def test_a_date_declared_without_a_format_that_can_be_found_asks_for_it() -> None:
    error = refusal(["3 février 2021", "4 février 2021"], type="date")
    assert error.code == "BAD_DATE"
    assert "declare its format" in error.message


@pytest.mark.parametrize(
    ("cells", "type_"),
    [
        (pd.to_datetime(["2021-01-01 10:00", "2021-01-02 00:00"]), "date"),
        (pd.to_datetime(["2021-01-01", "2021-01-02"]), "duration"),
        (pd.to_timedelta([1, 2], unit="D"), "date"),
        ([1, 2], "datetime"),
        ([True, False], "date"),
        (pd.to_datetime(["2021-01-01", "2021-01-02"]), "integer"),
    ],
)
def test_a_type_that_the_values_are_not_is_refused(cells: Any, type_: str) -> None:
    error = refusal(cells, type=type_)
    assert error.code == "BAD_CONFIG"
    assert type_ in error.message


def test_dates_declared_datetimes_may_fall_on_any_second() -> None:
    column = column_of(pd.to_datetime(["2021-01-01", "2021-01-02"]), type="datetime")
    assert (column.kind, column.clock.unit) == ("datetime", "s")


@pytest.mark.parametrize(
    ("format_", "words"),
    [("%d/%m", "no year"), ("%d/%m/%Y %Q", "%Q"), ("%Y-%m-%d %Y", "repeats %Y"), ("%Y%", "%")],
)
def test_a_format_that_could_not_be_written_back_is_refused(format_: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Declaration(format=format_)


def test_a_format_of_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="format is for"):
        Declaration(type="integer", format="%Y")


def test_different_offsets_are_written_with_the_commonest_and_told() -> None:
    rng = np.random.default_rng(0)
    hours = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 9000, 80), unit="h")
    offsets = ["+01:00"] * 50 + ["-05:00"] * 30
    frame = pd.DataFrame(
        {
            "vu le": [
                f"{hour:%Y-%m-%dT%H:%M:%S}{offset}" for hour, offset in zip(hours, offsets, strict=True)
            ],
            "kg": rng.normal(70, 9, 80),
        }
    )
    release = sosie.anonymize(frame, k=5, ncp=2, seed=0, attacks=FEW_ATTACKS)
    assert [(told.code, told.column) for told in release.warnings if told.code == "MIXED_OFFSETS"] == [
        ("MIXED_OFFSETS", "vu le")
    ]
    assert set(release.avatars["vu le"].str[-6:]) == {"+01:00"}
    before, after = (pd.to_datetime(some["vu le"], utc=True) for some in (frame, release.avatars))
    assert before.min() <= after.min()
    assert after.max() <= before.max()


def test_times_with_and_without_a_zone_are_mixed_types() -> None:
    cells = pd.Series([pd.Timestamp("2021-01-01"), pd.Timestamp("2021-01-02", tz="UTC")], dtype=object)
    assert refusal(cells).code == "MIXED_TYPES"


def test_a_barycentre_across_a_change_of_clocks_is_one_of_instants() -> None:
    # noon before and noon after the change, in local time 24 and a half days apart but for the hour that was lost
    noons = pd.to_datetime(["2021-03-27 12:00", "2021-03-29 12:00"] * 40).tz_localize("Europe/Paris")
    frame = pd.DataFrame({"at": noons, "kg": np.tile([1.0, 1.0001], 40)})
    at = sosie.anonymize(frame, k=20, ncp=1, seed=0, weights="gaussian", attacks=FEW_ATTACKS).avatars["at"]
    assert at.dtype == frame["at"].dtype
    assert at.between(noons.min(), noons.max()).all()


def test_dates_of_a_zone_stay_midnights_also_where_midnight_does_not_exist() -> None:
    days = pd.date_range("2018-10-20", periods=30, freq="D").tz_localize(
        "America/Sao_Paulo", nonexistent="shift_forward"
    )
    frame = pd.DataFrame({"day": days.append(days), "kg": np.tile(np.arange(30.0), 2)})
    day = sosie.anonymize(frame, k=5, ncp=2, seed=0, attacks=FEW_ATTACKS).avatars["day"]
    assert day.dtype == frame["day"].dtype
    assert set(day) <= set(days)  # every day between the first and the last is there


@pytest.mark.parametrize("day_first", [True, False])
def test_a_file_with_french_or_american_dates_gets_its_own_back(day_first: bool, keeps_contract: Any) -> None:
    rng = np.random.default_rng(0)
    format_ = "%d/%m/%Y" if day_first else "%m/%d/%Y"
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 200), unit="D")
    frame = pd.DataFrame({"seen": days.strftime(format_), "kg": rng.normal(70, 9, 200)})
    avatars = sosie.anonymize(frame, k=5, ncp=2, seed=0, attacks=FEW_ATTACKS).avatars
    seen = pd.to_datetime(avatars["seen"], format=format_)
    assert avatars["seen"].dtype == frame["seen"].dtype
    assert avatars["seen"].str.len().eq(10).all()
    assert seen.between(days.min(), days.max()).all()
    assert (~avatars["seen"].isin(frame["seen"])).any()  # dates are combined, not drawn
