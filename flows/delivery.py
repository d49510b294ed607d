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
    block = run.job.configuration.secrets.source
    original = call("read the originals", publication.read, request.original, block)
    avatars = call("read the avatars", publication.read, request.avatars, block)
    holdout = call("read the holdout", publication.read, request.holdout, block) if request.holdout else None
    compared = call(
        "set avatars beside originals",
        publication.compare_sources,
        original,
        avatars,
        holdout,
        request.linked,
        run,
    )
    evaluation = evidence(compared, NotComputed(MADE_ELSEWHERE), run.job, call)
    metrics = call("hold against the targets", publication.judge_delivery, evaluation, run)
    done = call("sum up", publication.sum_up_delivery, avatars, compared, evaluation, metrics, run)
    if run.job.configuration.targets.mode == "enforce" and call.look(metrics).missed:
        return call.look(call("write the private report", publication.reject, run, done, call.seconds))
    return call.look(call("write the report", publication.release, run, done, call.seconds))
