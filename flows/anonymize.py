"""The Prefect flow of the main job."""

from functools import partial
from typing import Annotated, Any, Literal

from prefect import flow
from prefect.client.schemas.objects import State
from pydantic import Field

from sosie.flows.release import most_steps
from sosie.flows.runs import run_request
from sosie.flows.state import NO_CREDENTIAL, named, run_directory, run_in_flow
from sosie.schemas.request import Request
from sosie.tasks.calls import Progress, silent

# The command line puts its own display here: a function cannot be a flow parameter.
progress: Progress = silent


@flow(
    name="anonymize",
    description="A table in, avatars, evidence and a report out; nothing is released when a target is missed.",
    flow_run_name=named("anonymize", "source", "config"),
    persist_result=False,
)
def anonymize(
    source: Annotated[str | None, NO_CREDENTIAL] = None,
    config: str | None = None,
    out: str = "runs",
    k: Annotated[int | None, Field(ge=2)] = None,
    ncp: Annotated[int | None, Field(ge=1)] = None,
    holdout: Literal["auto", "real", "approximate"] | None = None,
    release: Literal["full", "working"] | None = None,
    repeats: Annotated[int | None, Field(ge=1, le=100)] = None,
    language: Literal["en", "fr"] | None = None,
    run_id: Annotated[str | None, Field(pattern=r"^\w[\w.-]*$")] = None,
) -> State[Any]:
    """Run the main job; the state's message says how it ended.

    A seed is never a parameter, since Prefect stores parameters: it is taken from `private/run.json` of the
    run directory or from the configuration file. Prefect's form shows the sentences below.

    Args:
        source: The table: a file, or the URL of an object or of a database's table, never with a password in it. None:
            the configuration's source.
        config: Configuration file (YAML), as `sosie inspect TABLE --write sosie.yaml` writes it. None: defaults.
        out: Folder that the run directory is created in.
        k: Neighbours that an avatar is drawn from, 2 or more. None: the configuration's, else 20.
        ncp: Components that neighbours are looked for on, 1 or more. None: the configuration's, else 5.
        holdout: How real rows are set apart to measure against. None: the configuration's, else auto, which is real
            from 500 rows on.
        release: Release the avatars of all rows (full), or the very avatars measured (working). None: the
            configuration's, else full.
        repeats: Draws measured, 1 to 100, for the figures' stability. None: the configuration's, else 1.
        language: Language of the report. None: the configuration's, else English.
        run_id: Name of the run directory; that of a run which was killed goes on with it, without source and
            configuration with its own. None: a new one.

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
    directory = run_directory(out, run_id)
    return run_in_flow(directory, partial(run_request, request), most_steps(repeats or 1), progress)
