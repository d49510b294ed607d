"""A process of its own, warm and without threads, that forks runs, kills them, resumes them, and tells how they ended.

`python killed_runs.py FOLDER` reads FOLDER/plan.json, a list of lists of attempts, and prints one list of endings for
each. Attempts of one list share a store and a run directory and follow one another; those with `together` start at
once, in directories of their own.
"""

import functools
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sosie.reports
from sosie.flows.runs import run_request
from sosie.schemas.request import Request
from sosie.tasks import measuring, publication, steps
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.remembered import leave_seed
from sosie.tasks.run import make_directory
from sosie.tasks.stages import stage_of
from sosie.tasks.store import disk

SEED = 8_765_309_123


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def spied(log: Path) -> None:
    """Every stage writes its name down when it really runs."""
    for module in (steps, measuring, publication):
        for name, step in list(vars(module).items()):
            if callable(step) and stage_of(step) is not None:
                setattr(module, name, _spied(step, log))


def _spied(step: Callable[..., Any], log: Path) -> Callable[..., Any]:
    @functools.wraps(step)
    def run(*args: Any, **kwargs: Any) -> Any:
        with log.open("a") as file:
            file.write(f"{step.__qualname__}\n")
        return step(*args, **kwargs)

    return run


def kill_when(begins: str | None, save: int | None) -> None:
    """Have this process die when a step begins, or inside the store's write number `save`."""
    call, write = DirectCalls.__call__, vars(disk)["write_value"]
    saved = iter(range(10**6))

    def call_or_die(self: DirectCalls, title: str, *args: Any, **kwargs: Any) -> Any:
        if title == begins:
            die()
        return call(self, title, *args, **kwargs)

    def write_or_die(value: object, file: Any) -> None:
        write(value, file)
        if next(saved) == save:
            file.truncate(file.tell() // 2)
            die()

    DirectCalls.__call__ = call_or_die  # type: ignore[method-assign,assignment]
    vars(disk)["write_value"] = write_or_die


def attempt(folder: Path, place: Path, begins: str | None, save: int | None, resumed: bool) -> None:
    os.environ["SOSIE_STORE"] = str(place.parent / "store")
    spied(place.with_suffix(".log"))
    kill_when(begins, save)
    if not resumed:
        make_directory(place)
        leave_seed(place, SEED)
    asked: dict[str, Any] = (
        {} if resumed else {"source": str(folder / "table.csv"), "config": str(folder / "sosie.yaml")}
    )
    run_request(Request(out=str(place.parent), **asked), place, DirectCalls(silent))


def ended(place: Path, code: int | None) -> dict[str, Any]:
    log = place.with_suffix(".log")
    ran = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    return {"code": code, "ran": ran, "directory": str(place)}


def play(folder: Path, number: int, attempts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    fork = multiprocessing.get_context("fork")
    endings = []
    working = []
    for place, planned in enumerate(attempts):
        name = f"run-{place}" if planned.get("together") else "run"
        directory = folder / str(number) / name
        directory.parent.mkdir(exist_ok=True)
        process = fork.Process(
            target=attempt,
            args=(
                folder,
                directory,
                planned.get("begins"),
                planned.get("save"),
                planned.get("resumed", False),
            ),
        )
        process.start()
        working.append((directory, process))
        if not planned.get("together"):
            process.join()
            endings.append(ended(directory, process.exitcode))
    if endings:
        return endings
    for _, process in working:
        process.join()
    return [ended(directory, process.exitcode) for directory, process in working]


def main() -> None:
    folder = Path(sys.argv[1])
    plan = json.loads((folder / "plan.json").read_text())
    assert sosie.reports  # loaded before anything forks
    print(json.dumps([play(folder, number, attempts) for number, attempts in enumerate(plan)]))


if __name__ == "__main__":
    main()
