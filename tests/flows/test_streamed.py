"""A streamed run from a file to its release: what a run in memory releases, gate and refusals included."""

import gzip
import json
import re
import resource
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sosie.flows.runs import run_request
from sosie.schemas.manifest import Manifest
from sosie.schemas.request import Request
from sosie.tasks.calls import DirectCalls, Progress, silent
from sosie.tasks.remembered import leave_seed
from sosie.tasks.run import make_directory

Ran = tuple[Manifest, Path]


@pytest.fixture
def run(tmp_path: Path, patients: pd.DataFrame) -> Callable[..., Ran]:
    """A run of the same table and seed, named, with what is added to its configuration."""
    source = tmp_path / "patients.csv"
    most, light = (patients["kg"] + patients["age"] / 10).round(1), patients["kg"] < 60
    patients.assign(most_kg=most, light=light).to_csv(source, index=False, sep=";")

    def ran(name: str, source: str = str(source), progress: Progress = silent, **asked: Any) -> Ran:
        directory = tmp_path / name
        config = tmp_path / f"{name}.yaml"
        content = {"targets": {"mode": "report"}, "attacks": {"attempts": 10}, **asked}
        config.write_text(json.dumps({"store": {"directory": str(tmp_path / "store")}, **content}))
        make_directory(directory)
        leave_seed(directory, 5)
        request = Request(source=source, config=str(config), out=str(tmp_path))
        return run_request(request, directory, DirectCalls(progress)), directory

    return ran


def never(*_: object) -> None:
    """In place of what must not be reached."""
    raise AssertionError


RELATED: dict[str, Any] = {
    "columns": {
        "age": {"transform": "quantile"},
        "kg": {"transform": "log"},
        "most_kg": {"round_to": 0.5},
        "light": {"derived": "kg < 60"},
    },
    "constraints": ["kg < most_kg"],
}

POISON = """
from sosie.tasks.streamed.batch import make_batch

def poisoned(work, number):
    if number == 1:
        raise ValueError("the cell 1984-02-29 of somebody")
    return make_batch(work, number)
"""

ON_DASK = {"runner": {"kind": "dask", "workers": 2}}

HUNDREDS = {"round_to": 100}


@pytest.mark.parametrize("asked", [{}, RELATED, {"repeats": 3}, ON_DASK], ids=str)
def test_what_is_released_is_what_a_run_in_memory_releases(
    run: Callable[..., Ran], tmp_path: Path, asked: dict[str, Any]
) -> None:
    batches = {"rows": 300}
    streamed, here = run("streamed", batches={**batches, "streamed": "always"}, **asked)
    whole, there = run("whole", batches=batches, **asked)
    assert streamed.status == whole.status == "released"
    for file in ("avatars.csv", "metrics.json"):
        assert (here / "release" / file).read_bytes() == (there / "release" / file).read_bytes()
    assert (streamed.rows, streamed.columns, streamed.batches) == (whole.rows, whole.columns, whole.batches)
    assert streamed.source_sha256 == whole.source_sha256
    assert streamed.warnings == whole.warnings
    assert (here / "release" / "report.html").exists()
    assert not any((tmp_path / "store" / "streamed").iterdir())


def test_each_batch_is_told_when_it_is_made(run: Callable[..., Ran]) -> None:
    told: list[str] = []

    def note(title: str, done: bool, seconds: float = 0.0) -> None:
        if not seconds:  # no sign of life of a long step
            told.append(f"{title}: done" if done else title)

    run("told", progress=note, batches={"rows": 100, "streamed": "always"})
    for rows, count in (("working rows", 3), ("all rows", 6)):
        step = f"find neighbours and generate: {rows}"
        batches = [f"batch {number} of {count}" for number in range(1, count + 1)]
        assert told[told.index(step) : told.index(f"{step}: done")] == [step, *batches]
    assert sum(line.startswith("batch ") for line in told) == 9


def test_a_missed_target_releases_nothing(run: Callable[..., Ran]) -> None:
    targets = {"mode": "enforce", "hidden_rate": {"min": 100}}
    manifest, directory = run("rejected", batches={"streamed": "always"}, targets=targets)
    assert (manifest.status, manifest.code) == ("rejected", "TARGET_NOT_MET")
    assert not (directory / "release").exists()
    assert (directory / "private" / "report-internal.html").exists()


def test_a_table_of_more_rows_than_are_to_be_held_is_streamed_unasked(run: Callable[..., Ran]) -> None:
    manifest, _ = run("large", batches={"in_memory": 500})
    assert "recognise and encode" in manifest.stage_seconds


