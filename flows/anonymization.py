"""The order of the steps: from a checked table to measured avatars, and from a file to a release."""

from dataclasses import dataclass
from pathlib import Path

from sosie.columns import Table
from sosie.evaluation import Evaluation
from sosie.holdout import Split
from sosie.schemas.manifest import Manifest
from sosie.tasks import publication, steps
from sosie.tasks.calls import Calls
from sosie.tasks.job import MEASURED, RELEASED, Job
from sosie.tasks.run import Run
from sosie.tasks.steps import Checked, Drawn, Projected

MOST_STEPS = 15  # of a run with a real holdout and a full release, for the progress shown


@dataclass(frozen=True, eq=False)
class Avatars:
    """Rows and their avatars, in the same order."""

    projected: Projected
    drawn: Drawn
    linked: Table


def measured_avatars(checked: Checked, halves: Split, job: Job, call: Calls) -> tuple[Avatars, Evaluation]:
    """The avatars of the working rows, and what was measured of them."""
    projected = call("project the working rows", steps.project_working, checked, halves, job)
    avatars = _avatars(projected, job, MEASURED, call, "working rows")
    evaluation = call(
        "measure privacy and utility", steps.evaluate, checked, halves, projected, avatars.linked, job
    )
    return avatars, evaluation


def released_avatars(checked: Checked, halves: Split, measured: Avatars, job: Job, call: Calls) -> Avatars:
    """The avatars that leave: of all rows, or the very ones that were measured."""
    if job.configuration.release == "working" or call.look(halves).mode == "approximate":
        return measured
    projected = call("project all rows", steps.project_all, checked, job)
    return _avatars(projected, job, RELEASED, call, "all rows")


def release_of_file(run: Run, call: Calls) -> Manifest:
    """Read, check, anonymise, measure, hold against the targets, and release or reject: the manifest says which.

    Raises InputError for whatever is wrong with the input.
    """
    source = call("read the table", publication.read, Path(run.job.configuration.source or ""))
    checked = call("check the table", publication.check_source, source, run)
    halves = call("set the holdout apart", steps.split_rows, checked, run.job)
    measured, evaluation = measured_avatars(checked, halves, run.job, call)
    metrics = call("hold against the targets", publication.judge_release, evaluation, checked, run)
    if run.job.configuration.targets.mode == "enforce" and call.look(metrics).missed:
        done = call("sum up", publication.sum_up, source, checked, measured.drawn, evaluation, metrics)
        return call.look(call("write the private report", publication.reject, run, done, call.seconds))
    avatars = released_avatars(checked, halves, measured, run.job, call)
    shuffled = call("shuffle", steps.shuffle, avatars.linked, run.job)
    call("write the avatars", publication.write_avatars, avatars.projected, shuffled, source, run)
    done = call("sum up", publication.sum_up, source, checked, avatars.drawn, evaluation, metrics)
    return call.look(call("write the report and release", publication.release, run, done, call.seconds))


def _avatars(projected: Projected, job: Job, part: int, call: Calls, of: str) -> Avatars:
    drawn = call(f"find neighbours and generate: {of}", steps.draw, projected, job, part)
    linked = call(f"transform back: {of}", steps.transform_back, projected, drawn, job, part)
    return Avatars(projected, drawn, linked)
