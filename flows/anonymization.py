"""The order of the steps from a checked table to measured and to released avatars."""

from dataclasses import dataclass

from sosie.columns import Table
from sosie.evaluation import Evaluation
from sosie.evidence import with_stability
from sosie.flows.evidence import evidence
from sosie.holdout import Split
from sosie.tasks import measuring, steps
from sosie.tasks.calls import Calls
from sosie.tasks.job import FIRST_REPEAT, MEASURED, RELEASED, Job
from sosie.tasks.steps import Checked, Drawn, Projected


@dataclass(frozen=True, eq=False)
class Avatars:
    """Rows and their avatars, in the same order."""

    projected: Projected
    drawn: Drawn
    linked: Table


def measured_avatars(checked: Checked, halves: Split, job: Job, call: Calls) -> tuple[Avatars, Evaluation]:
    """The avatars of the working rows, and all evidence on them; over several draws, when repeats are asked for."""
    projected = call("project the working rows", steps.project_working, checked, halves, job)
    avatars = _avatars(projected, job, MEASURED, call, "working rows")
    evaluation = _evidence(checked, halves, avatars, job, call)
    repeats = []
    for part in range(FIRST_REPEAT, FIRST_REPEAT + job.configuration.repeats - 1):
        again = _avatars(projected, job, part, call, f"working rows, draw {part - FIRST_REPEAT + 2}")
        repeats.append(_evidence(checked, halves, again, job, call))
    if repeats:
        evaluation = call("compare the draws", with_stability, evaluation, *repeats)
    return avatars, evaluation


def released_avatars(checked: Checked, halves: Split, measured: Avatars, job: Job, call: Calls) -> Avatars:
    """The avatars that leave: of all rows, or the very ones that were measured."""
    if job.configuration.release == "working" or call.look(halves).mode == "approximate":
        return measured
    projected = call("project all rows", steps.project_all, checked, job)
    return _avatars(projected, job, RELEASED, call, "all rows")


def _avatars(projected: Projected, job: Job, part: int, call: Calls, of: str) -> Avatars:
    drawn = call(f"find neighbours and generate: {of}", steps.draw, projected, job, part)
    linked = call(f"transform back: {of}", steps.transform_back, projected, drawn, job, part)
    return Avatars(projected, drawn, linked)


def _evidence(checked: Checked, halves: Split, avatars: Avatars, job: Job, call: Calls) -> Evaluation:
    compared = call(
        "set avatars beside originals",
        measuring.compare,
        checked,
        halves,
        avatars.projected,
        avatars.linked,
    )
    weights = call("weigh the neighbours", measuring.weigh, avatars.drawn)
    return evidence(compared, weights, job, call)
