"""A column read in pieces is taken for what it is taken for whole, with the same words, and lies encoded the same."""

import datetime as dt
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sosie.columns import Category, Column, encode
from sosie.declarations import Declaration
from sosie.errors import InputError
from sosie.kinds import alike_of
from sosie.rare_levels import Rare
from sosie.recognition import recognise
from sosie.schemas.configuration import parse_configuration
from sosie.seen import seen_in_pieces
from sosie.sources.parquet_files import ParquetDialect, plain_parquet
from sosie.tasks.job import Declared, job_of
from sosie.tasks.streamed import encoding
from sosie.tasks.streamed.shelf import Shelf

N = 300
RNG = np.random.default_rng(20)
PLACES = RNG.integers(0, N // 2, N)
PARIS, HAVANA = "Europe/Paris", "America/Havana"
NOON, DAY = dt.datetime(2020, 2, 25, 12), dt.date(2020, 2, 25)
ZONES = [dt.timezone(dt.timedelta(hours=hours)) for hours in (2, -5, 3)]


@dataclass(frozen=True)
class Pieces:
    """A column in memory that is read in pieces of so many rows."""

    series: "pd.Series[Any]"
    size: int

    @property
    def names(self) -> tuple[str, ...]:
        return ("x",)

    @property
    def rows(self) -> int:
        return len(self.series)

    @property
    def dialect(self) -> ParquetDialect:
        return plain_parquet(self.series.to_frame("x"))

    def pieces(self, _name: str) -> Iterator["pd.Series[Any]"]:
        for start in range(0, self.rows, self.size):
            yield self.series.iloc[start : start + self.size].reset_index(drop=True).rename("x")


def objects(*cells: object) -> "pd.Series[Any]":
    return pd.Series(list(cells), dtype=object)


def arrow(type_: pa.DataType, cells: list[Any]) -> "pd.Series[Any]":
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(cells).cast(type_)))


def moments(unit: str, *steps: str) -> "pd.Series[Any]":
    """Moments that are whole numbers of the first step, but for one of each other step."""
    cells = np.datetime64("2019-10-20", unit) + PLACES * np.timedelta64(1, steps[0])  # type: ignore[call-overload]
    for place, step in enumerate(steps[1:]):
        cells[200 + place] += np.timedelta64(1, step)  # type: ignore[call-overload]
    return pd.Series(cells.astype(f"M8[{unit}]"))


def gappy(series: "pd.Series[Any]", marker: object = None) -> "pd.Series[Any]":
    gaps = np.arange(N) % 11 == 10
    if series.dtype == np.dtype(object):
        held = series.to_numpy(dtype=object).copy()
        held[gaps] = marker
        return pd.Series(held, dtype=object)
    return series.mask(gaps)


def written(format_: str, others: Mapping[int, str] | None = None) -> "pd.Series[Any]":
    """Different moments as texts of a format, the others where they are told."""
    moments = [NOON + dt.timedelta(days=int(place), minutes=int(place) * 7) for place in PLACES]
    texts = [moment.strftime(format_.format(moment)) for moment in moments]
    for place, text in (others or {}).items():
        texts[place] = text
    return pd.Series(texts, dtype="str")


