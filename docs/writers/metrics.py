"""A page for each metric and attack, from the texts of the report."""

from collections.abc import Iterator

from sosie.reports.explanation import Explanation
from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.formulas import FORMULAS
from sosie.reports.guide import Guide
from sosie.reports.guides import GUIDES
from sosie.reports.language import Code, Language, load_language
from sosie.schemas.targets import Profile, profile_targets
from writers.words import WORDS, Words

PROFILES: tuple[Profile, ...] = ("internal", "partner", "open")


def metric_pages(language: Code) -> dict[str, str]:
    """The pages of a language and their index."""
    spoken, words = load_language(language), WORDS[language]
    written = {f"metrics/{guide.slug}": "\n".join(_page(guide, spoken, words)) for guide in GUIDES}
    return written | {"metrics/index": "\n".join(_index(spoken, words))}


def _index(spoken: Language, words: Words) -> Iterator[str]:
    yield from (f"# {words.index_title}", "", words.index_text, "")
    for section, title in words.sections.items():
        guides = [guide for guide in GUIDES if EXPLANATIONS[guide.figures[0]].section == section]
        if section == "privacy":
            guides = [guide for guide in guides if guide.slug != "hellinger"]
        yield from (f"## {title}", "", f"| {words.metric} | {words.asks} |", "| --- | --- |")
        for guide in guides:
            yield f"| [{spoken.say(guide.title)}]({guide.slug}.md) | {spoken.say(guide.asks)} |"
        yield ""
    yield from ("```{toctree}", ":hidden:", "")
    yield from (guide.slug for guide in GUIDES)
    yield "```"


def _page(guide: Guide, spoken: Language, words: Words) -> Iterator[str]:
    say = spoken.say
    yield from (f"# {say(guide.title)}", "", say(guide.asks), "")
    yield from (f"## {words.sets}", "")
    for name, sentence in zip(words.names, (guide.working, guide.holdout, guide.avatars), strict=True):
        yield from (f"{name}", f": {say(sentence)}", "")
    yield from (f"## {words.steps}", "")
    yield from (f"{place}. {say(step)}" for place, step in enumerate(guide.steps, 1))
    yield from ("", f"## {words.interpretation}", "")
    for figure in guide.figures:
        yield from _figure(figure, EXPLANATIONS[figure], spoken, words)
    yield from (f"## {words.example}", "", "```python", guide.example.strip(), "```", "")
    yield from (say(guide.reading), "", f"## {words.specificity}", "", say(guide.specificity), "")
    yield from (f"## {words.improve}", "")
    remedies = dict.fromkeys(say(EXPLANATIONS[figure].remedy) for figure in guide.figures)
    yield from (line for remedy in remedies for line in (remedy, ""))


def _figure(name: str, told: Explanation, spoken: Language, words: Words) -> Iterator[str]:
    say = spoken.say
    yield from (
        f"### {say(told.title)}",
        "",
        f"`{name}`. {say(told.measures)}",
        "",
        "```text",
        FORMULAS[name],
        "```",
        "",
    )
    yield from (f"| {words.value} | {words.meaning} |", "| --- | --- |")
    yield f"| {_end(told.worst, told, spoken)} | {say(told.at_worst)} |"
    for target, profiles in _targets(name).items():
        asked = f"{words.bounds[target[0]]} {_end(target[1], told, spoken)}"
        yield f"| {asked} | {words.asked_by.format(', '.join(f'`{profile}`' for profile in profiles))} |"
    yield f"| {words.best_of[told.scale] or _end(told.best, told, spoken)} | {say(told.at_best)} |"
    yield ""
    if told.reference:
        yield from (f"{words.reference} {say(told.reference)}.", "")
    if told.leans:
        yield from (words.leans, "")


def _targets(name: str) -> dict[tuple[str, float], list[Profile]]:
    """What profiles ask of a figure: (min or max, the bound), and which of them."""
    found: dict[tuple[str, float], list[Profile]] = {}
    for profile in PROFILES:
        target = profile_targets(profile).get(name)
        if target is not None:
            bound = ("min", target.min) if target.min is not None else ("max", target.max or 0.0)
            found.setdefault(bound, []).append(profile)
    return found


def _end(value: float, told: Explanation, spoken: Language) -> str:
    return spoken.exact_percent(value) if told.unit == "percent" else spoken.exact(value)
