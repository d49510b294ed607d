"""The Prefect flow that empties the private store, for a schedule."""

from typing import Annotated, Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed
from pydantic import Field

from sosie.errors import InputError
from sosie.schemas.durations import duration
from sosie.tasks.store import purge_intermediates


@flow(
    name="purge",
    description="Delete the private intermediates that no run used for long; releases and run directories stay.",
    flow_run_name="purge what was not used for {older_than}",
    persist_result=False,
)
def purge(
    older_than: Annotated[str, Field(pattern=r"^\d{1,6}[smhd]$")] = "24h", store: str | None = None
) -> State[Any]:
    """Empty the store; the state's message says of how much. Prefect's form shows the sentences below.

    Args:
        older_than: Delete what no run used for so long: 30m, 24h, 7d; 0h deletes everything.
        store: The store's folder. None: SOSIE_STORE, else sosie in the worker's cache folder.

    """
    try:
        purged = purge_intermediates(duration(older_than), store or None)
    except InputError as error:
        return Failed(message=f"{error.code}: {error.message}")
    return Completed(
        message=f"{purged.removed} intermediate(s) removed, {purged.bytes:,} bytes; {purged.kept} kept"
    )
