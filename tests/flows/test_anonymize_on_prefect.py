"""The flow on Prefect's embedded server: the same bytes as without it, shown in its UI, and no cell in its database."""

import contextlib
import errno
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

from sosie.cli import main

# a text and a number that one row alone has, and a seed: nobody may see them outside a private folder or the avatars
RARE = "Zaphodbeeblebrox"
NUMBER = 31_415_926_535
SEED = 8_765_309_123


@dataclass(frozen=True)
class Ended:
    """A run of the command line that ended."""

    code: int
    stdout: str
    stderr: str
    directory: Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prefect")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 520),
            "account": rng.integers(30_000_000_000, 32_000_000_000, 520),
            "ward": rng.choice(["north", "south", "east"], 520),
        }
    )
    table.loc[17, "ward"] = RARE
    table.loc[18, "account"] = NUMBER
    table.to_csv(folder / "table.csv", index=False)
    text = (folder / "table.csv").read_text().splitlines()
    (folder / "ragged.csv").write_text("\n".join([*text[:300], f"{RARE},{NUMBER}", *text[300:]]) + "\n")
    (folder / "measure.yaml").write_text("targets: {mode: report}\nattacks: {attempts: 20}\n")
    (folder / "french.yaml").write_text(
        "targets: {mode: report}\nattacks: {attempts: 20}\nreport: {language: fr}\n"
    )
    (folder / "nothing kept.yaml").write_text(
        "targets: {mode: report}\nattacks: {attempts: 20}\nstore: {keep: false}\n"
    )
    (folder / "streamed.yaml").write_text("batches: {streamed: always}\nattacks: {attempts: 20}\n")
    (folder / "enforce.yaml").write_text(
        f"method: {{seed: {SEED}}}\ntargets: {{hidden_rate: {{min: 100}}}}\nattacks: {{attempts: 20}}\n"
    )
    return folder


def run(folder: Path, out: str, *words: object) -> Ended:
    """One run in a folder of its own, its output kept."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", ["sosie", "anonymize", *map(str, words), "--out", str(folder / out)])
        patched.chdir(folder)
        with (
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            pytest.raises(SystemExit) as ended,
        ):
            main()
    (directory,) = (folder / out).iterdir()
    return Ended(int(ended.value.code or 0), stdout.getvalue(), stderr.getvalue(), directory)


@pytest.fixture(scope="module")
def runs(folder: Path) -> dict[str, Ended]:
    """A release, a missed target, bad input, and a crash that quotes cells in each step and outside them."""
    ended = {
        "released": run(folder, "released", "table.csv", "-c", "measure.yaml", "--seed", SEED),
        "rejected": run(folder, "rejected", "table.csv", "-c", "enforce.yaml"),
        "failed": run(folder, "failed", "ragged.csv", "--seed", SEED),
        "french": run(folder, "french", "table.csv", "-c", "french.yaml", "--seed", SEED),
    }
    for step in steps(ended["released"]):
        with pytest.MonkeyPatch.context() as patched:
            break_step(patched, step)
            out = f"broken {step}"
            ended[out] = run(folder, out, "table.csv", "-c", "measure.yaml", "--seed", SEED)
    with pytest.MonkeyPatch.context() as patched:
        break_step(patched, steps(ended["released"])[-1], full)
        ended["full"] = run(folder, "full", "table.csv", "-c", "measure.yaml", "--seed", SEED)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sosie.tasks.streamed.batch._avatars", broken)
        ended["poisoned"] = run(folder, "poisoned", "table.csv", "-c", "streamed.yaml", "--seed", SEED)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sosie.flows.runs.open_run", broken)
        ended["broken outside"] = run(folder, "broken outside", "table.csv", "--seed", SEED)
    return ended


def steps(released: Ended) -> list[str]:
    """Every step of a run, from what its manifest says: all those before the manifest was written, and that one."""
    manifest = json.loads((released.directory / "release" / "manifest.json").read_text())
    return [*manifest["stage_seconds"], "write the report and release"]


def break_step(patched: pytest.MonkeyPatch, broken_step: str, by: Callable[..., None] | None = None) -> None:
    from sosie.tasks.prefect_calls import PrefectCalls

    call = PrefectCalls.__call__

    def call_or_break(self: PrefectCalls, title: str, step: Any, /, *args: Any, **kwargs: Any) -> Any:
        return call(self, title, (by or broken) if title == broken_step else step, *args, **kwargs)

    patched.setattr(PrefectCalls, "__call__", call_or_break)


def broken(*arguments: object) -> None:
    raise ValueError(f"could not convert {NUMBER} with seed {SEED}") from KeyError(RARE)


def full(*arguments: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", f"/somewhere/{RARE}")


@pytest.fixture(scope="module")
def client(runs: dict[str, Ended]) -> Iterator[Any]:
    from prefect.client.orchestration import get_client
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    APILogWorker.drain_all()
    EventsWorker.drain_all()
    with get_client(sync_client=True) as client:
        yield client


@pytest.fixture(scope="module")
def flow_runs(client: Any, runs: dict[str, Ended]) -> dict[str, Any]:
    """Prefect's own record of each run."""
    by_run_id = {record.parameters["run_id"]: record for record in client.read_flow_runs()}
    return {name: by_run_id[ended.directory.name] for name, ended in runs.items()}


