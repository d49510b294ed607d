"""The order of the steps from a file that is larger than memory to a release."""

from typing import Literal

from sosie.evaluation import Evaluation
from sosie.flows.evidence import attacks_and_use
from sosie.schemas.manifest import Manifest
from sosie.tasks import publication
from sosie.tasks.calls import Calls
from sosie.tasks.job import MEASURED, RELEASED, weights_of
from sosie.tasks.run import Run
from sosie.tasks.streamed import describing, encoding, fitting, making, measuring, shuffling
from sosie.tasks.streamed.encoding import Halves
from sosie.tasks.streamed.fitting import Fitted
from sosie.tasks.streamed.place import Place, place_of
from sosie.tasks.streamed.shuffling import Linked


def streamed_release(run: Run, call: Calls) -> Manifest:
    """Read, recognise, encode, fit, deal, make in batches, measure, shuffle, and release or reject.

    Raises InputError for whatever is wrong with the input.
    """
    place = place_of(run)
    try:
        return _released(place, run, call)
    finally:  # a run that fails loses its seed, and block files are of no use without; one that is killed keeps both
        place.clear()


def _released(place: Place, run: Run, call: Calls) -> Manifest:
    job = run.job
    encoded = call(
        "recognise and encode",
        encoding.encode_source,
        job.configuration.source or "",
        job.declared.unweighted(),
        place.shelf,
        place.aside,
    )
    origin = call.between(describing.origin_of, encoded)
    call("check what is asked", describing.check_wishes, origin, run)
    halves = call("set the holdout apart", encoding.set_apart, encoded, job.seed)
    fitted, measured = _avatars(halves, "working", MEASURED, place, run, call)
    evaluation = _evaluated(halves, fitted, measured, run, call)
    metrics = call("hold against the targets", publication.judge_release, evaluation, origin, run)
    rejected = job.configuration.targets.mode == "enforce" and bool(call.look(metrics).missed)
    linked = measured
    if not rejected and job.configuration.release == "full":
        fitted, linked = _avatars(halves, "everyone", RELEASED, place, run, call)
    summary = call(
        "sum up",
        describing.summarise,
        encoded,
        halves,
        fitted,
        linked,
        job.configuration.rare_values.min_count,
    )
    done = call.between(publication.sum_up, origin, summary, evaluation, metrics, job.notices)
    if rejected:
        return call.look(call("write the private report", publication.reject, run, done, call.seconds))
    written = call("shuffle and write the avatars", shuffling.write_shuffled, linked, origin, job.seed, run)
    return call.look(
        call("write the report and release", publication.release, run, done, call.seconds, written)
    )


def _avatars(
    halves: Halves, which: Literal["working", "everyone"], part: int, place: Place, run: Run, call: Calls
) -> tuple[Fitted, Linked]:
    """Rows and their avatars, on a shelf of their own."""
    configuration, seed = run.job.configuration, run.job.part(part)
    method, shelf = configuration.method, place.shelf.inside(f"made-of-{which}")
    of = "working rows" if which == "working" else "all rows"
    fitted = call(
        f"fit the projection: {of}",
        fitting.fit,
        halves,
        which,
        weights_of(configuration.columns),
        method.ncp,
        method.imputation,
    )
    dealt = call(
        f"deal into batches: {of}",
        making.deal,
        fitted,
        shelf,
        configuration.batches,
        method.k,
        seed,
        run.job.seed,
    )
    linked = call(
        f"find neighbours and generate: {of}",
        making.make,
        fitted,
        dealt,
        method,
        configuration.runner,
        configuration.workers,
        seed,
        place.key(),
        call.tell,
    )
    return fitted, linked


def _evaluated(halves: Halves, fitted: Fitted, linked: Linked, run: Run, call: Calls) -> Evaluation:
    """All evidence, from every row where figures merge and from a sample where they do not."""
    job, method = run.job, run.job.configuration.method
    rare, seed, workers = job.configuration.rare_values.min_count, job.seed, job.configuration.workers
    sampled = call("draw a sample to measure", measuring.sample, halves, fitted, linked, seed)
    weights = call("weigh the neighbours", measuring.weigh, sampled, method.weights, method.k)
    measures = call(
        "measure privacy and fidelity", measuring.measure, halves, linked, sampled, rare, seed, workers
    )
    compared = call.between(measuring.compared_of, sampled)
    return attacks_and_use(compared, measures, weights, job, call)
