"""A run inside a Prefect flow, and the state that the flow ends in."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed, Failed
from pydantic import Field

from sosie.schemas.manifest import Manifest
from sosie.sources import CREDENTIAL, shown_name
from sosie.tasks.artifacts import show_run
from sosie.tasks.calls import Calls, Progress
from sosie.tasks.prefect_calls import PrefectCalls, emptied, unquoted
from sosie.tasks.remembered import REMEMBERED
from sosie.tasks.run import new_run_id

# Deployments refuse such addresses, so that Prefect's server never stores them. JavaScript knows no flag in a pattern.
_ANY_CASE = re.sub(r"(?<!\\)[a-z]", lambda letter: f"[{letter[0]}{letter[0].upper()}]", CREDENTIAL)
NO_CREDENTIAL: Any = Field(json_schema_extra={"not": {"type": "string", "pattern": _ANY_CASE}})


def run_directory(out: str, run_id: str | None) -> Path:
    """The directory of this flow run: the one named, else the one that the same flow run began before, else a new one.

    A flow run that Prefect starts again thus goes on where it stopped.
    """
    if run_id:
        return Path(out) / run_id
    own = str(flow_run.id)[-8:]
    began = sorted(Path(out).glob(f"*-{own}/private/{REMEMBERED}"))
    return began[-1].parent.parent if began else Path(out) / new_run_id(own)


def named(verb: str, *parameters: str) -> Callable[[], str]:
    """What names a flow run: the verb and the first parameter that was given, without folder or host."""

    def name() -> str:
        given = flow_run.parameters or {}
        shown = (shown_name(given.get(parameter)) for parameter in parameters)
        return f"{verb} {next(filter(None, shown), '')}".rstrip()

    return name


def run_in_flow(
    directory: Path, run: Callable[[Path, Calls], Manifest], steps: int, progress: Progress
) -> State[Any]:
    """Run with steps as tasks and show how it ended: completed when released, else failed with a short reason."""
    call = PrefectCalls(progress, steps)
    try:
        manifest = run(directory, call)
        show_run(directory, manifest)
    except Exception as error:  # Prefect would store what a flow raises, and its message may quote a cell
        call.finish("failed")
        return Failed(message=unquoted(error))
    except BaseException as error:
        raise emptied(error)  # noqa: B904 its cause has just been taken away
    call.finish(manifest.status)
    if manifest.status == "released":
        return Completed(message=f"released in {directory}")
    return Failed(message=f"{manifest.code}: {manifest.message}")
