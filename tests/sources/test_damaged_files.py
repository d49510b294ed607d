"""Damaged files of every format: read or refused with a code, without a cell in what is said."""

import random
import sqlite3
import time
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from sosie.errors import InputError
from sosie.sources import read_source

SECRET = "Zaphod"
SECONDS = 1.0  # for each format
CODES = {"UNREADABLE_SOURCE", "UNSUPPORTED_FORMAT", "EMPTY_TABLE", "DUPLICATE_COLUMNS", "RAGGED_CSV"}


def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": [SECRET, "x", "é"] * 4,
            "kg": [1.5, None, 60.25] * 4,
            "age": [1, 2, 3] * 4,
            "seen": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"] * 4).astype("datetime64[ns]"),
        }
    )


def to_sqlite(frame: pd.DataFrame, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        frame.to_sql("t", connection, index=False)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "a.csv": lambda frame, path: frame.to_csv(path, index=False),
    "a.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "a.parquet": lambda frame, path: frame.to_parquet(path),
    "a.feather": lambda frame, path: frame.to_feather(path),
    "a.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "a.sav": lambda frame, path: pyreadstat.write_sav(frame, path, row_compress=True),
    "a.zsav": lambda frame, path: pyreadstat.write_sav(frame, path, compress=True),
    "a.dta": lambda frame, path: frame.to_stata(path, write_index=False, version=118),
    "a.xpt": lambda frame, path: pyreadstat.write_xport(frame, path),
    "a.db": to_sqlite,
}


def damaged(whole: bytes, rng: random.Random) -> bytes:
    """The bytes cut, overwritten, doubled, removed, or none of them left."""
    content = bytearray(whole)
    match rng.randrange(6):
        case 0:
            return bytes(content[: rng.randrange(len(content))])
        case 1:
            return rng.randbytes(rng.randrange(300))
        case 2:
            start = rng.randrange(len(content))
            content[start : start + rng.randrange(1, 40)] = b""
        case 3:
            start = rng.randrange(len(content))
            content[start:start] = content[start : start + rng.randrange(1, 60)]
        case _:
            for _ in range(rng.choice([1, 2, 8, 40])):
                content[rng.randrange(len(content))] = rng.choice(
                    [0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)]
                )
    return bytes(content)


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_bytes_are_read_or_refused_with_a_code(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](table(), path)
    whole = path.read_bytes()
    rng = random.Random(0)
    errors, until = [], time.monotonic() + SECONDS
    while time.monotonic() < until:
        path.write_bytes(damaged(whole, rng))
        try:
            source = read_source(path)
        except InputError as error:
            errors.append(error)
        else:
            assert len(source.frame) > 0
    assert errors
    assert {error.code for error in errors} <= CODES
    assert [error.code for error in errors if SECRET in "".join(traceback.format_exception(error))] == []
