"""Columns that Arrow holds as positions in a dictionary, whatever the dictionary is."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

import sosie
from sosie.columns import Category, encode
from sosie.recognition import recognise, refuse_identifiers
from sosie.sources import read_source, write_table

N = 60


def dictionary(places: list[int | None], levels: pa.Array, ordered: bool = False) -> pa.DictionaryArray:
    cells = (places * N)[:N]
    return pa.DictionaryArray.from_arrays(pa.array(cells, pa.int8()), levels, ordered=ordered)


DICTIONARIES = {
    "empty": dictionary([None], pa.array([], pa.string())),
    "of one": dictionary([0], pa.array(["a"])),
    "of one, with gaps": dictionary([0, None], pa.array(["a"])),
    "of more than are used": dictionary([0, 1], pa.array([f"level {place}" for place in range(100)])),
    "missing": dictionary([0, 1, 2, None], pa.array(["a", None, "b"])),
    "missing, not used": dictionary([0, 2, 2], pa.array(["a", None, "b"])),
    "twice": dictionary([2, 1, 0], pa.array(["b", "a", "b"])),
    "twice, ordered": dictionary([2, 1, 0], pa.array(["b", "a", "b"]), ordered=True),
    "NaN": dictionary([0, 1, 2], pa.array([1.5, float("nan"), 0.5])),
    "a missing number": dictionary([0, 1, 2], pa.array([7, None, 5])),
    "of nothing": dictionary([None], pa.nulls(0)),
}


def values(held: Any) -> list[Any]:
    """The cells as Python has them; NaN is nothing."""
    return [None if cell != cell else cell for cell in pa.array(held).to_pylist()]


@pytest.mark.parametrize("held", DICTIONARIES.values(), ids=DICTIONARIES)
@pytest.mark.parametrize("chunks", [1, 2])
def test_a_column_of_a_frame_comes_back_as_it_went_in(held: pa.DictionaryArray, chunks: int) -> None:
    array = pa.chunked_array([held] if chunks == 1 else [held[:7], held[7:]])
    frame = pd.DataFrame({"x": pd.Series(pd.arrays.ArrowExtensionArray(array)), "kg": range(N)})
    recognised = recognise(frame, {})
    refuse_identifiers(recognised)
    column = recognised.columns[0]
    assert isinstance(column, Category)
    assert set(column.levels) == set(values(held)) - {None}
    back = encode(frame, recognised.columns).to_frame()
    assert back.dtypes["x"] == frame.dtypes["x"]
    assert values(back["x"]) == values(held)


@pytest.mark.parametrize("held", DICTIONARIES.values(), ids=DICTIONARIES)
def test_a_column_of_an_arrow_file_comes_back_as_it_went_in(tmp_path: Path, held: pa.DictionaryArray) -> None:
    feather.write_feather(pa.table({"x": held, "kg": range(N)}), tmp_path / "table.arrow")
    source = read_source(tmp_path / "table.arrow")
    back = encode(source.frame, recognise(source.frame, {}).columns).to_frame()
    write_table(back, source.dialect, tmp_path / "copy.arrow")
    written = feather.read_table(tmp_path / "copy.arrow")["x"]
    assert written.type == held.type
    assert written.to_pylist() == values(held)


def test_avatars_hold_the_levels_of_a_dictionary_in_which_one_is_missing() -> None:
    held = pd.Series(pd.arrays.ArrowExtensionArray(DICTIONARIES["missing"]))
    frame = pd.DataFrame({"x": held, "kg": range(1, 2 * N, 2)})
    avatars = sosie.anonymize(frame, k=5, ncp=2, seed=0, attacks={"attempts": 10}).avatars
    assert avatars.dtypes["x"] == held.dtype
    assert set(values(avatars["x"])) == {"a", "b", None}
