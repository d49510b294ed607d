"""What the figures of attacks mean: singling out, linkability, inference, membership, and how avatars are weighted."""

from collections.abc import Mapping
from dataclasses import replace

from sosie.reports.explanation import Explanation
from sosie.reports.language import marked

REMEDY = marked(
    "A larger k and fewer components (ncp) usually lower it; fewer or coarser columns nearly always do."
)
_GAIN_WORST = marked("the attack always works on people who were used, and seldom on strangers")
_GAIN_TARGET = marked("the attack gains at most %(target)s over strangers")
_GAIN_BEST = marked("no advantage over strangers was detected, which is not a proof that there is none")
_CONTROL = marked("how often the attack works on people who had no part")

_GAIN = Explanation(
    section="attacks",
    title="",
    measures="",
    at_worst=_GAIN_WORST,
    at_target=_GAIN_TARGET,
    at_best=_GAIN_BEST,
    unit="percent",
    worst=100,
    best=0,
    scale="linear",
    leans=True,
    remedy=REMEDY,
    reference=_CONTROL,
)
_AREA = replace(
    _GAIN,
    measures=marked(
        "How well the attack tells people who were used from people who were not: the chance that it takes the"
        " one who was used of such a pair (area under the ROC curve)."
    ),
    at_worst=marked("everybody who was used is told apart from everybody who was not"),
    at_target=marked("of two people, the one who was used is taken at most %(target)s of the time (0 to 1)"),
    at_best=marked("no better than tossing a coin"),
    unit="ratio",
    worst=1,
    best=0.5,
    leans=False,
    reference=marked("tossing a coin"),
)
_FOUND = replace(
    _AREA,
    at_worst=marked("everybody who was used is found"),
    at_target=marked("at most %(target)s of the people who were used are found"),
    at_best=marked("no more are found than false alarms allow"),
    unit="percent",
    worst=100,
    reference=marked("finding people at random, with as many false alarms"),
)
_AT_1 = replace(
    _FOUND,
    best=1,
    measures=marked(
        "Share of the people who were used that the attack finds when it wrongly names 1%% of those who were not."
    ),
)
_AT_01 = replace(
    _FOUND,
    best=0.1,
    measures=marked(
        "Share of the people who were used that the attack finds when it wrongly names 0.1%% of those who were"
        " not."
    ),
)
_ISOLATED = replace(
    _AREA,
    measures=marked("The same among the 2.5%% of people who are farthest from anybody else."),
)

ATTACKS: Mapping[str, Explanation] = {
    "singling_out_univariate": replace(
        _GAIN,
        title=marked("Singling out, one column"),
        measures=marked(
            "How much more often a condition on one column that fits a single avatar (an extreme, a value held once)"
            " fits exactly one person who was used than exactly one who was not."
        ),
    ),
    "singling_out_multivariate": replace(
        _GAIN,
        title=marked("Singling out, several columns"),
        measures=marked(
            "How much more often a condition on several columns that fits a single avatar fits exactly one person who"
            " was used than exactly one who was not."
        ),
    ),
    "linkability": replace(
        _GAIN,
        title=marked("Linkability"),
        measures=marked(
            "How much more often two parties, who hold different columns of one person, name the same nearest avatar"
            " for people who were used than for people who were not."
        ),
    ),
    "inference": replace(
        _GAIN,
        title=marked("Inference, most exposed column"),
        measures=marked(
            "How much more often the avatar nearest in the known columns gives a secret column away for people who were"
            " used than for people who were not, in the column where the difference is surest; the gain may be larger"
            " in others."
        ),
    ),
    "membership_auc": replace(_AREA, title=marked("Membership, distance in the projection")),
    "membership_found_at_1": replace(_AT_1, title=marked("Members found at 1%%, projection")),
    "membership_found_at_01": replace(_AT_01, title=marked("Members found at 0.1%%, projection")),
    "membership_auc_isolated": replace(_ISOLATED, title=marked("Membership, projection, most isolated")),
    "membership_raw_auc": replace(_AREA, title=marked("Membership, distance in the columns")),
    "membership_raw_found_at_1": replace(_AT_1, title=marked("Members found at 1%%, columns")),
    "membership_raw_found_at_01": replace(_AT_01, title=marked("Members found at 0.1%%, columns")),
    "membership_raw_auc_isolated": replace(_ISOLATED, title=marked("Membership, columns, most isolated")),
    "membership_density_auc": replace(
        _AREA,
        title=marked("Membership, density ratio"),
        measures=marked(
            "How well an attacker who also has a sample of the population, here half of the holdout, tells people who"
            " were used from people who were not: those much nearer to an avatar than to that sample are named (area"
            " under the ROC curve)."
        ),
    ),
    "membership_density_found_at_1": replace(_AT_1, title=marked("Members found at 1%%, density ratio")),
    "membership_density_found_at_01": replace(_AT_01, title=marked("Members found at 0.1%%, density ratio")),
    "membership_density_auc_isolated": replace(
        _ISOLATED, title=marked("Membership, density ratio, most isolated")
    ),
    "heaviest_weight_median": replace(
        _FOUND,
        section="privacy",
        title=marked("Heaviest neighbour, typical avatar"),
        measures=marked(
            "How much of an avatar comes from one neighbour alone (0 to 1); the median over avatars."
        ),
        at_worst=marked("half of the avatars are copies of one neighbour"),
        at_target=marked("half of the avatars owe at most %(target)s to one neighbour"),
        at_best=marked("no neighbour counts for much"),
        unit="ratio",
        worst=1,
        best=0,
        remedy=marked("A larger k usually lowers it; so does another law of weights (weights: gaussian)."),
        reference="",
    ),
    "heaviest_weight_p95": replace(
        _FOUND,
        section="privacy",
        title=marked("Heaviest neighbour, most copied avatars"),
        measures=marked(
            "How much comes from one neighbour alone in the 5%% of avatars where it is most (0 to 1)."
        ),
        at_worst=marked("one avatar in twenty is the copy of one neighbour"),
        at_target=marked("of nineteen avatars in twenty, at most %(target)s comes from one neighbour"),
        at_best=marked("no neighbour counts for much"),
        unit="ratio",
        worst=1,
        best=0,
        remedy=marked("A larger k usually lowers it; so does another law of weights (weights: gaussian)."),
        reference="",
    ),
    "effective_neighbours_median": replace(
        _FOUND,
        section="privacy",
        title=marked("Neighbours that really count"),
        measures=marked(
            "Among how many equally heavy neighbours an avatar could have been drawn as evenly; the"
            " median over avatars."
        ),
        at_worst=marked("each avatar is the copy of one neighbour"),
        at_target=marked("half of the avatars are drawn among %(target)s neighbours or more"),
        at_best=marked("all k neighbours count alike"),
        unit="count",
        worst=1,
        scale="k",
        remedy=marked("A larger k usually raises it."),
        reference="",
    ),
}
