"""Objects that are streamed: looked at without being fetched, and fetched without being held."""

import gzip
import io
import resource
import socket
import stat
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.errors import AwayError, InputError
from sosie.sources.streamed import can_stream, local_file, rows_about, written_suffix

LINES = b"a;b\n" + b"1;2\n" * 40_000


@pytest.fixture
def objects(bucket: Any) -> Any:
    table = io.BytesIO()
    pd.DataFrame({"x": np.arange(1234)}).to_parquet(table)
    contents = {
        "t.parquet": table.getvalue(),
        "t.csv": LINES,
        "t.csv.gz": gzip.compress(LINES),
        "plain.csv.gz": LINES,
        "broken.parquet": b"PAR1 no table",
        "empty.csv": b"",
    }
    for key, content in contents.items():
        bucket.put_object(Key=key, Body=content)
    return bucket


@pytest.mark.parametrize(
    ("name", "rows", "suffix"),
    [
        ("t.parquet", 1234, ".parquet"),
        ("t.csv", 40_001, ".csv"),
        ("t.csv.gz", 40_001, ".csv.gz"),
        ("plain.csv.gz", 40_001, ".csv"),
        ("broken.parquet", 0, ".parquet"),
        ("empty.csv", 0, ".csv"),
        ("absent.parquet", 0, ""),
        ("t.xlsx", 0, ""),
    ],
)
def test_rows_and_suffix_of_an_object_are_told(objects: Any, name: str, rows: int, suffix: str) -> None:
    address = f"s3://clinic/{name}"
    assert can_stream(address) == (not name.endswith(".xlsx"))
    assert (rows_about(address), written_suffix(address)) == (rows, suffix)


def test_of_a_large_object_only_its_ends_are_fetched_to_tell_its_rows(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Any = import_module("s3fs.core").S3File
    fetched: list[int] = []
    ranged: Callable[..., bytes] = opened._fetch_range

    def counted(self: Any, start: int, end: int) -> bytes:
        content = ranged(self, start, end)
        fetched.append(len(content))
        return content

    monkeypatch.setattr(opened, "_fetch_range", counted)
    table = io.BytesIO()
    pd.DataFrame({"x": np.random.default_rng(0).normal(size=1_000_000)}).to_parquet(table)
    bucket.put_object(Key="t.parquet", Body=table.getvalue())
    assert rows_about("s3://clinic/t.parquet") == 1_000_000
    assert 0 < sum(fetched) < len(table.getvalue()) / 20


def test_an_object_becomes_a_file_that_nobody_else_may_read(objects: Any, tmp_path: Path) -> None:
    file = local_file("s3://clinic/t.csv", tmp_path)
    assert file.read_bytes() == LINES
    assert file.parent == tmp_path
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_object_that_is_not_there_is_unreadable(objects: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist in its store") as caught:
        local_file("s3://clinic/absent.csv", tmp_path)
    assert caught.value.code == "UNREADABLE_SOURCE"


def test_no_room_for_an_object_is_no_fault_of_its_store(objects: Any, tmp_path: Path) -> None:
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, allowed[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            local_file("s3://clinic/t.csv", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)


def test_a_store_that_is_away_is_not_taken_for_a_small_table(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{held.getsockname()[1]}")
        for asked in (rows_about, written_suffix, lambda address: local_file(address, tmp_path)):
            with pytest.raises(AwayError, match="check the endpoint and the credentials"):
                asked("s3://clinic/t.csv")
