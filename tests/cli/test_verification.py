"""`sosie verify` and `sosie sign`: what is intact, altered, missing or added, and who answers for it."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.schemas.manifest import configuration_hash

Command = Callable[..., subprocess.CompletedProcess[str]]

REPORT = "targets: {mode: report}\nattacks: {attempts: 20}\n"
REJECT = "targets: {hidden_rate: {min: 100}}\nattacks: {attempts: 20}\n"
SIGNER = "release@clinic.example"


@pytest.fixture(scope="module")
def gnupg() -> Iterator[Callable[..., str]]:
    """GnuPG with a home of its own and the secret key of SIGNER; runs `gpg` there."""
    # a socket's path has at most 108 characters
    home = Path(tempfile.mkdtemp(prefix="sosie-gpg-", dir="/tmp"))

    def gpg(*words: object) -> str:
        done = subprocess.run(
            ["gpg", "--batch", *map(str, words)],
            env={**os.environ, "GNUPGHOME": str(home), "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    gpg("--passphrase", "", "--quick-generate-key", f"Clinic <{SIGNER}>", "ed25519", "sign", "never")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GNUPGHOME", str(home))
        yield gpg
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=True, timeout=120)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def make_run(sosie_command: Command, patients: pd.DataFrame, tmp_path: Path) -> Callable[[str], Path]:
    """A run of 120 patients with this configuration."""
    patients[:120].to_csv(tmp_path / "patients.csv", index=False)

    def make(lines: str) -> Path:
        (tmp_path / "sosie.yaml").write_text(lines)
        ended = sosie_command(
            *("anonymize", tmp_path / "patients.csv", "--config", tmp_path / "sosie.yaml"),
            *("--k", 5, "--out", tmp_path / "runs", "--direct", "--json"),
        )
        return Path(json.loads(ended.stdout)["run_directory"])

    return make


@pytest.fixture
def verified(sosie_command: Command) -> Callable[..., tuple[int, dict[str, Any]]]:
    """The exit code of `sosie verify`, and what it prints as JSON."""

    def verified(*words: object) -> tuple[int, dict[str, Any]]:
        ended = sosie_command("verify", *words, "--json")
        return ended.returncode, json.loads(ended.stdout.splitlines()[0])

    return verified


Verified = Callable[..., tuple[int, dict[str, Any]]]


def states(verification: dict[str, Any]) -> dict[str, str]:
    return {file["name"]: file["state"] for file in verification["files"]}


def change(path: Path) -> None:
    path.write_bytes((path.read_bytes() if path.exists() else b"") + b"\n")


def test_a_released_run_is_intact_and_each_change_to_it_is_named(
    make_run: Callable[[str], Path], verified: Verified, sosie_command: Command, tmp_path: Path
) -> None:
    run = make_run(REPORT)
    code, verification = verified(run, "--source", tmp_path / "patients.csv")
    assert (code, verification["intact"], verification["status"]) == (0, True, "released")
    assert set(states(verification)) == {
        *(f"release/{name}" for name in ("avatars.csv", "manifest.json", "metrics.json", "report.html")),
        *(f"private/{name}" for name in ("evaluation.json", "rare-levels.json", "report-internal.html")),
        *("private/run.json", "configuration", "the source"),
    }
    assert set(states(verification).values()) == {"intact"}

    change(run / "release" / "avatars.csv")
    (run / "private" / "run.json").unlink()
    (run / "release" / "more.txt").write_text("")
    change(tmp_path / "patients.csv")
    code, verification = verified(run, "--source", tmp_path / "patients.csv")
    assert code == 1
    assert {name: state for name, state in states(verification).items() if state != "intact"} == {
        "release/avatars.csv": "altered",
        "private/run.json": "missing",
        "release/more.txt": "added",
        "the source": "altered",
    }
    ended = sosie_command("verify", run)
    assert ended.returncode == 1
    assert "release/avatars.csv: ALTERED" in ended.stdout
    assert "error[NOT_INTACT]: " in ended.stderr
    assert (
        "1 altered: release/avatars.csv; 1 missing: private/run.json; 1 added: release/more.txt"
        in ended.stderr
    )


def test_a_release_alone_is_verified_without_its_private_folder(
    make_run: Callable[[str], Path], verified: Verified, tmp_path: Path
) -> None:
    run = make_run(REPORT)
    shutil.copytree(run / "release", tmp_path / "received")
    code, verification = verified(tmp_path / "received")
    assert (code, set(states(verification).values())) == (0, {"intact"})
    shutil.rmtree(run / "private")
    assert states(verified(run)[1])["private/manifest.json"] == "missing"


def test_a_manifest_that_was_changed_is_found_by_the_private_one(
    make_run: Callable[[str], Path], verified: Verified
) -> None:
    run = make_run(REPORT)
    manifest = json.loads((run / "release" / "manifest.json").read_text())
    manifest["parameters"]["method"]["k"] = 50
    (run / "release" / "manifest.json").write_text(json.dumps(manifest))
    code, verification = verified(run)
    assert code == 1
    assert states(verification)["release/manifest.json"] == "altered"
    assert states(verification)["configuration"] == "altered"
    (run / "release" / "manifest.json").write_text("{")
    assert states(verified(run)[1]) == {"release/manifest.json": "altered"}


@pytest.mark.parametrize(
    ("lines", "status", "altered"),
    [(REJECT, "rejected", "private/metrics.json"), ("nothing: 1\n", "failed", None)],
)
def test_a_run_that_released_nothing_is_verified_as_well(
    lines: str, status: str, altered: str | None, make_run: Callable[[str], Path], verified: Verified
) -> None:
    run = make_run(lines)
    code, verification = verified(run)
    assert (code, verification["status"], verification["intact"]) == (0, status, True)
    change(run / (altered or "avatars.csv"))
    code, verification = verified(run)
    assert code == 1
    assert states(verification)[altered or "avatars.csv"] == ("altered" if altered else "added")


def test_an_evaluation_names_every_table_it_read(
    sosie_command: Command, verified: Verified, patients: pd.DataFrame, tmp_path: Path
) -> None:
    (tmp_path / "sosie.yaml").write_text(REPORT)
    for name, rows in {
        "original": patients[:120],
        "avatars": patients[120:240],
        "holdout": patients[240:360],
    }.items():
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    tables = [tmp_path / f"{name}.csv" for name in ("original", "avatars", "holdout")]
    ended = sosie_command(
        *("evaluate", tables[0], tables[1], "--holdout", tables[2], "--config", tmp_path / "sosie.yaml"),
        *("--out", tmp_path / "runs", "--direct"),
    )
    run = Path(ended.stdout.splitlines()[-1])
    given = [word for table in tables for word in (f"--{table.stem}", table)]
    code, verification = verified(run, *given)
    assert code == 0
    assert {f"the {table.stem}" for table in tables} <= set(states(verification))
    tables[2].unlink()
    assert states(verified(run, *given)[1])["the holdout"] == "missing"
    refused = sosie_command("verify", run, "--source", tables[0])
    assert refused.returncode == 2
    assert "this run read no source: it read original, avatars, holdout" in refused.stderr


def test_the_manifest_names_configuration_and_program(make_run: Callable[[str], Path]) -> None:
    run = make_run(REPORT)
    manifest = json.loads((run / "release" / "manifest.json").read_text())
    assert manifest["configuration_sha256"] == configuration_hash(manifest["parameters"])
    assert manifest["inputs_sha256"] == {"source": manifest["source_sha256"]}
    assert len(manifest["program"]["sha256"]) == 64
    assert manifest["release_sha256"] is None
    other = make_run(REPORT + "rare_values: {min_count: 6}\n")
    changed = json.loads((other / "release" / "manifest.json").read_text())
    assert changed["configuration_sha256"] != manifest["configuration_sha256"]
    assert changed["program"] == manifest["program"]


def test_a_folder_that_is_no_run_is_refused(sosie_command: Command, tmp_path: Path) -> None:
    ended = sosie_command("verify", tmp_path)
    assert ended.returncode == 2
    assert "holds no manifest" in ended.stderr


def test_reports_rendered_again_are_intact(
    make_run: Callable[[str], Path], verified: Verified, sosie_command: Command
) -> None:
    for lines in (REPORT, REJECT):
        run = make_run(lines)
        for words in (("--language", "fr"), ("--profile", "open")):
            assert sosie_command("report", run, *words).returncode == 0
            code, verification = verified(run)
            assert code == 0, verification["problems"]
    assert states(verification)["private/report-as-open.html"] == "intact"


@pytest.mark.parametrize("moved", range(5))
def test_a_change_of_the_reports_that_broke_off_is_told_and_then_ended(
    moved: int,
    make_run: Callable[[str], Path],
    verified: Verified,
    sosie_command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = make_run(REPORT)
    replace = Path.replace
    left = iter(range(moved))

    def broken(self: Path, target: Path) -> Path:
        """Fails at one of the moves: the first puts the gathered files in line, each further one a file in place."""
        if next(left, None) is None:
            raise KeyboardInterrupt
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", broken)
        sosie_command("report", run, "--language", "fr")
    code, verification = verified(run)
    before = moved == 0
    assert (code == 0) == before
    assert before or "a change of the reports broke off: sosie report ends it" in verification["problems"]
    assert sosie_command("report", run, "--profile", "open").returncode == 0
    assert verified(run)[0] == 0
    language = "en" if before else "fr"
    assert f'<html lang="{language}">' in (run / "release" / "report.html").read_text()
    assert sorted(path.name for path in run.iterdir() if path.name != ".replacing.new") == [
        "private",
        "release",
    ]


def test_a_signature_is_checked_by_verify_and_by_gnupg_itself(
    make_run: Callable[[str], Path], verified: Verified, gnupg: Callable[..., str]
) -> None:
    run = make_run(f"{REPORT}signature: {{key: {SIGNER}}}\n")
    release = run / "release"
    assert "Good signature" in gnupg("--verify", release / "manifest.json.asc", release / "manifest.json")
    assert (release / "manifest.json.asc").stat().st_mode & 0o777 == 0o644
    code, verification = verified(run)
    assert code == 0
    assert verification["signature"]["state"] == "good"
    assert verification["signature"]["name"] == f"Clinic <{SIGNER}>"
    fingerprint = verification["signature"]["key"]
    assert verified(run, "--signer", fingerprint)[0] == 0
    assert verified(run, "--signer", fingerprint[:-4] + "0000")[0] == 1
    assert verified(run, "--signer", fingerprint[-4:])[0] == 1, "four digits are anybody's"
    change(release / "manifest.json")
    code, verification = verified(release)
    assert (code, verification["signature"]["state"]) == (1, "bad")


def test_a_run_that_ended_is_signed_afterwards_and_unsigned_when_its_reports_change(
    make_run: Callable[[str], Path], verified: Verified, sosie_command: Command, gnupg: Callable[..., str]
) -> None:
    run = make_run(REPORT)
    code, verification = verified(run, "--signer", "0" * 40)
    assert (code, verification["problems"]) == (1, ["the manifest is not signed, and a signer was asked for"])
    ended = sosie_command("sign", run, "--key", SIGNER)
    assert ended.stdout.splitlines()[-1] == str(run / "release" / "manifest.json.asc")
    assert verified(run)[1]["signature"]["state"] == "good"
    sosie_command("report", run, "--language", "fr")
    code, verification = verified(run)
    assert (code, verification["signature"]["state"]) == (0, "none")
    change(run / "release" / "metrics.json")
    refused = sosie_command("sign", run, "--key", SIGNER)
    assert refused.returncode == 1
    assert "error[NOT_INTACT]: " in refused.stderr


def test_a_rejected_run_is_signed_in_its_private_folder(
    make_run: Callable[[str], Path], verified: Verified, gnupg: Callable[..., str]
) -> None:
    run = make_run(f"{REJECT}signature: {{key: {SIGNER}}}\n")
    assert (run / "private" / "manifest.json.asc").stat().st_mode & 0o777 == 0o600
    code, verification = verified(run)
    assert (code, verification["signature"]["state"]) == (0, "good")


def test_a_key_that_gnupg_does_not_hold_is_refused_before_anything(
    make_run: Callable[[str], Path], gnupg: Callable[..., str]
) -> None:
    run = make_run(f"{REPORT}signature: {{key: nobody@clinic.example}}\n")
    manifest = json.loads((run / "manifest.json").read_text())
    assert (manifest["status"], manifest["code"]) == ("failed", "BAD_CONFIG")
    assert "GnuPG holds no secret key" in manifest["message"]


def test_a_signature_of_a_stranger_is_not_trusted(
    make_run: Callable[[str], Path],
    verified: Verified,
    gnupg: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = make_run(f"{REPORT}signature: {{key: {SIGNER}}}\n")
    with tempfile.TemporaryDirectory(prefix="sosie-gpg-", dir="/tmp") as empty:
        monkeypatch.setenv("GNUPGHOME", empty)
        code, verification = verified(run)
    assert (code, verification["signature"]["state"]) == (1, "unknown key")


def test_without_gnupg_a_signature_is_a_configuration_error(
    make_run: Callable[[str], Path], sosie_command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = make_run(REPORT)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    ended = sosie_command("sign", run, "--key", SIGNER)
    assert ended.returncode == 2
    assert "signatures need GnuPG's program gpg, which is not installed" in ended.stderr
