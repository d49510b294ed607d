"""Prefect flow runs that are killed, stopped or late, and what a flow run shows and holds while it works."""

import functools
import gc
import json
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.flows.runs import run_request
from sosie.schemas.request import Request
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.heartbeat import beating
from sosie.tasks.remembered import leave_seed
from sosie.tasks.run import make_directory
from sosie.tasks.stages import stage
from sosie.tasks.streamed import batch

SEED = 8_765_309_123
KILLED_AT = ("attack the avatars", "write the report and release")
BEFORE_ATTACK = {
    "check the table",
    "set the holdout apart",
    "project the working rows",
    "find neighbours and generate: working rows",
    "transform back: working rows",
    "weigh the neighbours",
    "measure privacy and fidelity",
}


@pytest.fixture(scope="module")
def server() -> str:
    """The address of this session's own Prefect server."""
    from prefect.server.api.server import SubprocessASGIServer

    embedded = SubprocessASGIServer()
    embedded.start(timeout=120)
    return embedded.api_url


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, patients: pd.DataFrame) -> Path:
    folder = tmp_path_factory.mktemp("killed-on-prefect")
    patients.to_csv(folder / "table.csv", index=False)
    (folder / "sosie.yaml").write_text("targets: {mode: report}\nattacks: {attempts: 10}\n")
    for name in ("killed-0", "killed-1", "stopped", "direct"):
        make_directory(folder / "runs" / name)
        leave_seed(folder / "runs" / name, SEED)
    return folder


