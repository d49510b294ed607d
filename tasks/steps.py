"""The steps that turn a table into measured avatars: plain functions of exactly what they depend on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from sosie.attacks import NamedLevels, named_levels
from sosie.batches import deal
from sosie.columns import Floats, Table, encode, with_identifiers
from sosie.decoding import Decoding, invert
from sosie.errors import InputError, Notice
from sosie.generation import Barycentres, WeightLaw, ZeroDistance, draw_barycentres
from sosie.holdout import Split, holdout_mode, split
from sosie.missing import ImputationRule
from sosie.projection import Projection, fit_projection
from sosie.recognition import recognise, refuse_identifiers, refuse_unknown
from sosie.relations import Relations, relations_of
from sosie.schemas.matrices import check_barycentres, check_coordinates
from sosie.schemas.tables import check_table, input_schema, released_schema
from sosie.shuffle import shuffled_rows
from sosie.standouts import standouts
from sosie.streams import stream
from sosie.tasks.job import Declared
from sosie.tasks.stages import stage
from sosie.untrue import refuse_untrue

HoldoutRule = Literal["auto", "real", "approximate"]


@dataclass(frozen=True, eq=False)
class Checked:
    """Rows as numbers and codes, what is declared of each, and what the user should know of them."""

    table: Table
    relations: Relations
    notices: tuple[Notice, ...]


@dataclass(frozen=True, eq=False)
class Projected:
    """The projection fitted on the rows to anonymise, and where they lie in it."""

    projection: Projection
    coordinates: Floats


@dataclass(frozen=True, eq=False)
class Drawn:
    """The avatars' barycentres, and how many batches the neighbours were found in."""

    barycentres: Barycentres
    batches: int


@dataclass(frozen=True, eq=False)
class Linked:
    """Avatars in the originals' order (sensitive), and how many batches their neighbours were found in."""

    table: Table
    batches: int


@dataclass(frozen=True, eq=False)
class Summary:
    """What is told of the released rows beside their figures.

    `rare` are the rare levels that avatars still carry, by name: for insiders only. `batches` is None where avatars
    were made elsewhere.
    """

    columns: tuple[str, ...]
    notices: tuple[Notice, ...]
    batches: int | None
    rare: tuple[NamedLevels, ...]


def check(frame: pd.DataFrame, declared: Declared, identifier_seed: int | None, workers: int = -1) -> Checked:
    """Recognise every column, refuse what cannot be anonymised, hold the frame against its own contract.

    `identifier_seed` draws what regenerated columns hold; None where there are none.
    """
    recognised = recognise(frame, declared.columns, declared.rare, workers)
    refuse_identifiers(recognised)
    kept = frame[[column.name for column in recognised.columns]]
    check_table(kept, input_schema(recognised.columns))
    table = encode(kept, recognised.columns, recognised.told)
    relations = relations_of(table.columns, declared.columns, declared.constraints)
    refuse_untrue(relations, table)
    if identifier_seed is not None:
        table = with_identifiers(table, recognised.regenerated, stream(identifier_seed, "identifiers"))
    return Checked(table, relations, (*recognised.notices, *standouts(table, declared.rare.min_count)))


@stage(version=1)
def split_rows(checked: Checked, mode: HoldoutRule, min_rows: int, seed: int) -> Split:
    """Set the holdout apart before anything is fitted."""
    return split(len(checked.table), mode, min_rows, seed)


def refuse_k(n: int, k: int, mode: HoldoutRule, min_rows: int) -> None:
    """InputError `TOO_FEW_ROWS` for a k that n rows, or the working half of them, do not allow."""
    if n - 1 < k:
        raise InputError(
            "TOO_FEW_ROWS",
            f"the table has {n} row(s), k = {k} needs at least {k + 1}: the largest usable k is {max(0, n - 1)}",
        )
    working = n // 2 if holdout_mode(n, mode, min_rows) == "real" else n
    if working - 1 < k:
        raise InputError(
            "TOO_FEW_ROWS",
            f"the working half of {n} rows has {working}, k = {k} needs at least {k + 1}: the largest usable k is "
            f"{working - 1}, or set the holdout to approximate",
        )


@stage(version=1)
def working_rows(checked: Checked, halves: Split) -> Checked:
    """The rows that the measured avatars are made from."""
    return replace(checked, table=checked.table.take(halves.anonymised))


@stage(version=2, idle=("workers",))
def project(
    rows: Checked, weights: Mapping[str, float], ncp: int, imputation: ImputationRule, workers: int
) -> Projected:
    """Fit the projection on the rows to anonymise, and place them in it; `weights` by column, others weigh 1."""
    names = {str(column.name) for column in rows.table.columns}
    refuse_unknown([name for name in weights if name not in names])
    columns = tuple(
        replace(column, weight=weights.get(str(column.name), 1.0)) for column in rows.table.columns
    )
    table = replace(rows.table, columns=columns)
    projection = fit_projection(table, ncp, imputation, rows.relations, workers)
    coordinates = projection.coordinates(table)
    check_coordinates(coordinates, len(table), ncp)
    return Projected(projection, coordinates)


@stage(version=2, idle=("workers",))
def draw(
    projected: Projected,
    k: int,
    law: WeightLaw,
    zero_distance: ZeroDistance,
    batch_rows: int | None,
    batches_by: Literal["local", "random"],
    seed: int,
    workers: int,
) -> Drawn:
    """Find each individual's neighbours and weigh them at random."""
    coordinates = projected.coordinates
    dealt = deal(coordinates, batch_rows, batches_by, k, seed)
    barycentres = draw_barycentres(coordinates, dealt, k, law, zero_distance, seed, workers)
    check_barycentres(barycentres, len(coordinates), k)
    return Drawn(barycentres, len(dealt))


@stage(version=1, idle=("workers",))
def transform_back(
    rows: Checked, projected: Projected, drawn: Drawn, decoding: Decoding, seed: int, workers: int
) -> Linked:
    """Bring the barycentres back to cells: the avatars, in the originals' order."""
    space = projected.projection.space
    avatars = invert(rows.table, drawn.barycentres, decoding, seed, space, workers=workers)
    return Linked(avatars, drawn.batches)


@stage(version=1)
def summarise(rows: Checked, linked: Linked, min_count: int) -> Summary:
    """What is told of avatars beside their figures."""
    columns = tuple(str(column.name) for column in rows.table.columns)
    rare = named_levels(rows.table, linked.table, min_count)
    return Summary(columns, rows.notices, linked.batches, rare)


def shuffle(linked: Linked, seed: int) -> Table:
    """A uniform permutation of the rows: the link to the originals is gone."""
    return linked.table.take(shuffled_rows(len(linked.table), seed))


def release_frame(rows: Checked, avatars: Table, workers: int = -1) -> pd.DataFrame:
    """Avatars as a frame, held against the contract of the rows they were made from."""
    frame = avatars.to_frame(workers)
    check_table(frame, released_schema(rows.table, rows.relations.derived))
    return frame
