"""The order of the steps from a file to a release."""

from sosie.evaluation import Evaluation
from sosie.flows.anonymization import Avatars, measured_avatars, released_avatars
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile
from sosie.sources import Source
from sosie.tasks import publication, steps
from sosie.tasks.calls import Calls
from sosie.tasks.publication import Done
from sosie.tasks.run import Run
from sosie.tasks.steps import Checked


def most_steps(repeats: int) -> int:
    """How many steps a run takes at most, for the progress shown; each further draw to measure takes 8 of its own."""
    return 20 + (8 * (repeats - 1) + 1 if repeats > 1 else 0)


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
