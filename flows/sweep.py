"""The Prefect flow that measures every setting of a grid."""

from functools import partial
from typing import Annotated, Any, Literal

from prefect import flow
from prefect.client.schemas.objects import State
from pydantic import Field

from sosie.flows.search import Tell, unheard
from sosie.flows.search_state import search_in_flow
from sosie.flows.searches import most_sweep_steps, run_sweep
from sosie.flows.state import NO_CREDENTIAL, named, run_directory
from sosie.schemas.search_request import SweepRequest
from sosie.tasks.calls import Progress, silent

# The command line puts its own display here: a function cannot be a flow parameter.
progress: Progress = silent
announce: Tell = unheard


@flow(
    name="sweep",
    description="Measures every combination of a grid on splits of a sample; releases nothing.",
    flow_run_name=named("sweep", "source", "config"),
    persist_result=False,
)
def sweep(
    source: Annotated[str | None, NO_CREDENTIAL] = None,
    config: str | None = None,
    out: str = "runs",
    grid: str | None = None,
    values: list[str] | None = None,
    rows: Annotated[int, Field(ge=20)] = 1_000,
    splits: Annotated[int, Field(ge=2, le=50)] = 4,
    profile: Literal["internal", "partner", "open"] | None = None,
    target: str | None = None,
    language: Literal["en", "fr"] | None = None,
    run_id: Annotated[str | None, Field(pattern=r"^\w[\w.-]*$")] = None,
) -> State[Any]:
    """Measure a grid, and leave figures and page in a private folder. A seed is never a parameter.

    Args:
        source: The table: a file, or the URL of an object or of a database's table, never with a password in it. None:
            the configuration's source.
        config: Configuration file (YAML) to start from. None: defaults.
        out: Folder that the run directory is created in.
        grid: File (YAML) with a list of values for each key. None: values alone.
        values: Keys and their values: k=5,10,20. None: the file alone.
        rows: Rows sampled, 20 or more; half of them are anonymised in each split.
        splits: Random splits that each setting is tried on, 2 to 50.
        profile: Whose targets figures are held against. None: the configuration's, else partner.
        target: A column whose prediction counts as utility, too. None: the configuration's.
        language: Language of the page. None: the configuration's, else English.
        run_id: Name of the run directory. None: a new one.

    """
    request = SweepRequest(
        source=source,
        config=config,
        out=out,
        grid=grid,
        values=tuple(values or ()),
        rows=rows,
        splits=splits,
        profile=profile,
        target=target,
        language=language,
    )
    directory = run_directory(out, run_id)
    search = partial(run_sweep, request, directory)
    return search_in_flow(directory, search, most_sweep_steps(request), progress, announce)
