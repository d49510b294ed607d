"""How the typical individual stands to the exposed one: cumulative distributions beside their reference."""

from dataclasses import dataclass
from math import log1p

from markupsafe import Markup

from sosie.evaluation import Evaluation, Percentiles
from sosie.reports.language import Language
from sosie.reports.lines import Axis, Line, draw_lines, round_ticks

_DECILES = tuple(range(10, 100, 10))


@dataclass(frozen=True)
class Picture:
    """A drawing with its title, what it shows in one sentence, and the key of its lines (kind, words)."""

    title: str
    drawn: Markup
    finding: str
    key: tuple[tuple[str, str], ...]


def spreads(evaluation: Evaluation, language: Language) -> tuple[Picture, ...]:
    """Local cloaking, the distance to the closest and the ratio of the two closest, where they were measured."""
    pictures = []
    if evaluation.local_cloaking_deciles is not None:
        pictures.append(_cloaking(evaluation, evaluation.local_cloaking_deciles, language))
    if evaluation.closeness is not None:
        pictures.append(
            _percentiles(
                evaluation.closeness.distance,
                language.say("Distance to the closest"),
                language.say("distance in the projection"),
                language,
            )
        )
        pictures.append(
            _percentiles(
                evaluation.closeness.ratio,
                language.say("Closest distances ratio"),
                language.say("closest distance / second closest"),
                language,
            )
        )
    return tuple(pictures)


def _cloaking(evaluation: Evaluation, deciles: tuple[float, ...], language: Language) -> Picture:
    """On a logarithmic scale; the reference is an avatar picked at random, which tells nothing."""
    crowd = max(evaluation.rows.avatars - 1, 1)
    exposed = evaluation.metrics["local_cloaking_zero_share"].value or 0.0
    title = language.say("Local cloaking")
    finding = language.say(
        "Avatars of others to hide behind: at most %(low)s for one individual in ten, at most %(middle)s for half; an"
        " avatar picked at random would give half at most %(chance)s.",
        low=language.number(deciles[0]),
        middle=language.number(deciles[4]),
        chance=language.number(crowd / 2, 0),
    )
    stopped = evaluation.local_cloaking_most
    most = crowd + 1 if stopped is None else stopped
    axis = language.say("avatars of others at least as close")
    if stopped is not None:
        axis = language.say(
            "avatars of others at least as close, counted up to %(most)s", most=language.number(stopped)
        )
    random = tuple((log1p(crowd * share / 100), share) for share in range(101))
    marks = [0] + [10**power for power in range(len(str(crowd)))]
    ticks = tuple((log1p(mark), language.number(mark)) for mark in marks if mark <= crowd)
    drawn = draw_lines(
        (
            Line("holdout", random),
            Line(
                "avatars",
                (
                    (0.0, exposed),
                    *(
                        (log1p(value), share)
                        for value, share in zip(deciles, _DECILES, strict=True)
                        if 0 < value < most
                    ),
                ),
            ),
        ),
        Axis(0, log1p(crowd), ticks, axis),
        _shares(language),
        f"{title}. {finding}",
    )
    key = (
        ("avatars", language.say("the individual's own avatar")),
        ("holdout", language.say("an avatar picked at random")),
    )
    return Picture(title, drawn, finding, key)


def _percentiles(found: Percentiles, title: str, axis: str, language: Language) -> Picture:
    middle = found.percents.index(50.0)
    finding = language.say(
        "Median: %(avatars)s towards avatars, %(holdout)s towards the holdout; at percentile 2.5: %(low_avatars)s and"
        " %(low_holdout)s.",
        avatars=language.compact(found.avatars[middle]),
        holdout=language.compact(found.holdout[middle]),
        low_avatars=language.compact(found.avatars[0]),
        low_holdout=language.compact(found.holdout[0]),
    )
    most = max(*found.avatars, *found.holdout) or 1.0
    ticks = tuple((place, language.compact(place)) for place in round_ticks(0, most))
    # the two kinds are literals, which a loop over a tuple widens to str
    lines = tuple(
        Line(kind, tuple(zip(values, found.percents, strict=True)))  # type: ignore[arg-type]
        for kind, values in (("holdout", found.holdout), ("avatars", found.avatars))
    )
    drawn = draw_lines(lines, Axis(0, most, ticks, axis), _shares(language), f"{title}. {finding}")
    key = (("avatars", language.say("towards avatars")), ("holdout", language.say("towards the holdout")))
    return Picture(title, drawn, finding, key)


def _shares(language: Language) -> Axis:
    ticks = tuple((share, language.percent(share, 0)) for share in (0, 25, 50, 75, 100))
    return Axis(0, 100, ticks, language.say("individuals at or below"))
