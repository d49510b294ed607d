"""Deployments as shipped: a real server, work pool and worker process; a good, a rejected and a refused run."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PATIENCE = 300  # seconds, on a machine that does much else


@dataclass(frozen=True)
class Site:
    """A Prefect server with the deployments, and the folder that their relative paths start from."""

    api: str
    folder: Path
    environment: dict[str, str]

    def ask(self, path: str, **body: Any) -> Any:
        """What the server answers to a POST."""

        def answered() -> httpx.Response | None:
            """None while the server's SQLite is locked, which Prefect's own clients wait for too."""
            answer = httpx.post(f"{self.api}/{path}", json=body, timeout=60)
            return None if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE else answer

        answer: httpx.Response = waited(answered)
        answer.raise_for_status()
        return answer.json()

    def prefect(self, *words: object) -> str:
        """The output of Prefect's command line, which ends well."""
        done = subprocess.run(
            [sys.executable, "-m", "prefect", *map(str, words)],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def deployment(self, name: str) -> dict[str, Any]:
        found = httpx.get(f"{self.api}/deployments/name/{name}", timeout=60)
        found.raise_for_status()
        content: dict[str, Any] = found.json()
        return content

    def start(self, name: str, **parameters: Any) -> str:
        """The id of a new run of a deployment."""
        deployment = self.deployment(name)
        run = self.ask(
            f"deployments/{deployment['id']}/create_flow_run",
            parameters=parameters,
            state={"type": "SCHEDULED"},
        )
        return str(run["id"])

    def ended(self, run: str) -> dict[str, Any]:
        """The run, once it has ended."""

        def state() -> dict[str, Any] | None:
            content: dict[str, Any] = httpx.get(f"{self.api}/flow_runs/{run}", timeout=60).json()
            return (
                content if content["state_type"] in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED") else None
            )

        found: dict[str, Any] = waited(state)
        return found


def waited(condition: Callable[[], Any]) -> Any:
    """What a condition gives as soon as that is something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    raise TimeoutError(condition)


@contextlib.contextmanager
def process(
    words: list[str], environment: dict[str, str], folder: Path, log: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """A program that runs beside the tests, interrupted with all it started."""
    with (folder / log).open("wb") as told:
        started = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=told, stderr=told, start_new_session=True
        )
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGINT)
        try:
            started.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait(60)


@pytest.fixture(scope="module")
def site(patients: pd.DataFrame) -> Iterator[Site]:
    """A server in a folder of its own, with everything in prefect.yaml deployed and a worker at work."""
    with tempfile.TemporaryDirectory(prefix="sosie-tests-site-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        patients[:300].to_csv(folder / "patients.csv", index=False)
        patients[:4].to_csv(folder / "few.csv", index=False)
        (folder / "sosie.yaml").write_text("targets: {mode: report}\nattacks: {attempts: 20}\n")
        (folder / "strict.yaml").write_text("targets: {hidden_rate: {min: 100}}\nattacks: {attempts: 20}\n")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        environment = {
            **os.environ,
            "PREFECT_HOME": str(folder / "prefect"),
            "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
            "PREFECT_SERVER_API_PORT": str(port),
            "PREFECT_SERVER_DEPLOYMENTS_CONCURRENCY_SLOT_WAIT_SECONDS": "1",
            "PREFECT_WORKER_QUERY_SECONDS": "1",
            "SOSIE_DIRECTORY": name,
            "SOSIE_STORE": str(folder / "store"),
        }
        made = Site(environment["PREFECT_API_URL"], folder, environment)
        prefect = [sys.executable, "-m", "prefect"]

        def is_up() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                return httpx.get(f"{made.api}/health", timeout=10).status_code == 200
            return False

        with process([*prefect, "server", "start"], environment, folder, "server.log"):
            waited(is_up)
            made.prefect("work-pool", "create", "--type", "process", "sosie")
            made.prefect("--no-prompt", "deploy", "--all")
            with process([*prefect, "worker", "start", "--pool", "sosie"], environment, folder, "worker.log"):
                yield made


@pytest.fixture(scope="module")
def nights(site: Site) -> dict[str, dict[str, Any]]:
    """Three runs of the nightly deployment, asked for at once."""
    asked = {
        "released": site.start("anonymize/nightly"),
        "rejected": site.start("anonymize/nightly", config="strict.yaml"),
        "refused": site.start("anonymize/nightly", source="few.csv"),
    }
    return {name: site.ended(run) for name, run in asked.items()}


def test_a_good_run_is_completed_and_releases(nights: dict[str, dict[str, Any]], site: Site) -> None:
    run = nights["released"]
    assert (run["state_type"], run["name"]) == ("COMPLETED", "anonymize patients.csv")
    directory = run["state"]["message"].removeprefix("released in ")
    assert len(pd.read_csv(site.folder / directory / "release" / "avatars.csv")) == 300


def test_a_rejected_run_is_failed_with_its_reason(nights: dict[str, dict[str, Any]], site: Site) -> None:
    run = nights["rejected"]
    assert (run["state_type"], run["state_name"]) == ("FAILED", "Failed")
    assert run["state"]["message"].startswith(
        "TARGET_NOT_MET: 1 target(s) missed: hidden_rate; nothing was released"
    )


def test_a_refused_table_is_failed_with_its_code(nights: dict[str, dict[str, Any]], site: Site) -> None:
    run = nights["refused"]
    assert (run["state_type"], run["name"]) == ("FAILED", "anonymize few.csv")
    assert run["state"]["message"].startswith("TOO_FEW_ROWS: ")


def test_runs_asked_for_at_once_wait_for_each_other(nights: dict[str, dict[str, Any]]) -> None:
    spans = sorted((run["start_time"], run["end_time"]) for run in nights.values())
    for (_, before), (after, _) in pairwise(spans):
        assert before <= after


def test_only_what_was_released_is_there(nights: dict[str, dict[str, Any]], site: Site) -> None:
    directories = [path for path in (site.folder / "runs").iterdir() if path.is_dir()]
    assert len(directories) == 3
    assert [path.name for path in site.folder.glob("runs/*/release/avatars.csv")] == ["avatars.csv"]


def test_the_store_is_purged_by_its_deployment(site: Site) -> None:
    run = site.ended(site.start("purge/store", older_than="0h"))
    assert (run["state_type"], run["name"]) == ("COMPLETED", "purge what was not used for 0h")
    assert run["state"]["message"].endswith("; 0 kept")


def test_a_delivered_table_is_evaluated_by_its_deployment(
    nights: dict[str, dict[str, Any]], site: Site
) -> None:
    (delivered,) = site.folder.glob("runs/*/release/avatars.csv")
    run = site.ended(site.start("evaluate/delivered", avatars=str(delivered)))
    assert (run["state_type"], run["name"]) == ("COMPLETED", "evaluate avatars.csv")


def test_a_table_that_arrives_is_anonymised(nights: dict[str, dict[str, Any]], site: Site) -> None:
    (site.folder / "patients.csv").rename(site.folder / "arrived.csv")
    try:
        site.prefect("automation", "resume", "A table has arrived")
        payload = '{"source": "arrived.csv"}'
        site.prefect(
            "events", "emit", "sosie.table.arrived", "--resource-id", "sosie.table.x", "--payload", payload
        )

        def started() -> str | None:
            runs = site.ask("flow_runs/filter", flow_runs={"name": {"any_": ["anonymize arrived.csv"]}})
            return str(runs[0]["id"]) if runs else None

        assert site.ended(waited(started))["state_type"] == "COMPLETED"
    finally:
        (site.folder / "arrived.csv").rename(site.folder / "patients.csv")


def test_nothing_runs_by_itself_as_shipped(site: Site) -> None:
    deployments = site.ask("deployments/filter")
    names = {"nightly", "arrived", "delivered", "advice", "sweep", "store"}
    assert {deployment["name"] for deployment in deployments} == names
    assert not [each for deployment in deployments for each in deployment["schedules"] if each["active"]]
    shipped = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]
    assert not [each for deployment in shipped for each in deployment.get("triggers", []) if each["enabled"]]


def test_each_deployment_queues_and_has_a_form_that_explains_itself(site: Site) -> None:
    for deployment in site.ask("deployments/filter"):
        assert deployment["global_concurrency_limit"]["limit"] == 1
        assert deployment["concurrency_options"]["collision_strategy"] == "ENQUEUE"
        assert deployment["enforce_parameter_schema"]
        assert "sosie" in deployment["tags"]
        assert deployment["job_variables"]["env"]["PREFECT_FLOWS_HEARTBEAT_FREQUENCY"] == "30"
        for name, described in deployment["parameter_openapi_schema"]["properties"].items():
            assert described.get("description"), f"{deployment['name']}: {name}"


@pytest.mark.parametrize("parameters", [{"k": 1}, {"repeats": 101}, {"run_id": "../x"}, {"language": "de"}])
def test_a_parameter_out_of_bounds_is_refused_before_a_run(site: Site, parameters: dict[str, Any]) -> None:
    with pytest.raises(httpx.HTTPStatusError, match="409"):
        site.start("anonymize/nightly", **parameters)


def test_the_automations_are_made_as_they_are_shipped(site: Site) -> None:
    site.prefect("automation", "create", "--from-file", ROOT / "automations" / "crashed.yaml")
    program = (
        "from prefect.blocks.webhook import Webhook; "
        "print(Webhook(method='POST', url='http://127.0.0.1:9/').save('sosie-missed-target', overwrite=True))"
    )
    block = subprocess.run(
        [sys.executable, "-c", program],
        env=site.environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    ).stdout.split()[-1]
    text = (ROOT / "automations" / "missed-target.yaml").read_text().replace("WEBHOOK_BLOCK_ID", block)
    (site.folder / "missed-target.yaml").write_text(text)
    site.prefect("automation", "create", "--from-file", site.folder / "missed-target.yaml")
    names = {automation["name"] for automation in site.ask("automations/filter")}
    assert {"Runs whose process died", "A target was missed"} <= names


def test_a_laptop_serves_the_flows_in_one_process_until_it_is_interrupted(site: Site) -> None:
    words = [sys.executable, "-c", "from sosie.cli import main; main()", "serve"]
    with process(words, site.environment, site.folder, "serve.log") as served:
        waited(lambda: site.ask("deployments/filter", deployments={"name": {"any_": ["served"]}})[2:])
        run = site.ended(site.start("purge/served", store=str(site.folder / "store")))
        assert run["state_type"] == "COMPLETED"
        os.killpg(served.pid, signal.SIGINT)
        assert served.wait(PATIENCE) == 0
    assert "Traceback" not in (site.folder / "serve.log").read_text()
