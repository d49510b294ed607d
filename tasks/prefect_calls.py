"""How steps are called as Prefect tasks: what passes through Prefect are references, never a table.

A task is given and gives `Ref`s, so that nothing of a table can reach Prefect's database, results or logs whatever an
operator's settings are. An unexpected error is replaced by its type's name, because its message may quote a cell.
"""

import os
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, cast
from uuid import UUID

from prefect import Task
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from sosie.tasks.calls import Progress, timed
from sosie.tasks.heartbeat import beating
from sosie.tasks.results import Result, Results
from sosie.tasks.store import ForgetfulStore, Store, refusal_of

P = ParamSpec("P")
R = TypeVar("R")


class StepFailedError(RuntimeError):
    """A step broke for a reason that is not the user's input; the message names the step and the error's type only."""


def unquoted(error: Exception) -> str:
    """What may be told of an unexpected error: the failed step's sentence, else the error's type."""
    return str(error) if isinstance(error, StepFailedError) else f"failed with {type(error).__name__}"


def emptied(error: BaseException) -> BaseException:
    """The same error without what it says and came from: Prefect stores that of a crash, and it may quote a cell."""
    error.args = ()
    error.__cause__ = error.__context__ = None
    return error


@dataclass(frozen=True)
class Ref:
    """A step's result, by the number of its call."""

    number: int


class PrefectCalls:
    """Steps called as tasks of the running flow; `steps` is how many a whole run has, for the progress artifact."""

    in_flow = True

    def __init__(self, progress: Progress, steps: int) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress
        self._steps = steps
        self._done = 0
        self._told = ""
        self._results = Results(ForgetfulStore())
        self._error: BaseException | None = None
        self._artifact = cast(
            UUID, create_progress_artifact(progress=0.0, key="progress", description="starting")
        )

    def __call__(self, title: str, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """What refers to the result, which was made in a task or found in the store."""
        self.tell(title)
        result = self._results.expect(step, args, kwargs, kept=True)
        with timed(self.seconds, title), beating(self._still):
            state = self._task(title, result)
        if not state.is_completed():  # failed, crashed or cancelled
            raise self._error or StepFailedError(f'step "{title}" failed') from None
        result.tasks = (state,)
        self._done += 1
        self._progress(title, True)
        return cast(R, result)

    def between(self, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """What makes the value when it is needed: no task, its lines lead on to what it is made from."""
        result = self._results.expect(step, args, kwargs, kept=False)
        result.tasks = _tasks(result)
        return cast(R, result)

    def look(self, result: R) -> R:
        """The value of a result."""
        return cast(R, self._results.value(cast(Result, result)))

    def tell(self, progress: str) -> None:
        """Say how far the step at work is, also in the progress artifact."""
        self._told = progress
        self._progress(progress, False)
        self._show(progress)

    def keep(self, store: Store) -> None:
        """From here on take the results of stages from this store, and put them there."""
        self._results = Results(store)

    def _still(self, seconds: float) -> None:
        """A sign of life, from another thread."""
        self._progress(self._told, False, seconds)
        with suppress(Exception):  # a server that does not answer now is not the step's fault
            self._show(f"{self._told}: {seconds:.0f} s")

    def _show(self, description: str) -> None:
        share = min(99.0, 100 * self._done / self._steps)
        update_progress_artifact(self._artifact, progress=share, description=description)

    def finish(self, description: str) -> None:
        """Close the progress artifact."""
        update_progress_artifact(self._artifact, progress=100.0, description=description)

    def _task(self, title: str, result: Result) -> State[Ref]:
        """Run a task for the result; it is given what the tasks before it gave, which draws the lines between them."""
        waiting = [result]  # emptied by the task, which Prefect remembers

        def obtain(*_: Ref) -> Any:
            return self._obtained(title, waiting.pop())

        task = Task(obtain, name=title, task_run_name=title, persist_result=False, cache_policy=NO_CACHE)
        return cast(State[Ref], cast(Any, task)(*_tasks(result), return_state=True))

    def _obtained(self, title: str, result: Result) -> Any:
        try:
            found = self._results.obtain(result)
        except Exception as error:  # at this border nothing may pass that quotes a cell
            refusal = refusal_of(error)
            if refusal is not None:
                self._error = refusal
                return Failed(message=f"{refusal.code}: {refusal.message}")
            if os.environ.get("SOSIE_DEBUG"):
                traceback.print_exception(error)
            self._error = StepFailedError(f'step "{title}" failed with {type(error).__name__}')
            return Failed(message=str(self._error))
        except BaseException as error:  # an interruption, or what a library in another language raises
            raise emptied(error)  # noqa: B904 its cause has just been taken away
        reference = Ref(self._done)
        return (
            Completed(name="Cached", message="taken from the store", data=reference) if found else reference
        )


def _tasks(result: Result) -> tuple[Any, ...]:
    """The states of the tasks that the result is still to be made from, each once."""
    found = {id(state): state for need in result.needs for state in need.tasks}
    return tuple(found.values())
