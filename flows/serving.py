"""Every flow served by one process: deployments for a laptop, without work pool and worker."""

from typing import Any

from prefect import serve

from sosie.flows.anonymize import anonymize
from sosie.flows.evaluate import evaluate
from sosie.flows.purge import purge

NAME = "served"
_TAGS = ["sosie"]


def serve_flows(limit: int) -> None:
    """Offer the flows on the configured server and run what is asked for, `limit` at a time, until interrupted."""
    flows: tuple[Any, ...] = (anonymize, evaluate, purge)
    serve(
        *(flow.to_deployment(NAME, tags=_TAGS, description=flow.description) for flow in flows), limit=limit
    )
