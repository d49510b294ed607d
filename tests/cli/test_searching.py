"""`sosie advise` and `sosie sweep`: what is proposed, what is left, and what is refused."""

import json
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from sosie import projection
from sosie.flows.search import Extent
from sosie.schemas.search import read_search
from sosie.search import Search

Command = Callable[..., subprocess.CompletedProcess[str]]
WriteTable = Callable[[pd.DataFrame], Path]
WriteConfiguration = Callable[[str], Path]

RARE = "Zaphodbeeblebrox"
SMALL = ("--rows", 90, "--splits", 2, "--direct")
EASY = "targets: {profile: internal}\nattacks: {attempts: 10}\n"
IMPOSSIBLE = "targets: {hidden_rate: {min: 100}, hellinger_mean: {min: 100}}\nattacks: {attempts: 10}\n"


@pytest.fixture
def table(write_table: WriteTable) -> Path:
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 110)
    frame = pd.DataFrame(
        {
            "age": age,
            "kg": (age / 4 + rng.normal(55, 9, 110)).round(1),
            "ward": rng.choice(["north", "south"], 110),
        }
    )
    frame.loc[3, "ward"] = RARE
    return write_table(frame)


def search_in(directory: Path) -> Search:
    return read_search((directory / "private" / "search.json").read_bytes())


def advised(sosie_command: Command, *words: object) -> tuple[subprocess.CompletedProcess[str], Path]:
    ended = sosie_command("advise", *words)
    return ended, Path(ended.stdout.splitlines()[-1])


def test_a_setting_that_meets_the_targets_is_proposed_with_intervals_and_a_configuration_that_runs(
    sosie_command: Command, table: Path, write_configuration: WriteConfiguration, tmp_path: Path
) -> None:
    config, written, out = write_configuration(EASY), tmp_path / "proposed.yaml", tmp_path / "runs"
    ended, directory = advised(
        sosie_command, table, "-c", config, "--settings", 4, "--out", out, "--write", written, *SMALL
    )
    assert ended.returncode == 0, ended.stderr
    assert "Proposed: " in ended.stderr
    proposal = search_in(directory).proposal
    assert proposal is not None
    assert proposal.fresh.meets
    assert proposal.fresh.splits == 3
    content = yaml.safe_load(written.read_text())
    for (_, name), value in [change for change in proposal.setting.changes if change[0][0] == "method"]:
        assert content["method"][name] == value
    assert content["targets"] == {"mode": "enforce", "profile": "internal"}
    assert "sosie advise: all targets met in 3 of 3 fresh splits" in written.read_text()
    again = sosie_command("anonymize", "--config", written, "--direct", "--out", out)
    assert again.returncode in (0, 3), again.stderr


def test_where_no_setting_meets_the_targets_the_closest_is_proposed_and_what_it_misses(
    sosie_command: Command, table: Path, write_configuration: WriteConfiguration, tmp_path: Path
) -> None:
    config = write_configuration(IMPOSSIBLE)
    words = (table, "-c", config, "--settings", 2, "--seed", 3, "--out", tmp_path / "runs", "--json", *SMALL)
    ended = sosie_command("advise", *words)
    assert ended.returncode == 3
    told = json.loads(ended.stdout)
    assert told["status"] == "missed"
    assert {"hellinger_mean", "hidden_rate"} & set(told["missed"])
    page = (Path(told["run_directory"]) / "private" / "frontier.html").read_text()
    assert "No setting tried meets all targets each time" in page


