"""A run directory is left as it is by what does not belong there, and keeps its release whatever fails after it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.errors import InputError
from sosie.flows.runs import run_request
from sosie.flows.search import unheard
from sosie.flows.searches import run_advice, run_sweep
from sosie.schemas.request import Request
from sosie.schemas.search_request import AdviceRequest, SweepRequest
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.transaction import Promise

NOWHERE = "nowhere.csv"
UNREACHABLE = "postgresql://sosie@127.0.0.1:1/clinic?table=avatars"
Search = Callable[[Path], object]


def advice(directory: Path) -> object:
    return run_advice(AdviceRequest(source=NOWHERE), directory, DirectCalls(silent), unheard)


def grid(directory: Path) -> object:
    return run_sweep(SweepRequest(source=NOWHERE, values=("k=5",)), directory, DirectCalls(silent), unheard)


RELEASED = ("release/avatars.csv", "release/manifest.json", "private/run.json", "private/metrics.json")
REJECTED = ("private/run.json", "private/manifest.json", "private/report-en.html")


@pytest.fixture(params=[RELEASED, REJECTED], ids=["released", "rejected"])
def ended(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    directory = tmp_path / "run"
    for name in request.param:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(f"what a run left in {name}")
    return directory


def contents(directory: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("search", [advice, grid])
def test_a_search_into_the_directory_of_a_run_that_has_ended_is_refused_and_changes_no_byte_of_it(
    search: Search, ended: Path
) -> None:
    before = contents(ended)
    with pytest.raises(InputError, match="run holds a run that has ended: leave run_id empty") as refused:
        search(ended)
    assert refused.value.code == "BAD_CONFIG"
    assert contents(ended) == before


@pytest.mark.parametrize("ended", [RELEASED], indirect=True, ids=["released"])
@pytest.mark.parametrize("search", [advice, grid])
def test_a_search_where_a_delivery_is_unsettled_is_refused_and_changes_no_byte(
    search: Search, ended: Path
) -> None:
    promise = Promise(destination=UNREACHABLE, block=None, receipt="1")
    (ended / "private" / "publication.json").write_text(promise.model_dump_json())
    before = contents(ended)
    with pytest.raises(InputError, match="cannot be opened"):
        search(ended)
    assert contents(ended) == before


@pytest.mark.parametrize("search", [advice, grid])
def test_a_search_that_fails_in_a_directory_of_its_own_leaves_the_reason_alone(
    search: Search, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=NOWHERE):
        search(tmp_path / "search")
    assert [path.name for path in (tmp_path / "search").rglob("*")] == ["manifest.json"]


def test_what_fails_after_a_run_was_released_takes_nothing_away(
    patients: pd.DataFrame, tmp_path: Path
) -> None:
    patients[:60].to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "sosie.yaml").write_text("targets: {mode: report}\nattacks: {attempts: 10}\n")

    class Lost(DirectCalls):
        """Loses its connection once the last step is done."""

        def __call__(self, title: str, step: Any, /, *args: Any, **kwargs: Any) -> Any:
            given = super().__call__(title, step, *args, **kwargs)
            if title == "write the report and release":
                raise ConnectionError
            return given

    request = Request(source=str(tmp_path / "table.csv"), config=str(tmp_path / "sosie.yaml"))
    with pytest.raises(ConnectionError):
        run_request(request, tmp_path / "run", Lost(silent))
    assert (tmp_path / "run" / "release" / "avatars.csv").exists()
    assert (tmp_path / "run" / "private" / "run.json").exists()
    assert not (tmp_path / "run" / "manifest.json").exists()