AMOUNTS = pd.Series(RNG.normal(70, 20, N).round(2))
WHOLE = pd.Series(RNG.permutation(N) + 1)
NIR = [13000000000000 + int(place) for place in RNG.permutation(N)]
CODED = pd.Series(np.where(np.arange(N) % 50 == 49, -99.0, RNG.normal(500, 100, N)))
NORTH = np.array(["north", "south", "east", "a rare one"])[np.minimum(PLACES // 40, 3)]

SERIES: dict[str, "pd.Series[Any]"] = {
    "few integers": pd.Series(PLACES % 7),
    "many integers": pd.Series(PLACES * 3),
    "unsigned": pd.Series(PLACES, dtype="uint8"),
    "nullable integers": gappy(pd.Series(PLACES * 5, dtype="Int16")),
    "integers beyond 2^53": pd.Series(PLACES * 10**15 + 2**55),
    "Arrow integers": arrow(pa.int32(), [int(place) for place in PLACES]),
    "floats": gappy(AMOUNTS),
    "float32": AMOUNTS.astype("float32"),
    "whole floats": gappy(pd.Series(PLACES.astype(float))),
    "floats, one of them with decimals": pd.Series(np.where(np.arange(N) == 250, 0.5, PLACES)),
    "minus zero": pd.Series(np.where(PLACES % 2, -0.0, 0.0)),
    "infinite": pd.Series(np.where(PLACES % 9 == 8, np.inf, np.where(PLACES % 8 == 7, -np.inf, AMOUNTS))),
    "decimals": gappy(objects(*(Decimal(int(place)).scaleb(-2) for place in PLACES)), None),
    "decimals of several places": objects(*(Decimal(f"{place}.{'0' * (place % 4 + 1)}") for place in PLACES)),
    "whole decimals": objects(*(Decimal(int(place)) for place in WHOLE)),
    "decimals of whole hundreds": gappy(objects(*(Decimal(int(place)).scaleb(2) for place in PLACES)), None),
    "Arrow decimals": arrow(pa.decimal128(20, 3), [Decimal(int(place)).scaleb(-1) for place in PLACES]),
    "object integers": gappy(objects(*(10**20 + int(place) for place in PLACES)), pd.NA),
    "object numbers": objects(*(int(place) if place % 3 else float(place) / 8 for place in PLACES)),
    "object integers, equal floats": objects(
        *(int(place) if place % 2 else float(place) for place in PLACES)
    ),
    "bool": pd.Series(PLACES % 2 == 0),
    "boolean": gappy(pd.Series(PLACES % 2 == 0, dtype="boolean")),
    "object booleans": gappy(objects(*(bool(place % 2) for place in PLACES)), np.nan),
    "texts": pd.Series(NORTH),
    "nullable texts": gappy(pd.Series(NORTH, dtype="string")),
    "object texts": gappy(objects(*NORTH.tolist()), np.nan),
    "many texts": pd.Series([f"level {place}" for place in PLACES]),
    "all texts different": pd.Series([f"person {place}" for place in range(N)]),
    "e-mail addresses": pd.Series([f"p{place}@example.org" for place in PLACES]),
    "categories": gappy(
        pd.Series(NORTH, dtype=pd.CategoricalDtype(["south", "never", "north", "east", "a rare one"]))
    ),
    "ordered numbers": pd.Series(PLACES % 3, dtype=pd.CategoricalDtype([2, 0, 9, 1], ordered=True)),
    "Arrow texts": arrow(pa.string(), NORTH.tolist()),
    "Arrow dictionary": arrow(pa.dictionary(pa.int8(), pa.string()), NORTH.tolist()),
    "intervals": pd.Series([pd.Interval(place % 3, place % 3 + 1) for place in PLACES]),
    "mixed": objects(*(str(place) if place % 2 else int(place) % 9 for place in PLACES)),
    "minus zero among texts": objects(
        *("text" if place % 3 else -0.0 if place % 2 else 0.0 for place in PLACES)
    ),
    "lists": objects(*([1] if place % 5 == 4 else "text" for place in PLACES)),
    "bytes": objects(*(bytes([place % 7]) for place in PLACES)),
    "all missing": objects(*[None] * N),
    "all missing floats": pd.Series(np.full(N, np.nan)),
    "all missing moments": pd.Series(np.full(N, np.datetime64("NaT", "us"))),
    "constant": pd.Series(["only"] * N),
    "constant number": pd.Series([4.5] * N),
    "numbers from 1 to n": WHOLE,
    "floats from 1 to n": WHOLE.astype(float),
    "numbers from 1 to n but one": WHOLE.replace(N, N - 1),
    "social security numbers": pd.Series([number * 100 + 97 - number % 97 for number in NIR]),
    "some social security numbers": pd.Series(
        [number * 100 + (97 - number % 97 if number % 2 else 1) for number in NIR]
    ),
    "a code for missing": CODED,
    "several codes for missing": CODED.replace(-99.0, 999999.0).where(PLACES % 13 != 12, -999.0),
    "the largest float": CODED.replace(-99.0, -sys.float_info.max),
    "a code for missing, float32": CODED.astype("float32"),
    "a code for missing among dates": moments("s", "D").where(PLACES % 50 != 49, pd.Timestamp("1800-01-01")),
    "days": moments("ns", "D"),
    "seconds": gappy(moments("ms", "D", "s"), pd.NaT),
    "microseconds": moments("us", "D", "us", "s"),
    "nanoseconds": moments("ns", "s", "ns", "ms"),
    "durations": moments("ms", "D", "s") - pd.Timestamp("2019-10-20"),
    "months": pd.Series(pd.PeriodIndex.from_ordinals(PLACES, freq="M")),  # type: ignore[attr-defined]
    "midnights of a zone": moments("s", "D").dt.tz_localize(
        HAVANA, nonexistent="shift_forward", ambiguous=True
    ),
    "second midnights": moments("s", "D").dt.tz_localize(
        HAVANA, nonexistent="shift_forward", ambiguous=np.zeros(N, dtype=bool)
    ),
    "a midnight and a second": moments("s", "D", "s").dt.tz_localize("UTC").dt.tz_convert(PARIS),
    "object dates": gappy(objects(*(DAY + dt.timedelta(days=int(place)) for place in PLACES)), None),
    "object datetimes": objects(*(NOON + dt.timedelta(seconds=int(place)) for place in PLACES)),
    "object datetimes of mixed offsets": objects(
        *((NOON + dt.timedelta(hours=int(place))).replace(tzinfo=ZONES[place % 3]) for place in PLACES)
    ),
    "the same moments in two zones": objects(
        *((NOON.replace(tzinfo=ZONES[0])).astimezone(ZONES[place % 2]) for place in PLACES)
    ),
    "object datetimes with and without a zone": objects(
        *(NOON.replace(tzinfo=ZONES[0] if place == 7 else None) for place in PLACES)
    ),
    "object Timestamps": objects(
        *(pd.Timestamp(NOON) + pd.Timedelta(int(place == 9), "ns") for place in PLACES)
    ),
    "object times": objects(*(dt.time(int(place) // 60, int(place) % 60) for place in PLACES)),
    "object durations": objects(*(dt.timedelta(minutes=int(place)) for place in PLACES)),
    "Arrow dates": arrow(pa.date32(), [DAY + dt.timedelta(days=int(place)) for place in PLACES]),
    "Arrow moments": arrow(pa.timestamp("us"), [NOON + dt.timedelta(seconds=int(place)) for place in PLACES]),
    "Arrow moments in a zone": arrow(
        pa.timestamp("ms", tz=PARIS), [NOON + dt.timedelta(days=int(place)) for place in PLACES]
    ),
    "Arrow times": arrow(pa.time64("us"), [dt.time(int(place) // 10, place % 10) for place in PLACES]),
    **{
        f"texts {format_}": pd.Series(
            [(NOON + dt.timedelta(days=int(place), minutes=int(place))).strftime(format_) for place in PLACES]
        )
        for format_ in (
            "%d/%m/%Y",
            "%m/%d/%Y",
            "%Y-%m-%d",
            "%Y-%m-%dT%H:%M:%S",
            "%d %B %Y",
            "%Y-%m-%d %H:%MZ",
        )
    },
    "texts of mixed offsets": pd.Series(
        [f"2020-02-25T{place % 24:02d}:00:00{'+02:00' if place % 3 else '-05:00'}" for place in PLACES]
    ),
    "texts whose day and month may change places": pd.Series(
        [f"{place % 9 + 1:02d}/01/2020" for place in PLACES]
    ),
    "days as integers": pd.Series(20200101 + PLACES % 28),
    "texts without leading zeros": written("{0.day}/{0.month}/{0.year} {0.hour}:{0.minute:02d}"),
    "texts some of which have leading zeros": written(
        "{0.day}/{0.month}/{0.year}", {7: "07/03/2020", 8: "8/03/2020", 250: "09/4/2020"}
    ),
    "texts most of which have leading zeros": written(
        "%d/%m/%Y %H:%M", {3: "3/3/2020 4:05", 200: "4/3/2020 5:06"}
    ),
    "texts that are dates but for one": written("%Y-%m-%d %H:%M", {200: "unknown"}),
    "texts that are dates but for the first": written("%Y-%m-%d %H:%M", {0: "unknown"}),
    "texts that are dates but for the thirtieth of February": written("%d.%m.%Y", {250: "30.02.2021"}),
    "texts whose month is told by the last": written("{0.month:02d}/01/2020", {N - 1: "01/13/2020"}),
    "texts of midnights": written("%Y-%m-%d 00:00"),
    "texts of midnights but one": written("%Y-%m-%d 00:00", {222: "2020-05-05 00:01"}),
    "texts of whole seconds but one": written("%Y-%m-%dT%H:%M:%S.000", {222: "2020-05-05T00:01:00.120"}),
    "texts of fractions": written("%Y-%m-%d %H:%M:%S.%f", {99: "2020-05-05 01:01:01.123456789"}),
    "texts of nanoseconds but for days in February": written(
        "%Y-%m-%d %H:%M:%S.123456789",
        {place: f"2020-02-30 12:{place % 60:02d}:00.123456789" for place in range(99, 119)},
    ),
    "texts of midnights of one of two offsets": pd.Series(
        [
            f"2020-{place % 12 + 1:02d}-{place % 28 + 1:02d}T{'00:00:00+02:00' if place % 3 else '23:00:00+01:00'}"
            for place in PLACES
        ]
    ),
    "texts of midnights of one of two offsets, but for one": pd.Series(
        [
            f"2020-{place % 12 + 1:02d}-{place % 28 + 1:02d}T{'00:00:00+02:00' if place % 3 else '23:00:00+01:00'}"
            for place in PLACES[:-1]
        ]
        + ["2020-10-15T22:00:00+01:00"]
    ),
    "texts of touching figures": written("%d%m%Y", {7: "1512020", 8: "512020"}),
    "texts of touching figures without zeros": written("{0.day}{0.month}%Y", {7: "05122020"}),
    "texts of an offset, month first": written("%m/%d/%Y 00:00+02:00", {200: "06/13/2020 00:05+02:00"}),
    "texts of an offset, long months": written(
        "%B %d, %Y 00:00:00+02:00", {200: "May 13, 2020 00:05:00+02:00"}
    ),
    "texts of years that nanoseconds do not reach": written(
        "%Y-%m-%d %H:%M:%S.000001",
        {
            **{place: f"{2900 + place}-03-01 12:35:00.000001" for place in range(20, 28)},
            N - 1: "2020-01-01 10:00:00.123456789",
        },
    ),
    "texts of an offset that comes first": written("+0200 %Y-%m-%d"),
    "texts of mornings and evenings": written(
        "{0.month}/{0.day}/{0.year} %I:%M %p", {40: "13/1/2020 01:00 AM"}
    ),
    "texts of mornings and evenings, day last": written("{0.month}/{0.day}/{0.year} %I:%M %p"),
    "texts of midnights of an offset": written("%Y-%m-%dT00:00:00+05:45"),
    "texts of midnights of two offsets": written("%Y-%m-%dT00:00:00+02:00", {5: "2020-07-01T23:00:00+01:00"}),
    "texts of another hour of two offsets": written(
        "%Y-%m-%dT00:00:00+02:00", {5: "2020-07-01T00:00:00+01:00"}
    ),
    "texts of months": written("%b %d, %Y"),
    "texts of long months": written("%d-%B-%Y", {250: "03-JUNE-2020"}),
    "texts all of May": written("May {0.day}, {0.year}"),
    "texts that begin late": written("%Y-%m-%d", {290: "1850-01-01", 291: "2999-12-31"}),
    "texts with gaps": gappy(written("%Y-%m-%d %H:%M:%S")),
    "nullable texts of dates": gappy(written("%d/%m/%Y %H:%M").astype("string")),
    "Arrow texts of dates": arrow(pa.large_string(), written("%d/%m/%Y %H:%M").tolist()),
    "Arrow texts that are dates but for one": arrow(
        pa.string(), written("%d/%m/%Y %H:%M", {280: "later"}).tolist()
    ),
    "object texts of dates": written("%d/%m/%Y %H:%M").astype(object),
    "texts of years of two figures": written("%d/%m/%y"),
    "texts of centuries": written("{0.day:02d}/{0.month:02d}/%Y", {77: "01/01/3021", 78: "05/05/1021"}),
}
NAMED: dict[str, tuple[str, Declaration]] = {
    "a category of integers": ("many integers", Declaration(type="category", weight=2.0)),
    "a category of several types": ("mixed", Declaration(type="category")),
    "a category of minus zero": ("minus zero among texts", Declaration(type="category")),
    "a category of lists": ("lists", Declaration(type="category")),
    "a boolean": ("few integers", Declaration(type="boolean")),
    "integers stored as floats": ("whole floats", Declaration(type="integer")),
    "integers that have decimals": ("floats", Declaration(type="integer")),
    "decimals that are no integers": ("decimals", Declaration(type="integer")),
    "floats stored as integers": ("many integers", Declaration(type="float", round_to=3)),
    "a step that is no multiple": ("decimals", Declaration(round_to=0.001)),
    "a step that is too large": ("floats", Declaration(round_to=10**6)),
    "a number that is text": ("texts", Declaration(type="float")),
    "a date that is a number": ("floats", Declaration(type="date")),
    "a date that is text": ("texts", Declaration(type="date")),
    "a number that is a date": ("days", Declaration(type="integer")),
    "a duration that is a date": ("days", Declaration(type="duration")),
    "a date with times": ("days", Declaration(type="datetime")),
    "days of a format": ("days as integers", Declaration(format="%Y%m%d")),
    "texts of a format": ("texts whose day and month may change places", Declaration(format="%d/%m/%Y")),
    "texts of years of two figures, of a format": (
        "texts of years of two figures",
        Declaration(type="date", format="%d/%m/%y"),
    ),
    "some texts of another format": (
        "texts of mornings and evenings",
        Declaration(format="%m/%d/%Y %I:%M %p"),
    ),
    "texts that are dates but for one, declared": (
        "texts that are dates but for one",
        Declaration(type="datetime"),
    ),
    "texts that are dates but for one, of a format": (
        "texts that are dates but for one",
        Declaration(format="%Y-%m-%d %H:%M"),
    ),
    "texts of nanoseconds but for days in February, of a format": (
        "texts of nanoseconds but for days in February",
        Declaration(format="%Y-%m-%d %H:%M:%S.%f"),
    ),
    "touching figures": ("texts of touching figures", Declaration(format="%d%m%Y")),
    "touching figures without zeros": (
        "texts of touching figures without zeros",
        Declaration(format="%d%m%Y"),
    ),
    "years that nanoseconds do not reach": (
        "texts of years that nanoseconds do not reach",
        Declaration(format="%Y-%m-%d %H:%M:%S.%f"),
    ),
    "an offset that comes first": ("texts of an offset that comes first", Declaration(format="%z %Y-%m-%d")),
    "a category of dates": ("texts %Y-%m-%d", Declaration(type="category")),
    "a number that is a date in text": ("texts %Y-%m-%d", Declaration(type="float")),
    "a duration that is a date in text": ("texts %Y-%m-%d", Declaration(type="duration")),
    "a date with times in text": ("texts of midnights", Declaration(type="datetime")),
    "codes of dates in text": (
        "texts that begin late",
        Declaration(missing_codes=("1850-01-01", "2999-12-31")),
    ),
    "codes of midnights in text": (
        "texts with gaps",
        Declaration(missing_codes=("2020-02-25 12:00:00", "2020-02-26 12:07:00")),
    ),
    "texts of another format": ("texts %Y-%m-%d", Declaration(type="date", format="%d/%m/%Y")),
    "integers of no format": ("many integers", Declaration(type="date", format="%Y%m%d")),
    "codes of floats": ("several codes for missing", Declaration(missing_codes=(-999, 999999))),
    "one code of two": ("several codes for missing", Declaration(missing_codes=(-999,))),
    "codes of large integers": ("integers beyond 2^53", Declaration(missing_codes=(2**55,))),
    "codes of decimals": ("decimals", Declaration(missing_codes=(0, 0.01, 0.02))),
    "codes that are none": ("few integers", Declaration(missing_codes=(0.5,))),
    "the largest float is a code": (
        "the largest float",
        Declaration(missing_codes=(-sys.float_info.max,)),
    ),
    "codes of dates": ("a code for missing among dates", Declaration(missing_codes=("1800-01-01",))),
    "codes of texts": ("texts", Declaration(missing_codes=("north",))),
    "an identifier's type is declared": ("numbers from 1 to n", Declaration(type="integer")),
}
CASES = {
    **{name: (series, Declaration()) for name, series in SERIES.items()},
    **{name: (SERIES[which], declared) for name, (which, declared) in NAMED.items()},
}


def words(column: Column) -> tuple[object, ...]:
    """All that a column holds, levels with their types."""
    if not isinstance(column, Category):
        return (repr(column), column.dtype)
    levels = [(type(level), level) for level in column.levels]
    return repr(replace(column, levels=pd.Index([]))), column.dtype, levels, dict(column.merged)


def whole(series: "pd.Series[Any]", name: str, declared: Declaration, rare: Rare) -> tuple[object, ...]:
    """What recognition in memory says of a column, or refuses; and the bytes of its encoded cells."""
    frame = series.to_frame(name)
    try:
        found = recognise(frame, {name: declared}, rare)
        content = encoding._stored(encode(frame, found.columns)).tobytes()
    except InputError as error:
        return error.code, error.columns, error.message
    return words(found.columns[0]), found.identifiers, found.notices, content


def in_pieces(
    series: "pd.Series[Any]", name: str, declared: Declaration, rare: Rare, size: int, folder: Path
) -> tuple[object, ...]:
    """The same of the column read in pieces."""
    job = job_of(parse_configuration({"source": "x.csv"}), 1)
    asked: Declared = replace(job.declared, columns={name: declared}, rare=rare)
    shelf = Shelf(str(folder / "shelf"))
    try:
        found = encoding._encode_column(Pieces(series, size), name, asked, shelf, "cells")
    except InputError as error:
        return error.code, error.columns, error.message
    with shelf.reading("cells") as file:
        return words(found.columns[0]), found.identifiers, found.notices, file.read()


KEPT, MERGED = Rare(1, None), Rare(60, "others")


@pytest.mark.parametrize(("size", "many"), [(7, 5), (N, 5), (50, 2**17)])
@pytest.mark.parametrize("case", CASES)
def test_a_column_in_pieces_is_what_it_is_whole(
    case: str, size: int, many: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sosie.seen.MANY", many)
    series, declared = CASES[case]
    series = series.rename("x")
    for rare in (KEPT, MERGED):
        assert in_pieces(series, "x", declared, rare, size, tmp_path) == whole(series, "x", declared, rare)


def test_cells_that_are_all_of_a_kind_of_their_own_are_kept_without_a_look_at_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def sort(*_: object) -> None:
        raise AssertionError("one cell needs no sorting")

    monkeypatch.setattr("sosie.seen.MANY", 5)
    monkeypatch.setattr(pd.Series, "argsort", sort)
    cells = [bytes([place]) for place in range(200)]
    found = seen_in_pieces([objects(*cells)], partial(alike_of, declared=Declaration()), 1)
    assert found.cells.tolist() == cells


def test_texts_that_are_no_dates_are_not_looked_at_for_what_they_share() -> None:
    assert alike_of(pd.Series(["2020-01-01", "a text"], dtype="str"), Declaration()) is None
    assert alike_of(pd.Series(["2020-01-01", "2020-01-02"], dtype="str"), Declaration()) is not None
