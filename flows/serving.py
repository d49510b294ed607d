"""Every flow served by one process: deployments for a laptop, without work pool and worker."""

from typing import Any

from prefect import serve
from prefect.deployments.runner import RunnerDeployment
from prefect.schedules import Cron

from sosie.flows.anonymize import anonymize
from sosie.flows.evaluate import evaluate
from sosie.flows.purge import purge

NAME = "served"
_TAGS = ["sosie"]


def serve_flows(limit: int, config: str | None, cron: str | None, timezone: str) -> None:
    """Offer the flows on the configured server and run what is asked for, `limit` at a time, until interrupted."""
    serve(*served(config, cron, timezone), limit=limit)


def served(config: str | None, cron: str | None, timezone: str) -> tuple[RunnerDeployment, ...]:
    """The deployments; `config` and `cron` are what `anonymize` does when told nothing else, and when by itself."""
    schedules = [] if cron is None else [Cron(cron, timezone=timezone)]
    parameters = {} if config is None else {"config": config}
    asked: tuple[tuple[Any, dict[str, Any]], ...] = (
        (anonymize, {"parameters": parameters, "schedules": schedules}),
        (evaluate, {}),
        (purge, {}),
    )
    return tuple(
        flow.to_deployment(NAME, tags=_TAGS, description=flow.description, **more) for flow, more in asked
    )
