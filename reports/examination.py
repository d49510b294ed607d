"""Data Docs: the page that shows an auditor what a table was held against before its release, and the list of runs.

Written by our own templates rather than Great Expectations' site, which loads styles and scripts from elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sosie.reports.expected import subject, wanted
from sosie.reports.language import Code, Language, load_language
from sosie.reports.provenance import Fact
from sosie.reports.rendering import environment
from sosie.schemas.examination import Counts, Examination, ExaminationCounts, Outcome
from sosie.schemas.expectations import Severity
from sosie.schemas.manifest import Manifest, Status

Tone = Literal["released", "unchecked", "rejected"]


@dataclass(frozen=True)
class Mark:
    """A word with the shape that goes with it."""

    shape: Literal["pass", "fail", "not-computed", "info", "unchecked"]
    text: str


@dataclass(frozen=True)
class Examined:
    """Which run's table was examined: its name, source, its hash, when it started, and how many rows there were.

    `listed`: other runs are listed beside it.
    """

    run: str
    source: str
    source_sha256: str
    started: str
    rows: int
    listed: bool


@dataclass(frozen=True)
class Row:
    """One expectation in words; `code` is the library's own name for it."""

    column: str
    subject: str
    wanted: str
    severity: str
    code: str
    origin: str
    badge: Mark


@dataclass(frozen=True)
class Group:
    """The expectations of one column, or of the table as a whole; `badge` is the worst of them."""

    title: str
    whole: bool
    badge: Mark
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Tally:
    """How many of one severity came to what."""

    severity: str
    meaning: str
    met: str
    missed: str
    not_computed: str


