"""How steps are called as Prefect tasks: what passes through Prefect are references, never a table.

Values stay in this process; a task takes and returns `Ref`s, so that nothing of a table can reach Prefect's database,
results or logs whatever an operator's settings are. An unexpected error is replaced by its type's name, because its
message may quote a cell.
"""

import os
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast
from uuid import UUID

from prefect import Task
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Failed

from sosie.errors import InputError
from sosie.tasks.calls import Progress

P = ParamSpec("P")
R = TypeVar("R")


class StepFailedError(RuntimeError):
    """A step broke for a reason that is not the user's input; the message names the step and the error's type only."""


def unquoted(error: Exception) -> str:
    """What may be told of an unexpected error: the failed step's sentence, else the error's type."""
    return str(error) if isinstance(error, StepFailedError) else f"failed with {type(error).__name__}"


@dataclass(frozen=True)
class Ref:
    """A value kept in this process."""

    number: int


class PrefectCalls:
    """Steps called as tasks of the running flow; `steps` is how many a whole run has, for the progress artifact."""

    def __init__(self, progress: Progress, steps: int) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress
        self._steps = steps
        self._done = 0
        self._held: dict[Ref, Any] = {}
        self._error: BaseException | None = None
        self._artifact = cast(
            UUID, create_progress_artifact(progress=0.0, key="progress", description="starting")
        )

    def __call__(self, title: str, step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """A completed state whose data refers to the result."""
        self._progress(title, False)
        update_progress_artifact(
            self._artifact, progress=min(99.0, 100 * self._done / self._steps), description=title
        )
        started = time.perf_counter()
        task = Task(
            self._holding(title, step),
            name=title,
            task_run_name=title,
            persist_result=False,
            cache_policy=NO_CACHE,
        )
        state: State[Ref] = cast(Any, task)(*args, return_state=True, **kwargs)
        if not state.is_completed():  # failed, crashed or cancelled
            raise self._error or StepFailedError(f'step "{title}" failed') from None
        self.seconds[title] = self.seconds.get(title, 0.0) + time.perf_counter() - started
        self._done += 1
        self._progress(title, True)
        return cast(R, state)

    def look(self, result: R) -> R:
        """The value that a call's result refers to."""
        return cast(R, self._held[cast(Any, result).result()])

    def finish(self, description: str) -> None:
        """Close the progress artifact."""
        update_progress_artifact(self._artifact, progress=100.0, description=description)

    def _holding(self, title: str, step: Callable[P, R]) -> Callable[..., Any]:
        @wraps(step)
        def held(*args: Any, **kwargs: Any) -> Any:
            values = [self._value(argument) for argument in args]
            named = {name: self._value(argument) for name, argument in kwargs.items()}
            try:
                result = step(*values, **named)
            except InputError as error:
                self._error = error
                return Failed(message=f"{error.code}: {error.message}")
            except Exception as error:  # at this border nothing may pass that quotes a cell
                if os.environ.get("SOSIE_DEBUG"):
                    traceback.print_exception(error)
                self._error = StepFailedError(f'step "{title}" failed with {type(error).__name__}')
                return Failed(message=str(self._error))
            reference = Ref(len(self._held))
            self._held[reference] = result
            return reference

        return held

    def _value(self, argument: Any) -> Any:
        return self._held[argument] if isinstance(argument, Ref) else argument
