"""The page: everything that the template prints, already in words, in order, and drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from sosie.attacks import NamedLevels
from sosie.evaluation import Evaluation
from sosie.reports.attacks import Attacked, attacked
from sosie.reports.examination import examined_facts
from sosie.reports.exposed import ExposedRow, exposed_rows
from sosie.reports.figures import Figure, figures
from sosie.reports.frontier import MeasuredRemedy, measured_remedy
from sosie.reports.language import Code, Language
from sosie.reports.plane import Component, components, draw_plane
from sosie.reports.provenance import (
    Fact,
    WarningGroup,
    durations,
    file_hashes,
    parameters,
    provenance,
    versions,
    warning_groups,
)
from sosie.reports.spreads import Picture, spreads
from sosie.reports.use import Use, use
from sosie.reports.variables import VariableCard, variable_cards, worst_first
from sosie.reports.verdict import Verdict, in_short, verdict
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile
from sosie.search import Search

Audience = Literal["shareable", "internal"]
MOST_DRAWN = 100

_FEWEST_TO_FILTER = 10
_MOST_COLUMNS_NAMED = 12


@dataclass(frozen=True)
class PlanePicture:
    """Both clouds; `drawn` is empty when there is no plane to draw."""

    drawn: Markup
    finding: str


@dataclass(frozen=True)
class RareColumn:
    """The rare levels of one column that avatars still carry, each with its counts in words."""

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """One report."""

    language: Code
    internal: bool
    approximate: bool
    with_holdout: bool
    measured_elsewhere: bool
    released_working: bool
    working: str
    holdout: str
    released: str
    k: str
    ncp: str
    verdict: Verdict
    remedy: MeasuredRemedy | None
    in_short: tuple[str, ...]
    aimed: tuple[Figure, ...]
    unaimed: tuple[Figure, ...]
    figures: tuple[Figure, ...]
    privacy: tuple[Figure, ...]
    utility: tuple[Figure, ...]
    other: tuple[Figure, ...]
    attacks: Attacked
    use: Use
    spreads: tuple[Picture, ...]
    variables: tuple[VariableCard, ...]
    listed: tuple[VariableCard, ...]
    left_out: str
    filtered: bool
    plane: PlanePicture
    components: tuple[Component, ...]
    exposed: tuple[ExposedRow, ...]
    rare: tuple[RareColumn, ...]
    warnings: tuple[WarningGroup, ...]
    expectations: tuple[Fact, ...]
    most_columns_named: int
    parameters: tuple[Fact, ...]
    provenance: tuple[Fact, ...]
    versions: tuple[Fact, ...]
    durations: tuple[Fact, ...]
    files: tuple[Fact, ...]
    source: str
    run: str
    started: str


def make_page(
    evaluation: Evaluation,
    metrics: MetricsFile,
    manifest: Manifest,
    language: Language,
    audience: Audience,
    *,
    profile: str | None = None,
    most_drawn: int = MOST_DRAWN,
    rare: Sequence[NamedLevels] = (),
    search: Search | None = None,
) -> Page:
    """The page of one run; ValueError for a failed run, which has no figures.

    `profile`: the figures were held against another profile's targets than the run's own, afterwards. The `most_drawn`
    columns that changed most are drawn, the others listed. What a `search` found is for insiders.
    """
    told = figures(metrics, evaluation, language)
    found = attacked(evaluation.attacks, language)
    columns = worst_first(evaluation.variables)
    drawn, listed = columns[:most_drawn], columns[most_drawn:]
    summaries = {summary.name: summary for summary in evaluation.utility.summaries}
    by_section = {
        section: tuple(figure for figure in told if figure.section == section)
        for section in ("privacy", "utility", "other")
    }
    return Page(
        language=language.code,
        internal=audience == "internal",
        approximate=metrics.holdout == "approximate",
        with_holdout=metrics.rows.holdout > 0,
        measured_elsewhere=metrics.k is None,
        released_working=(manifest.parameters or {}).get("release") == "working",
        working=language.number(metrics.rows.working),
        holdout=language.number(metrics.rows.holdout),
        released=language.number(metrics.rows.released),
        k="" if metrics.k is None else language.number(metrics.k),
        ncp=language.number(metrics.ncp),
        verdict=verdict(metrics, manifest, told, found, language, profile),
        remedy=measured_remedy(search, metrics, language) if audience == "internal" else None,
        in_short=in_short(evaluation, found, language),
        aimed=tuple(figure for figure in told if figure.target),
        unaimed=tuple(figure for figure in told if not figure.target),
        figures=told,
        privacy=by_section["privacy"],
        utility=by_section["utility"],
        other=by_section["other"],
        attacks=found,
        use=use(evaluation.utility, language),
        spreads=spreads(evaluation, language),
        variables=variable_cards(drawn, summaries, language),
        listed=variable_cards(listed, summaries, language, drawn=False),
        left_out=_left_out(len(drawn), len(listed), manifest, language),
        filtered=len(evaluation.variables) >= _FEWEST_TO_FILTER,
        plane=_plane(evaluation, language),
        components=components(evaluation.contributions, evaluation.explained_variance_ratio, language),
        exposed=exposed_rows(evaluation.exposed, language) if audience == "internal" else (),
        rare=_rare(rare if audience == "internal" else (), language),
        warnings=warning_groups(manifest, evaluation.notices, language),
        expectations=examined_facts(manifest, language),
        most_columns_named=_MOST_COLUMNS_NAMED,
        parameters=parameters(manifest, language),
        provenance=provenance(manifest, language),
        versions=versions(manifest),
        durations=durations(manifest, language),
        files=file_hashes(manifest),
        source=manifest.source_name or manifest.run,
        run=manifest.run,
        started=language.moment(manifest.started),
    )


def _rare(rare: Sequence[NamedLevels], language: Language) -> tuple[RareColumn, ...]:
    return tuple(
        RareColumn(
            named.column,
            tuple(
                language.say(
                    "%(level)s (%(originals)s originals, %(avatars)s avatars)",
                    level=level or language.say("(empty text)"),
                    originals=language.number(originals),
                    avatars=language.number(avatars),
                )
                for level, originals, avatars in named.levels
            ),
        )
        for named in rare
    )


def _left_out(drawn: int, listed: int, manifest: Manifest, language: Language) -> str:
    if not listed:
        return ""
    return language.say(
        "Drawn are the %(drawn)s columns that changed most; the other %(listed)s are listed below with their scores."
        " To draw them all: sosie report %(run)s --columns all",
        drawn=language.number(drawn),
        listed=language.number(listed),
        run=manifest.run,
    )


def _plane(evaluation: Evaluation, language: Language) -> PlanePicture:
    explained = evaluation.explained_variance_ratio
    if evaluation.plane is None or len(explained) < 2:
        return PlanePicture(
            Markup(""), language.say("There is no second component, so there is no plane to draw.")
        )
    first, second = (language.share(ratio) for ratio in explained[:2])
    finding = language.say(
        "Contours at 10, 30, 50, 70 and 90%% of each cloud's highest density."
        " The plane shows %(together)s of the variance of the originals: %(first)s along component 1, %(second)s along"
        " component 2.",
        together=language.share(sum(explained[:2])),
        first=first,
        second=second,
    )
    drawn = draw_plane(
        evaluation.plane,
        language.say("component 1 (%(share)s of the variance)", share=first),
        language.say("component 2 (%(share)s of the variance)", share=second),
        language.say(
            "Density contours of originals and avatars on the first two components. %(finding)s",
            finding=finding,
        ),
    )
    return PlanePicture(drawn, finding)
