"""What avatars are good for, as the page tells it: associations, learning, survival."""

from dataclasses import dataclass

from markupsafe import Markup

from sosie.estimates import Estimate, NotComputed
from sosie.reports.language import Language
from sosie.reports.lines import Axis, Line, draw_lines, round_ticks
from sosie.reports.matrix import draw_matrix
from sosie.reports.spreads import Picture
from sosie.utility import AssociationChange, Discriminator, Learning, PrincipalAgreement, Survival, Utility
from sosie.utility.principal_space import MOST_ROWS
from sosie.utility.survival import Curve

_MOST_DRAWN = 24  # as many as leave room for their names


@dataclass(frozen=True)
class Associations:
    """Three matrices of the same columns; empty where they could not be computed, with the reason as finding."""

    pictures: tuple[Picture, ...]
    finding: str
    left_out: str
    rows: tuple[str, ...]


@dataclass(frozen=True)
class ModelRow:
    """One kind of model trained on each side, tested on the holdout."""

    model: str
    originals: str
    avatars: str
    difference: str


@dataclass(frozen=True)
class Learnt:
    """How models do; without rows, `finding` says why."""

    finding: str
    rows: tuple[ModelRow, ...]


@dataclass(frozen=True)
class HazardRow:
    """One group's hazard ratio on each side."""

    group: str
    originals: str
    avatars: str


@dataclass(frozen=True)
class Survived:
    """Curves and hazard ratios; without pictures, `finding` says why."""

    finding: str
    curves: tuple[Picture, ...]
    reference: str
    rows: tuple[HazardRow, ...]


@dataclass(frozen=True)
class Use:
    """What the page prints of use, beside the figures; None where it was not asked for.

    `sizes` says how many rows the figures rest on that need a sample of large tables; it may be empty.
    """

    associations: Associations
    sizes: str
    learning: Learnt | None
    survival: Survived | None


def use(utility: Utility, language: Language) -> Use:
    """The parts of use that were computed or could not be."""
    asked = utility.learning if isinstance(utility.learning, Learning) else None
    followed = utility.survival if isinstance(utility.survival, Survival) else None
    return Use(
        associations=_associations(utility.associations, language),
        sizes=_sizes(utility, language),
        learning=None if asked is None else _learnt(asked, language),
        survival=None if followed is None else _survived(followed, language),
    )


def _sizes(utility: Utility, language: Language) -> str:
    said = []
    if isinstance(utility.associations, AssociationChange):
        said.append(
            language.say(
                "Associations were computed on %(rows)s rows of each table, or all where it has fewer.",
                rows=language.number(utility.associations.rows),
            )
        )
    if isinstance(utility.principal_space, PrincipalAgreement):
        said.append(
            language.say(
                "Principal components were computed on at most %(rows)s rows of each table.",
                rows=language.number(MOST_ROWS),
            )
        )
    if isinstance(utility.discriminator, Discriminator):
        said.append(
            language.say(
                "The discriminator learnt from one half of %(rows)s rows of each side and judged the other half.",
                rows=language.number(utility.discriminator.rows),
            )
        )
    return " ".join(said)


def _associations(change: AssociationChange | NotComputed, language: Language) -> Associations:
    if isinstance(change, NotComputed):
        return Associations((), language.quote(change.reason), "", ())
    worst = change.worst
    finding = language.say(
        "Largest change: %(first)s and %(second)s, %(originals)s among originals, %(avatars)s among avatars."
        " Computed on %(computed)s of %(pairs)s pairs.",
        first=worst.first,
        second=worst.second,
        originals=language.score(worst.originals, 2),
        avatars=language.score(worst.avatars, 2),
        computed=language.number(change.computed),
        pairs=language.number(change.pairs),
    )
    kept = _kept(change)
    names = [change.names[place] for place in kept]
    left_out = ""
    if len(kept) < len(change.names):
        left_out = language.say(
            "Drawn are the %(drawn)s columns whose associations change most; every pair counts in the figures.",
            drawn=language.number(len(kept)),
        )
    pictures = []
    for title, cells in (
        (language.say("Originals"), change.originals),
        (language.say("Avatars"), change.avatars),
        (language.say("Difference"), change.difference),
    ):
        shown = [[cells[row][column] for column in kept] for row in kept]
        alternative = language.say("Associations, %(title)s. %(finding)s", title=title, finding=finding)
        drawn = draw_matrix(shown, names, alternative)
        pictures.append(Picture(title, drawn, "", ()))
    reasons = tuple(
        language.say(
            "%(count)s: %(reason)s", count=language.number(gap.pairs), reason=language.quote(gap.reason)
        )
        for gap in change.uncounted
    )
    return Associations(tuple(pictures), finding, left_out, reasons)