def start(folder: Path, server: str, run_id: str, title: str, how: str) -> "subprocess.Popen[str]":
    script = Path(__file__).with_name("killed_flow.py")
    # a store each, so that each is killed with only its own stages done
    settings = {"PREFECT_API_URL": server, "SOSIE_STORE": str(folder / f"store of {run_id}")}
    return subprocess.Popen(
        [sys.executable, script, run_id, title, how],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.fixture(scope="module")
def codes(folder: Path, server: str) -> dict[str, int]:
    """The exit codes of two runs that are killed with -9 and of one that is sent SIGTERM while a step hangs."""
    working = {f"killed-{i}": start(folder, server, f"killed-{i}", KILLED_AT[i], "die") for i in (0, 1)}
    working["stopped"] = start(folder, server, "stopped", KILLED_AT[0], "hang")
    told = working["stopped"].stdout
    assert told is not None
    assert "hanging\n" in iter(told.readline, "")
    working["stopped"].send_signal(signal.SIGTERM)
    codes = {name: process.wait(timeout=300) for name, process in working.items()}
    for process in working.values():
        assert process.stdout is not None
        process.stdout.close()
    return codes


@pytest.fixture(scope="module")
def direct(folder: Path) -> Path:
    """The same run without Prefect, undisturbed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOSIE_STORE", str(folder / "store of direct"))
        request = Request(source=str(folder / "table.csv"), config=str(folder / "sosie.yaml"))
        assert run_request(request, folder / "runs" / "direct", DirectCalls(silent)).status == "released"
    return folder / "runs" / "direct" / "release"


@pytest.mark.parametrize("number", [0, 1], ids=KILLED_AT)
def test_a_flow_run_killed_in_a_step_goes_on_there_and_ends_with_the_bytes_of_a_direct_run(
    number: int, codes: dict[str, int], folder: Path, direct: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sosie.flows.anonymize import anonymize

    run_id = f"killed-{number}"
    assert codes[run_id] == -signal.SIGKILL
    assert not (folder / "runs" / run_id / "release").exists()
    monkeypatch.setenv("SOSIE_STORE", str(folder / f"store of {run_id}"))
    state: Any = anonymize(out=str(folder / "runs"), run_id=run_id, return_state=True)
    assert state.is_completed(), state.message
    release = folder / "runs" / run_id / "release"
    for name in ("avatars.csv", "metrics.json"):
        assert (release / name).read_bytes() == (direct / name).read_bytes()
    states = task_states(state.state_details.flow_run_id)
    cached = {name for name, shown in states.items() if shown == "Cached"}
    assert cached >= BEFORE_ATTACK
    assert ("attack the avatars" in cached) == (number == 1)


def test_a_streamed_flow_run_killed_among_its_batches_makes_the_others_and_ends_with_the_same_bytes(
    server: str, patients: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sosie.flows.anonymize import anonymize

    patients.to_csv(tmp_path / "table.csv", index=False)
    asked = {"batches": {"streamed": "always", "rows": 100}, "attacks": {"attempts": 10}}
    (tmp_path / "sosie.yaml").write_text(json.dumps({"targets": {"mode": "report"}, **asked}))
    for name in ("killed", "direct"):
        make_directory(tmp_path / "runs" / name)
        leave_seed(tmp_path / "runs" / name, SEED)
    with start(tmp_path, server, "killed", "batch 3 of 6", "die") as process:
        assert process.wait(timeout=300) == -signal.SIGKILL
    made: list[int] = []
    avatars = vars(batch)["_avatars"]

    def noted(work: Any, number: int, *rest: Any) -> Any:
        made.append(number)
        return avatars(work, number, *rest)

    monkeypatch.setenv("SOSIE_STORE", str(tmp_path / "store of killed"))
    with monkeypatch.context() as patched:
        patched.setattr(batch, "_avatars", noted)
        state: Any = anonymize(out=str(tmp_path / "runs"), run_id="killed", return_state=True)
    assert state.is_completed(), state.message
    assert made == [3, 4, 5]
    monkeypatch.setenv("SOSIE_STORE", str(tmp_path / "store of direct"))
    request = Request(source=str(tmp_path / "table.csv"), config=str(tmp_path / "sosie.yaml"))
    assert run_request(request, tmp_path / "runs" / "direct", DirectCalls(silent)).status == "released"
    killed, direct = (tmp_path / "runs" / name / "release" for name in ("killed", "direct"))
    for name in ("avatars.csv", "metrics.json"):
        assert (killed / name).read_bytes() == (direct / name).read_bytes()


def task_states(flow_run_id: Any) -> dict[str, str]:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId

    with get_client(sync_client=True) as client:
        only = FlowRunFilter(id=FlowRunFilterId(any_=[flow_run_id]))
        return {record.name: str(record.state_name) for record in client.read_task_runs(flow_run_filter=only)}


def test_a_flow_run_that_is_cancelled_leaves_a_manifest_and_nothing_else(
    codes: dict[str, int], folder: Path
) -> None:
    assert codes["stopped"] != 0
    assert [path.name for path in (folder / "runs" / "stopped").rglob("*")] == ["manifest.json"]
    manifest = json.loads((folder / "runs" / "stopped" / "manifest.json").read_text())
    assert manifest["status"] == "failed"


def test_a_flow_run_past_its_time_limit_is_failed_with_a_plain_sentence(
    server: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sosie.flows.anonymize import anonymize

    def hang(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("sosie.tasks.publication.read_source", hang)
    (folder / "late.yaml").write_text("limits: {minutes: 0.01}\n")
    state: Any = anonymize(
        source=str(folder / "table.csv"),
        config=str(folder / "late.yaml"),
        out=str(folder / "late"),
        return_state=True,
    )
    assert (state.is_failed(), state.message[:11]) == (True, "TIME_LIMIT:")
    (directory,) = (folder / "late").iterdir()
    assert [path.name for path in directory.rglob("*")] == ["manifest.json"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/home/somebody/private/table.csv", "anonymize table.csv"),
        ("postgresql://host/db?query=SELECT * FROM t WHERE token = 'c0ffee'", "anonymize a query"),
    ],
)
def test_a_flow_run_is_named_without_folder_host_or_query(
    source: str, name: str, server: str, tmp_path: Path
) -> None:
    from prefect.client.orchestration import get_client

    from sosie.flows.anonymize import anonymize

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sosie.tasks.outside.WAITS", ())
        state: Any = anonymize(source=source, out=str(tmp_path), return_state=True)
    with get_client(sync_client=True) as client:
        assert client.read_flow_run(state.state_details.flow_run_id).name == name


def test_the_form_of_a_deployment_refuses_a_credential_in_the_source() -> None:
    import jsonschema

    from sosie.flows.anonymize import anonymize

    schema = anonymize.parameters.model_dump_for_openapi()
    for source in (None, "patients.csv", "s3://bucket/table.csv", "postgresql://host/db?table=public.t"):
        jsonschema.validate({"source": source}, schema)
    for source in ("https://store.example/t.csv?SIG=c0ffee", "s3://bucket/t.csv?X-Amz-Signature=c0ffee"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"source": source}, schema)


@stage(version=1)
def large(size: int) -> "np.ndarray[Any, Any]":
    return np.zeros(size)


@stage(version=1)
def size_of(array: "np.ndarray[Any, Any]") -> int:
    return len(array)


def in_a_flow(work: Callable[[Any], None]) -> None:
    from prefect import flow

    from sosie.tasks.prefect_calls import PrefectCalls

    flow(name="test")(lambda: work(PrefectCalls(silent, 2)))()


def test_prefect_holds_no_value_that_the_flow_has_let_go_of(server: str) -> None:
    def work(call: Any) -> None:
        array = call("large", large, 1000)
        value = weakref.ref(call.look(array))
        assert call.look(call("size", size_of, array)) == 1000
        del array
        gc.collect()
        assert value() is None

    in_a_flow(work)


def test_a_long_step_shows_how_long_it_has_been_at_work(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId
    from prefect.runtime import flow_run

    monkeypatch.setattr("sosie.tasks.prefect_calls.beating", functools.partial(beating, every=0.05))

    def wait_until_shown(client: Any, run: Any) -> str:
        only = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[run]))
        while True:
            (artifact,) = client.read_artifacts(artifact_filter=only)
            if ": " in artifact.description:
                return str(artifact.description)

    def work(call: Any) -> None:
        with get_client(sync_client=True) as client:
            shown = call.look(call("a long step", wait_until_shown, client, flow_run.id))
        assert shown == "a long step: 0 s"

    in_a_flow(work)
