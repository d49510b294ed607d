"""The order of the steps that judge avatars made by anything."""

from sosie.estimates import NotComputed
from sosie.evidence import MADE_ELSEWHERE
from sosie.flows.evidence import evidence
from sosie.schemas.manifest import Manifest
from sosie.schemas.request import EvaluationRequest
from sosie.tasks import publication
from sosie.tasks.calls import Calls
from sosie.tasks.run import Run

MOST_DELIVERY_STEPS = 11  # for the progress shown


def evaluation_of_files(run: Run, request: EvaluationRequest, call: Calls) -> Manifest:
    """Read, measure, hold against the targets, and write the report: shareable when they are met, else private.

    Raises InputError for whatever is wrong with the input.
    """
    job, configuration = run.job, run.job.configuration
    block = configuration.secrets.source
    original = call("read the originals", publication.read, request.original, block)
    avatars = call("read the avatars", publication.read, request.avatars, block)
    holdout = call("read the holdout", publication.read, request.holdout, block) if request.holdout else None
    call("check what is asked", publication.check_report, run)
    compared = call(
        "set avatars beside originals",
        publication.compare_sources,
        original,
        avatars,
        holdout,
        request.linked,
        job.declared,
        configuration.method.ncp,
        configuration.method.imputation,
        job.seed,
    )
    evaluation = evidence(compared, NotComputed(MADE_ELSEWHERE), job, call)
    metrics = call("hold against the targets", publication.judge_delivery, evaluation, run)
    rare = configuration.rare_values.min_count
    summary = call("sum up", publication.summarise_delivery, compared, rare)
    origin = call.between(publication.origin_of, avatars)
    inputs = call.between(publication.inputs_of, original, avatars, holdout)
    done = call.between(publication.sum_up, origin, summary, evaluation, metrics, (), inputs)
    if configuration.targets.mode == "enforce" and call.look(metrics).missed:
        return call.look(call("write the private report", publication.reject, run, done, call.seconds))
    return call.look(call("write the report", publication.release, run, done, call.seconds))
