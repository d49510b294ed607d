"""The order of the steps that gather all evidence on one table of avatars."""

from sosie.estimates import NotComputed
from sosie.evaluation import Evaluation, Measures
from sosie.tasks import measuring
from sosie.tasks.calls import Calls
from sosie.tasks.job import Job
from sosie.tasks.measuring import Compared
from sosie.utility import WeightEvidence


def evidence(compared: Compared, weights: WeightEvidence | NotComputed, job: Job, call: Calls) -> Evaluation:
    """Measure, attack, use, and put it all together."""
    configuration = job.configuration
    rare, seed, workers = configuration.rare_values.min_count, job.seed, configuration.workers
    measures = call("measure privacy and fidelity", measuring.measure_avatars, compared, rare, seed, workers)
    return attacks_and_use(compared, measures, weights, job, call)


def attacks_and_use(
    compared: Compared, measures: Measures, weights: WeightEvidence | NotComputed, job: Job, call: Calls
) -> Evaluation:
    """Attack, use, and put all that was measured together."""
    configuration = job.configuration
    rare, seed, workers = configuration.rare_values.min_count, job.seed, configuration.workers
    attacks = call(
        "attack the avatars",
        measuring.attack_avatars,
        compared,
        configuration.attacks,
        rare,
        seed,
        workers,
    )
    utility = call(
        "measure utility", measuring.measure_use, compared, configuration.utility, rare, seed, workers
    )
    return call("gather the evidence", measuring.gather_evidence, measures, attacks, utility, weights)
