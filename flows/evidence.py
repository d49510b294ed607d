"""The order of the steps that gather all evidence on one table of avatars."""

from sosie.estimates import NotComputed
from sosie.evaluation import Evaluation
from sosie.evidence import gather
from sosie.tasks import measuring
from sosie.tasks.calls import Calls
from sosie.tasks.job import Job
from sosie.tasks.measuring import Compared
from sosie.utility import WeightEvidence


def evidence(compared: Compared, weights: WeightEvidence | NotComputed, job: Job, call: Calls) -> Evaluation:
    """Measure, attack, use, and put it all together."""
    measures = call("measure privacy and fidelity", measuring.measure_avatars, compared, job)
    attacks = call("attack the avatars", measuring.attack_avatars, compared, job)
    utility = call("measure utility", measuring.measure_use, compared, job)
    return call("gather the evidence", gather, measures, attacks, utility, weights)
