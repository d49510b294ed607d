"""The run directory: whole or not at all, for whom it is meant, and never taken from a run that ended."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow.feather import write_feather
from pyarrow.parquet import write_table as write_parquet

from sosie.errors import InputError
from sosie.flows.runs import run_request
from sosie.schemas.configuration import parse_configuration
from sosie.schemas.request import Request
from sosie.tasks import steps
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.remembered import leave_seed, open_run
from sosie.tasks.run import make_directory, new_run_id, private_file, read_manifest

Run = Callable[[str], str]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def run(directory: Path, patients: pd.DataFrame, tmp_path: Path) -> Run:
    """A run in the directory with these targets; returns its status."""
    patients.to_csv(tmp_path / "table.csv", index=False)

    def run(targets: str) -> str:
        (tmp_path / "sosie.yaml").write_text(f"targets: {targets}\nattacks: {{attempts: 20}}\n")
        request = Request(source=str(tmp_path / "table.csv"), config=str(tmp_path / "sosie.yaml"))
        return run_request(request, directory, DirectCalls(silent)).status

    return run


def never(*_: object) -> None:
    """In place of what must not be reached."""
    raise AssertionError


def files(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def test_names_of_runs_are_never_twice_the_same() -> None:
    assert len({new_run_id() for _ in range(100)}) == 100


def test_a_private_file_is_for_its_owner_alone_from_its_first_byte(directory: Path) -> None:
    make_directory(directory)
    before = os.umask(0)
    try:
        private_file(directory, "run.json", b"{}")
    finally:
        os.umask(before)
    assert stat.S_IMODE((directory / "private").stat().st_mode) == 0o700
    assert stat.S_IMODE((directory / "private" / "run.json").stat().st_mode) == 0o600
    assert files(directory) == ["private/run.json"]


def test_a_seed_left_in_the_private_folder_is_taken_up(directory: Path) -> None:
    make_directory(directory)
    leave_seed(directory, 8_765_309_123)
    opened = open_run(parse_configuration({"source": "table.csv", "method": {"seed": 1}}), directory)
    assert opened.job.seed == 8_765_309_123
    assert opened.job.configuration.method.seed is None
    assert "8765309123" not in repr(opened)
    assert json.loads((directory / "private" / "run.json").read_text())["seed"] == 8_765_309_123


def test_a_folder_that_cannot_be_made_is_a_bad_configuration(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made") as caught:
        make_directory(tmp_path / "file" / "run")
    assert caught.value.code == "BAD_CONFIG"


def test_a_directory_without_a_manifest_is_a_run_that_did_not_end(directory: Path) -> None:
    make_directory(directory)
    with pytest.raises(FileNotFoundError, match="did not end"):
        read_manifest(directory)


def test_a_released_run_is_not_touched_by_another_of_its_name(run: Run, directory: Path) -> None:
    assert run("{mode: report}") == "released"
    before = {name: (directory / name).read_bytes() for name in files(directory)}
    assert run("{mode: report}") == "failed"
    assert {name: (directory / name).read_bytes() for name in files(directory)} == before


def test_another_attempt_at_a_rejected_run_leaves_nothing_of_the_first_but_its_seed(
    run: Run, directory: Path
) -> None:
    assert run("{hidden_rate: {min: 100}}") == "rejected"
    seed = json.loads((directory / "private" / "run.json").read_text())["seed"]
    assert run("{mode: report}") == "released"
    assert files(directory) == [
        "private/evaluation.json",
        "private/manifest.json",
        "private/rare-levels.json",
        "private/report-internal.html",
        "private/run.json",
        "release/avatars.csv",
        "release/manifest.json",
        "release/metrics.json",
        "release/report.html",
    ]
    assert json.loads((directory / "private" / "run.json").read_text())["seed"] == seed


def test_another_attempt_at_a_failed_run_takes_its_manifest_away(run: Run, directory: Path) -> None:
    assert run("{nothing: {min: 1}}") == "failed"
    assert files(directory) == ["manifest.json"]
    assert run("{mode: report}") == "released"
    assert "manifest.json" not in files(directory)


def test_an_interrupted_run_leaves_no_half_written_file(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(steps, "shuffle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("{mode: report}")
    assert files(directory) == ["manifest.json"]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize(
    "type_",
    [pa.uuid(), pa.date32(), pa.decimal128(5, 2), pa.null()],
    ids=["UUIDs", "dates", "decimals", "nothing"],
)
def test_what_cannot_be_drawn_anew_is_refused_before_anything_is_computed(
    tmp_path: Path, directory: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, type_: pa.DataType
) -> None:
    table = pa.table({"ref": pa.nulls(60, type_), "kg": pa.array([place % 7 for place in range(60)])})
    source, config = tmp_path / f"table{suffix}", tmp_path / "sosie.yaml"
    (write_parquet if suffix == ".parquet" else write_feather)(table, source)
    config.write_text("columns: {ref: {role: regenerate}}\n")
    monkeypatch.setattr(steps, "project", never)
    manifest = run_request(Request(source=str(source), config=str(config)), directory, DirectCalls(silent))
    assert (manifest.status, manifest.code) == ("failed", "BAD_CONFIG")
    assert manifest.message == (
        'column(s) "ref" cannot be regenerated: they hold no value that shows how identifiers of their type are '
        "written; declare role: drop"
    )


def test_what_has_labels_in_its_source_is_not_drawn_anew(tmp_path: Path, directory: Path) -> None:
    frame = pd.DataFrame({"ward": pd.Categorical(["north", "south"] * 30), "kg": range(60)})
    frame.to_stata(tmp_path / "table.dta", write_index=False)
    (tmp_path / "sosie.yaml").write_text("columns: {ward: {role: regenerate}}\n")
    request = Request(source=str(tmp_path / "table.dta"), config=str(tmp_path / "sosie.yaml"))
    manifest = run_request(request, directory, DirectCalls(silent))
    assert (manifest.status, manifest.code) == ("failed", "BAD_CONFIG")
    assert str(manifest.message).startswith('column(s) "ward" cannot be regenerated: the source has a label')
