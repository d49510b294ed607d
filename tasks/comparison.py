"""The step that sets a table of avatars made by anything beside its originals."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from sosie.blocks import draw_parts
from sosie.columns import Category, Column, Instant, Table, encode, quoted, with_levels_of
from sosie.columns.date_texts import TextClock
from sosie.declarations import Declaration, declared_of
from sosie.errors import InputError
from sosie.holdout import split
from sosie.measure import Comparison
from sosie.missing import ImputationRule
from sosie.projection import fit_projection
from sosie.recognition import Recognised, recognise
from sosie.relations import relations_of
from sosie.tasks.job import Declared
from sosie.tasks.measuring import Compared
from sosie.untrue import refuse_untrue


def compare_tables(
    original: pd.DataFrame,
    avatars: pd.DataFrame,
    holdout: pd.DataFrame | None,
    linked: bool,
    declared: Declared,
    ncp: int,
    imputation: ImputationRule,
    seed: int,
) -> Compared:
    """Avatars beside their originals, in the projection of the originals.

    `seed` draws the halves where there is no holdout.

    Raises InputError `SCHEMA_MISMATCH` naming the columns that are absent or of another type, or when rows said to be
    linked differ in number.
    """
    recognised = _without_identifiers(recognise(original, declared.columns, declared.rare))
    others = {"avatars": avatars} if holdout is None else {"avatars": avatars, "holdout": holdout}
    for name, frame in others.items():
        _refuse_other_columns(recognised, frame, name, declared.columns)
    if linked and len(original) != len(avatars):
        raise InputError(
            "SCHEMA_MISMATCH",
            f"linked rows must be as many: {len(original)} originals and {len(avatars)} avatars; leave linked out",
        )
    columns = with_levels_of(recognised.columns, others)
    tables = {name: encode(frame, columns) for name, frame in others.items()}
    originals = encode(original, columns, recognised.told)
    relations = relations_of(columns, declared.columns, declared.constraints)
    refuse_untrue(relations, originals)
    comparison = _comparison(originals, tables["avatars"], tables.get("holdout"), linked, seed)
    projection = fit_projection(originals, ncp, imputation, relations)
    return Compared(comparison, projection, originals)


def _comparison(
    originals: Table, avatars: Table, holdout: Table | None, linked: bool, seed: int
) -> Comparison:
    if holdout is not None:
        return Comparison("real", linked, originals, avatars, originals, avatars, holdout)
    halves = split(len(originals), "approximate", 0, seed)
    some = halves.working
    if not linked:
        most = min(len(avatars), len(some))
        (some,) = draw_parts(len(avatars), (most,), seed, "attack base", 1).rows()
    return Comparison(
        "approximate",
        linked,
        originals,
        avatars,
        originals.take(halves.working),
        avatars.take(some),
        originals.take(halves.holdout),
    )


def _without_identifiers(recognised: Recognised) -> Recognised:
    """The columns that say something of people: a fresh identifier equals no other, whatever the avatars are."""
    said = tuple(column for column in recognised.columns if column.name not in recognised.identifiers)
    return replace(recognised, columns=said or recognised.columns)


def _refuse_other_columns(
    expected: Recognised, frame: pd.DataFrame, name: str, declarations: Mapping[str, Declaration]
) -> None:
    absent = [column.name for column in expected.columns if column.name not in frame.columns]
    other = [
        column.name
        for column in expected.columns
        if column.name not in absent and not _is_alike(column, frame[column.name], declarations)
    ]
    if absent or other:
        problems = [
            *([f"lack column(s) {quoted(absent)}"] if absent else []),
            *([f"hold another type than the originals in {quoted(other)}"] if other else []),
        ]
        raise InputError("SCHEMA_MISMATCH", f"the {name} {' and '.join(problems)}", (*absent, *other))


def _is_alike(column: Column, series: "pd.Series[Any]", declarations: Mapping[str, Declaration]) -> bool:
    """Whether the series is of the column's type: numbers, instants of the same storage, or levels."""
    declared = declared_of(declarations, column.name)
    if isinstance(column, Instant) and isinstance(column.clock, TextClock):
        declared = replace(declared, format=column.clock.writing.format)
    found: Column | None = None
    try:
        (found,) = recognise(series.to_frame(column.name), {column.name: declared}).columns
    except InputError as refused:
        if refused.code not in ("AMBIGUOUS_DATE", "BAD_DATE", "BAD_CONFIG"):
            raise
    if series.dtype == column.dtype and series.isna().all():
        return True  # objects of which all are missing are of no type
    if found is None:
        return False
    if isinstance(column, Instant) or isinstance(found, Instant):
        return (
            isinstance(column, Instant)
            and isinstance(found, Instant)
            and type(column.clock) is type(found.clock)
        )
    return isinstance(column, Category) == isinstance(found, Category)
