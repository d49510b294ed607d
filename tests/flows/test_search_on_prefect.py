"""Searches on Prefect's embedded server: settings share projections, and its database has aggregates only."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

from sosie.schemas.search import read_search

Command = Callable[..., subprocess.CompletedProcess[str]]
RARE = "Zaphodbeeblebrox"
SEED = 8_765_309_321


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 110), "ward": rng.choice(["north", "south"], 110)})
    frame.loc[3, "ward"] = RARE
    frame.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "sosie.yaml").write_text(
        f"targets: {{profile: internal}}\nattacks: {{attempts: 10}}\nstore: {{directory: {tmp_path}/store}}\n"
    )
    return tmp_path


def records(run_id: str) -> tuple[Any, list[Any], dict[str, Any]]:
    """The flow run, its task runs and its artifacts, as Prefect holds them."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import (
        ArtifactFilter,
        ArtifactFilterFlowRunId,
        FlowRunFilter,
        FlowRunFilterId,
    )

    with get_client(sync_client=True) as client:
        (flow_run,) = [
            record for record in client.read_flow_runs() if record.parameters.get("run_id") == run_id
        ]
        only: list[UUID] = [flow_run.id]
        tasks = client.read_task_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=only)))
        artifacts = client.read_artifacts(
            artifact_filter=ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=only))
        )
    return flow_run, tasks, {str(artifact.key): artifact for artifact in artifacts}


def test_a_sweep_shares_projections_and_shows_its_frontier(sosie_command: Command, folder: Path) -> None:
    words = (
        "-c",
        folder / "sosie.yaml",
        "--rows",
        90,
        "--splits",
        2,
        "--seed",
        SEED,
        "--out",
        folder / "runs",
    )
    ended = sosie_command("sweep", folder / "table.csv", *words, "--set", "k=5,10")
    assert ended.returncode == 0, ended.stderr
    directory = Path(ended.stdout.splitlines()[-1])
    flow_run, tasks, artifacts = records(directory.name)
    assert flow_run.state_name == "Completed"
    projections = [task.state_name for task in tasks if task.name.startswith("project the working rows")]
    assert projections.count("Completed") == 2  # one for each split
    assert set(projections) == {"Completed", "Cached"}
    assert "data:image/png;base64," in artifacts["frontier"].data
    assert "k: 10" in artifacts["settings"].data
    stored = [str(flow_run.parameters), *(str(artifact.data) for artifact in artifacts.values())]
    assert not [text for text in stored if RARE in text or str(SEED) in text]


def test_an_advice_on_prefect_is_the_one_without_it(sosie_command: Command, folder: Path) -> None:
    words = ("-c", folder / "sosie.yaml", "--rows", 90, "--splits", 2, "--settings", 2, "--minutes", 0)
    found = []
    for more in ((), ("--direct",)):
        out = folder / f"runs{len(more)}"
        ended = sosie_command("advise", folder / "table.csv", *words, "--seed", SEED, "--out", out, *more)
        assert ended.returncode in (0, 3), ended.stderr
        private = Path(ended.stdout.splitlines()[-1]) / "private"
        found.append(read_search((private / "search.json").read_bytes()))
    assert found[0].proposal == found[1].proposal
    assert found[0].points == found[1].points


def test_bad_input_has_its_code_on_prefect_too(sosie_command: Command, folder: Path) -> None:
    ended = sosie_command(
        "advise", folder / "nowhere.csv", "--rows", 90, "--splits", 2, "--out", folder / "runs"
    )
    assert ended.returncode == 2
    assert "error[UNREADABLE_SOURCE]" in ended.stderr


def test_an_unexpected_error_quotes_no_cell(
    sosie_command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise ValueError(f"could not convert {RARE}")

    monkeypatch.setattr("sosie.flows.searches.advise", broken)
    ended = sosie_command(
        "advise", folder / "table.csv", "--rows", 90, "--splits", 2, "--out", folder / "runs"
    )
    assert ended.returncode == 1
    assert RARE not in ended.stderr
    (manifest,) = (folder / "runs").glob("*/*")
    assert manifest.name == "manifest.json"
    assert RARE not in manifest.read_text()
    flow_run, _, _ = records(manifest.parent.name)
    assert flow_run.state.message == "failed with ValueError"
