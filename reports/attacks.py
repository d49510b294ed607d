"""The attacks as the page tells them: the three criteria of WP29 Opinion 05/2014, membership, copies."""

from collections.abc import Sequence
from dataclasses import dataclass

from sosie.attacks import Attack, Attacks, Estimate, Inference, Membership, NotComputed
from sosie.reports.copies import ColumnRow, CopyRow, copied_columns, copy_rows
from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.language import Language
from sosie.reports.lines import Axis, Kind, Line, draw_lines
from sosie.reports.spreads import Picture

_MOST_SECRETS = 20
_LINES: tuple[Kind, ...] = ("avatars", "second", "third")


@dataclass(frozen=True)
class Finding:
    """What an attack found, in words; `detected` says whether it found an advantage."""

    detected: bool
    text: str


@dataclass(frozen=True)
class AttackRow:
    """One attack in numbers; where it was not run, `reason` says why and the rest is empty."""

    title: str
    main: str
    control: str
    baseline: str
    gain: str
    interval: str
    attempts: str
    worst: str
    finding: Finding
    reason: str


@dataclass(frozen=True)
class Criterion:
    """One of the three criteria, its question and the attacks that ask it."""

    title: str
    question: str
    rows: tuple[AttackRow, ...]


@dataclass(frozen=True)
class MembershipRow:
    """One membership attack; where it was not run, `reason` says why and the rest is empty."""

    title: str
    area: str
    area_interval: str
    found: tuple[str, ...]
    isolated: str
    attempts: str
    finding: Finding
    reason: str


@dataclass(frozen=True)
class Attacked:
    """Everything of the attacks that the page prints; `advantages` are the titles of those that found one."""

    summary: str
    advantages: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    membership: tuple[MembershipRow, ...]
    roc: Picture | None
    copies: tuple[CopyRow, ...]
    copied_columns: tuple[ColumnRow, ...]
    secrets: tuple[AttackRow, ...]


def attacked(attacks: Attacks, language: Language) -> Attacked:
    """The attacks in words and numbers."""
    inference = attacks.inference
    worst = inference if isinstance(inference, NotComputed) else inference.worst
    members = {
        "membership_auc": attacks.membership_projected,
        "membership_raw_auc": attacks.membership_raw,
        "membership_density_auc": attacks.membership_density,
    }
    rows = {
        "singling_out_univariate": attacks.singling_out_univariate,
        "singling_out_multivariate": attacks.singling_out_multivariate,
        "linkability": attacks.linkability,
        "inference": worst,
    }
    found = {
        name: _row(title_of(name, language), attack, language, _most_exposed(name, attack))
        for name, attack in rows.items()
    }
    membership = tuple(
        _membership(title_of(name, language), attack, language) for name, attack in members.items()
    )
    told: list[AttackRow | MembershipRow] = [*found.values(), *membership]
    advantages = tuple(row.title for row in told if row.finding.detected)
    return Attacked(
        summary=_summary(len(advantages), len([row for row in told if not row.reason]), language),
        advantages=advantages,
        criteria=(
            Criterion(
                language.say("Singling out"),
                language.say("Can one person be picked out of the table?"),
                (found["singling_out_univariate"], found["singling_out_multivariate"]),
            ),
            Criterion(
                language.say("Linkability"),
                language.say("Can two records of one person be linked through the table?"),
                (found["linkability"],),
            ),
            Criterion(
                language.say("Inference"),
                language.say("Can something unknown of a person be guessed from the table?"),
                (found["inference"],),
            ),
        ),
        membership=membership,
        roc=_roc(
            [attack for attack in members.values() if isinstance(attack, Membership)], members, language
        ),
        copies=() if isinstance(attacks.copies, NotComputed) else copy_rows(attacks.copies, language),
        copied_columns=()
        if isinstance(attacks.copies, NotComputed)
        else copied_columns(attacks.copies, language),
        secrets=() if isinstance(inference, NotComputed) else _secrets(inference, language),
    )


def _most_exposed(name: str, attack: Attack | NotComputed) -> str:
    """The column that the figures belong to; what linkability names is what one party knows."""
    if isinstance(attack, NotComputed) or name == "linkability":
        return ""
    return attack.worst or ""


def title_of(name: str, language: Language) -> str:
    """The human title of a figure."""
    return language.say(EXPLANATIONS[name].title)


