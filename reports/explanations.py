"""What each figure means: in one sentence, at both ends of its scale, at its target, and what usually moves it.

Sentences are message ids; those of `at_target` name the target as %(target)s.
"""

from collections.abc import Mapping

from sosie.reports.attack_explanations import ATTACKS
from sosie.reports.explanation import Explanation
from sosie.reports.language import marked
from sosie.reports.use_explanations import USE

_MORE_NEIGHBOURS = marked(
    "A larger k (avatars drawn from more neighbours) usually raises it; fewer components (ncp) usually do too."
    " Both usually cost some utility."
)
_FEWER_FOUND = marked(
    "A larger k (avatars drawn from more neighbours) usually lowers it; fewer components (ncp) usually do too."
    " Both usually cost some utility."
)
_FEWER_OUTLIERS = marked(
    "It is decided by the most isolated individuals: merging rare levels (rare_values.label) and a larger k usually"
    " raise it."
)
_FEWER_COPIES = marked(
    "A larger k usually lowers it. In a table of few, coarse columns people coincide by chance: compare with the"
    " reference first."
)

_FEWER_LOST_COLUMNS = marked(
    "A larger weight for the worst columns usually helps them, at the expense of others; a column of many rare levels"
    " is better grouped."
)

_METHOD: Mapping[str, Explanation] = {
    "local_cloaking": Explanation(
        section="privacy",
        title=marked("Local cloaking"),
        measures=marked(
            "How many avatars other than its own are at least as close to an individual as its own avatar is;"
            " the median over individuals."
        ),
        at_worst=marked("at least half of the individuals have their own avatar closest"),
        at_target=marked("half of the individuals hide behind %(target)s or more avatars of others"),
        at_best=marked(
            "half of all avatars: an avatar tells nothing of its individual, and the table little of anyone"
        ),
        unit="count",
        worst=0,
        best=0,
        scale="rows",
        leans=False,
        remedy=_MORE_NEIGHBOURS,
    ),
    "local_cloaking_zero_share": Explanation(
        section="privacy",
        title=marked("Individuals without cloaking"),
        measures=marked("Share of individuals to whom no other avatar is as close as their own."),
        at_worst=marked("everybody's own avatar is the closest one"),
        at_target=marked("at most %(target)s of individuals have their own avatar closest"),
        at_best=marked("everybody has another avatar at least as close as their own"),
        unit="percent",
        worst=100,
        best=0,
        scale="linear",
        leans=False,
        remedy=_FEWER_FOUND,
    ),
    "local_cloaking_isolated": Explanation(
        section="privacy",
        title=marked("Local cloaking, most isolated individuals"),
        measures=marked(
            "Local cloaking among the 2.5%% of individuals who are farthest from anybody else; the median over them."
        ),
        at_worst=marked("at least half of them have their own avatar closest"),
        at_target=marked("half of them hide behind %(target)s or more avatars of others"),
        at_best=marked("half of all avatars: even their avatar tells nothing of them"),
        unit="count",
        worst=0,
        best=0,
        scale="rows",
        leans=False,
        remedy=_FEWER_OUTLIERS,
    ),
    "hidden_rate": Explanation(
        section="privacy",
        title=marked("Hidden rate"),
        measures=marked(
            "How often an attacker who links an individual to its closest avatar is wrong; among avatars at the same"
            " distance the attacker picks at random."
        ),
        at_worst=marked("the closest avatar is always the individual's own"),
        at_target=marked("the closest avatar is a wrong one at least %(target)s of the time"),
        at_best=marked("the closest avatar is never the individual's own"),
        unit="percent",
        worst=0,
        best=100,
        scale="linear",
        leans=False,
        remedy=_MORE_NEIGHBOURS,
    ),
    "hidden_rate_worst": Explanation(
        section="privacy",
        title=marked("Hidden rate, every tie counted as exposed"),
        measures=marked(
            "The hidden rate of an attacker who is lucky at every tie: whoever has their own avatar among the closest"
            " counts as found, even when several avatars are equally close."
        ),
        at_worst=marked("everybody's own avatar is among the closest"),
        at_target=marked("at least %(target)s of individuals have a closest avatar that is not their own"),
        at_best=marked("nobody's own avatar is among the closest"),
        unit="percent",
        worst=0,
        best=100,
        scale="linear",
        leans=False,
        remedy=_MORE_NEIGHBOURS,
    ),
    "closest_distances_ratio_median": Explanation(
        section="privacy",
        title=marked("Closest distances ratio, typical individual"),
        measures=marked(
            "Whether the closest avatar stands out from the second closest: the ratio of both distances, its median"
            " over individuals, as a percentage of the same ratio measured towards the holdout, people who had no"
            " part in the avatars."
        ),
        at_worst=marked("the closest avatar coincides with the individual and no other is near"),
        at_target=marked("the ratio is at least %(target)s of what it is towards unrelated people"),
        at_best=marked("the closest avatar stands out no more than the closest unrelated person"),
        unit="percent",
        worst=0,
        best=100,
        scale="linear",
        leans=True,
        remedy=_MORE_NEIGHBOURS,
    ),
    "closest_distances_ratio_outlier": Explanation(
        section="privacy",
        title=marked("Closest distances ratio, most exposed individuals"),
        measures=marked(
            "The same ratio for the 2.5%% of individuals whose closest avatar stands out most, as a percentage of"
            " what it is towards the holdout."
        ),
        at_worst=marked("for them the closest avatar coincides with the individual and no other is near"),
        at_target=marked("for them the ratio is at least %(target)s of what it is towards unrelated people"),
        at_best=marked(
            "even for them the closest avatar stands out no more than the closest unrelated person"
        ),
        unit="percent",
        worst=0,
        best=100,
        scale="linear",
        leans=True,
        remedy=_FEWER_OUTLIERS,
    ),
    "distance_to_closest_median": Explanation(
        section="privacy",
        title=marked("Distance to the closest, typical individual"),
        measures=marked(
            "How far the closest avatar is from an individual, its median over individuals, as a percentage of how far"
            " the closest individual of the holdout is."
        ),
        at_worst=marked("half of the individuals coincide with an avatar"),
        at_target=marked("the closest avatar is at least %(target)s as far as the closest unrelated person"),
        at_best=marked("the closest avatar is as far as the closest unrelated person"),
        unit="percent",
        worst=0,
        best=100,
        scale="linear",
        leans=True,
        remedy=_MORE_NEIGHBOURS,
    ),
    "distance_to_closest_outlier": Explanation(
        section="privacy",
        title=marked("Distance to the closest, most exposed individuals"),
        measures=marked(
            "The same distance for the 2.5%% of individuals who are nearest to an avatar, as a percentage of what it"
            " is towards the holdout."
        ),
        at_worst=marked("they coincide with an avatar"),
        at_target=marked("even for them the avatar is at least %(target)s as far as an unrelated person"),
        at_best=marked("even for them the avatar is as far as an unrelated person"),
        unit="percent",
        worst=0,
        best=100,
        scale="linear",
        leans=True,
        remedy=_FEWER_OUTLIERS,
    ),
    "row_direct_match": Explanation(
        section="privacy",
        title=marked("Avatars equal to an original"),
        measures=marked(
            "Share of avatars that equal some original in every column. The reference is the share of the holdout"
            " that does: people who coincide by chance."
        ),
        at_worst=marked("every avatar is the copy of an original"),
        at_target=marked("at most %(target)s of avatars equal an original"),
        at_best=marked("no avatar equals an original"),
        unit="percent",
        worst=100,
        best=0,
        scale="linear",
        leans=False,
        remedy=_FEWER_COPIES,
    ),
    "row_direct_match_own": Explanation(
        section="privacy",
        title=marked("Avatars equal to their own original"),
        measures=marked(
            "Share of avatars that equal, in every column, the very individual they were made for."
        ),
        at_worst=marked("every avatar is the copy of its own original"),
        at_target=marked("at most %(target)s of avatars equal their own original"),
        at_best=marked("no avatar equals its own original"),
        unit="percent",
        worst=100,
        best=0,
        scale="linear",
        leans=False,
        remedy=_FEWER_COPIES,
    ),
    "hellinger_mean": Explanation(
        section="utility",
        title=marked("Hellinger score, mean over columns"),
        measures=marked(
            "How alike the columns of avatars and of originals are distributed, one by one, beyond the difference that"
            " two halves of one table show by chance."
        ),
        at_worst=marked("the distributions have nothing in common"),
        at_target=marked("columns score at least %(target)s on average"),
        at_best=marked("avatars differ from the holdout no more than the originals do"),
        unit="score",
        worst=0,
        best=100,
        scale="linear",
        leans=True,
        remedy=marked(
            "A smaller k or more components (ncp) usually raise it. When a few columns pull it down, a larger weight"
            " for them usually helps them, at the expense of others."
        ),
    ),
    "hellinger_worst": Explanation(
        section="utility",
        title=marked("Hellinger score, worst column"),
        measures=marked("The Hellinger score of the column that scores lowest."),
        at_worst=marked("the distributions of that column have nothing in common"),
        at_target=marked("every column scores at least %(target)s"),
        at_best=marked("in every column avatars differ from the holdout no more than the originals do"),
        unit="score",
        worst=0,
        best=100,
        scale="linear",
        leans=True,
        remedy=_FEWER_LOST_COLUMNS,
    ),
    "hellinger_std": Explanation(
        section="utility",
        title=marked("Hellinger score, spread over columns"),
        measures=marked("How much the Hellinger score varies from column to column: its standard deviation."),
        at_worst=marked("half of the columns are perfect, half are lost"),
        at_target=marked("scores vary by at most %(target)s"),
        at_best=marked("every column is kept equally well"),
        unit="score",
        worst=50,
        best=0,
        scale="linear",
        leans=True,
        remedy=_FEWER_LOST_COLUMNS,
    ),
}

EXPLANATIONS: Mapping[str, Explanation] = {**_METHOD, **ATTACKS, **USE}
