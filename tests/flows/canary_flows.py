"""Flow runs on a Prefect server of their own over a table with planted values: good ones, bad ones, and crashes.

`canary_flows.py FOLDER` reads FOLDER/plan.json and writes FOLDER/told.json. A crash quotes every planted value. What is
planted as a control is put in every place that is searched for the others.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
PLAN = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))
OUTSIDE = (
    "sosie.flows.closing.settle",
    "sosie.flows.runs.open_run",
    "sosie.flows.runs.store_of",
    "sosie.flows.runs.list_runs",
    "sosie.flows.closing.close_failed",
    "sosie.tasks.artifacts.read_kept",
    "sosie.tasks.store.disk.read_value",
    "sosie.tasks.store.disk.write_value",
    "sosie.tasks.publication.render_report",
)

told: dict[str, Any] = {"runs": {}, "broken": {}, "temporary": []}
processes: dict[str, str] = {}


class Panic(BaseException):
    """Not stopped by `except Exception`."""


def crash(*_: object, **__: object) -> None:
    look_at_temporary_files()
    raise ValueError(f"could not convert {PLAN['quoted']}") from KeyError(PLAN["quoted"])


def panic(*_: object, **__: object) -> None:
    raise Panic(f"index {PLAN['quoted']} out of range") from KeyError(PLAN["quoted"])


def look_at_temporary_files() -> None:
    """Note what lies in the temporary folder while a step is at work."""
    for path in Path(os.environ["TMPDIR"]).rglob("*"):
        if path.is_file():
            told["temporary"].append([str(path), path.read_bytes().hex()])


def watch_processes() -> None:
    """Note arguments and environment of every process that this one started."""
    mark = f"TMPDIR={os.environ['TMPDIR']}".encode()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            environment = (place / "environ").read_bytes()
            if mark in environment and place.name != str(os.getpid()):
                told = (place / "cmdline").read_bytes() + b"\n" + environment
                processes[told.decode("utf-8", "replace")] = place.name
        except OSError:  # it has ended
            continue


def watching(ended: threading.Event) -> None:
    while not ended.wait(0.1):
        watch_processes()


def run(
    name: str, flow: Any, replaced: dict[str, Callable[..., Any]] | None = None, **parameters: Any
) -> Any:
    """One flow run with a seed left for it, some functions replaced; how it ended is told."""
    import pytest

    from sosie.tasks.remembered import leave_seed
    from sosie.tasks.run import make_directory

    run_id = name.replace(" ", "-").replace(":", "")
    make_directory(FOLDER / "runs" / run_id)
    leave_seed(FOLDER / "runs" / run_id, PLAN["seed"])
    with pytest.MonkeyPatch.context() as patched:
        for place, function in (replaced or {}).items():
            patched.setattr(place, function)
        try:
            state = flow(**parameters, out="runs", run_id=run_id, return_state=True)
            ended = [state.type.value, state.message]
        except Panic:
            ended = ["PANIC", None]
    told["runs"][name] = [run_id, *ended]


def breaking(place: int, by: Callable[..., Any], names: list[str]) -> dict[str, Callable[..., Any]]:
    """Calls of steps, of which the one at this place breaks; the names of all are noted."""
    from sosie.tasks.prefect_calls import PrefectCalls

    call, between = PrefectCalls.__call__, PrefectCalls.between

    def chosen(step: Any) -> Any:
        names.append(f"{step.__module__}.{step.__qualname__}")
        return by if len(names) == place + 1 else step

    def call_or_break(self: Any, title: str, step: Any, /, *args: Any, **kwargs: Any) -> Any:
        return call(self, title, chosen(step), *args, **kwargs)

    def between_or_break(self: Any, step: Any, /, *args: Any, **kwargs: Any) -> Any:
        return between(self, chosen(step), *args, **kwargs)

    place_of = "sosie.tasks.prefect_calls.PrefectCalls"
    return {f"{place_of}.__call__": call_or_break, f"{place_of}.between": between_or_break}


def run_and_break(name: str, flow: Any, **parameters: Any) -> None:
    """A run that ends well, and one broken in each of its steps that none was broken in before."""
    steps: list[str] = []
    run(name, flow, breaking(-1, crash, steps), **parameters)
    for place, step in enumerate(steps):
        if step not in told["broken"]:
            told["broken"][step] = f"{name} broken {place}"
            run(told["broken"][step], flow, breaking(place, crash, []), **parameters)


def play() -> None:
    from sosie.flows.anonymize import anonymize
    from sosie.flows.evaluate import evaluate

    run_and_break("released", anonymize, source="table.csv", config="measure.yaml")
    run("rejected", anonymize, source="table.csv", config="enforce.yaml")
    for name, (source, config) in PLAN["bad"].items():
        run(name, anonymize, source=source, config=config)
    for place in OUTSIDE:
        config = "other.yaml" if place.endswith("write_value") else "measure.yaml"
        source = "infinite.csv" if place.endswith("close_failed") else "table.csv"
        run(f"outside {place}", anonymize, {place: crash}, source=source, config=config)
    run("panic in a step", anonymize, breaking(3, panic, []), source="table.csv", config="measure.yaml")
    run("panic outside", anonymize, {OUTSIDE[1]: panic}, source="table.csv", config="measure.yaml")
    avatars = "runs/released/release/avatars.csv"
    run_and_break("streamed", anonymize, source="table.csv", config="streamed.yaml")
    run_and_break("evaluated", evaluate, original="original.csv", avatars=avatars, config="evaluate.yaml")
    os.umask(0o077)
    os.environ["SOSIE_STORE"] = str(FOLDER / "store-077")
    run("released-077", anonymize, source="table.csv", config="measure.yaml")


def plant_control() -> None:
    """The control in every place that is searched, seen there by the server before this ends."""
    from prefect import flow, get_run_logger, task
    from prefect.artifacts import create_markdown_artifact
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import LogFilter, LogFilterFlowRunId
    from prefect.events import emit_event
    from prefect.states import Failed

    control = PLAN["control"]

    @task
    def kept(text: str) -> str:
        return text

    @flow(name="control", persist_result=True)
    def plant(given: str) -> Any:
        get_run_logger().info("logged %s", given)
        create_markdown_artifact(f"shown {given}", key="control")
        emit_event("control", resource={"prefect.resource.id": "control"}, payload={"told": given})
        kept(given)
        return Failed(message=f"because of {given}")

    state: Any = plant(control, return_state=True)
    print(f"printed {control}")
    (Path(os.environ["TMPDIR"]) / "control.txt").write_text(control, encoding="utf-8")
    (FOLDER / "runs" / "control.txt").write_text(control, encoding="utf-8")
    child = subprocess.Popen(["sh", "-c", "read line", control], stdin=subprocess.PIPE)
    while not any(control in seen for seen in list(processes)):
        time.sleep(0.05)
    child.communicate()
    drain()
    own = LogFilter(flow_run_id=LogFilterFlowRunId(any_=[state.state_details.flow_run_id]))
    with get_client(sync_client=True) as client:
        while not any(control in entry.message for entry in client.read_logs(own)):
            time.sleep(0.2)


def drain() -> None:
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    APILogWorker.drain_all()
    EventsWorker.drain_all()


def main() -> None:
    os.chdir(FOLDER)
    os.umask(0)
    ended = threading.Event()
    watcher = threading.Thread(target=watching, args=(ended,), daemon=True)
    watcher.start()
    play()
    plant_control()
    ended.set()
    watcher.join()
    told["processes"] = list(processes)
    (FOLDER / "told.json").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
