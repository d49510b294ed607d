"""The order of the steps from a table that is larger than memory to a release."""

from typing import Literal

from sosie.evaluation import Evaluation
from sosie.flows.evidence import attacks_and_use
from sosie.schemas.manifest import Manifest
from sosie.streamed_projection import refuse_imputation
from sosie.tasks import publication
from sosie.tasks.calls import Calls
from sosie.tasks.job import FIRST_REPEAT, MEASURED, RELEASED, weights_of
from sosie.tasks.measuring import compare_draws
from sosie.tasks.run import Run
from sosie.tasks.streamed import describing, encoding, fitting, making, measuring, shuffling
from sosie.tasks.streamed.encoding import Halves
from sosie.tasks.streamed.fitting import Fitted
from sosie.tasks.streamed.place import Place, place_of
from sosie.tasks.streamed.shelf import Shelf
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
    job, configuration = run.job, run.job.configuration
    source = configuration.source or ""
    refuse_imputation(configuration.method.imputation)
    describing.refuse_approximate(configuration.holdout.mode)
    if configuration.destination is not None:
        block = configuration.secrets.destination
        call("check the destination", describing.check_outlet, source, configuration.destination, block)
    encoded = call(
        "recognise and encode",
        encoding.encode_source,
        source,
        job.declared.unweighted(),
        place.shelf,
        place.aside,
        configuration.secrets.source,
    )
    origin = call.between(describing.origin_of, encoded)
    call("check what is asked", describing.check_wishes, encoded, run)
    halves = call("set the holdout apart", encoding.set_apart, encoded, job.seed)
    fitted = _fitted(halves, "working", run, call)
    measured = _drawn(fitted, "working rows", MEASURED, place, run, call)
    evaluation = _evaluated(halves, fitted, measured, run, call)
    repeats = _repeated(halves, fitted, place, run, call)
    if repeats:
        evaluation = call("compare the draws", compare_draws, evaluation, *repeats)
    metrics = call("hold against the targets", publication.judge_release, evaluation, origin, run)
    rejected = configuration.targets.mode == "enforce" and bool(call.look(metrics).missed)
    linked = measured
    if not rejected and configuration.release == "full":
        fitted = _fitted(halves, "everyone", run, call)
        linked = _drawn(fitted, "all rows", RELEASED, place, run, call)
    summary = call(
        "sum up",
        describing.summarise,
        encoded,
        halves,
        fitted,
        linked,
        configuration.rare_values.min_count,
    )
    done = call.between(publication.sum_up, origin, summary, evaluation, metrics, job.notices)
    if rejected:
        return call.look(call("write the private report", publication.reject, run, done, call.seconds))
    written = call("shuffle and write the avatars", shuffling.write_shuffled, linked, origin, job.seed, run)
    return call.look(
        call("write the report and release", publication.release, run, done, call.seconds, written)
    )


def _fitted(halves: Halves, which: Literal["working", "everyone"], run: Run, call: Calls) -> Fitted:
    configuration = run.job.configuration
    method = configuration.method
    of = "working rows" if which == "working" else "all rows"
    return call(
        f"fit the projection: {of}",
        fitting.fit,
        halves,
        which,
        weights_of(configuration.columns),
        method.ncp,
        method.imputation,
    )


def _drawn(fitted: Fitted, of: str, part: int, place: Place, run: Run, call: Calls) -> Linked:
    """Rows and their avatars, on a shelf of their own."""
    configuration, seed = run.job.configuration, run.job.part(part)
    dealt = call(
        f"deal into batches: {of}",
        making.deal,
        fitted,
        _shelf(place, part),
        configuration.batches,
        configuration.method.k,
        seed,
        run.job.seed,
    )
    return call(
        f"find neighbours and generate: {of}",
        making.make,
        fitted,
        dealt,
        configuration.method,
        configuration.runner,
        configuration.workers,
        seed,
        place.key(),
        call.tell,
    )


def _repeated(halves: Halves, fitted: Fitted, place: Place, run: Run, call: Calls) -> list[Evaluation]:
    """All evidence on each further draw that is asked for; none is kept once it is measured."""
    evaluations = []
    for part in range(FIRST_REPEAT, FIRST_REPEAT + run.job.configuration.repeats - 1):
        of = f"working rows, draw {part - FIRST_REPEAT + 2}"
        linked = _drawn(fitted, of, part, place, run, call)
        evaluations.append(_evaluated(halves, fitted, linked, run, call))
        _shelf(place, part).remove()
    return evaluations


def _shelf(place: Place, part: int) -> Shelf:
    return place.shelf.inside(f"part-{part}")


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
