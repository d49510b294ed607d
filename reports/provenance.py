"""How the avatars were made and from what: parameters without the seed, hashes, versions, durations, warnings."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sosie.errors import Notice
from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.language import Language, marked
from sosie.schemas.manifest import Manifest

_NEVER_SHOWN = "seed"  # the manifest holds none; should one ever slip in, it stops here

_FIGURE = re.compile(rf"\b({'|'.join(sorted(EXPLANATIONS, key=len, reverse=True))})\b")
_OF_COLUMNS: Mapping[str, object] = {"weight": 1, "role": "keep"}

_MEANINGS: Mapping[str, str] = {
    "method.k": marked("neighbours that each avatar is drawn from"),
    "method.ncp": marked("components on which neighbours are found"),
    "method.weights": marked("law of the neighbours' weights"),
    "method.zero_distance": marked("what becomes of a neighbour at distance 0"),
    "method.categories": marked("how a level is chosen among the neighbours'"),
    "method.integers": marked("how integers are decoded"),
    "method.imputation": marked("temporary imputation, for the projection only"),
    "holdout.mode": marked("how the holdout was asked for"),
    "holdout.min_rows": marked("fewest rows for a real holdout in mode auto"),
    "release": marked("full: the avatars of all rows leave; working: the very avatars that were measured"),
    "rare_values.min_count": marked("a level held by fewer individuals is rare"),
    "rare_values.label": marked("label under which rare levels are merged"),
    "targets.mode": marked("enforce: a miss releases nothing; report: measured, never held back"),
    "targets.profile": marked("whom the table goes to"),
    "batches.rows": marked("most rows in a batch"),
    "batches.by": marked("how a large table is cut"),
    "batches.streamed": marked("whether the table may be, or must be, read in pieces"),
    "batches.in_memory": marked("most rows that are held in memory"),
    "runner.kind": marked("who works on batches; no figure depends on it"),
    "runner.workers": marked("batches worked on at once; no figure depends on it"),
    "attacks.quasi_identifiers": marked(
        "columns that an attacker is taken to know; not set: all but the secret"
    ),
    "attacks.secrets": marked("columns that an attacker wants; not set: each in turn"),
    "attacks.attempts": marked("targets or conditions tried by each attack"),
    "utility.target": marked("column that models learn to predict"),
    "utility.survival.duration": marked("how long each individual was followed"),
    "utility.survival.event": marked("whether the event came"),
    "utility.survival.group": marked("groups that are compared"),
    "utility.survival.reference": marked("group that others are held against"),
    "utility.survival.event_values": marked("values that say the event came"),
    "expectations.run": marked("whether the table is examined before its release; auto: where Prefect runs"),
    "expectations.means": marked("how far a mean may move, in standard deviations"),
    "expectations.spreads": marked("how far a standard deviation may move, as a share of itself"),
    "expectations.gaps": marked("how far a share of missing values may move"),
    "repeats": marked("draws that were measured"),
    "report.language": marked("language of the report"),
    "report.assessment": marked("whether the technical assessment is written too"),
    "workers": marked("threads; −1: all cores; no figure depends on it"),
    "constraints": marked("relations between columns that avatars keep"),
}

_WARNINGS: Mapping[str, tuple[str, str]] = {
    "ALL_MISSING": (marked("Empty columns"), marked("They hold no value and come back empty.")),
    "CONSTANT_COLUMN": (
        marked("Constant columns"),
        marked("They hold one value only, which comes back unchanged."),
    ),
    "LARGE_INTEGER": (
        marked("Large integers"),
        marked("They exceed what a floating-point number holds exactly and were kept exact by other means."),
    ),
    "SENTINEL_SUSPECTED": (
        marked("Codes that may stand for “missing”"),
        marked(
            "A value looks like a code rather than a measurement; declared as missing code it would not be averaged."
        ),
    ),
    "RARE_VALUE": (
        marked("Rare values"),
        marked(
            "Few individuals share a value and may be recognised by it; merging rare levels usually helps."
        ),
    ),
    "UNIQUE_MISSING_PATTERN": (
        marked("Rare patterns of missing values"),
        marked(
            "Some rows have a combination of missing values that no other row has; an avatar may repeat it."
        ),
    ),
    "MIXED_OFFSETS": (
        marked("Mixed time zones"),
        marked("Moments of different offsets were brought to one zone."),
    ),
    "HIGH_CARDINALITY": (
        marked("Many levels"),
        marked(
            "Levels shared by few individuals carry little statistics and much identity; grouping them usually helps."
        ),
    ),
    "UNINFORMATIVE_METRIC": (
        marked("Uninformative figures"),
        marked(
            "Their reference is zero, so there is nothing to compare with: they must not be read as safe."
        ),
    ),
    "SAMPLED_FIGURES": (
        marked("Figures from a sample"),
        marked(
            "The table was larger than memory: distances, attacks and utility were measured on individuals drawn at "
            "random. Attacks saw the avatars of these only, which leaves fewer to hide among: they lean towards risk."
        ),
    ),
    "APPROXIMATE_HOLDOUT": (
        marked("Approximate holdout"),
        marked("The table is small: rows set apart for comparison had a part in the avatars."),
    ),
    "FIXED_SEED": (
        marked("Seed chosen by the user"),
        marked("Whoever knows the seed can undo the shuffle; keep it as secret as the originals."),
    ),
    "SHARED_SEED": (
        marked("Seed of an earlier run"),
        marked("Two releases from one seed can be linked row by row: only one of them may ever leave."),
    ),
    "FORMAT_CHANGED": (
        marked("Another file format"),
        marked("The avatars could not be written in the source's own format."),
    ),
    "MISSING_CODES_MERGED": (
        marked("Missing values written alike"),
        marked("Several codes for missing values come back as one."),
    ),
    "DUPLICATE_ROWS": (
        marked("Identical rows"),
        marked(
            "Some rows equal another one; when a person has several rows, only one of them should be kept."
        ),
    ),
}


@dataclass(frozen=True)
class Fact:
    """A name, a value and, where it needs one, a sentence."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class Detail:
    """One warning in full; `foreign` says that the sentence is still English."""

    column: str
    message: str
    foreign: bool


