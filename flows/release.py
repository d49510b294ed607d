"""The order of the steps from a file to a release."""

from sosie.evaluation import Evaluation
from sosie.flows.anonymization import Avatars, measured_avatars, released_avatars
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile
from sosie.tasks import publication, steps
from sosie.tasks.calls import Calls
from sosie.tasks.expectations import check_expected
from sosie.tasks.manifests import Done, Origin
from sosie.tasks.run import Run
from sosie.tasks.steps import Checked


def most_steps(repeats: int) -> int:
    """How many steps a run takes at most, for the progress shown; each further draw to measure takes 8 of its own."""
    return 24 + (8 * (repeats - 1) + 1 if repeats > 1 else 0)


def release_of_file(run: Run, call: Calls) -> Manifest:
    """Read, check, anonymise, measure, hold against the targets, and release or reject: the manifest says which.

    Raises InputError for whatever is wrong with the input.
    """
    job, holdout = run.job, run.job.configuration.holdout
    origin, checked = _checked(run, call)
    halves = call(
        "set the holdout apart", steps.split_rows, checked, holdout.mode, holdout.min_rows, job.seed
    )
    measured, evaluation = measured_avatars(checked, halves, job, call)
    metrics = call("hold against the targets", publication.judge_release, evaluation, origin, run)
    if job.configuration.targets.mode == "enforce" and call.look(metrics).missed:
        done = _summed_up(origin, measured, evaluation, metrics, run, call)
        return call.look(call("write the private report", publication.reject, run, done, call.seconds))
    avatars = released_avatars(checked, halves, measured, job, call)
    done = _summed_up(origin, avatars, evaluation, metrics, run, call)
    shuffled = call("shuffle", steps.shuffle, avatars.linked, job.seed)
    written = call("write the avatars", publication.write_avatars, avatars.rows, shuffled, origin, run)
    examined = call(
        "examine the release", publication.examine, avatars.rows, written, origin, run, call.in_flow
    )
    done = call.between(publication.with_examination, done, examined)
    if call.look(examined).blocks:
        return call.look(call("write the private report", publication.reject, run, done, call.seconds))
    return call.look(
        call("write the report and release", publication.release, run, done, call.seconds, written)
    )


def _checked(run: Run, call: Calls) -> tuple[Origin, Checked]:
    """The rows as they are computed with, and what remains to be known of their source, which is let go here."""
    configuration = run.job.configuration
    source = call(
        "read the table", publication.read, configuration.source or "", configuration.secrets.source
    )
    origin = call.between(publication.origin_of, source)
    declared, identifier_seed = run.job.declared.unweighted(), run.job.identifier_seed
    checked = call(
        "check the table",
        publication.check_source,
        source,
        declared,
        identifier_seed,
        configuration.workers,
    )
    call("check what is asked", publication.check_wishes, origin, run)
    if configuration.expectations.own or configuration.expectations.checks:
        call("check what is expected", check_expected, checked, configuration.expectations)
    if configuration.destination is not None:
        call(
            "check the destination", publication.check_outlet, configuration.destination, checked, origin, run
        )
    return origin, checked


def _summed_up(
    origin: Origin, avatars: Avatars, evaluation: Evaluation, metrics: MetricsFile, run: Run, call: Calls
) -> Done:
    """What was done, for the manifest and the reports."""
    rare = run.job.configuration.rare_values.min_count
    summary = call("sum up", steps.summarise, avatars.rows, avatars.linked, rare)
    return call.between(publication.sum_up, origin, summary, evaluation, metrics, run.job.notices)
