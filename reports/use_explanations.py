"""What the figures of use mean: ranges, spreads, levels, associations, components, a discriminator, learning."""

from collections.abc import Mapping
from dataclasses import replace

from sosie.reports.explanation import Explanation
from sosie.reports.language import marked

_HOLDOUT = marked("the same with the holdout in place of the avatars")
_MORE_DETAIL = marked(
    "A smaller k or more components (ncp) usually help; so does weights: gaussian, which keeps the spread."
)

_KEPT = Explanation(
    section="utility",
    title="",
    measures="",
    at_worst="",
    at_target="",
    at_best="",
    unit="percent",
    worst=0,
    best=100,
    scale="linear",
    leans=True,
    remedy=_MORE_DETAIL,
    reference=_HOLDOUT,
)

USE: Mapping[str, Explanation] = {
    "range_coverage_mean": replace(
        _KEPT,
        title=marked("Range kept, mean over numbers"),
        measures=marked(
            "How much of the originals' range, from percentile 1 to 99, lies between the least and the largest avatar."
        ),
        at_worst=marked("avatars lie all in one point, or outside"),
        at_target=marked("at least %(target)s of the range is covered on average"),
        at_best=marked("avatars cover the whole range"),
    ),
    "sd_ratio_mean": replace(
        _KEPT,
        title=marked("Spread kept, mean over numbers"),
        measures=marked("The avatars' standard deviation divided by the originals'."),
        at_worst=marked("avatars do not vary at all"),
        at_target=marked("the spread is at least %(target)s of the originals' on average"),
        at_best=marked("avatars vary as much as originals; beyond it, more"),
        unit="ratio",
        best=1,
    ),
    "level_coverage_mean": replace(
        _KEPT,
        title=marked("Levels kept, mean over categories"),
        measures=marked("Share of individuals whose level some avatar still has."),
        at_worst=marked("no level of the originals is left"),
        at_target=marked("at least %(target)s of individuals find their level again on average"),
        at_best=marked("every level is still there"),
    ),
    "association_difference_mean": replace(
        _KEPT,
        title=marked("Associations, mean difference"),
        measures=marked(
            "By how much the strength of association of two columns (0 none, 1 complete) changes; the mean over pairs."
        ),
        at_worst=marked("associations are lost, or made up"),
        at_target=marked("associations change by at most %(target)s on average"),
        at_best=marked("every pair hangs together as before"),
        unit="ratio",
        worst=1,
        best=0,
    ),
    "association_difference_max": replace(
        _KEPT,
        title=marked("Associations, largest difference"),
        measures=marked("By how much the association of that pair of columns changes where it changes most."),
        at_worst=marked("one association is lost, or made up"),
        at_target=marked("no association changes by more than %(target)s"),
        at_best=marked("every pair hangs together as before"),
        unit="ratio",
        worst=1,
        best=0,
    ),
    "principal_space_agreement": replace(
        _KEPT,
        title=marked("Agreement of the principal spaces"),
        measures=marked(
            "How alike a projection fitted on avatars and one fitted on originals place the"
            " individuals: the mean squared"
            " cosine of their principal angles."
        ),
        at_worst=marked("the two projections have nothing in common"),
        at_target=marked("the projections agree to at least %(target)s"),
        at_best=marked("the two projections are the same"),
        unit="ratio",
        best=1,
    ),
    "discriminator_auc": replace(
        _KEPT,
        title=marked("Discriminator"),
        measures=marked(
            "How well a model learns to tell avatars from real people who were not used (area under the ROC curve). It"
            " speaks of likeness, not of safety: copies of people could not be told apart either."
        ),
        at_worst=marked("every avatar is recognised as one"),
        at_target=marked(
            "of an avatar and a person, the avatar is recognised at most %(target)s of the time (0 to 1)"
        ),
        at_best=marked("the model can only guess"),
        unit="ratio",
        worst=1,
        best=0.5,
        reference=marked("the same model between people who were used and people who were not"),
    ),
    "learning_score": replace(
        _KEPT,
        title=marked("Prediction, trained on avatars"),
        measures=marked(
            "How well a model trained on avatars predicts the named target of real people who were not used."
        ),
        at_worst=marked("it predicts nothing"),
        at_target=marked("it scores at least %(target)s"),
        at_best=marked("it predicts without error; the reference is what can be hoped for"),
        unit="ratio",
        best=1,
        leans=False,
        reference=marked("the same model trained on originals"),
    ),
}