@dataclass(frozen=True)
class WarningGroup:
    """The warnings of one code."""

    code: str
    title: str
    meaning: str
    columns: tuple[str, ...]
    details: tuple[Detail, ...]


def parameters(manifest: Manifest, language: Language) -> tuple[Fact, ...]:
    """Every parameter as a dotted key, its value and its meaning where it is known."""
    return tuple(
        Fact(key, _value(value, language), language.say(_MEANINGS[key]) if key in _MEANINGS else "")
        for key, value in _flat(manifest.parameters or {})
        if key.rpartition(".")[2] != _NEVER_SHOWN and not _is_default(key, value)
    )


def provenance(manifest: Manifest, language: Language) -> tuple[Fact, ...]:
    """What was run on what, and when."""
    written = {
        language.say("Run"): manifest.run,
        language.say("Started"): language.moment(manifest.started),
        language.say("Source"): manifest.source_name,
        language.say("SHA-256 of the source"): manifest.source_sha256,
        language.say("Rows of the source"): _count(manifest.rows, language),
        language.say("Columns"): _count(
            None if manifest.columns is None else len(manifest.columns), language
        ),
        language.say("SHA-256 of the configuration"): manifest.configuration_sha256,
        language.say("SHA-256 of the program"): manifest.program and manifest.program.sha256,
        language.say("Batches"): _count(manifest.batches, language),
        language.say("Most memory used"): manifest.peak_memory_mb
        and language.say("%(megabytes)s MB", megabytes=language.number(manifest.peak_memory_mb, 0)),
    }
    return tuple(
        Fact(name, str(value) if value else language.say("not recorded"), "")
        for name, value in written.items()
    )


def versions(manifest: Manifest) -> tuple[Fact, ...]:
    """Of the software that computed."""
    return tuple(Fact(name, version, "") for name, version in manifest.versions.items())


def durations(manifest: Manifest, language: Language) -> tuple[Fact, ...]:
    """Of each step, in order."""
    return tuple(
        Fact(language.quote(stage), language.seconds(time), "")
        for stage, time in manifest.stage_seconds.items()
    )


def file_hashes(manifest: Manifest) -> tuple[Fact, ...]:
    """Of the files that were written before this page."""
    return tuple(Fact(name, sha256, "") for name, sha256 in manifest.files.items())


def warning_groups(
    manifest: Manifest, notices: Sequence[Notice], language: Language
) -> tuple[WarningGroup, ...]:
    """The warnings of the run and of its evaluation by code, each once."""
    said = {(warning.code, warning.column, warning.message) for warning in manifest.warnings}
    every = [(warning.code, warning.column, warning.message) for warning in manifest.warnings]
    for notice in notices:
        column = None if notice.column is None else str(notice.column)
        if (notice.code, column, notice.message) not in said:
            every.append((notice.code, column, notice.message))
    codes = dict.fromkeys(code for code, _, _ in every)
    return tuple(
        _group(code, [(column, text) for c, column, text in every if c == code], language) for code in codes
    )


def _group(code: str, said: Sequence[tuple[str | None, str]], language: Language) -> WarningGroup:
    title, meaning = _WARNINGS.get(code, (code, ""))
    return WarningGroup(
        code=code,
        title=language.say(title),
        meaning=language.say(meaning) if meaning else "",
        columns=tuple(dict.fromkeys(column for column, _ in said if column is not None)),
        details=tuple(
            Detail(column or "", _titled(language.quote(message), language), _foreign(message, language))
            for column, message in said
        ),
    )


def _titled(sentence: str, language: Language) -> str:
    """The sentence with the names of figures in `metrics.json` replaced by their titles."""
    return _FIGURE.sub(lambda name: language.say(EXPLANATIONS[name[0]].title), sentence)


def _foreign(message: str, language: Language) -> bool:
    return language.code != "en" and language.quote(message) == message


def _flat(parameters: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in parameters.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        elif not isinstance(value, Mapping):
            yield f"{prefix}{key}", value


def _is_default(key: str, value: object) -> bool:
    """Whether a column's declaration leaves this as it was found."""
    if not key.startswith("columns."):
        return False
    return not value or value == _OF_COLUMNS.get(key.rpartition(".")[2])


def _value(value: object, language: Language) -> str:
    if value is None or value == [] or value == ():
        return language.say("not set")
    if isinstance(value, bool):
        return language.say("yes") if value else language.say("no")
    if isinstance(value, int | float):
        return language.exact(value)
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _count(count: int | None, language: Language) -> str:
    return "" if count is None else language.number(count)
