"""A run killed with -9 in any step goes on there and ends with the same bytes; two at once do nothing twice."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

STEPS = (
    "read the table",
    "check the table",
    "check what is asked",
    "set the holdout apart",
    "project the working rows",
    "find neighbours and generate: working rows",
    "transform back: working rows",
    "weigh the neighbours",
    "measure privacy and fidelity",
    "attack the avatars",
    "measure utility",
    "gather the evidence",
    "hold against the targets",
    "project all rows",
    "find neighbours and generate: all rows",
    "transform back: all rows",
    "sum up",
    "shuffle",
    "write the avatars",
    "examine the release",
    "write the report and release",
)
SAVES = (0, 3, 9)  # which of the store's writes are broken off
STAGES = Counter(
    [
        *("check_source", "split_rows", "weigh", "summarise"),
        *("project", "draw", "transform_back") * 2,
        *("measure_avatars", "attack_avatars", "measure_use", "gather_evidence"),
    ]
)
BETWEEN = ("origin_of", "working_rows", "compare")  # cheap values that are made where they are needed

Endings = list[dict[str, Any]]


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory, patients: pd.DataFrame) -> list[Endings]:
    folder = tmp_path_factory.mktemp("killed")
    patients.to_csv(folder / "table.csv", index=False)
    (folder / "sosie.yaml").write_text("targets: {mode: report}\nattacks: {attempts: 10}\n")
    undisturbed: list[dict[str, object]] = [{}]
    killed = [[{"begins": title}, {"resumed": True}] for title in STEPS]
    broken = [[{"save": save}, {"resumed": True}] for save in SAVES]
    together = [{"together": True}, {"together": True}]
    (folder / "plan.json").write_text(json.dumps([undisturbed, *killed, *broken, together]))
    script = Path(__file__).with_name("killed_runs.py")
    done = subprocess.run(
        [sys.executable, script, folder], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    told: list[Endings] = json.loads(done.stdout)
    return told


def released(ending: dict[str, Any]) -> dict[str, bytes]:
    """What a seed decides of a release: the report's and the manifest's timings apart."""
    release = Path(ending["directory"]) / "release"
    files = {name: (release / name).read_bytes() for name in ("avatars.csv", "metrics.json")}
    manifest = json.loads((release / "manifest.json").read_text())
    for timed in ("run", "started", "stage_seconds", "peak_memory_mb", "files"):
        del manifest[timed]
    return files | {"manifest.json": json.dumps(manifest).encode()}


def stages(ending: dict[str, Any]) -> Counter[str]:
    return Counter(name for name in ending["ran"] if name not in BETWEEN)


def test_an_undisturbed_run_does_each_stage_once(endings: list[Endings]) -> None:
    ((whole,),) = endings[:1]
    assert whole["code"] == 0
    assert stages(whole) == STAGES
    assert list(json.loads(released(whole)["manifest.json"])["columns"]) == ["age", "kg", "ward", "smoker"]


@pytest.mark.parametrize("place", range(len(STEPS)), ids=STEPS)
def test_a_run_killed_when_a_step_begins_goes_on_there_and_ends_with_the_same_bytes(
    place: int, endings: list[Endings]
) -> None:
    first, second = endings[1 + place]
    assert (first["code"], second["code"]) == (-9, 0)
    assert released(second) == released(endings[0][0])
    assert stages(first) + stages(second) == STAGES


@pytest.mark.parametrize("place", range(len(SAVES)), ids=[f"write {save}" for save in SAVES])
def test_a_run_killed_inside_the_stores_write_does_that_stage_again(
    place: int, endings: list[Endings]
) -> None:
    first, second = endings[1 + len(STEPS) + place]
    assert (first["code"], second["code"]) == (-9, 0)
    assert released(second) == released(endings[0][0])
    again = stages(first) + stages(second) - STAGES
    assert again.total() == 1


def test_two_identical_runs_at_once_do_each_stage_once_and_both_end_well(endings: list[Endings]) -> None:
    one, other = endings[-1]
    assert (one["code"], other["code"]) == (0, 0)
    assert one["directory"] != other["directory"]
    assert stages(one) + stages(other) == STAGES
    assert released(one) == released(other) == released(endings[0][0])
