"""What a changed option makes a second run with the same seed do again: the steps that depend on it, and no other."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.flows.runs import run_request
from sosie.schemas.request import Request
from sosie.tasks import measuring, publication, steps
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.remembered import leave_seed, share_seed
from sosie.tasks.run import make_directory
from sosie.tasks.stages import stage_of

Again = Callable[..., set[str]]

FIRST = "targets: {mode: report}\nattacks: {attempts: 10}\n"
NEIGHBOURS = {
    "draw",
    "transform_back",
    "weigh",
    "measure_avatars",
    "attack_avatars",
    "measure_use",
    "summarise",
}
NEIGHBOURS |= {"gather_evidence"}


@pytest.fixture
def again(tmp_path: Path, patients: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> Again:
    """Which kept stages a second run does, with another configuration file and other options."""
    monkeypatch.setenv("SOSIE_STORE", str(tmp_path / "store"))
    patients.to_csv(tmp_path / "table.csv", index=False)
    ran: set[str] = set()

    def spied(step: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(step)
        def run(*args: Any, **kwargs: Any) -> Any:
            ran.add(step.__qualname__)
            return step(*args, **kwargs)

        return run

    for module in (steps, measuring, publication):
        for name, step in list(vars(module).items()):
            if (
                callable(step)
                and stage_of(step) is not None
                and name not in ("working_rows", "compare", "origin_of")
            ):
                monkeypatch.setattr(module, name, spied(step))

    def run(name: str, configuration: str, **options: Any) -> None:
        (tmp_path / "sosie.yaml").write_text(configuration)
        request = Request(source=str(tmp_path / "table.csv"), config=str(tmp_path / "sosie.yaml"), **options)
        assert run_request(request, tmp_path / name, DirectCalls(silent)).status == "released"

    def both(configuration: str = "", **options: Any) -> set[str]:
        make_directory(tmp_path / "first")
        leave_seed(tmp_path / "first", 8_765_309_123)
        run("first", FIRST)
        ran.clear()
        make_directory(tmp_path / "second")
        share_seed(tmp_path / "first", tmp_path / "second")
        run("second", FIRST + configuration, **options)
        return set(ran)

    return both


@pytest.mark.parametrize(
    ("configuration", "options"),
    [
        ("", {}),
        ("", {"language": "fr"}),
        ("report: {language: fr}\n", {}),
        ("workers: 1\n", {}),
    ],
)
def test_another_language_or_number_of_workers_does_no_stage_again(
    configuration: str, options: dict[str, Any], again: Again
) -> None:
    assert again(configuration, **options) == set()


def test_another_k_does_everything_from_the_neighbours_on(again: Again) -> None:
    assert again(k=7) == NEIGHBOURS


def test_another_number_of_components_does_everything_from_the_projection_on(again: Again) -> None:
    assert again(ncp=2) == NEIGHBOURS | {"project"}


def test_other_weights_of_columns_do_everything_from_the_projection_on(again: Again) -> None:
    assert again("columns: {ward: {weight: 2.5}}\n") == NEIGHBOURS | {"project"}


def test_another_holdout_leaves_the_check_as_it_is(again: Again) -> None:
    assert again(holdout="approximate") == NEIGHBOURS | {"project", "split_rows"}


def test_another_type_of_a_column_does_everything_again(again: Again) -> None:
    assert again("columns: {age: {type: category}}\n") == NEIGHBOURS | {
        "project",
        "split_rows",
        "check_source",
    }


def test_a_further_draw_does_only_what_is_new(again: Again) -> None:
    assert again(repeats=2) == NEIGHBOURS - {"summarise"} | {"compare_draws"}
