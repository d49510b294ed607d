"""The verdict: what became of the table, why, and what usually helps."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sosie.evaluation import Evaluation
from sosie.reports.attack_explanations import REMEDY
from sosie.reports.attacks import Attacked
from sosie.reports.examination import blocked_sentence
from sosie.reports.figures import Figure
from sosie.reports.language import DECIMALS, Language
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile

Outcome = Literal["released", "rejected", "unchecked", "measured", "rejudged"]

_UNJUDGED = ("uninformative", "not-computed")


@dataclass(frozen=True)
class Remedy:
    """What usually helps the figures of these titles."""

    titles: str
    advice: str


@dataclass(frozen=True)
class Verdict:
    """What the page says first.

    `missed` are the figures that keep the table back or would have; `unjudged` those that have a target and no figure
    that could be held against it.
    """

    outcome: Outcome
    headline: str
    fate: str
    because: str
    recipient: str
    missed: tuple[Figure, ...]
    unjudged: tuple[Figure, ...]
    remedies: tuple[Remedy, ...]


def verdict(
    metrics: MetricsFile,
    manifest: Manifest,
    told: tuple[Figure, ...],
    found: Attacked,
    language: Language,
    profile: str | None = None,
) -> Verdict:
    """The verdict of a run that has figures; ValueError for a failed one, which has none.

    `profile` is another profile than the run's own, whose targets the figures were held against afterwards.
    """
    outcome = _outcome(metrics, manifest, profile)
    aimed = [figure for figure in told if figure.target]
    missed = tuple(figure for figure in aimed if figure.name in metrics.missed)
    return Verdict(
        outcome=outcome,
        headline=_headline(outcome, language),
        fate=_fate(outcome, language),
        because=_with_blocked(_because(len(missed), len(aimed), language), manifest, language),
        recipient=_recipient(profile or _targets(manifest).get("profile"), language),
        missed=missed,
        unjudged=tuple(
            figure for figure in aimed if figure.badge.shape in _UNJUDGED and figure not in missed
        ),
        remedies=_remedies(missed, found, language),
    )


def in_short(evaluation: Evaluation, found: Attacked, language: Language) -> tuple[str, ...]:
    """What a reader in a hurry should know: who could be found, which column changed most, held against whom."""
    worst = min(evaluation.variables, key=lambda variable: variable.hellinger, default=None)
    said = [found.summary]
    if found.advantages:
        said[0] += " " + " · ".join(found.advantages)
    said += _members_found(evaluation, language)
    said += _most_exposed(evaluation, language)
    if worst is not None:
        said.append(
            language.say(
                "The column that changed most is %(name)s: Hellinger score %(score)s, 100 being ideal.",
                name=worst.name,
                score=language.score(worst.hellinger),
            )
        )
    count = language.number(evaluation.rows.holdout)
    said.append(
        language.say(
            "The figures compare with %(count)s people who were kept apart before anything was fitted.",
            count=count,
        )
        if evaluation.holdout == "real"
        else language.say(
            "The figures compare with a random half (%(count)s) of the people whom the avatars were made from.",
            count=count,
        )
    )
    return tuple(said)


def _members_found(evaluation: Evaluation, language: Language) -> list[str]:
    """How many members the best of the membership attacks finds nearly for certain, where one was run."""
    figures = [
        evaluation.metrics.get(f"{attack}_found_at_1")
        for attack in ("membership", "membership_raw", "membership_density")
    ]
    rates = [figure.value for figure in figures if figure is not None and figure.value is not None]
    if not rates:
        return []
    return [
        language.say(
            "Somebody who holds a person's record finds up to %(share)s of the members in the avatars while taking one"
            " stranger in a hundred for a member.",
            share=language.percent(max(rates), DECIMALS),
        )
    ]


def _most_exposed(evaluation: Evaluation, language: Language) -> list[str]:
    """How well the worst hidden are hidden, where avatars are linked to their individuals."""
    zero = evaluation.metrics.get("local_cloaking_zero_share")
    isolated = evaluation.metrics.get("local_cloaking_isolated")
    if zero is None or isolated is None or zero.value is None or isolated.value is None:
        return []
    return [
        language.say(
            "%(share)s of individuals have no other avatar as close as their own; median local cloaking of the 2.5%%"
            " most isolated: %(count)s.",
            share=language.percent(zero.value),
            count=language.number(isolated.value),
        )
    ]


def _outcome(metrics: MetricsFile, manifest: Manifest, profile: str | None) -> Outcome:
    if manifest.status == "failed":
        raise ValueError("a failed run has no figures and so no report")
    if profile is not None:
        return "rejudged"
    if manifest.status == "rejected":
        return "rejected"
    if metrics.k is None:
        return "measured"
    return "unchecked" if _targets(manifest).get("mode") == "report" else "released"


def _headline(outcome: Outcome, language: Language) -> str:
    headlines: dict[Outcome, str] = {
        "released": language.say("Released"),
        "rejected": language.say("Not released"),
        "unchecked": language.say("Released, targets not enforced"),
        "measured": language.say("Measured only"),
        "rejudged": language.say("Held against another profile"),
    }
    return headlines[outcome]


def _fate(outcome: Outcome, language: Language) -> str:
    fates: dict[Outcome, str] = {
        "released": language.say("The avatars were released."),
        "rejected": language.say("No avatars were released."),
        "unchecked": language.say(
            "The avatars were released whatever their figures: targets were reported only."
        ),
        "measured": language.say(
            "Avatars made elsewhere were measured; nothing was released or held back here."
        ),
        "rejudged": language.say(
            "The figures of a run that has ended, beside targets that it was not asked to meet:"
            " nothing is released or held"
            " back by this page."
        ),
    }
    return fates[outcome]


def _because(missed: int, aimed: int, language: Language) -> str:
    if aimed == 0:
        return language.say("No target was set: the figures are shown, nothing was asked of them.")
    if missed == 0:
        return language.say_count(
            "The one target that was set is not missed.", "None of the %(count)s targets is missed.", aimed
        )
    return language.say_count(
        "%(count)s of %(aimed)s targets is missed.",
        "%(count)s of %(aimed)s targets are missed.",
        missed,
        aimed=language.number(aimed),
    )


def _with_blocked(because: str, manifest: Manifest, language: Language) -> str:
    """Also how many critical expectations keep the table back."""
    if manifest.expectations is None or not manifest.expectations.blocks:
        return because
    return f"{because} {blocked_sentence(manifest.expectations, language)}"


def _remedies(missed: tuple[Figure, ...], found: Attacked, language: Language) -> tuple[Remedy, ...]:
    """One remedy for all figures that share it: those that miss a target, and attacks that found something."""
    unknown = language.say("This report knows no usual remedy.")
    titles: dict[str, list[str]] = {}
    for figure in missed:
        titles.setdefault(figure.remedy or unknown, []).append(figure.title)
    for title in found.advantages:
        named = titles.setdefault(language.say(REMEDY), [])
        named += [] if title in named else [title]
    return tuple(Remedy(" · ".join(figures), advice) for advice, figures in titles.items())


def _recipient(profile: object, language: Language) -> str:
    recipients = {
        "internal": language.say(
            "The targets are those of the profile “internal”: the table stays with people who may see the originals."
        ),
        "partner": language.say(
            "The targets are those of the profile “partner”, the usual one: the table goes to a known recipient under"
            " contract."
        ),
        "open": language.say("The targets are those of the profile “open”: anyone may have the table."),
    }
    return recipients.get(str(profile), "")


def _targets(manifest: Manifest) -> Mapping[str, Any]:
    targets = (manifest.parameters or {}).get("targets", {})
    return targets if isinstance(targets, Mapping) else {}