def _kept(change: AssociationChange) -> list[int]:
    """Positions of the columns with the largest differences, in the table's order."""
    largest = [
        max((abs(value) for value in row if value is not None), default=0.0) for row in change.difference
    ]
    order = sorted(range(len(largest)), key=lambda place: -largest[place])[:_MOST_DRAWN]
    return sorted(order)


def _learnt(learning: Learning, language: Language) -> Learnt:
    scores = {
        "auc": language.say("area under the ROC curve"),
        "balanced accuracy": language.say("balanced accuracy"),
        "r2": language.say("R²"),
    }
    kinds = {"gradient boosting": language.say("gradient boosting"), "linear": language.say("linear model")}
    finding = language.say(
        "Target: %(target)s. Score: %(score)s, on %(test)s rows of the holdout, trained on %(train)s rows.",
        target=learning.target,
        score=scores[learning.scoring],
        test=language.number(learning.test_rows),
        train=language.number(learning.train_rows),
    )
    rows = tuple(
        ModelRow(
            kinds[scored.model],
            _estimate(scored.originals, language),
            _estimate(scored.avatars, language),
            _estimate(scored.difference, language),
        )
        for scored in learning.models
    )
    return Learnt(finding, rows)


def _estimate(estimate: Estimate, language: Language) -> str:
    return language.say(
        "%(value)s (%(low)s to %(high)s)",
        value=language.score(estimate.value, 3),
        low=language.score(estimate.low, 3),
        high=language.score(estimate.high, 3),
    )


def _survived(survival: Survival, language: Language) -> Survived:
    finding = language.say(
        "Share without the event (%(event)s) over time (%(duration)s).",
        event=survival.event,
        duration=survival.duration,
    )
    if survival.withheld:
        finding += " " + language.say_count(
            "%(count)s group with too few events is not shown.",
            "%(count)s groups with too few events are not shown.",
            survival.withheld,
        )
    curves = tuple(_curve(found.group, found.curve, survival, language) for found in survival.curves)
    ratios = survival.hazard_ratios
    if isinstance(ratios, NotComputed):
        return Survived(finding, curves, "", ())
    sides = [
        [language.quote(side.reason)] * len(ratios.groups)
        if isinstance(side, NotComputed)
        else [_estimate(estimate, language) for estimate in side]
        for side in (ratios.originals, ratios.avatars)
    ]
    rows = tuple(HazardRow(*row) for row in zip(ratios.groups, *sides, strict=True))
    return Survived(finding, curves, ratios.reference, rows)


def _curve(group: str, found: Curve | NotComputed, survival: Survival, language: Language) -> Picture:
    title = f"{survival.group} = {group}" if group else language.say("Everybody")
    if isinstance(found, NotComputed):
        return Picture(title, Markup(""), language.quote(found.reason), ())
    last = max(found.times[-1], 1e-12)
    ticks = tuple((place, language.compact(place)) for place in round_ticks(0, last))
    shares = tuple((share, language.percent(100 * share, 0)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    finding = language.say(
        "At the end: %(originals)s of originals, %(avatars)s of avatars.",
        originals=language.share(found.originals[-1]),
        avatars=language.share(found.avatars[-1]),
    )
    drawn = draw_lines(
        (
            Line("originals-line", tuple(zip(found.times, found.originals, strict=True)), steps=True),
            Line("avatars", tuple(zip(found.times, found.avatars, strict=True)), steps=True),
        ),
        Axis(0, last, ticks, survival.duration),
        Axis(0, 1, shares, language.say("without the event")),
        f"{title}. {finding}",
    )
    key = (("originals-line", language.say("originals")), ("avatars", language.say("avatars")))
    return Picture(title, drawn, finding, key)
