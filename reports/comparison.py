"""Runs side by side: what differs in their parameters, every figure, and privacy against utility."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from markupsafe import Markup

from sosie.evaluation import Evaluation
from sosie.reports.figures import Figure, figures
from sosie.reports.language import Code, Language, load_language
from sosie.reports.provenance import parameters
from sosie.reports.rendering import environment
from sosie.reports.scatter import Dot, draw_scatter
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile

_PRIVACY = ("hidden_rate", "membership_auc", "distance_to_closest_outlier")
_UTILITY = "hellinger_mean"


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """One run that has figures."""

    manifest: Manifest
    metrics: MetricsFile
    evaluation: Evaluation


@dataclass(frozen=True)
class RunColumn:
    """A run's own column: its letter on the page, name and fate."""

    letter: str
    name: str
    fate: str
    source: str
    started: str


@dataclass(frozen=True)
class ComparedRow:
    """One parameter or figure across the runs: `cells` hold a value for each, `differs` says they are not all alike."""

    name: str
    title: str
    cells: tuple[str, ...]
    marks: tuple[Figure | None, ...]
    differs: bool


@dataclass(frozen=True)
class Scatter:
    """Privacy against utility, a letter for each run; without a drawing, `finding` says why."""

    title: str
    drawn: Markup
    finding: str


@dataclass(frozen=True)
class ComparisonPage:
    """The page of several runs."""

    language: Code
    runs: tuple[RunColumn, ...]
    same_source: bool
    same_targets: bool
    parameters: tuple[ComparedRow, ...]
    figures: tuple[ComparedRow, ...]
    scatters: tuple[Scatter, ...]


def render_comparison(runs: Sequence[ComparedRun], *, language: Code = "en") -> str:
    """One HTML page that needs nothing but itself; ValueError for fewer than two runs."""
    page = make_comparison(runs, load_language(language))
    return environment(language).get_template("comparison.html").render(page=page)


def make_comparison(runs: Sequence[ComparedRun], language: Language) -> ComparisonPage:
    """The runs in the order given, lettered from A on."""
    if len(runs) < 2:
        raise ValueError(f"a comparison needs two runs or more: {len(runs)}")
    told = [figures(run.metrics, run.evaluation, language) for run in runs]
    letters = [_letter(place) for place in range(len(runs))]
    return ComparisonPage(
        language=language.code,
        runs=tuple(_column(letter, run, language) for letter, run in zip(letters, runs, strict=True)),
        same_source=len({run.manifest.source_sha256 for run in runs}) == 1,
        same_targets=len({_targets(run) for run in runs}) == 1,
        parameters=_parameters(runs, language),
        figures=_figures(told, language),
        scatters=tuple(_scatter(name, letters, runs, told, language) for name in _PRIVACY),
    )


def _targets(run: ComparedRun) -> str:
    """What was asked of a run's figures, comparable."""
    return repr([(name, metric.target) for name, metric in sorted(run.metrics.metrics.items())])


def _letter(place: int) -> str:
    return chr(ord("A") + place % 26) + (str(place // 26) if place >= 26 else "")


def _column(letter: str, run: ComparedRun, language: Language) -> RunColumn:
    fates = {"released": language.say("Released"), "rejected": language.say("Not released")}
    manifest = run.manifest
    return RunColumn(
        letter,
        manifest.run,
        language.say("Measured only")
        if run.metrics.k is None
        else fates.get(manifest.status, manifest.status),
        manifest.source_name or "",
        language.moment(manifest.started),
    )


def _parameters(runs: Sequence[ComparedRun], language: Language) -> tuple[ComparedRow, ...]:
    """The parameters that differ, and the source where that differs."""
    held = [{fact.name: fact.value for fact in parameters(run.manifest, language)} for run in runs]
    rows = [
        _row(name, name, [values.get(name, "–") for values in held]) for name in dict.fromkeys(chain(*held))
    ]
    return tuple(row for row in rows if row.differs)


def _figures(told: Sequence[tuple[Figure, ...]], language: Language) -> tuple[ComparedRow, ...]:
    by_name: list[Mapping[str, Figure]] = [{figure.name: figure for figure in one} for one in told]
    rows = []
    for name in dict.fromkeys(chain(*by_name)):
        found = tuple(one.get(name) for one in by_name)
        title = next(figure.title for figure in found if figure is not None)
        values = [language.say("not measured") if figure is None else figure.value for figure in found]
        rows.append(ComparedRow(name, title, tuple(values), found, len(set(values)) > 1))
    return tuple(rows)


def _row(name: str, title: str, values: Sequence[str]) -> ComparedRow:
    return ComparedRow(name, title, tuple(values), (None,) * len(values), len(set(values)) > 1)


def _scatter(
    name: str,
    letters: Sequence[str],
    runs: Sequence[ComparedRun],
    told: Sequence[tuple[Figure, ...]],
    language: Language,
) -> Scatter:
    """Up is more useful, right is safer: a figure that is better when small runs from right to left."""
    titles = {figure.name: figure.title for one in told for figure in one}
    title = titles.get(name, name)
    dots = []
    for letter, run in zip(letters, runs, strict=True):
        private, kept = run.metrics.metrics.get(name), run.metrics.metrics.get(_UTILITY)
        if private is None or kept is None or private.value is None or kept.value is None:
            continue
        if private.verdict == "uninformative":  # must not be read as safe
            continue
        dots.append(Dot(letter, -private.value if name.endswith("auc") else private.value, kept.value))
    if len(dots) < 2:
        return Scatter(
            title, Markup(""), language.say("Fewer than two runs have this figure, or it says nothing.")
        )
    best = max(dots, key=lambda dot: dot.across)
    finding = language.say(
        "Safest by this figure: %(safest)s; most useful: %(useful)s.",
        safest=best.letter,
        useful=max(dots, key=lambda dot: dot.up).letter,
    )
    drawn = draw_scatter(
        dots,
        language.say("safer →"),
        language.say("more useful (Hellinger score) →"),
        lambda value: language.compact(abs(value)),
        f"{title}. {finding}",
    )
    return Scatter(title, drawn, finding)