def task_runs(client: Any, flow_run_id: UUID) -> dict[str, str]:
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId

    found = client.read_task_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[flow_run_id])))
    return {record.name: record.state_name for record in found}


def artifacts(client: Any, flow_run_id: UUID) -> dict[str, Any]:
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId

    only = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[flow_run_id]))
    return {record.key: record for record in client.read_artifacts(artifact_filter=only)}


def test_exit_codes_are_those_of_a_direct_run(runs: dict[str, Ended]) -> None:
    codes = {name: ended.code for name, ended in runs.items()}
    assert {name: codes.pop(name) for name in ("released", "french", "rejected", "failed")} == {
        "released": 0,
        "french": 0,
        "rejected": 3,
        "failed": 2,
    }
    assert set(codes.values()) == {1}
    assert runs["released"].stdout.splitlines()[-1] == str(runs["released"].directory)


def test_one_seed_gives_the_very_bytes_of_a_direct_run(runs: dict[str, Ended], folder: Path) -> None:
    direct = run(folder, "direct", "table.csv", "-c", "nothing kept.yaml", "--seed", SEED, "--direct")
    for name in ("avatars.csv", "metrics.json"):
        avatars = [ended.directory / "release" / name for ended in (runs["released"], direct)]
        assert avatars[0].read_bytes() == avatars[1].read_bytes()


def test_each_step_is_a_named_task_that_completed(client: Any, flow_runs: dict[str, Any]) -> None:
    states = task_runs(client, flow_runs["released"].id)
    assert set(states.values()) == {"Completed"}
    assert set(states) >= {
        "read the table",
        "check the table",
        "set the holdout apart",
        "project the working rows",
        "find neighbours and generate: working rows",
        "transform back: working rows",
        "hold against the targets",
        "project all rows",
        "find neighbours and generate: all rows",
        "transform back: all rows",
        "shuffle",
        "write the avatars",
        "write the report and release",
    }


def test_a_run_in_another_language_takes_every_stage_from_the_store(
    client: Any, flow_runs: dict[str, Any], runs: dict[str, Ended]
) -> None:
    states = task_runs(client, flow_runs["french"].id)
    assert {name for name, state in states.items() if state == "Completed"} == {
        "read the table",
        "check what is asked",
        "hold against the targets",
        "shuffle",
        "write the avatars",
        "examine the release",
        "write the report and release",
    }
    assert set(states.values()) == {"Completed", "Cached"}
    avatars = [runs[name].directory / "release" / "avatars.csv" for name in ("released", "french")]
    assert avatars[0].read_bytes() == avatars[1].read_bytes()


@pytest.mark.parametrize("run_of", ["released", "french"])
def test_tasks_draw_the_line_from_source_to_release(
    run_of: str, client: Any, flow_runs: dict[str, Any]
) -> None:
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId

    only = FlowRunFilter(id=FlowRunFilterId(any_=[flow_runs[run_of].id]))
    records = {record.name: record for record in client.read_task_runs(flow_run_filter=only)}
    names = {record.id: name for name, record in records.items()}

    def upstream(name: str) -> set[str]:
        told = [told for inputs in records[name].task_inputs.values() for told in inputs]
        direct = {names[one.id] for one in told if hasattr(one, "id")}
        return direct.union(*(upstream(one) for one in direct))

    assert upstream("read the table") == set()
    assert upstream("check the table") == {"read the table"}
    assert upstream("set the holdout apart") == {"read the table", "check the table"}
    assert upstream("write the avatars") >= {"project all rows", "transform back: all rows", "shuffle"}
    assert upstream("write the report and release") >= {
        "transform back: working rows",
        "hold against the targets",
    }


def test_the_ui_shows_progress_verdict_figures_and_the_report(
    client: Any, flow_runs: dict[str, Any], runs: dict[str, Ended]
) -> None:
    shown = artifacts(client, flow_runs["released"].id)
    assert {key: shown[key].type for key in ("progress", "verdict", "metrics", "report")} == {
        "progress": "progress",
        "verdict": "markdown",
        "metrics": "table",
        "report": "markdown",
    }
    assert shown["progress"].data == 100.0
    assert "# Released" in shown["verdict"].data
    assert "data:image/png;base64," in shown["verdict"].data
    assert "Hidden rate" in shown["metrics"].data
    assert "report.html" in shown["report"].data


