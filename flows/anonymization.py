"""The order of the steps from a checked table to measured and to released avatars."""

from dataclasses import dataclass

from sosie.decoding import Decoding
from sosie.evaluation import Evaluation
from sosie.flows.evidence import evidence
from sosie.holdout import Split
from sosie.tasks import measuring, steps
from sosie.tasks.calls import Calls
from sosie.tasks.job import FIRST_REPEAT, MEASURED, RELEASED, Job, weights_of
from sosie.tasks.steps import Checked, Drawn, Linked, Projected
from sosie.utility import WeightEvidence


@dataclass(frozen=True, eq=False)
class Avatars:
    """Rows, where they lie, and the avatars made of them, in the same order."""

    rows: Checked
    projected: Projected
    linked: Linked


def measured_avatars(checked: Checked, halves: Split, job: Job, call: Calls) -> tuple[Avatars, Evaluation]:
    """The avatars of the working rows, and all evidence on them; over several draws, when repeats are asked for."""
    rows = call.between(steps.working_rows, checked, halves)
    projected = _projected("project the working rows", rows, job, call)
    avatars, weights = _weighed(rows, projected, job, MEASURED, call, "working rows")
    evaluation = _evidence(checked, halves, avatars, weights, job, call)
    repeats = []
    for part in range(FIRST_REPEAT, FIRST_REPEAT + job.configuration.repeats - 1):
        again, weights = _weighed(
            rows, projected, job, part, call, f"working rows, draw {part - FIRST_REPEAT + 2}"
        )
        repeats.append(_evidence(checked, halves, again, weights, job, call))
    if repeats:
        evaluation = call("compare the draws", measuring.compare_draws, evaluation, *repeats)
    return avatars, evaluation


def released_avatars(checked: Checked, halves: Split, measured: Avatars, job: Job, call: Calls) -> Avatars:
    """The avatars that leave: of all rows, or the very ones that were measured."""
    if job.configuration.release == "working" or call.look(halves).mode == "approximate":
        return measured
    projected = _projected("project all rows", checked, job, call)
    avatars, _ = _drawn(checked, projected, job, RELEASED, call, "all rows")
    return avatars


def _projected(title: str, rows: Checked, job: Job, call: Calls) -> Projected:
    configuration, method = job.configuration, job.configuration.method
    weights = weights_of(configuration.columns)
    return call(title, steps.project, rows, weights, method.ncp, method.imputation, configuration.workers)


def _weighed(
    rows: Checked, projected: Projected, job: Job, part: int, call: Calls, of: str
) -> tuple[Avatars, WeightEvidence]:
    """One draw of avatars, and how much of each comes from one neighbour; the neighbours themselves are let go."""
    avatars, drawn = _drawn(rows, projected, job, part, call, of)
    return avatars, call("weigh the neighbours", measuring.weigh, drawn)


def _drawn(
    rows: Checked, projected: Projected, job: Job, part: int, call: Calls, of: str
) -> tuple[Avatars, Drawn]:
    method, batches = job.configuration.method, job.configuration.batches
    drawn = call(
        f"find neighbours and generate: {of}",
        steps.draw,
        projected,
        method.k,
        method.weights,
        method.zero_distance,
        batches.rows,
        batches.by,
        job.part(part),
        job.configuration.workers,
    )
    decoding = Decoding(method.categories, method.integers)
    linked = call(
        f"transform back: {of}",
        steps.transform_back,
        rows,
        projected,
        drawn,
        decoding,
        job.part(part),
        job.configuration.workers,
    )
    return Avatars(rows, projected, linked), drawn


def _evidence(
    checked: Checked, halves: Split, avatars: Avatars, weights: WeightEvidence, job: Job, call: Calls
) -> Evaluation:
    compared = call.between(
        measuring.compare, checked, avatars.rows, halves, avatars.projected, avatars.linked
    )
    return evidence(compared, weights, job, call)