@dataclass(frozen=True)
class ExaminationPage:
    """The page of one run."""

    language: Code
    run: str
    source: str
    source_sha256: str
    started: str
    rows: str
    listed: bool
    library: str
    tone: Tone
    headline: str
    because: str
    tallies: tuple[Tally, ...]
    troubles: tuple[Row, ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class ListedRun:
    """A run in the list; `examined` says that it has a page of its own."""

    name: str
    examined: bool
    source: str
    started: str
    status: Mark
    expectations: Mark
    critical: str
    warnings: str


@dataclass(frozen=True)
class IndexPage:
    """The list of runs."""

    language: Code
    runs: tuple[ListedRun, ...]
    summary: str


def render_examination(examination: Examination, of: Examined, language: Code) -> str:
    """One HTML page that needs nothing but itself, for people who may see the originals."""
    page = make_examination(examination, of, load_language(language))
    return environment(language).get_template("examination.html").render(page=page)


def render_index(manifests: Sequence[Manifest], language: Code) -> str:
    """The list of runs, in the order given, each with a link to its page where it has one."""
    spoken = load_language(language)
    runs = tuple(_listed(manifest, spoken) for manifest in manifests)
    examined = sum(run.examined for run in runs)
    summary = spoken.say_count(
        "%(count)s run, %(examined)s examined.",
        "%(count)s runs, %(examined)s examined.",
        len(runs),
        examined=spoken.number(examined),
    )
    page = IndexPage(language, runs, summary)
    return environment(language).get_template("examinations.html").render(page=page)


def make_examination(examination: Examination, of: Examined, language: Language) -> ExaminationPage:
    """The page of one run, in words."""
    counts = examination.counts
    tone = _tone(counts)
    rows = [_row(outcome, language) for outcome in examination.outcomes]
    troubles = [row for row, outcome in zip(rows, examination.outcomes, strict=True) if outcome.fate != "met"]
    critical = language.say("critical")
    return ExaminationPage(
        language=language.code,
        run=of.run,
        source=of.source,
        source_sha256=of.source_sha256,
        started=language.moment(of.started),
        rows=language.number(of.rows),
        listed=of.listed,
        library=examination.library or language.say("not asked"),
        tone=tone,
        headline=_headline(tone, language),
        because=_because(counts, language),
        tallies=(
            _tally(
                critical, language.say("A table that misses one is not released."), counts.critical, language
            ),
            _tally(language.say("warning"), language.say("Reported only."), counts.warning, language),
        ),
        troubles=tuple(sorted(troubles, key=lambda row: row.severity != critical)),
        groups=_groups(examination.outcomes, rows, language),
    )


def examined_facts(manifest: Manifest, language: Language) -> tuple[Fact, ...]:
    """For the report: how many expectations of each severity were met; none where the table was not examined."""
    counts = manifest.expectations
    if counts is None:
        return ()
    return (
        Fact(
            language.say("critical"),
            _met(counts.critical, language),
            language.say("A table that misses one is not released."),
        ),
        Fact(language.say("warning"), _met(counts.warning, language), language.say("Reported only.")),
    )


def blocked_sentence(counts: ExaminationCounts, language: Language) -> str:
    """How many critical expectations keep the table back; empty when none does."""
    blocking = counts.critical.all - counts.critical.met
    if not blocking:
        return ""
    return language.say_count(
        "%(count)s critical expectation is not met.", "%(count)s critical expectations are not met.", blocking
    )


def _tone(counts: ExaminationCounts) -> Tone:
    if counts.blocks:
        return "rejected"
    return "released" if counts.warning.met == counts.warning.all else "unchecked"


def _headline(tone: Tone, language: Language) -> str:
    headlines: dict[Tone, str] = {
        "released": language.say("Every expectation is met"),
        "unchecked": language.say("Nothing critical, but warnings"),
        "rejected": language.say("The table must not be released"),
    }
    return headlines[tone]


def _because(counts: ExaminationCounts, language: Language) -> str:
    critical, warning = counts.critical, counts.warning
    return language.say(
        "Critical: %(met)s of %(all)s met. Warnings: %(fine)s of %(asked)s met.",
        met=language.number(critical.met),
        all=language.number(critical.all),
        fine=language.number(warning.met),
        asked=language.number(warning.all),
    )


def _tally(severity: str, meaning: str, counts: Counts, language: Language) -> Tally:
    met, missed, not_computed = (
        language.number(count) for count in (counts.met, counts.missed, counts.not_computed)
    )
    return Tally(severity, meaning, met, missed, not_computed)


def _row(outcome: Outcome, language: Language) -> Row:
    asked = outcome.asked
    origins = {
        "contract": language.say("from the originals"),
        "own": language.say("from the configuration"),
        "check": language.say("from the configuration"),
    }
    return Row(
        column=" · ".join(asked.columns) or language.say("The table as a whole"),
        subject=subject(asked, language),
        wanted=wanted(asked, language),
        severity=_severity(asked.severity, language),
        code=f"pandera {getattr(asked, 'rule', '')}"
        if outcome.origin == "check"
        else getattr(asked, "type", ""),
        origin=origins[outcome.origin],
        badge=_badge(outcome, language),
    )


def _severity(severity: Severity, language: Language) -> str:
    return language.say("critical") if severity == "critical" else language.say("warning")


def _badge(outcome: Outcome, language: Language) -> Mark:
    """Met, or not: a missed warning looks less severe than what keeps the table back."""
    if outcome.fate == "met":
        return Mark("pass", language.say("met"))
    said = language.say("missed") if outcome.fate == "missed" else language.say("not computed")
    return Mark("fail" if outcome.asked.severity == "critical" else "unchecked", said)


def _groups(outcomes: Sequence[Outcome], rows: Sequence[Row], language: Language) -> tuple[Group, ...]:
    """The table as a whole first, then each column where it is first named."""
    members: dict[tuple[str, ...], list[int]] = {(): []}
    for place, outcome in enumerate(outcomes):
        members.setdefault(outcome.asked.columns, []).append(place)
    groups = []
    for columns, places in members.items():
        if places:
            title = " · ".join(columns) or language.say("The table as a whole")
            found = tuple(rows[place] for place in places)
            worst = max((row.badge for row in found), key=lambda badge: _WORSE.index(badge.shape))
            groups.append(Group(title, not columns, worst, found))
    return tuple(groups)


_WORSE = ("pass", "unchecked", "fail")


def _listed(manifest: Manifest, language: Language) -> ListedRun:
    counts = manifest.expectations
    return ListedRun(
        name=manifest.run,
        examined=counts is not None,
        source=manifest.source_name or manifest.run,
        started=language.moment(manifest.started),
        status=_status(manifest.status, language),
        expectations=_examined(counts, language),
        critical="–" if counts is None else _met(counts.critical, language),
        warnings="–" if counts is None else _met(counts.warning, language),
    )


def _met(counts: Counts, language: Language) -> str:
    return language.say(
        "%(met)s of %(all)s", met=language.number(counts.met), all=language.number(counts.all)
    )


def _status(status: Status, language: Language) -> Mark:
    badges: dict[Status, Mark] = {
        "released": Mark("pass", language.say("released")),
        "rejected": Mark("fail", language.say("not released")),
        "failed": Mark("not-computed", language.say("failed")),
    }
    return badges[status]


def _examined(counts: ExaminationCounts | None, language: Language) -> Mark:
    if counts is None:
        return Mark("info", language.say("not examined"))
    badges: dict[Tone, Mark] = {
        "released": Mark("pass", language.say("all met")),
        "unchecked": Mark("unchecked", language.say("warnings")),
        "rejected": Mark("fail", language.say("critical missed")),
    }
    return badges[_tone(counts)]
