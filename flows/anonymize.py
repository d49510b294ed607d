"""The Prefect flow of the main job."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from prefect import flow
from prefect.client.schemas.objects import State
from pydantic import Field

from sosie.flows.release import most_steps
from sosie.flows.runs import run_request
from sosie.flows.state import run_in_flow
from sosie.schemas.request import Request
from sosie.tasks.calls import Progress, silent
from sosie.tasks.run import new_run_id

# The command line puts its own display here: a function cannot be a flow parameter.
progress: Progress = silent


@flow(
    name="anonymize",
    description="A table in, avatars, evidence and a report out; nothing is released when a target is missed.",
    flow_run_name="anonymize {source}",
    persist_result=False,
)
def anonymize(
    source: Annotated[
        str | None, Field(description="the table: a file, or the URL of an object or of a database's table")
    ] = None,
    config: Annotated[str | None, Field(description="configuration file (YAML)")] = None,
    out: Annotated[str, Field(description="folder that the run directory is created in")] = "runs",
    k: Annotated[int | None, Field(ge=2, description="neighbours an avatar is drawn from")] = None,
    ncp: Annotated[int | None, Field(ge=1, description="components the neighbours are found on")] = None,
    holdout: Annotated[
        Literal["auto", "real", "approximate"] | None, Field(description="how real rows are set apart")
    ] = None,
    release: Annotated[
        Literal["full", "working"] | None, Field(description="avatars of all rows, or the very ones measured")
    ] = None,
    repeats: Annotated[
        int | None, Field(ge=1, le=100, description="draws measured, for the figures' stability")
    ] = None,
    language: Annotated[Literal["en", "fr"] | None, Field(description="language of the report")] = None,
    run_id: Annotated[
        str | None, Field(description="name of the run directory; empty: a new one", pattern=r"^\w[\w.-]*$")
    ] = None,
) -> State[Any]:
    """Run the main job; the state's message says how it ended.

    A seed is never a parameter, since Prefect stores parameters: it is taken from `private/run.json` of the
    run directory or from the configuration file.
    """
    request = Request(
        source=source,
        config=config,
        out=out,
        k=k,
        ncp=ncp,
        holdout=holdout,
        release=release,
        repeats=repeats,
        language=language,
    )
    directory = Path(out) / (run_id or new_run_id())
    return run_in_flow(directory, partial(run_request, request), most_steps(repeats or 1), progress)
