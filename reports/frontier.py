"""The page of a search: settings between privacy and utility, what is proposed, and what was measured of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sosie.estimates import Estimate, NotComputed
from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.language import Code, Language, load_language
from sosie.reports.rendering import environment
from sosie.reports.scatter import Dot, draw_scatter
from sosie.reports.values import bounds, exact, written
from sosie.schemas.metrics import MetricsFile
from sosie.schemas.targets import Target
from sosie.search import Point, Search


@dataclass(frozen=True)
class SettingRow:
    """One setting: its number on the page, what it changes, and what became of it."""

    number: str
    text: str
    changes: bool
    privacy: str
    utility: str
    met: str
    missed: str
    missed_count: str
    kind: str
    on_frontier: bool


@dataclass(frozen=True)
class ProposedFigure:
    """A figure with a target: of the proposal and of the configuration as it was, on the same fresh splits."""

    name: str
    title: str
    value: str
    own: str
    target: str
    missed: bool


@dataclass(frozen=True)
class FrontierPage:
    """The page of one search; `finding` says in a sentence what is proposed, the empty string where nothing is."""

    language: Code
    title: str
    source: str
    extent: str
    cut: str
    finding: str
    proposed: str
    changes: bool
    meets: bool
    figures: tuple[ProposedFigure, ...]
    drawn: Markup
    shown: str
    settings: tuple[SettingRow, ...]


@dataclass(frozen=True)
class MeasuredRemedy:
    """A change that was measured: what it is, whether it is one, what it did, and its figures."""

    proposed: str
    changes: bool
    finding: str
    figures: tuple[ProposedFigure, ...]


def measured_remedy(search: Search | None, metrics: MetricsFile, language: Language) -> MeasuredRemedy | None:
    """What a search proposes for a run; None where there was none."""
    if search is None or search.proposal is None:
        return None
    targets = {name: metric.target for name, metric in metrics.metrics.items() if metric.target is not None}
    fresh = search.proposal.fresh
    return MeasuredRemedy(
        _text(fresh, language),
        bool(fresh.setting.changes),
        finding(search, language),
        proposed_figures(search, targets, language),
    )


def render_frontier(search: Search, targets: Mapping[str, Target], *, language: Code = "en") -> str:
    """One HTML page that needs nothing but itself: aggregates only."""
    page = make_frontier(search, targets, load_language(language))
    return environment(language).get_template("frontier.html").render(page=page)


def make_frontier(search: Search, targets: Mapping[str, Target], language: Language) -> FrontierPage:
    """The page's parts, in a language."""
    proposal = search.proposal
    drawn, shown = _drawn(search, language)
    return FrontierPage(
        language=language.code,
        title=language.say("Settings measured") if proposal is None else language.say("Advice"),
        source=search.source,
        extent=_extent(search, language),
        cut=_cut(search, language),
        finding=finding(search, language),
        proposed="" if proposal is None else _text(proposal.fresh, language),
        changes=proposal is not None and bool(proposal.setting.changes),
        meets=proposal is not None and proposal.fresh.meets,
        figures=proposed_figures(search, targets, language),
        drawn=drawn,
        shown=shown,
        settings=tuple(
            SettingRow(
                str(place + 1),
                _text(point, language),
                bool(point.setting.changes),
                interval(point.privacy, language),
                interval(point.utility, language),
                language.say(
                    "%(met)s of %(splits)s",
                    met=language.number(point.splits_met),
                    splits=language.number(point.splits),
                ),
                ", ".join(title_of(name, language) for name in point.ever_missed),
                language.number(len(point.ever_missed)),
                _kind(search, place),
                place in search.on_frontier,
            )
            for place, point in enumerate(search.points)
        ),
    )


def finding(search: Search, language: Language) -> str:
    """What is proposed, in a sentence; the empty string where nothing is."""
    proposal = search.proposal
    if proposal is None:
        return ""
    held = proposal.fresh
    values = {
        "rows": language.number(search.rows),
        "splits": language.number(held.splits),
        "met": language.number(held.splits_met),
        "missed": ", ".join(title_of(name, language) for name in held.ever_missed),
    }
    if held.meets and not held.setting.changes:
        return language.say(
            "The configuration as it is meets all targets on a sample of %(rows)s rows, in each of %(splits)s fresh"
            " splits: nothing need be changed.",
            **values,
        )
    if held.meets:
        return language.say(
            "This change meets all targets on a sample of %(rows)s rows, in each of %(splits)s fresh splits.",
            **values,
        )
    return language.say(
        "No setting tried meets all targets each time. The closest meets them in %(met)s of %(splits)s fresh splits of"
        " a sample of %(rows)s rows; missed in some: %(missed)s.",
        **values,
    )


