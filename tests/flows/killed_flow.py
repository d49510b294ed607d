"""A Prefect flow run in a process of its own that dies, or hangs, when a step begins, or dies when a batch is told.

`killed_flow.py RUN_ID STEP|BATCH die|hang`.
"""

import os
import signal
import sys
import time
from typing import Any

from sosie.flows.anonymize import anonymize
from sosie.tasks.prefect_calls import PrefectCalls

run_id, title, how = sys.argv[1:]
call, tell = PrefectCalls.__call__, PrefectCalls.tell


def hang(*_: object) -> None:
    print("hanging", flush=True)
    while True:
        time.sleep(0.05)


def tell_or_die(self: PrefectCalls, progress: str) -> None:
    if progress == title and how == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    tell(self, progress)


def call_or_stop(self: PrefectCalls, begins: str, step: Any, /, *args: Any, **kwargs: Any) -> Any:
    return call(self, begins, hang if begins == title else step, *args, **kwargs)


PrefectCalls.__call__ = call_or_stop  # type: ignore[method-assign]
PrefectCalls.tell = tell_or_die  # type: ignore[method-assign]
anonymize(source="table.csv", config="sosie.yaml", out="runs", run_id=run_id)
