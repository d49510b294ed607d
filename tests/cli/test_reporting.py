"""Reports of runs that have ended: rendered again, as a document, side by side."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from pypdf import PdfReader

import sosie.tasks.kept
from sosie.attacks import NamedLevels

Command = Callable[..., subprocess.CompletedProcess[str]]
WriteConfiguration = Callable[[str], Path]

REPORT = "targets: {mode: report}\nattacks: {attempts: 20}\n"


@pytest.fixture
def make_run(
    sosie_command: Command, write_configuration: WriteConfiguration, patients: pd.DataFrame, tmp_path: Path
) -> Callable[..., Path]:
    """A run of 120 patients, with these lines of configuration and flags."""
    table = tmp_path / "patients.csv"
    patients[:120].to_csv(table, index=False)

    def make(lines: str, *flags: object) -> Path:
        ended = sosie_command(
            *("anonymize", table, "--config", write_configuration(lines), "--k", 5, "--direct"),
            *("--out", tmp_path / "runs", *flags),
        )
        assert ended.returncode in (0, 3), ended.stderr
        return Path(ended.stdout.splitlines()[-1])

    return make


def hashes_hold(release: Path) -> bool:
    files = json.loads((release / "manifest.json").read_text())["files"]
    on_disk = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in release.iterdir()
        if path.name != "manifest.json"
    }
    return bool(files == on_disk)


def test_a_released_report_changes_language_and_its_hash_with_it(
    make_run: Callable[..., Path], sosie_command: Command
) -> None:
    run = make_run(REPORT)
    avatars = (run / "release" / "avatars.csv").read_bytes()
    assert sosie_command("report", run, "--language", "fr", "--pdf").returncode == 0
    assert '<html lang="fr">' in (run / "release" / "report.html").read_text()
    assert '<html lang="fr">' in (run / "private" / "report-internal.html").read_text()
    assert (run / "release" / "avatars.csv").read_bytes() == avatars
    assert hashes_hold(run / "release")
    assert sosie_command("report", run).returncode == 0
    assert '<html lang="en">' in (run / "release" / "report.html").read_text()
    assert hashes_hold(run / "release")


def test_rendered_again_in_its_own_language_the_report_is_the_same(
    make_run: Callable[..., Path], sosie_command: Command
) -> None:
    run = make_run(REPORT)
    before = (run / "release" / "report.html").read_text()
    sosie_command("report", run)
    assert (run / "release" / "report.html").read_text() == before


def test_another_profile_is_a_look_that_publishes_nothing(
    make_run: Callable[..., Path], sosie_command: Command
) -> None:
    run = make_run(REPORT)
    released = {path.name: path.read_bytes() for path in (run / "release").iterdir()}
    ended = sosie_command("report", run, "--profile", "open", "--json")
    assert json.loads(ended.stdout)["written"] == [str(run / "private" / "report-as-open.html")]
    page = (run / "private" / "report-as-open.html").read_text()
    assert "Held against another profile" in page
    assert "profile open" in page
    assert {path.name: path.read_bytes() for path in (run / "release").iterdir()} == released


def test_a_rejected_run_reports_in_private_only(
    make_run: Callable[..., Path], sosie_command: Command
) -> None:
    run = make_run("targets: {hidden_rate: {min: 100}}\nattacks: {attempts: 20}\n")
    assert sosie_command("report", run, "--pdf").returncode == 0
    assert not (run / "release").exists()
    assert (run / "private" / "technical-assessment.pdf").stat().st_mode & 0o777 == 0o600


def test_a_run_writes_the_document_when_asked(make_run: Callable[..., Path]) -> None:
    run = make_run(REPORT + "report: {assessment: true, language: fr}\n")
    pages = PdfReader(BytesIO((run / "release" / "technical-assessment.pdf").read_bytes())).pages
    assert "Évaluation technique" in pages[0].extract_text()
    assert hashes_hold(run / "release")


def test_a_refused_report_is_told_as_json_too(sosie_command: Command, tmp_path: Path) -> None:
    ended = sosie_command("report", tmp_path, "--json")
    assert ended.returncode == 2
    assert json.loads(ended.stdout)["code"] == "BAD_CONFIG"


@pytest.mark.parametrize(
    "name", ["release/metrics.json", "private/rare-levels.json", "private/evaluation.json"]
)
def test_a_run_whose_figures_are_damaged_is_refused(
    name: str, make_run: Callable[..., Path], sosie_command: Command
) -> None:
    run = make_run(REPORT)
    (run / name).write_text("{")
    ended = sosie_command("report", run)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error[UNREADABLE_SOURCE]: ")


def test_a_folder_that_is_no_run_is_refused(sosie_command: Command, tmp_path: Path) -> None:
    ended = sosie_command("report", tmp_path)
    assert ended.returncode == 2
    assert "is no run directory" in ended.stderr


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--language", "de"], "the language must be one of en, fr"),
        (["--profile", "friends"], "the profile must be one of internal, partner, open"),
        (["--columns", "some"], "--columns takes a number"),
    ],
)
def test_what_is_asked_of_a_report_is_checked(
    make_run: Callable[..., Path], sosie_command: Command, flags: list[str], sentence: str
) -> None:
    ended = sosie_command("report", make_run(REPORT), *flags)
    assert ended.returncode == 2
    assert sentence in ended.stderr


def test_runs_side_by_side_show_what_differs(
    make_run: Callable[..., Path], sosie_command: Command, tmp_path: Path
) -> None:
    runs = [make_run(REPORT), make_run(REPORT, "--ncp", 2)]
    page = tmp_path / "side.html"
    ended = sosie_command("compare", *runs, "--write", page)
    assert ended.returncode == 0
    assert ended.stdout.splitlines() == [str(page)]
    assert "method.ncp" in ended.stderr
    assert "Hidden rate" in ended.stderr
    text = page.read_text()
    assert "method.ncp" in text
    assert "method.weights" not in text


def test_one_run_is_no_comparison(
    make_run: Callable[..., Path], sosie_command: Command, tmp_path: Path
) -> None:
    ended = sosie_command("compare", make_run(REPORT), "--write", tmp_path / "side.html")
    assert ended.returncode == 2
    assert "two run directories or more" in ended.stderr


def test_rare_levels_are_named_on_the_internal_report_alone(
    make_run: Callable[..., Path], sosie_command: Command
) -> None:
    run = make_run(REPORT)
    rare = sosie.tasks.kept._RARE.dump_json((NamedLevels("ward", (("attic", 3, 2),)),))
    (run / "private" / sosie.tasks.kept.RARE_LEVELS).write_bytes(rare)
    sosie_command("report", run)
    assert "attic (3 originals, 2 avatars)" in (run / "private" / "report-internal.html").read_text()
    assert "attic" not in (run / "release" / "report.html").read_text()


def test_nothing_that_may_leave_names_a_level_that_few_hold(
    sosie_command: Command, write_configuration: WriteConfiguration, patients: pd.DataFrame, tmp_path: Path
) -> None:
    table = tmp_path / "patients.csv"
    rare = patients[:120].assign(died=patients["smoker"][:120])
    rare.loc[:2, "ward"] = "Zaphodbeeblebrox"
    rare.to_csv(table, index=False)
    lines = "utility: {target: ward, survival: {duration: age, event: died, group: ward}}\nreport: {assessment: true}\n"
    config = write_configuration(REPORT + lines)
    ended = sosie_command(
        *("anonymize", table, "--config", config, "--k", 5, "--direct", "--out", tmp_path / "runs"),
        *("--seed", 1),
    )
    run = Path(ended.stdout.splitlines()[-1])
    document = PdfReader(BytesIO((run / "release" / "technical-assessment.pdf").read_bytes()))
    said = "".join(page.extract_text() for page in document.pages)
    for name in ("report.html", "metrics.json", "manifest.json"):
        said += (run / "release" / name).read_text()
    assert "Zaphod" not in said
    assert "north" in said
    assert "Zaphod" in (run / "private" / "report-internal.html").read_text()
