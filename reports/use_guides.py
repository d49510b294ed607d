"""How the figures of use are worked out: whether avatars still say what the originals said."""

from sosie.reports.guide import Guide
from sosie.reports.language import marked

_ORIGINALS = marked("What the avatars should still say.")
_CHANCE = marked(
    "The same figure with it in place of the avatars: what chance alone does between two halves."
)
_MEASURED = marked("Those of the working half, in any order.")

USE_GUIDES: tuple[Guide, ...] = (
    Guide(
        slug="hellinger",
        title=marked("Hellinger score"),
        figures=("hellinger_mean", "hellinger_worst", "hellinger_std"),
        asks=marked("Is each column, on its own, distributed among avatars as among people?"),
        working=marked("Its difference from the holdout is what chance alone does, and is taken off."),
        holdout=marked("What both others are compared with."),
        avatars=_MEASURED,
        steps=(
            marked(
                "Count each set in common classes: levels of a category; for a number 20 to 200 bins, of equal width"
                " or, where it is skewed, of equal count. A missing value is one class more."
            ),
            marked("Measure the Hellinger distance of avatars and holdout, and of working half and holdout."),
            marked("Score each column by 1 less the root of the difference of the squares, in percent."),
            marked("Report the mean over columns, the worst and the spread."),
        ),
        specificity=marked(
            "It looks at one column at a time: columns drawn at random each by itself score 100, with every"
            " association lost. See the associations for that."
        ),
        example=""">>> import pandas as pd
>>> from sosie.metrics import hellinger_mean
>>> half = pd.DataFrame({"ward": ["north"] * 5 + ["south"] * 5})
>>> avatars = pd.DataFrame({"ward": ["north"] * 8 + ["south"] * 2})
>>> round(hellinger_mean(half, avatars, holdout=half, categorical=["ward"]).mean, 1)
77.3
""",
        reading=marked(
            "Half of the people are in either ward, but 8 of 10 avatars in the north: a distance of 0.227, and a score"
            " of 77.3."
        ),
    ),
    Guide(
        slug="range-and-spread",
        title=marked("Range and spread of numbers"),
        figures=("range_coverage_mean", "sd_ratio_mean"),
        asks=marked(
            "Do numbers and dates still vary as much? A barycentre draws people towards their neighbours."
        ),
        working=_ORIGINALS,
        holdout=_CHANCE,
        avatars=_MEASURED,
        steps=(
            marked("For each number, see how much of the range from percentile 1 to 99 the avatars span."),
            marked("Divide the avatars' standard deviation by the originals'."),
            marked("Take the mean over the numbers; each column's own is in the report."),
        ),
        specificity=marked(
            "A smaller spread makes relations look stronger and intervals narrower than they were. The published"
            " weights shrink it; weights: gaussian keeps it."
        ),
        example=""">>> import pandas as pd
>>> import sosie
>>> people = pd.DataFrame({"age": range(20, 80, 3), "ward": ["north", "south"] * 10})
>>> avatars = people.assign(age=[age // 2 + 24 for age in people["age"]])
>>> round(sosie.evaluate(people, avatars, holdout=people).metrics["sd_ratio_mean"].value, 2)
0.5
""",
        reading=marked("Every age was drawn half-way towards one point: the spread is half of what it was."),
    ),
    Guide(
        slug="levels",
        title=marked("Levels kept"),
        figures=("level_coverage_mean",),
        asks=marked("Does each person's category still exist among the avatars?"),
        working=_ORIGINALS,
        holdout=_CHANCE,
        avatars=_MEASURED,
        steps=(
            marked("For each category, take the share of people whose level some avatar has."),
            marked("Take the mean over the categories; the report counts levels kept and lost for each."),
        ),
        specificity=marked(
            "A level that one person has should vanish: a coverage of 100%% is no aim where levels are rare. Levels"
            " are drawn in proportion, so that those of many people stay as common as they were."
        ),
        example=""">>> import pandas as pd
>>> import sosie
>>> people = pd.DataFrame({"age": range(20, 60, 2), "ward": ["north"] * 19 + ["hospice"]})
>>> avatars = people.assign(ward="north")
>>> round(sosie.evaluate(people, avatars, holdout=people).metrics["level_coverage_mean"].value, 1)
95.0
""",
        reading=marked("19 of 20 people find their ward again; the only one in the hospice does not."),
    ),
    Guide(
        slug="associations",
        title=marked("Associations"),
        figures=("association_difference_mean", "association_difference_max"),
        asks=marked("Do pairs of columns hang together as before?"),
        working=_ORIGINALS,
        holdout=_CHANCE,
        avatars=_MEASURED,
        steps=(
            marked(
                "Measure each pair: two numbers by Pearson's correlation, a number and a category by the correlation"
                " ratio, two categories by Cramér's V, the latter two corrected for chance."
            ),
            marked("Take the absolute difference of each between originals and avatars."),
            marked("Report the mean, the largest, and which pair it belongs to."),
        ),
        specificity=marked(
            "Only pairs, and among numbers only linear ones. A relation of three columns, or a formula between them,"
            " may break unseen: declare it as derived or as a constraint. Of rare levels chance alone makes large"
            " differences: compare with the reference."
        ),
        example=""">>> import pandas as pd
>>> import sosie
>>> people = pd.DataFrame({"height": range(150, 190, 2), "weight": range(50, 90, 2)})
>>> avatars = people.assign(weight=people["weight"].iloc[::-1].to_list())
>>> round(sosie.evaluate(people, avatars, holdout=people).metrics["association_difference_max"].value, 1)
2.0
""",
        reading=marked("The correlation was 1 and became −1: a difference of 2, the largest there is."),
    ),
    Guide(
        slug="principal-space",
        title=marked("Agreement of the principal spaces"),
        figures=("principal_space_agreement",),
        asks=marked(
            "Would a principal component analysis of the avatars place people as that of the originals does?"
        ),
        working=marked("Its individuals are placed by both projections."),
        holdout=marked("A projection fitted on it, in place of the avatars', says what chance alone does."),
        avatars=marked("A projection is fitted on them alone."),
        steps=(
            marked("Fit a projection on the originals and one on the avatars, on ncp components each."),
            marked("Place the working half with both."),
            marked("Take the mean squared cosine of the principal angles between both sets of coordinates."),
        ),
        specificity=marked(
            "Rotations and scales do not count. A last component that nearly ties with the next changes places in any"
            " sample, which lowers the reference as well."
        ),
        example=""">>> import numpy as np
>>> from sosie.utility.principal_space import agreement_of, principal_cosines
>>> by_originals = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
>>> by_avatars = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
>>> round(agreement_of(principal_cosines(by_originals, by_avatars)), 2)
0.5
""",
        reading=marked("One of the two directions is kept, the other is lost: an agreement of a half."),
    ),
    Guide(
        slug="discriminator",
        title=marked("Discriminator"),
        figures=("discriminator_auc",),
        asks=marked("Can a model that has learnt from examples tell avatars from real people?"),
        working=marked(
            "The same model between it and the holdout is the reference: real people on both sides."
        ),
        holdout=marked("The real people."),
        avatars=marked("As many of them as holdout rows, drawn at random."),
        steps=(
            marked("Train gradient boosting on a half of avatars and holdout rows."),
            marked("Let it judge the other half."),
            marked("Take the area under the ROC curve of its judgements, with its interval."),
        ),
        specificity=marked(
            "It speaks of likeness, not of safety: copies of people score 0.5. A high figure need not hurt an"
            " analysis: rounding or a smaller spread suffices to be recognised."
        ),
        example=""">>> import numpy as np
>>> from sosie.attacks.roc import area_under_curve
>>> judged_avatars, judged_people = np.array([0.9, 0.8, 0.6, 0.4, 0.3]), np.array([0.7, 0.5, 0.4, 0.2, 0.1])
>>> round(area_under_curve(judged_avatars, judged_people), 2)
0.74
""",
        reading=marked(
            "Of 25 pairs of an avatar and a person the model finds the avatar the more artificial in 18, and cannot"
            " decide in one: 18.5 of 25."
        ),
    ),
    Guide(
        slug="learning",
        title=marked("Prediction, trained on avatars"),
        figures=("learning_score",),
        asks=marked("Does a model trained on avatars predict as well as one trained on people?"),
        working=marked("The model to compare with is trained on it."),
        holdout=marked("Both models are tested on it: real people that neither has seen."),
        avatars=marked("The other model is trained on them, on as many rows."),
        steps=(
            marked("Name the column to predict in utility.target."),
            marked("Train gradient boosting and a linear model on originals, and on avatars."),
            marked(
                "Score both on the holdout: area under the ROC curve for two levels, balanced accuracy for more, R²"
                " for a number."
            ),
        ),
        specificity=marked(
            "It answers for one target and two kinds of model. Intervals contain the chance of the holdout, not of"
            " what was trained on: with repeats the report shows how much other draws differ."
        ),
        example=""">>> import numpy as np
>>> from sklearn.metrics import roc_auc_score
>>> truth = np.array([1, 1, 1, 0, 0, 0])
>>> trained_on_originals, trained_on_avatars = [0.9, 0.8, 0.4, 0.5, 0.2, 0.1], [0.9, 0.6, 0.3, 0.5, 0.4, 0.1]
>>> round(float(roc_auc_score(truth, trained_on_originals)), 2)
0.89
>>> round(float(roc_auc_score(truth, trained_on_avatars)), 2)
0.78
""",
        reading=marked(
            "Trained on originals the model puts 8 of 9 pairs in order, trained on avatars 7: it loses 0.11."
        ),
    ),
)