def proposed_figures(
    search: Search, targets: Mapping[str, Target], language: Language
) -> tuple[ProposedFigure, ...]:
    """The figures of the proposal that have a target, in the order of their explanations."""
    proposal = search.proposal
    if proposal is None:
        return ()
    aimed = [name for name in (*EXPLANATIONS, *targets) if name in targets and name in proposal.fresh.figures]
    return tuple(
        ProposedFigure(
            name,
            title_of(name, language),
            figure_text(name, proposal.fresh.figures[name], language),
            figure_text(name, proposal.own.figures[name], language),
            _target(name, targets[name], language),
            name in proposal.fresh.ever_missed,
        )
        for name in dict.fromkeys(aimed)
    )


def title_of(name: str, language: Language) -> str:
    """The figure's title."""
    return language.say(EXPLANATIONS[name].title) if name in EXPLANATIONS else name


def figure_text(name: str, figure: Estimate | NotComputed, language: Language) -> str:
    """A figure with its interval, in its unit: "61.0% (57.0% to 65.0%)"."""
    told = EXPLANATIONS.get(name)
    if isinstance(figure, NotComputed) or told is None:
        return interval(figure, language)
    value, low, high = (written(end, told, language) for end in (figure.value, figure.low, figure.high))
    return _between(value, low, high, language)


def interval(figure: Estimate | NotComputed, language: Language) -> str:
    """A score with its interval."""
    if isinstance(figure, NotComputed):
        return language.say("not computed")
    value, low, high = (language.score(end) for end in (figure.value, figure.low, figure.high))
    return _between(value, low, high, language)


def _between(value: str, low: str, high: str, language: Language) -> str:
    return (
        value
        if low == high
        else language.say("%(value)s (%(low)s to %(high)s)", value=value, low=low, high=high)
    )


def _target(name: str, target: Target, language: Language) -> str:
    told = EXPLANATIONS.get(name)
    return bounds(
        target, language.exact if told is None else lambda bound: exact(bound, told, language), language
    )


def _text(point: Point, language: Language) -> str:
    return point.setting.text or language.say("the configuration as it is")


def _kind(search: Search, place: int) -> str:
    """How a setting is drawn: proposed, meeting the targets, or missing some."""
    if search.proposal is not None and place == search.proposal.place:
        return "proposed"
    return "met" if search.points[place].meets else "missing"


def _extent(search: Search, language: Language) -> str:
    return language.say(
        "%(settings)s settings, each on %(splits)s random splits of %(rows)s of %(of)s rows: half are anonymised, half"
        " are kept apart as real strangers. Targets: profile “%(profile)s” and the configuration's own.",
        settings=language.number(len(search.points)),
        splits=language.number(search.points[0].splits),
        rows=language.number(search.rows),
        of=language.number(search.of_rows),
        profile=search.profile,
    )


def _cut(search: Search, language: Language) -> str:
    if search.cut == 0:
        return ""
    return language.say(
        "The design was cut: %(cut)s of %(wanted)s settings did not fit into %(minutes)s minutes, so that another"
        " machine may propose something else.",
        cut=language.number(search.cut),
        wanted=language.number(search.wanted),
        minutes=language.number(search.minutes or 0.0),
    )


def _drawn(search: Search, language: Language) -> tuple[Markup, str]:
    """Up is more useful, right is safer; the frontier joins what no other setting beats in both."""
    dots = {
        place: Dot(str(place + 1), point.privacy.value, point.utility.value, _kind(search, place))
        for place, point in enumerate(search.points)
        if isinstance(point.privacy, Estimate) and isinstance(point.utility, Estimate)
    }
    if len(dots) < 2:
        return Markup(""), language.say(
            "Fewer than two settings have both figures, so there is nothing to draw."
        )
    joined = sorted((dots[place] for place in search.on_frontier), key=lambda dot: dot.across)
    shown = language.say(
        "On the frontier, which no other setting beats in both: %(numbers)s.", numbers=_listed(joined)
    )
    drawn = draw_scatter(
        list(dots.values()),
        language.say("members hidden →"),
        language.say("table kept →"),
        language.compact,
        f"{language.say('Privacy against utility')}. {shown}",
        joined,
    )
    return drawn, shown


def _listed(dots: Sequence[Dot]) -> str:
    return ", ".join(dot.letter for dot in dots)
