"""The groups of individuals that are found most often, for insiders."""

from collections.abc import Sequence
from dataclasses import dataclass

from sosie.evaluation import Bins, ExposedGroup, LevelGroup
from sosie.reports.bins import write_value
from sosie.reports.language import Language


@dataclass(frozen=True)
class ExposedRow:
    """One group: its column, who belongs to it, how many they are and how many of them are found."""

    column: str
    members: str
    individuals: str
    found: str


def exposed_rows(groups: Sequence[ExposedGroup], language: Language) -> tuple[ExposedRow, ...]:
    """The groups in words, worst first as they come."""
    return tuple(
        ExposedRow(
            group.column,
            _members(group, language),
            language.number(group.individuals),
            language.percent(group.found),
        )
        for group in groups
    )


def _members(group: ExposedGroup, language: Language) -> str:
    if isinstance(group, LevelGroup):
        return group.level or language.say("(empty text)")
    write = write_value(group.kind, Bins((group.low, group.high), (0.0,), (0.0,), None), language)
    return language.say("%(low)s to %(high)s", low=write(group.low), high=write(group.high))
