"""What of the originals stands in the avatars as it was, in counts and percent."""

from dataclasses import dataclass

from sosie.attacks import Copies, NotComputed, Survivors
from sosie.reports.language import Language

_MOST_COLUMNS = 20


@dataclass(frozen=True)
class CopyRow:
    """Things that few originals have, and how many of them the avatars still have."""

    title: str
    originals: str
    surviving: str
    unique: str
    unique_surviving: str
    holdout: str


@dataclass(frozen=True)
class ColumnRow:
    """One column's cells found again, in percent."""

    name: str
    avatars: str
    holdout: str
    own: str


def copy_rows(copies: Copies, language: Language) -> tuple[CopyRow, ...]:
    """Levels, pairs of levels and patterns of missing values."""
    return (
        _copy(language.say("levels held by few"), copies.levels, language),
        _copy(language.say("pairs of levels held by few"), copies.pairs_of_levels, language),
        _copy(language.say("patterns of missing values held by few"), copies.missing_patterns, language),
    )


def _copy(title: str, things: Survivors, language: Language) -> CopyRow:
    counts = (
        things.originals,
        things.surviving,
        things.unique,
        things.unique_surviving,
        things.holdout_surviving,
    )
    return CopyRow(title, *(language.number(count) for count in counts))


def copied_columns(copies: Copies, language: Language) -> tuple[ColumnRow, ...]:
    """The columns whose cells are repeated most beyond chance."""
    order = sorted(copies.columns, key=lambda column: column.holdout - column.any_original)
    return tuple(
        ColumnRow(
            column.name,
            language.percent(column.any_original),
            language.percent(column.holdout),
            language.say("not computed")
            if isinstance(column.own, NotComputed)
            else language.percent(column.own),
        )
        for column in order[:_MOST_COLUMNS]
    )