def _summary(advantages: int, run: int, language: Language) -> str:
    if run == 0:
        return language.say("No attack could be run, so nothing is known of what attackers would find.")
    if advantages == 0:
        return language.say_count(
            "The one attack that was run detected no advantage over strangers. That is not a proof of safety.",
            "None of the %(count)s attacks that were run detected an advantage over strangers. That is not a proof"
            " of safety.",
            run,
        )
    return language.say_count(
        "%(count)s of %(run)s attacks works better on people who were used than on strangers.",
        "%(count)s of %(run)s attacks work better on people who were used than on strangers.",
        advantages,
        run=language.number(run),
    )


def _finding(detected: bool, attempts: int, language: Language) -> Finding:
    count = language.number(attempts)
    if detected:
        return Finding(True, language.say("advantage detected (n = %(count)s)", count=count))
    return Finding(False, language.say("no advantage detected (n = %(count)s)", count=count))


def _row(title: str, attack: Attack | NotComputed, language: Language, worst: str = "") -> AttackRow:
    if isinstance(attack, NotComputed):
        nothing = Finding(False, language.say("not computed"))
        return AttackRow(title, "", "", "", "", "", "", "", nothing, language.quote(attack.reason))
    risk = attack.risk
    finding = _finding(attack.advantage_detected, attack.main.attempts, language)
    if not attack.better_than_guessing and not attack.advantage_detected:
        weak = language.say("%(finding)s; it did not beat guessing, so it says little", finding=finding.text)
        finding = Finding(False, weak)
    return AttackRow(
        title=title,
        main=language.share(attack.main.value),
        control=language.share(attack.control.value),
        baseline=language.share(attack.baseline.value),
        gain=language.share(risk.value),
        interval=_interval(risk, language),
        attempts=language.number(attack.main.attempts),
        worst=worst,
        finding=finding,
        reason="",
    )


def _membership(title: str, attack: Membership | NotComputed, language: Language) -> MembershipRow:
    if isinstance(attack, NotComputed):
        nothing = Finding(False, language.say("not computed"))
        return MembershipRow(title, "", "", (), "", "", nothing, language.quote(attack.reason))
    overall, isolated = attack.overall, attack.isolated
    return MembershipRow(
        title=title,
        area=language.score(overall.auc.value, 3),
        area_interval=_area(overall.auc, language),
        found=tuple(
            language.say("not computed") if isinstance(rate, NotComputed) else language.share(rate.value)
            for _, rate in overall.true_positives
        ),
        isolated=language.say("not computed")
        if isinstance(isolated, NotComputed)
        else f"{language.score(isolated.auc.value, 3)} ({_area(isolated.auc, language)})",
        attempts=language.number(overall.members),
        finding=_finding(attack.advantage_detected, overall.members, language),
        reason="",
    )


def _interval(estimate: Estimate, language: Language) -> str:
    return language.say(
        "%(low)s to %(high)s", low=language.share(estimate.low), high=language.share(estimate.high)
    )


def _area(estimate: Estimate, language: Language) -> str:
    return language.say(
        "%(low)s to %(high)s", low=language.score(estimate.low, 3), high=language.score(estimate.high, 3)
    )


def _roc(
    attacks: Sequence[Membership], named: dict[str, Membership | NotComputed], language: Language
) -> Picture | None:
    if not attacks:
        return None
    run = [name for name, attack in named.items() if isinstance(attack, Membership)]
    best = max(attacks, key=lambda attack: attack.overall.auc.value)
    title = language.say("Membership: true against false alarms")
    finding = language.say(
        "A curve along the diagonal is tossing a coin; the more it bends to the upper left, the more people are found."
        " The largest area below a curve is %(area)s.",
        area=language.score(best.overall.auc.value, 3),
    )
    ticks = tuple((share, language.percent(100 * share, 0)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    drawn = draw_lines(
        [
            Line("chance", ((0.0, 0.0), (1.0, 1.0))),
            *(Line(kind, attack.roc) for kind, attack in zip(_LINES, attacks, strict=False)),
        ],
        Axis(0, 1, ticks, language.say("strangers wrongly named")),
        Axis(0, 1, ticks, language.say("people who were used, found")),
        f"{title}. {finding}",
    )
    key = (
        *((kind, title_of(name, language)) for kind, name in zip(_LINES, run, strict=False)),
        ("chance", language.say("tossing a coin")),
    )
    return Picture(title, drawn, finding, key)


def _secrets(inference: Inference, language: Language) -> tuple[AttackRow, ...]:
    """The columns that give most away, worst first; those that could not be attacked last, with the reason."""

    def order(found: tuple[str, Attack | NotComputed]) -> tuple[float, float]:
        attack = found[1]
        return (2.0, 0.0) if isinstance(attack, NotComputed) else (attack.p_value, -attack.risk.value)

    rows = sorted(inference.by_secret, key=order)
    return tuple(_row(name, attack, language) for name, attack in rows[:_MOST_SECRETS])