def test_a_store_that_keeps_nothing_lends_its_folder_and_stays_a_store(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    store = {"directory": str(tmp_path / "store"), "keep": False}
    assert run("forgetful", batches={"streamed": "always"}, store=store)[0].status == "released"
    assert run("keeping")[0].status == "released"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"holdout": {"mode": "approximate"}}, "approximate holdout needs the whole table in memory"),
        ({"method": {"imputation": "knn"}}, "imputation knn needs the whole table in memory"),
        (
            {"columns": {"age": {"transform": "yeo-johnson"}}},
            'transform: yeo-johnson needs the whole table in memory: "age"',
        ),
        ({"columns": {"nobody": {"type": "float"}}}, 'names column\\(s\\) "nobody"'),
    ],
)
def test_what_cannot_be_streamed_is_refused_in_a_sentence(
    run: Callable[..., Ran], asked: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    manifest, directory = run("refused", batches={"streamed": "always"}, **asked)
    assert not any((tmp_path / "store" / "streamed").iterdir())
    assert manifest.status == "failed"
    assert re.search(sentence, manifest.message or "")
    assert [file.name for file in directory.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize("name", ["patients.csv", "patients.csv.gz", "patients.parquet"])
def test_an_object_in_a_store_is_streamed_as_the_file_it_is(
    run: Callable[..., Ran], name: str, tmp_path: Path
) -> None:
    frame, file = pd.read_csv(tmp_path / "patients.csv", sep=";"), tmp_path / name
    if name.endswith(".parquet"):
        frame.to_parquet(file, index=False)
    elif name.endswith(".gz"):
        file.write_bytes(gzip.compress((tmp_path / "patients.csv").read_bytes()))
    address = f"memory://{tmp_path}/{name}"
    with fsspec.open(address, "wb") as there:
        there.write(file.read_bytes())
    asked = {"batches": {"rows": 300, "in_memory": 500}, "destination": f"memory://{tmp_path}/out/{name}"}
    streamed, here = run("object", address, **asked)
    local, there = run("file", str(file), **{**asked, "destination": None})
    assert streamed.status == local.status == "released"
    assert "recognise and encode" in streamed.stage_seconds
    released = Path(name).with_stem("avatars").name if name.count(".") == 1 else "avatars.csv.gz"
    assert (here / "release" / released).read_bytes() == (there / "release" / released).read_bytes()
    assert (streamed.source_name, streamed.source_sha256) == (name, local.source_sha256)
    assert not any((tmp_path / "store" / "streamed").iterdir())


@pytest.mark.parametrize("to", ["{folder}/delivered.csv", "memory://{folder}/delivered.csv"])
def test_avatars_are_delivered_as_they_were_released(
    run: Callable[..., Ran], to: str, tmp_path: Path
) -> None:
    address = to.format(folder=tmp_path)
    manifest, directory = run("delivering", batches={"streamed": "always"}, destination=address)
    assert manifest.status == "released"
    with fsspec.open(address) as delivered:
        assert delivered.read() == (directory / "release" / "avatars.csv").read_bytes()


@pytest.mark.parametrize(
    ("to", "sentence"),
    [
        ("{folder}/avatars.parquet", "destination that is no .csv file or object needs the whole table"),
        (
            "sqlite:///{folder}/a.db?table=avatars",
            "destination that is no .csv file or object needs the whole",
        ),
        ("{folder}/nowhere/avatars.csv", "folder of the destination avatars.csv does not exist"),
        ("{folder}/patients.csv", "the destination is the source itself"),
    ],
)
def test_a_destination_that_cannot_be_is_refused_before_the_table_is_read(
    run: Callable[..., Ran], to: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sosie.tasks.streamed.encoding.open_source", never)
    asked = {"batches": {"streamed": "always"}, "destination": to.format(folder=tmp_path)}
    manifest, directory = run("refused", **asked)
    assert (manifest.status, manifest.code) == ("failed", "BAD_CONFIG")
    assert sentence in (manifest.message or "")
    assert [file.name for file in directory.iterdir()] == ["manifest.json"]


def test_a_compressed_table_is_delivered_compressed(run: Callable[..., Ran], tmp_path: Path) -> None:
    source, to = tmp_path / "patients.csv", tmp_path / "delivered.csv.gz"
    source.write_bytes(gzip.compress(source.read_bytes()))
    manifest, directory = run("delivering", batches={"streamed": "always"}, destination=str(to))
    assert manifest.status == "released"
    assert to.read_bytes() == (directory / "release" / "avatars.csv.gz").read_bytes()


@pytest.mark.parametrize(
    "share",
    ["nonsense://somewhere/x", "file:///dev/null/x", "s3://nowhere/x"],
    ids=lambda url: url.split(":")[0],
)
def test_a_share_that_cannot_be_used_is_refused_before_the_table_is_read(
    run: Callable[..., Ran], share: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr("sosie.tasks.streamed.encoding.open_source", never)
    runner = {"kind": "process", "workers": 2, "share": share}
    manifest, _ = run("refused", batches={"streamed": "always"}, runner=runner)
    assert (manifest.status, manifest.code) == ("failed", "BAD_CONFIG")
    assert "runner.share cannot be used" in (manifest.message or "")
    assert not any((tmp_path / "store" / "streamed").iterdir())


@pytest.mark.parametrize("runner", [{}, {"workers": 2}, {"kind": "dask", "workers": 2}], ids=str)
def test_a_poisoned_batch_fails_the_run_with_its_number_and_nothing_else(
    run: Callable[..., Ran], runner: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "poison_of_tests.py").write_text(POISON)  # a module that workers find too
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "poison_of_tests", raising=False)
    monkeypatch.setattr("sosie.tasks.streamed.making.make_batch", import_module("poison_of_tests").poisoned)
    manifest, directory = run("poisoned", batches={"streamed": "always", "rows": 100}, runner=runner)
    assert (manifest.status, manifest.code) == ("failed", "BATCH_FAILED")
    assert (
        manifest.message
        == "batch 1 failed: ValueError; run again with --debug to see where (it may quote cells)"
    )
    assert [file.name for file in directory.iterdir()] == ["manifest.json"]
    assert not any((tmp_path / "store" / "streamed").iterdir())


@pytest.mark.parametrize("streamed", ["always", "never"])
def test_no_room_on_a_disk_is_told_as_what_it_is_and_leaves_nothing(
    run: Callable[..., Ran], streamed: str, tmp_path: Path
) -> None:
    # what the system says where a file may not grow is, but for its number, what it says where no room is left
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, allowed[1]))
    try:
        manifest, directory = run(
            "full",
            batches={"streamed": streamed},
            store={"keep": False, "directory": str(tmp_path / "store")},
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert (manifest.status, manifest.code) == ("failed", "STORE_UNUSABLE")
    assert "a disk is full" in (manifest.message or "")
    assert [file.name for file in directory.iterdir()] == ["manifest.json"]
    assert not any((tmp_path / "store" / "streamed").glob("*"))


def test_an_imputation_that_needs_all_rows_is_refused_before_any_is_read(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "patients.csv").unlink()
    manifest, _ = run("refused", batches={"streamed": "always"}, method={"imputation": "knn"})
    assert "batches.streamed: never" in (manifest.message or "")


@pytest.mark.parametrize(
    "asked",
    [
        {"columns": {"kg": {"transform": "log"}}},
        {"columns": {"ward": {"transform": "log"}}},
        {"constraints": ["kg <= age"]},
        {"constraints": ["kg <= nobody"]},
        {"constraints": ["kg <= age", "age <= kg"]},
        {"columns": {"most_kg": {"derived": "kg + 2"}}},
        {"columns": {"most_kg": {"derived": "kg + 1", "weight": 2.0}}},
        {"columns": {"most_kg": {"derived": "kg + 1"}}, "constraints": ["kg <= most_kg"]},
        {"columns": {"ward": {"derived": "kg + 1"}}},
        {"constraints": ["kg < most_kg"], "columns": {"kg": HUNDREDS, "most_kg": HUNDREDS}},
    ],
    ids=str,
)
def test_what_the_rows_do_not_allow_is_refused_in_the_words_of_a_run_in_memory(
    run: Callable[..., Ran], patients: pd.DataFrame, asked: dict[str, Any], tmp_path: Path
) -> None:
    lighter = patients["kg"] - 60
    patients.assign(kg=lighter, most_kg=lighter + 1).to_csv(tmp_path / "patients.csv", index=False, sep=";")
    streamed, _ = run("streamed", batches={"streamed": "always"}, **asked)
    whole, _ = run("whole", **asked)
    assert streamed.status == "failed"
    assert (streamed.code, streamed.message) == (whole.code, whole.message)


@pytest.mark.parametrize("streamed", ["always", "never"])
def test_a_label_that_is_no_uuid_is_refused_before_anything_is_computed(
    run: Callable[..., Ran], streamed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sosie.tasks.streamed.encoding.set_apart", never)
    monkeypatch.setattr("sosie.flows.release.measured_avatars", never)
    keys = pa.array([bytes([place % 5] * 16) for place in range(1_200)], pa.binary(16)).cast(pa.uuid())
    pq.write_table(pa.table({"key": keys, "a": range(1_200)}), tmp_path / "keys.parquet")
    asked = {
        "batches": {"streamed": streamed},
        "rare_values": {"label": "others"},
        "columns": {"a": {"type": "float"}},
    }
    manifest, _ = run("labelled", source=str(tmp_path / "keys.parquet"), **asked)
    assert (manifest.status, manifest.code) == ("failed", "BAD_CONFIG")
    assert "no UUID, as the levels of key are" in (manifest.message or "")


@pytest.mark.parametrize("streamed", ["always", "never"])
@pytest.mark.parametrize("type_", [pa.null(), pa.string(), pa.date32(), pa.uuid()], ids=str)
def test_a_column_without_any_value_ends_in_a_release(
    run: Callable[..., Ran], streamed: str, type_: pa.DataType, patients: pd.DataFrame, tmp_path: Path
) -> None:
    table = pa.Table.from_pandas(patients)
    pq.write_table(table.append_column("empty", pa.nulls(len(table), type_)), tmp_path / "empty.parquet")
    source = str(tmp_path / "empty.parquet")
    manifest, directory = run("empty", source=source, batches={"streamed": streamed})
    assert manifest.status == "released"
    assert pq.read_table(directory / "release" / "avatars.parquet")["empty"].null_count == len(table)
