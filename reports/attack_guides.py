"""How the attacks are carried out: the three criteria of WP29 Opinion 05/2014, and membership."""

from sosie.reports.guide import Guide
from sosie.reports.language import marked

_STRANGERS = marked(
    "The same attack on people who had no part: what works on them too is knowledge of the population, not of a"
    " person."
)
_ONLY_AVATARS = marked("All that the attacker has of the release, in any order.")
_GAIN_OVER_STRANGERS = marked(
    "The gain is the success on the working half beyond that on strangers, divided by what was left to gain."
)
_MEMBERS = marked(
    "Members: people whose rows were used. The attacker knows their row and asks whether it was used."
)
_OTHERS = marked(
    "People whose rows were not used. Membership needs a real holdout; with another it is not computed."
)
_THRESHOLD = marked(
    "The area under the curve compares each member with each stranger; members found are those above a threshold that"
    " only 1%% (or 0.1%%) of strangers pass."
)
_ISOLATED = marked("Do the same among the 2.5%% of each side who are farthest from anybody else.")
_NO_PROOF = marked(
    "“No advantage detected” depends on how many rows there were to try, and stronger attacks may come."
)

ATTACK_GUIDES: tuple[Guide, ...] = (
    Guide(
        slug="singling-out",
        title=marked("Singling out"),
        figures=("singling_out_univariate", "singling_out_multivariate"),
        asks=marked(
            "Can one read off the avatars a condition, such as the largest value of a column, that fits exactly one"
            " real person?"
        ),
        working=marked("Each condition is asked of it: success is exactly one person who fits."),
        holdout=_STRANGERS,
        avatars=marked("Conditions are read off them: those that fit one avatar and no other."),
        steps=(
            marked(
                "One column: take extremes, values held once and the only gap. Several: describe an avatar drawn at"
                " random by three of its columns, and keep conditions that no other avatar meets."
            ),
            marked(
                "Count the conditions that fit exactly one person of the working half, and of the holdout."
            ),
            marked("Try as many conditions made without looking at the avatars' rows: the baseline."),
            _GAIN_OVER_STRANGERS,
        ),
        specificity=marked(
            "A condition may fit one person by chance, in the holdout as well. Fewer than 10 conditions say nothing,"
            " and the figure is then not computed."
        ),
        example=""">>> from sosie.attacks import Attack, Rate
>>> tried = Attack(Rate(60, 200), control=Rate(20, 200), baseline=Rate(6, 200), worst=None, p_value=0.001)
>>> round(100 * tried.risk.value, 1)
22.2
""",
        reading=marked(
            "Of 200 conditions 60 fit exactly one person who was used, 20 exactly one who was not: 30%% against 10%%."
            " Of the 90%% that were left to gain over strangers the attack gains 20, that is 22.2%%."
        ),
    ),
    Guide(
        slug="linkability",
        title=marked("Linkability"),
        figures=("linkability",),
        asks=marked(
            "Two parties hold different columns of a person. Do the avatars help them to find out that it is the same"
            " person?"
        ),
        working=marked("Targets are drawn from it, at most as many as attempts allow."),
        holdout=_STRANGERS,
        avatars=_ONLY_AVATARS,
        steps=(
            marked(
                "Deal the columns to two parties, or give one of them the quasi-identifiers that were named."
            ),
            marked(
                "Each party looks for the avatar nearest to the target in its own columns (Gower distance)."
            ),
            marked("The target is linked when both name the same avatar."),
            _GAIN_OVER_STRANGERS,
        ),
        specificity=marked(
            "Which columns a party holds decides what it can do: name those that matter in attacks.quasi_identifiers."
            " Strongly associated columns link strangers as well, and this is taken off."
        ),
        example=""">>> from sosie.attacks import Attack, Rate
>>> tried = Attack(Rate(120, 500), control=Rate(25, 500), baseline=Rate(1, 500), worst=None, p_value=0.001)
>>> round(100 * tried.risk.value, 1)
20.0
>>> round(100 * tried.risk.low), round(100 * tried.risk.high)
(16, 24)
""",
        reading=marked(
            "24%% of members and 5%% of strangers are linked: a gain of 20%% of what was left, with 500 attempts"
            " somewhere between 16 and 24."
        ),
    ),
    Guide(
        slug="inference",
        title=marked("Inference"),
        figures=("inference",),
        asks=marked(
            "Somebody knows all of a person but one column. Do the avatars tell this secret, more than they would of a"
            " person who had no part?"
        ),
        working=marked("Targets are drawn from it; their secret is what the guess is held against."),
        holdout=_STRANGERS,
        avatars=marked("A reference book: the secret of the nearest avatar is the guess."),
        steps=(
            marked("Take each column as the secret in turn, or those named in attacks.secrets."),
            marked("Find the avatar nearest to the target in the known columns (Gower distance)."),
            marked(
                "The guess is right when the category is equal, the number within 5%% of the truth, the date within"
                " 1%% of the range."
            ),
            _GAIN_OVER_STRANGERS,
            marked(
                "The headline is the column whose gain is surest; all columns are in the internal report."
            ),
        ),
        specificity=marked(
            "What columns tell of each other is not counted, since it works on strangers too: a table made to be"
            " learnt from must allow that. Where strangers are nearly always guessed, the gain rests on a handful and"
            " is not computed."
        ),
        example=""">>> from sosie.attacks import Attack, Rate
>>> tried = Attack(Rate(300, 400), control=Rate(200, 400), baseline=Rate(120, 400), worst="stage", p_value=0.001)
>>> round(100 * tried.risk.value)
50
""",
        reading=marked(
            "The secret is guessed of 75%% of members and of 50%% of strangers: half of what was left to gain."
        ),
    ),
    Guide(
        slug="membership-projection",
        title=marked("Membership, distance in the projection"),
        figures=(
            "membership_auc",
            "membership_found_at_1",
            "membership_found_at_01",
            "membership_auc_isolated",
        ),
        asks=marked(
            "Was this person in the table? Here the attacker names people whose row lies near an avatar in the"
            " projected space."
        ),
        working=_MEMBERS,
        holdout=_OTHERS,
        avatars=_ONLY_AVATARS,
        steps=(
            marked(
                "Project everybody on the ncp components; score each person by the nearness of its closest avatar."
            ),
            _THRESHOLD,
            _ISOLATED,
        ),
        specificity=_NO_PROOF,
        example=""">>> import numpy as np
>>> from sosie.attacks.roc import area_under_curve
>>> members = -np.array([0.1, 0.2, 0.2, 0.5, 0.9])
>>> strangers = -np.array([0.2, 0.4, 0.6, 0.8, 1.0])
>>> round(area_under_curve(members, strangers), 2)
0.72
""",
        reading=marked(
            "Scores are distances with the sign turned round. Of 25 pairs of a member and a stranger the member is"
            " nearer in 17, equally near in 2, which count half: 18 of 25."
        ),
    ),
    Guide(
        slug="membership-columns",
        title=marked("Membership, distance in the columns"),
        figures=(
            "membership_raw_auc",
            "membership_raw_found_at_1",
            "membership_raw_found_at_01",
            "membership_raw_auc_isolated",
        ),
        asks=marked(
            "Was this person in the table? Here the attacker compares rows as they are released, without any model."
        ),
        working=_MEMBERS,
        holdout=_OTHERS,
        avatars=_ONLY_AVATARS,
        steps=(
            marked(
                "Measure the Gower distance of each person to its nearest avatar: the mean over columns of the"
                " difference by the range, or of 0 for equal and 1 for unequal categories."
            ),
            _THRESHOLD,
            _ISOLATED,
        ),
        specificity=marked(
            "Columns that the projection leaves out speak here, so it often finds more. Where many rows are equal, no"
            " threshold may hold false alarms low enough, and members found are not computed: that is no safety."
        ),
        example=""">>> import numpy as np
>>> from sosie.attacks.roc import true_positive_rate
>>> members = np.concatenate([np.full(30, 0.9), np.full(70, 0.1)])
>>> strangers = np.linspace(0.0, 0.5, 100)
>>> true_positive_rate(members, strangers, level=0.01).value
0.3
""",
        reading=marked(
            "The threshold that one stranger in a hundred passes lies just below 0.5, and 30 of 100 members are above:"
            " 30%% are found, although the other 70 look like strangers."
        ),
    ),
    Guide(
        slug="membership-density",
        title=marked("Membership, density ratio"),
        figures=(
            "membership_density_auc",
            "membership_density_found_at_1",
            "membership_density_found_at_01",
            "membership_density_auc_isolated",
        ),
        asks=marked(
            "Was this person in the table? Here the attacker also has a sample of the population: an avatar where"
            " people are rare gives somebody away."
        ),
        working=_MEMBERS,
        holdout=marked(
            "A random half is the attacker's sample; the other half are the strangers to be told apart."
        ),
        avatars=_ONLY_AVATARS,
        steps=(
            marked(
                "Score each person by the logarithm of the distance to the nearest row of the sample, less that of"
                " the distance to the nearest avatar."
            ),
            _THRESHOLD,
            _ISOLATED,
        ),
        specificity=marked(
            "The strongest of the membership attacks tried here, and the one that asks most of an attacker. It needs"
            " twice as large a holdout as the others for the same certainty."
        ),
        example=""">>> import numpy as np
>>> nearest_of_the_sample, nearest_avatar = np.array([2.0, 0.5]), np.array([0.1, 0.5])
>>> (np.log(nearest_of_the_sample) - np.log(nearest_avatar)).round(1).tolist()
[3.0, 0.0]
""",
        reading=marked(
            "Nobody of the sample is near the first person, but an avatar is: a score of 3, probably a member. To the"
            " second both are equally near: a score of 0, which says nothing."
        ),
    ),
)