def test_the_ui_shows_why_nothing_was_released(client: Any, flow_runs: dict[str, Any]) -> None:
    assert "# Rejected" in artifacts(client, flow_runs["rejected"].id)["verdict"].data
    assert "RAGGED_CSV" in artifacts(client, flow_runs["failed"].id)["verdict"].data


@pytest.mark.parametrize(("ending", "code"), [("rejected", "TARGET_NOT_MET"), ("failed", "RAGGED_CSV")])
def test_a_run_that_releases_nothing_is_failed_with_a_short_reason(
    ending: str, code: str, flow_runs: dict[str, Any]
) -> None:
    state = flow_runs[ending].state
    assert state.is_failed()
    assert code in state.message
    assert len(state.message) < 400


def test_a_run_whose_step_crashed_is_failed_with_the_steps_name(
    client: Any, flow_runs: dict[str, Any], runs: dict[str, Ended]
) -> None:
    for step in steps(runs["released"]):
        record = flow_runs[f"broken {step}"]
        assert record.state.is_failed(), step
        assert record.state.message == f'step "{step}" failed with ValueError'
        assert task_runs(client, record.id)[step] == "Failed"


@pytest.mark.parametrize(
    ("ending", "code", "told"),
    [
        ("full", "STORE_UNUSABLE", "a disk is full, that of the store or of the run's directory"),
        ("poisoned", "BATCH_FAILED", "batch 0 failed: ValueError; run again with --debug"),
    ],
)
def test_a_run_without_room_or_with_a_poisoned_batch_ends_with_its_code(
    ending: str, code: str, told: str, flow_runs: dict[str, Any], runs: dict[str, Ended]
) -> None:
    state, ended = flow_runs[ending].state, runs[ending]
    manifest = json.loads((ended.directory / "manifest.json").read_text())
    assert state.is_failed()
    assert state.message.startswith(f"{code}: {told}")
    assert (manifest["code"], manifest["message"][: len(told)]) == (code, told)
    assert (ended.code, f"error[{code}]: {told}" in ended.stderr) == (1, True)
    assert [file.name for file in ended.directory.iterdir()] == ["manifest.json"]


def test_a_run_that_crashed_outside_the_steps_is_failed_with_the_errors_type(
    flow_runs: dict[str, Any],
) -> None:
    state = flow_runs["broken outside"].state
    assert (state.is_failed(), state.message) == (True, "failed with ValueError")


def test_a_run_that_crashed_leaves_a_manifest_and_nothing_else(runs: dict[str, Ended]) -> None:
    crashed = [ended for name, ended in runs.items() if name.startswith("broken")]
    assert len(crashed) >= 10
    for ended in crashed:
        assert [file.name for file in ended.directory.iterdir()] == ["manifest.json"]


def test_no_table_and_no_seed_is_a_parameter(flow_runs: dict[str, Any]) -> None:
    for record in flow_runs.values():
        assert "seed" not in record.parameters
        assert all(isinstance(value, str | int | None) for value in record.parameters.values())
        assert str(SEED) not in str(record.parameters)


def test_no_result_is_stored_even_where_the_operator_asks_for_it(client: Any, runs: dict[str, Ended]) -> None:
    home = Path(os.environ["PREFECT_HOME"])
    assert os.environ["PREFECT_RESULTS_PERSIST_BY_DEFAULT"] == "true"
    assert not [path for path in home.rglob("*") if "storage" in path.parts]


def test_no_planted_value_is_in_prefects_home(client: Any, runs: dict[str, Ended]) -> None:
    home = Path(os.environ["PREFECT_HOME"])
    held = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert any(path.name == "prefect.db" for path in held)
    assert b"write the report and release" in b"".join(held.values()), (
        "the search looks where the runs are recorded"
    )
    for path, content in held.items():
        for value in (RARE, NUMBER, SEED):
            assert str(value).encode() not in content, f"{value} in {path.name}"


def test_no_planted_value_is_shown_or_released(runs: dict[str, Ended]) -> None:
    for name, ended in runs.items():
        texts = {"stdout": ended.stdout, "stderr": ended.stderr}
        for path in ended.directory.rglob("*"):
            if path.is_file() and path.parent.name != "private" and path.name != "avatars.csv":
                texts[path.name] = path.read_text(encoding="utf-8")
        for where, text in texts.items():
            for value in (RARE, NUMBER, SEED):
                assert str(value) not in text, f"{value} in {where} of {name}"


@pytest.mark.parametrize("run_id", ["..", ".", "../elsewhere", "a/b", ""])
def test_a_run_directory_lies_in_its_folder(run_id: str) -> None:
    from prefect.exceptions import ParameterTypeError

    from sosie.flows.anonymize import anonymize

    with pytest.raises(ParameterTypeError, match="run_id"):
        anonymize.validate_parameters({"run_id": run_id})
