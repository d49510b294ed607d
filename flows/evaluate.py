"""The Prefect flow that judges avatars made by anything."""

from functools import partial
from typing import Annotated, Any

from prefect import flow
from prefect.client.schemas.objects import State
from pydantic import Field

from sosie.flows.delivery import MOST_DELIVERY_STEPS
from sosie.flows.runs import run_evaluation
from sosie.flows.state import NO_CREDENTIAL, named, run_directory, run_in_flow
from sosie.schemas.request import EvaluationRequest
from sosie.tasks.calls import Progress, silent

# The command line puts its own display here: a function cannot be a flow parameter.
progress: Progress = silent


@flow(
    name="evaluate",
    description="Originals and avatars in, evidence and a report out.",
    flow_run_name=named("evaluate", "avatars"),
    persist_result=False,
)
def evaluate(
    original: Annotated[str, NO_CREDENTIAL],
    avatars: Annotated[str, NO_CREDENTIAL],
    linked: bool = False,
    holdout: Annotated[str | None, NO_CREDENTIAL] = None,
    config: str | None = None,
    out: str = "runs",
    run_id: Annotated[str | None, Field(pattern=r"^\w[\w.-]*$")] = None,
) -> State[Any]:
    """Judge a delivered table; the state's message says how it ended. Prefect's form shows the sentences below.

    Args:
        original: The originals: a file or a URL, never with a password in it.
        avatars: The avatars, with the same columns: a file or a URL.
        linked: Whether row i of the avatars comes from row i of the originals; links are then attacked too.
        holdout: Real rows that never took part. None: half of the originals stands in.
        config: Configuration file (YAML). None: defaults.
        out: Folder that the run directory is created in.
        run_id: Name of the run directory; that of a run which did not end runs it again. None: a new one.

    """
    request = EvaluationRequest(
        original=original, avatars=avatars, linked=linked, holdout=holdout, config=config, out=out
    )
    directory = run_directory(out, run_id)
    return run_in_flow(directory, partial(run_evaluation, request), MOST_DELIVERY_STEPS, progress)
