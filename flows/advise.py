"""The Prefect flow that searches for a setting that meets the targets."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from prefect import flow
from prefect.client.schemas.objects import State
from pydantic import Field

from sosie.flows.search import Tell, most_search_steps, unheard
from sosie.flows.search_state import search_in_flow
from sosie.flows.searches import extent_of, run_advice
from sosie.flows.state import NO_CREDENTIAL, named, run_directory
from sosie.schemas.search_request import AdviceRequest
from sosie.tasks.calls import Progress, silent

# The command line puts its own display here: a function cannot be a flow parameter.
progress: Progress = silent
announce: Tell = unheard


@flow(
    name="advise",
    description="Measures settings on splits of a sample and proposes one that meets the targets; releases nothing.",
    flow_run_name=named("advise", "source", "for_run", "config"),
    persist_result=False,
)
def advise(
    source: Annotated[str | None, NO_CREDENTIAL] = None,
    config: str | None = None,
    out: str = "runs",
    rows: Annotated[int, Field(ge=20)] = 1_000,
    splits: Annotated[int, Field(ge=2, le=50)] = 4,
    settings: Annotated[int, Field(ge=1, le=40)] = 12,
    minutes: Annotated[float | None, Field(gt=0)] = 10.0,
    profile: Literal["internal", "partner", "open"] | None = None,
    target: str | None = None,
    language: Literal["en", "fr"] | None = None,
    for_run: str | None = None,
    run_id: Annotated[str | None, Field(pattern=r"^\w[\w.-]*$")] = None,
) -> State[Any]:
    """Search, and leave figures, page and proposed configuration in a private folder. A seed is never a parameter.

    Args:
        source: The table: a file, or the URL of an object or of a database's table, never with a password in it. None:
            the configuration's source.
        config: Configuration file (YAML) to start from. None: defaults.
        out: Folder that the run directory is created in.
        rows: Rows sampled, 20 or more; half of them are anonymised in each split.
        splits: Random splits that each setting is tried on, 2 to 50.
        settings: Settings measured at most, 1 to 40.
        minutes: Settings that would take longer are left out. None: none is.
        profile: Whose targets are to be met. None: the configuration's, else partner.
        target: A column whose prediction counts as utility, too. None: the configuration's.
        language: Language of the page. None: the configuration's, else English.
        for_run: Run directory whose table and configuration the search starts from; its internal report then tells
            what was found. None: source and config.
        run_id: Name of the run directory. None: a new one.

    """
    request = AdviceRequest(
        source=source,
        config=config,
        out=out,
        rows=rows,
        splits=splits,
        settings=settings,
        minutes=minutes,
        profile=profile,
        target=target,
        language=language,
        for_run=for_run,
    )
    directory = run_directory(out, run_id) if for_run is None else Path(for_run)
    search = partial(run_advice, request, directory)
    return search_in_flow(directory, search, most_search_steps(extent_of(request)), progress, announce)
