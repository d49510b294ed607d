"""What bins hold, in words: numbers, dates, moments and durations."""

import pytest

from sosie.evaluation import Bins
from sosie.reports.bins import bin_names
from sosie.reports.language import Code, load_language


def names(kind: str, edges: tuple[float, ...], language: Code = "en") -> list[str]:
    shares = (0.0,) * (len(edges) - 1)
    said = bin_names(Bins(edges, shares, shares, None), kind, load_language(language))
    return [name.replace("\u202f", " ").replace("\u00a0", " ") for name in said]


@pytest.mark.parametrize(
    ("kind", "edges", "said"),
    [
        ("integer", (0, 20, 40, 60), ["at most 19", "20 to 39", "at least 40"]),
        ("integer", (0, 0.5, 1.5, 2), ["at most 0", "1", "at least 2"]),
        ("float", (0, 1.5, 2.5, 3), ["below 1.5", "1.5 to 2.5", "at least 2.5"]),
        (
            "date",
            (0, 31, 59, 90),
            ["until Jan 31, 1970", "Feb 1, 1970 to Feb 28, 1970", "from Mar 1, 1970 on"],
        ),
        (
            "datetime",
            (0, 31, 59, 90),
            ["before Feb 1, 1970", "Feb 1, 1970 to Mar 1, 1970", "from Mar 1, 1970 on"],
        ),
        ("duration", (0, 10, 20.5, 30), ["below 10 days", "10 days to 20.5 days", "at least 20.5 days"]),
        ("duration", (0, 1 / 24, 1 / 12, 1 / 6), ["below 1 hr", "1 hr to 2 hr", "at least 2 hr"]),
        ("float", (0, 1), ["all values"]),
    ],
)
def test_bins_are_named_in_the_columns_own_terms(
    kind: str, edges: tuple[float, ...], said: list[str]
) -> None:
    assert names(kind, edges) == said


def test_moments_of_a_few_days_are_told_to_the_minute() -> None:
    assert names("datetime", (0.0, 0.25, 0.5, 1.0))[0].startswith("before 1/1/70, 6:00")


def test_french_dates_are_written_as_the_french_do() -> None:
    assert names("date", (0, 31, 59, 90), "fr") == [
        "jusqu’au 31 janv. 1970",
        "1 févr. 1970 à 28 févr. 1970",
        "à partir du 1 mars 1970",
    ]


def test_a_date_that_no_calendar_of_this_program_holds_is_told_by_its_year() -> None:
    assert names("date", (0, 5_000_000, 6_000_000, 7_000_000))[1] == "year 15660 to year 18397"
