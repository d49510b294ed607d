"""A search inside a Prefect flow, and the state that the flow ends in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from prefect import get_run_logger
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from sosie.errors import InputError
from sosie.flows.search import Tell
from sosie.flows.searches import Found
from sosie.tasks.calls import Calls, Progress
from sosie.tasks.prefect_calls import PrefectCalls, emptied, unquoted
from sosie.tasks.search_artifacts import show_search


def search_in_flow(
    directory: Path, search: Callable[[Calls, Tell], Found], steps: int, progress: Progress, announce: Tell
) -> State[Any]:
    """Search with steps as tasks and show what was found: completed, else failed with a code or a short reason."""
    call = PrefectCalls(progress, steps)

    def tell(sentence: str) -> None:
        get_run_logger().info(sentence)
        announce(sentence)

    try:
        found, configuration = search(call, tell)
        show_search(directory, found, configuration)
    except InputError as error:
        call.finish("failed")
        return Failed(message=f"{error.code}: {error.message}")
    except Exception as error:  # Prefect would store what a flow raises, and its message may quote a cell
        call.finish("failed")
        return Failed(message=unquoted(error))
    except BaseException as error:
        raise emptied(error)  # noqa: B904 its cause has just been taken away
    call.finish("done")
    return Completed(message=f"{len(found.points)} setting(s) measured in {directory}")
