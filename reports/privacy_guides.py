"""How the metrics of privacy are worked out: what an attacker sees who links, compares or looks for copies."""

from sosie.reports.guide import Guide
from sosie.reports.language import marked

_LINKED_WORKING = marked("Each individual of it is looked for among the avatars, in turn.")
_NO_HOLDOUT = marked("It takes no part: the figure asks about links, and strangers have none.")
_LINKED_AVATARS = marked(
    "Row i belongs to individual i. This order is known to the run alone; released avatars are shuffled."
)
_PROJECT = marked(
    "Project individuals and decoded avatars with the projection of the anonymisation, on ncp components."
)
_COMPARED_WORKING = marked(
    "Each individual of it looks for its nearest rows, first among avatars, then in the holdout."
)
_COMPARED_HOLDOUT = marked(
    "People like them who had no part in the avatars: how near one comes to a stranger by chance."
)
_COMPARED_AVATARS = marked("As many as there are holdout rows; their order does not matter.")

PRIVACY_GUIDES: tuple[Guide, ...] = (
    Guide(
        slug="local-cloaking",
        title=marked("Local cloaking"),
        figures=("local_cloaking", "local_cloaking_zero_share", "local_cloaking_isolated"),
        asks=marked(
            "Behind how many avatars of other people does an individual's own avatar hide? An attacker who knows"
            " somebody's row and looks at the nearest avatars meets these first."
        ),
        working=_LINKED_WORKING,
        holdout=_NO_HOLDOUT,
        avatars=_LINKED_AVATARS,
        steps=(
            _PROJECT,
            marked("Measure how far each individual is from its own avatar."),
            marked(
                "Count the other avatars that are as near or nearer; an equal distance hides, so it counts."
            ),
            marked(
                "Take the median of these counts, the share of zeros, and the median of the most isolated."
            ),
        ),
        specificity=marked(
            "It says how hard a link is to find, not what an avatar gives away: an avatar far from its individual may"
            " still be the copy of somebody else. A median hides those who are found, therefore the share of zeros and"
            " the most isolated stand beside it."
        ),
        example=""">>> from sosie.metrics import local_cloaking, local_cloaking_counts
>>> originals = [[0.0], [2.0], [5.0]]
>>> avatars = [[0.5], [4.5], [2.5]]
>>> local_cloaking_counts(originals, avatars).tolist()
[0, 2, 1]
>>> local_cloaking(originals, avatars)
1.0
""",
        reading=marked(
            "The first individual's own avatar is the nearest of all, so nothing hides it. The second has two avatars"
            " nearer than its own, the third has one. The median is 1."
        ),
    ),
    Guide(
        slug="hidden-rate",
        title=marked("Hidden rate"),
        figures=("hidden_rate", "hidden_rate_worst"),
        asks=marked(
            "How often is an attacker wrong who takes the avatar nearest to a known individual for that individual's"
            " own?"
        ),
        working=_LINKED_WORKING,
        holdout=_NO_HOLDOUT,
        avatars=_LINKED_AVATARS,
        steps=(
            _PROJECT,
            marked("Find the nearest avatar of each individual, with all others at the same distance."),
            marked(
                "If its own is among them, the attacker is right once in as many times as there are of them."
            ),
            marked(
                "The rate is the share of attempts that are wrong; its worst case counts each such tie as found."
            ),
        ),
        specificity=marked(
            "A high rate says that guessing the link fails, not that the guess is harmless: the wrong avatar may tell"
            " nearly the same of the person. On tables of many equal rows both figures differ widely, and the worst"
            " case is far too severe."
        ),
        example=""">>> from sosie.metrics import hidden_rate
>>> originals = [[0.0], [2.0], [5.0], [6.0]]
>>> avatars = [[0.5], [4.5], [2.5], [4.5]]
>>> hidden_rate(originals, avatars)
62.5
>>> hidden_rate(originals, avatars, ties="exposed")
50.0
""",
        reading=marked(
            "The first individual is found. The second and the third are nearest to somebody else's avatar. The fourth"
            " is as near to its own as to another one, so it is found half of the time: one and a half of four are"
            " found, and 62.5%% of attempts are wrong. With the tie counted as found it is half of them."
        ),
    ),
    Guide(
        slug="closest-distances-ratio",
        title=marked("Closest distances ratio"),
        figures=("closest_distances_ratio_median", "closest_distances_ratio_outlier"),
        asks=marked(
            "Does one avatar stand out near an individual, as it would if it had been made from that individual alone?"
        ),
        working=_COMPARED_WORKING,
        holdout=_COMPARED_HOLDOUT,
        avatars=_COMPARED_AVATARS,
        steps=(
            marked("Project the three sets with the projection of the anonymisation, on ncp components."),
            marked(
                "For each individual, divide the distance to the nearest avatar by that to the second nearest."
            ),
            marked("Do the same with the holdout in place of the avatars."),
            marked(
                "Divide the median of the first by the median of the second, in percent; likewise percentile 2.5."
            ),
        ),
        specificity=marked(
            "It sees avatars that stand alone beside one person, and overlooks copies where several lie together. Read"
            " it with the distance to the closest: people are at risk when both are low. With a reference of 0 it is"
            " uninformative."
        ),
        example=""">>> from sosie.metrics import closest_distances_ratio
>>> ratio = closest_distances_ratio(working=[[0.0], [4.0]], avatars=[[1.0], [3.0]], holdout=[[2.0], [6.0]])
>>> round(ratio.median, 1)
50.0
>>> round(ratio.outlier, 1)
95.2
""",
        reading=marked(
            "Both individuals have an avatar at 1 and the next at 3: a ratio of one third. Towards the holdout the"
            " ratios are one third and 1, their median two thirds. One third is half of that: the typical individual"
            " has an avatar that stands out more than a stranger would."
        ),
    ),
    Guide(
        slug="distance-to-closest",
        title=marked("Distance to the closest"),
        figures=("distance_to_closest_median", "distance_to_closest_outlier"),
        asks=marked("Are avatars nearer to the individuals they were made from than strangers are?"),
        working=_COMPARED_WORKING,
        holdout=_COMPARED_HOLDOUT,
        avatars=_COMPARED_AVATARS,
        steps=(
            marked("Project the three sets with the projection of the anonymisation, on ncp components."),
            marked(
                "For each individual, measure the distance to the nearest avatar and to the nearest holdout row."
            ),
            marked(
                "Divide the median of the first by the median of the second, in percent; likewise percentile 2.5."
            ),
        ),
        specificity=marked(
            "It is low for any faithful method on a dense or coarse table, where rows lie close together anyway. It"
            " speaks of the projected space: what the ncp components leave out does not count."
        ),
        example=""">>> from sosie.metrics import distance_to_closest
>>> distance_to_closest(working=[[0.0], [4.0]], avatars=[[1.0], [3.0]], holdout=[[2.0], [6.0]]).median
50.0
""",
        reading=marked(
            "The nearest avatar is at 1 from either individual, the nearest stranger at 2: avatars come twice as near"
            " as strangers do."
        ),
    ),
    Guide(
        slug="direct-match",
        title=marked("Direct matches"),
        figures=("row_direct_match", "row_direct_match_own"),
        asks=marked("How many avatars are, value for value, the row of a real person?"),
        working=marked("Its rows are what an avatar may repeat."),
        holdout=marked(
            "The share of its rows that repeat a row of the working half is what chance alone does."
        ),
        avatars=marked("Compared as decoded, in the columns that are released."),
        steps=(
            marked(
                "Compare each avatar with every individual of the working half, in every column, exactly."
            ),
            marked(
                "Count the avatars that equal somebody, and those that equal the very individual they come from."
            ),
            marked("Count the holdout rows that equal somebody of the working half."),
        ),
        specificity=marked(
            "In a table of few coarse columns people coincide, and so do avatars: only the excess over the holdout"
            " speaks. One rounded digit more hides every match, so 0%% is no proof of safety."
        ),
        example=""">>> import numpy as np
>>> from sosie.metrics import Records, row_direct_match, row_direct_match_own
>>> no_categories = np.empty((3, 0), dtype=int)
>>> originals = Records(np.array([[20.0, 1.0], [30.0, 0.0], [40.0, 1.0]]), no_categories)
>>> avatars = Records(np.array([[30.0, 0.0], [30.0, 0.0], [35.0, 1.0]]), no_categories)
>>> round(row_direct_match(originals, avatars), 1)
66.7
>>> round(row_direct_match_own(originals, avatars).row, 1)
33.3
""",
        reading=marked(
            "Two of three avatars equal the second individual. One of them was made for it, the other for somebody"
            " else."
        ),
    ),
    Guide(
        slug="neighbour-weights",
        title=marked("Weights of the neighbours"),
        figures=("heaviest_weight_median", "heaviest_weight_p95", "effective_neighbours_median"),
        asks=marked(
            "How much of an avatar comes from one person alone? The law of the weights is random, and sometimes one"
            " neighbour gets nearly all."
        ),
        working=marked("Its rows are the neighbours that avatars are barycentres of."),
        holdout=marked("It takes no part: nothing was drawn from it."),
        avatars=marked(
            "Only the weights that made them count, not their values. Avatars made elsewhere have none."
        ),
        steps=(
            marked("Take the k weights that were drawn for each avatar; they sum to 1."),
            marked("Note the heaviest: its median over avatars, and percentile 95."),
            marked(
                "Note 1 divided by the sum of the squared weights: as many equal weights would spread as evenly."
            ),
        ),
        specificity=marked(
            "It explains why avatars resemble somebody; it does not measure the resemblance. With weights: gaussian"
            " some weights are negative, and the effective number says how much of the neighbourhood's variance is"
            " kept: 1 is all of it."
        ),
        example=""">>> import numpy as np
>>> weights = np.array([[0.7, 0.2, 0.1], [0.4, 0.3, 0.3]])
>>> weights.max(axis=1).tolist()
[0.7, 0.4]
>>> (1 / (weights**2).sum(axis=1)).round(2).tolist()
[1.85, 2.94]
""",
        reading=marked(
            "The first avatar owes 70%% to one neighbour, and is spread as two equal ones would be; the second is"
            " drawn from three that count nearly alike."
        ),
    ),
)
