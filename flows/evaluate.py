"""The Prefect flow that judges avatars made by anything."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from prefect import flow
from prefect.client.schemas.objects import State
from pydantic import Field

from sosie.flows.delivery import MOST_DELIVERY_STEPS
from sosie.flows.runs import run_evaluation
from sosie.flows.state import run_in_flow
from sosie.schemas.request import EvaluationRequest
from sosie.tasks.calls import Progress, silent
from sosie.tasks.run import new_run_id

# The command line puts its own display here: a function cannot be a flow parameter.
progress: Progress = silent


@flow(
    name="evaluate",
    description="Originals and avatars in, evidence and a report out.",
    flow_run_name="evaluate {avatars}",
    persist_result=False,
)
def evaluate(
    original: Annotated[str, Field(description="the originals: a file or a URL")],
    avatars: Annotated[str, Field(description="the avatars: a file or a URL, with the same columns")],
    linked: Annotated[
        bool, Field(description="row i of the avatars comes from row i of the originals")
    ] = False,
    holdout: Annotated[str | None, Field(description="real rows that never took part")] = None,
    config: Annotated[str | None, Field(description="configuration file (YAML)")] = None,
    out: Annotated[str, Field(description="folder that the run directory is created in")] = "runs",
    run_id: Annotated[
        str | None, Field(description="name of the run directory; empty: a new one", pattern=r"^\w[\w.-]*$")
    ] = None,
) -> State[Any]:
    """Judge a delivered table; the state's message says how it ended."""
    request = EvaluationRequest(
        original=original, avatars=avatars, linked=linked, holdout=holdout, config=config, out=out
    )
    directory = Path(out) / (run_id or new_run_id())
    return run_in_flow(directory, partial(run_evaluation, request), MOST_DELIVERY_STEPS, progress)
