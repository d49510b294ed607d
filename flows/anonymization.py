"""The order of the steps: from a checked table to measured avatars, and from a file to a release."""

from dataclasses import dataclass

from sosie.columns import Table
from sosie.evaluation import Evaluation
from sosie.evidence import with_stability
from sosie.flows.evidence import evidence
from sosie.holdout import Split
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile
from sosie.sources import Source
from sosie.tasks import measuring, publication, steps
from sosie.tasks.calls import Calls
from sosie.tasks.job import FIRST_REPEAT, MEASURED, RELEASED, Job
from sosie.tasks.publication import Done
from sosie.tasks.run import Run
from sosie.tasks.steps import Checked, Drawn, Projected

MOST_STEPS = 20  # of a run with a real holdout and a full release, for the progress shown


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


def release_of_file(run: Run, call: Calls) -> Manifest:
    """Read, check, anonymise, measure, hold against the targets, and release or reject: the manifest says which.

    Raises InputError for whatever is wrong with the input.
    """
    configuration = run.job.configuration
    source = call(
        "read the table", publication.read, configuration.source or "", configuration.secrets.source
    )
    checked = call("check the table", publication.check_source, source, run)
    halves = call("set the holdout apart", steps.split_rows, checked, run.job)
    measured, evaluation = measured_avatars(checked, halves, run.job, call)
    metrics = call("hold against the targets", publication.judge_release, evaluation, checked, run)
    if run.job.configuration.targets.mode == "enforce" and call.look(metrics).missed:
        done = _summed_up(source, checked, measured, evaluation, metrics, run, call)
        return call.look(call("write the private report", publication.reject, run, done, call.seconds))
    avatars = released_avatars(checked, halves, measured, run.job, call)
    shuffled = call("shuffle", steps.shuffle, avatars.linked, run.job)
    written = call("write the avatars", publication.write_avatars, avatars.projected, shuffled, source, run)
    done = _summed_up(source, checked, avatars, evaluation, metrics, run, call)
    return call.look(
        call("write the report and release", publication.release, run, done, call.seconds, written)
    )


def _summed_up(
    source: Source,
    checked: Checked,
    avatars: Avatars,
    evaluation: Evaluation,
    metrics: MetricsFile,
    run: Run,
    call: Calls,
) -> Done:
    """What was done, for the manifest and the reports."""
    made = (avatars.projected, avatars.drawn, avatars.linked)
    return call("sum up", publication.sum_up, source, checked, *made, evaluation, metrics, run)


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