def test_the_same_seed_proposes_the_same_whatever_the_machines_speed(
    sosie_command: Command,
    table: Path,
    write_configuration: WriteConfiguration,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = write_configuration(EASY + "store: {keep: false}\n")
    words = (table, "-c", config, "--settings", 3, "--seed", 5, "--minutes", 0, "--out", tmp_path, *SMALL)
    first = search_in(advised(sosie_command, *words)[1])
    clock = iter(range(0, 10_000_000, 1_000))
    monkeypatch.setattr("sosie.tasks.trials.time.perf_counter", lambda: float(next(clock)))
    second = search_in(advised(sosie_command, *words)[1])
    assert first.points == second.points
    assert first.proposal == second.proposal


def test_a_table_that_is_streamed_is_searched_on_the_same_sample(
    sosie_command: Command, table: Path, write_configuration: WriteConfiguration, tmp_path: Path
) -> None:
    words = (table, "--settings", 2, "--seed", 4, "--out", tmp_path, *SMALL)
    whole = advised(sosie_command, *words, "-c", write_configuration(EASY))[1]
    config = write_configuration(EASY + "batches: {streamed: always}\n")
    ended, streamed = advised(sosie_command, *words, "-c", config)
    assert "read some of the table" in ended.stderr
    found, expected = search_in(streamed), search_in(whole)
    assert (found.points, found.proposal) == (expected.points, expected.proposal)
    assert (found.rows, found.of_rows, found.sha256) == (90, 110, expected.sha256)
    assert not [path for path in (streamed / "private").iterdir() if path.is_dir()]


def test_a_design_that_does_not_fit_the_time_is_cut_and_said_to_be(
    sosie_command: Command,
    table: Path,
    write_configuration: WriteConfiguration,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(0, 10_000_000, 60))  # every trial takes a minute
    monkeypatch.setattr("sosie.tasks.trials.time.perf_counter", lambda: float(next(clock)))
    config = write_configuration(EASY + "store: {keep: false}\n")
    ended, directory = advised(
        sosie_command, table, "-c", config, "--settings", 5, "--minutes", 13, "--out", tmp_path, *SMALL
    )
    assert "about 13 minute(s) for 2 setting(s) on 2 split(s) of 90 rows: 3 of 5 settings" in ended.stderr
    assert "The design was cut: 3 of 5 settings" in ended.stderr
    search = search_in(directory)
    assert (search.cut, len(search.points)) == (3, 2)


def test_a_search_leaves_private_files_without_a_cell_or_the_seed(
    sosie_command: Command, table: Path, write_configuration: WriteConfiguration, tmp_path: Path
) -> None:
    config = write_configuration(EASY)
    _, directory = advised(
        sosie_command, table, "-c", config, "--settings", 1, "--seed", 8765309123, "--out", tmp_path, *SMALL
    )
    private = directory / "private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    names = {"search.json", "trials.csv", "frontier.html", "proposed.yaml"}
    assert {path.name for path in private.iterdir()} == {*names, "run.json"}
    for name in names:
        text = (private / name).read_text()
        assert stat.S_IMODE((private / name).stat().st_mode) == 0o600
        assert RARE not in text
        assert "8765309123" not in text


def test_a_rejected_runs_report_tells_the_change_that_was_measured_in_place_of_the_rule_of_thumb(
    sosie_command: Command, table: Path, write_configuration: WriteConfiguration, tmp_path: Path
) -> None:
    config = write_configuration(IMPOSSIBLE + "report: {language: fr}\n")
    rejected = sosie_command("anonymize", table, "-c", config, "--direct", "--out", tmp_path / "runs")
    run = Path(rejected.stdout.splitlines()[-1])
    assert rejected.returncode == 3
    assert f"sosie advise --for {run}" in rejected.stderr
    report = run / "private" / "report-internal.html"
    thumb = "Un k plus grand (avatars tirés parmi davantage de voisins) l’augmente d’ordinaire"
    assert "Mesuré sur cette table" not in report.read_text()
    ended, directory = advised(sosie_command, "--for", run, "--settings", 2, *SMALL)
    assert ended.returncode == 3
    assert directory == run
    page = report.read_text()
    advice = page[page.index("Mesuré sur cette table") : page.index("Quel paramètre")]
    assert thumb not in advice
    assert "Aucun réglage essayé n’atteint toutes les cibles" in advice
    assert sosie_command("verify", run).returncode == 0
    assert sosie_command("report", run, "--language", "en").returncode == 0
    assert "Measured on this table by a search" in report.read_text()


def test_a_nightly_run_that_misses_measures_its_remedy_by_itself(
    sosie_command: Command,
    table: Path,
    write_configuration: WriteConfiguration,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = Extent(90, 2, 2, None)
    monkeypatch.setattr("sosie.flows.runs.extent_of", lambda request: small)
    config = write_configuration(IMPOSSIBLE.replace("targets: {", "targets: {on_miss: advise, "))
    ended = sosie_command("anonymize", table, "-c", config, "--direct", "--out", tmp_path / "runs")
    run = Path(ended.stdout.splitlines()[-1])
    assert ended.returncode == 3
    assert "What would be tried: " in ended.stderr
    assert "Measured on this table by a search" in (run / "private" / "report-internal.html").read_text()
    assert sosie_command("verify", run).returncode == 0


def test_a_remedy_that_cannot_be_measured_leaves_the_verdict(
    sosie_command: Command,
    table: Path,
    write_configuration: WriteConfiguration,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sosie.flows.runs.extent_of", lambda request: Extent(30, 2, 2, None))
    config = write_configuration(IMPOSSIBLE.replace("targets: {", "targets: {on_miss: advise, "))
    ended = sosie_command("anonymize", table, "-c", config, "--direct", "--out", tmp_path / "runs")
    run = Path(ended.stdout.splitlines()[-1])
    assert ended.returncode == 3
    assert (run / "private" / "report-internal.html").exists()
    assert not (run / "private" / "search.json").exists()


def test_a_search_for_a_run_takes_everything_from_it(
    sosie_command: Command, table: Path, tmp_path: Path
) -> None:
    for words in ((table, "--for", tmp_path), ("--for", tmp_path, "--seed", 1)):
        ended = sosie_command("advise", *words, "--direct")
        assert ended.returncode == 2
        assert "error[BAD_CONFIG]: --for takes table" in ended.stderr
    ended = sosie_command("advise", "--for", tmp_path, "--direct")
    assert ended.returncode == 2
    assert "is no run directory" in ended.stderr


def test_a_sweep_measures_every_combination_and_releases_nothing(
    sosie_command: Command, table: Path, write_configuration: WriteConfiguration, tmp_path: Path
) -> None:
    config, out = write_configuration(EASY), tmp_path / "runs"
    ended = sosie_command(
        "sweep", table, "-c", config, "--set", "k=5,10", "--set", "weights=published,gaussian", "--out", out,
        *SMALL,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    (directory,) = out.iterdir()
    assert not (directory / "release").exists()
    search = search_in(directory)
    assert search.proposal is None
    figures = pd.read_csv(directory / "private" / "trials.csv")
    assert figures[["setting", "split"]].drop_duplicates().shape == (8, 2)
    assert list(zip(figures["k"][::2], figures["weights"][::2], strict=True)) == [
        (5, "published"),
        (5, "gaussian"),
        (10, "published"),
        (10, "gaussian"),
    ]
    assert figures["hidden_rate"].between(0, 100).all()
    assert "<svg" in (directory / "private" / "frontier.html").read_text()


def test_settings_of_one_split_share_its_projection_through_the_store(
    sosie_command: Command,
    table: Path,
    write_configuration: WriteConfiguration,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fitted: list[int] = []
    fit = projection.fit_projection

    def counted(*arguments: Any) -> Any:
        fitted.append(1)
        return fit(*arguments)

    monkeypatch.setattr("sosie.tasks.steps.fit_projection", counted)
    config = write_configuration(EASY + f"store: {{directory: {tmp_path / 'store'}}}\n")
    ended = sosie_command("sweep", table, "-c", config, "--set", "k=5,7,10", "--out", tmp_path, *SMALL)
    assert ended.returncode == 0, ended.stderr
    assert len(fitted) == 2  # one for each split, not for each setting


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "k=500"), "TOO_FEW_ROWS"),
        (("--set", "k=soon"), "BAD_CONFIG"),
        (("--set", "seed=1,2"), "cannot be swept"),
        ((), "needs values to try"),
    ],
)
def test_a_sweep_that_cannot_be_done_is_refused_in_a_sentence(
    sosie_command: Command, table: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    ended = sosie_command("sweep", table, *words, "--out", tmp_path / "runs", *SMALL)
    assert ended.returncode == 2
    assert said in ended.stderr
