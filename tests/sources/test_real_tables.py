"""Real tables that packages ship: read, anonymised, and written back as they were."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import sosie
from sosie.sources import Source, read_source, suffix, write_table

# package, file, what is in it; the columns dropped are identifiers, or texts that nearly are
TABLES: list[tuple[str, str, list[str]]] = [
    ("causaldata", "nhefs/nhefs.dta", []),  # 1,629 people, labelled answers, gaps in 67 variables
    ("causaldata", "auto/auto.dta", ["make"]),  # cars, a gap among small integers
    ("causaldata", "titanic/titanic.dta", []),  # nothing but labelled codes
    ("causaldata", "thornton_hiv/thornton_hiv.dta", []),  # small integers with gaps
    ("causaldata", "avocado/avocado.dta", []),  # days
    ("causaldata", "texas/texas.dta", []),  # texts, four widths of number, gaps
    ("causaldata", "adult_services/adult_services.dta", ["id"]),  # labels, gaps
    ("causaldata", "Mroz/Mroz.csv", [""]),
    ("causaldata", "google_stock/google_stock_data.csv", []),  # days
    ("palmerpenguins", "data/penguins.csv", []),  # gaps
    (
        "palmerpenguins",
        "data/penguins-raw.csv",
        ["Individual ID", "Comments", "Sample Number"],
    ),  # days, gaps, brackets in names
    ("vega_datasets", "_data/seattle-weather.csv", []),  # days
    ("vega_datasets", "_data/la-riots.csv", ["first_name", "last_name", "address"]),  # days, gaps
    ("vega_datasets", "_data/airports.csv", ["iata", "name", "city"]),  # gaps
    ("vega_datasets", "_data/stocks.csv", []),  # days such as Jan 1 2000
]
IDS = [Path(name).name for _, name, _ in TABLES]


def where(package: str, name: str) -> Path:
    """The file in an installed package, which need not be imported for it."""
    found = find_spec(package)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / name


def numbers(column: "pd.Series[Any]") -> Any:
    return column.to_numpy(float, na_value=np.nan)


def again(source: Source, folder: Path) -> Source:
    path = folder / f"copy{suffix(source.dialect)}"
    write_table(source.frame, source.dialect, path)
    return read_source(path)


@pytest.mark.parametrize(("package", "name", "dropped"), TABLES, ids=IDS)
def test_a_real_table_comes_back_as_it_was(
    tmp_path: Path, package: str, name: str, dropped: list[str]
) -> None:
    source = read_source(where(package, name))
    pd.testing.assert_frame_equal(again(source, tmp_path).frame, source.frame)


@pytest.mark.parametrize(("package", "name", "dropped"), TABLES[::-1][:12], ids=IDS[::-1][:12])
def test_avatars_of_a_real_table_are_read_back_as_they_are(
    tmp_path: Path, package: str, name: str, dropped: list[str]
) -> None:
    source = read_source(where(package, name))
    every = max(1, len(source.frame) // 120)
    some = source.frame.iloc[::every, :].drop(columns=dropped).iloc[:, :8]
    avatars = sosie.anonymize(some, k=5, seed=0, holdout={"mode": "approximate"}).avatars
    assert avatars.dtypes.to_list() == some.dtypes.to_list()
    path = tmp_path / f"avatars{suffix(source.dialect)}"
    write_table(avatars, source.dialect, path)
    back = read_source(path).frame
    assert list(back) == list(some)
    assert back.isna().equals(avatars.isna())
    for label in back:
        if back[label].dtype == avatars[label].dtype:
            pd.testing.assert_series_equal(back[label], avatars[label])
        else:  # a file without types cannot tell that only whole numbers, or no number, are left
            np.testing.assert_array_equal(numbers(back[label]), numbers(avatars[label]))


WRITERS: dict[str, Any] = {
    ".xlsx": lambda frame, path: frame.to_excel(path, index=False),
    ".sav": lambda frame, path: pyreadstat.write_sav(frame, path),
    ".xpt": lambda frame, path: pyreadstat.write_xport(frame, path),
    ".dta": lambda frame, path: frame.to_stata(path, write_index=False, version=118),
    ".feather": lambda frame, path: frame.to_feather(path),
    ".parquet": lambda frame, path: frame.to_parquet(path),
}


@pytest.mark.parametrize("extension", WRITERS)
def test_penguins_come_back_from_every_format(tmp_path: Path, extension: str) -> None:
    source = read_source(where("palmerpenguins", "data/penguins-raw.csv"))
    frame = source.frame.rename(columns=lambda name: "".join(filter(str.isalnum, name))[:20])
    frame["DateEgg"] = pd.to_datetime(frame["DateEgg"]).astype("datetime64[ns]")
    WRITERS[extension](frame, tmp_path / f"penguins{extension}")
    read = read_source(tmp_path / f"penguins{extension}")
    for label in frame:
        expected, found = frame[label], read.frame[label]
        if pd.api.types.is_numeric_dtype(expected.dtype):
            np.testing.assert_array_equal(numbers(found), numbers(expected))
        else:
            assert found.isna().equals(expected.isna()), label
            assert found.dropna().to_list() == expected.dropna().to_list(), label
    pd.testing.assert_frame_equal(again(read, tmp_path).frame, read.frame)
