"""The steps that turn a table into measured avatars: plain functions of what came before."""

from dataclasses import dataclass

import pandas as pd

from sosie.batches import deal
from sosie.columns import Floats, Table, encode, with_identifiers
from sosie.decoding import Decoding, invert
from sosie.errors import InputError, Notice
from sosie.generation import Barycentres, draw_barycentres
from sosie.holdout import Split, split
from sosie.projection import Projection, fit_projection
from sosie.rare_levels import Rare
from sosie.recognition import recognise, refuse_identifiers
from sosie.relations import Relations, refuse_untrue, relations_of
from sosie.schemas.tables import check_table, input_schema, released_schema
from sosie.shuffle import shuffled_rows
from sosie.standouts import standouts
from sosie.streams import stream
from sosie.tasks.job import Job


@dataclass(frozen=True, eq=False)
class Checked:
    """The table as numbers and codes, what is declared of its rows, and what the user should know of it."""

    table: Table
    relations: Relations
    notices: tuple[Notice, ...]


@dataclass(frozen=True, eq=False)
class Projected:
    """The rows to anonymise, the projection fitted on them, and where they lie in it."""

    originals: Table
    projection: Projection
    coordinates: Floats


@dataclass(frozen=True, eq=False)
class Drawn:
    """The avatars' barycentres, and how many batches the neighbours were found in."""

    barycentres: Barycentres
    batches: int


def check(frame: pd.DataFrame, job: Job) -> Checked:
    """Recognise every column, refuse what cannot be anonymised, hold the frame against its own contract."""
    configuration = job.configuration
    rare = configuration.rare_values
    recognised = recognise(frame, configuration.columns, Rare(rare.min_count, rare.label))
    refuse_identifiers(recognised)
    kept = frame[[column.name for column in recognised.columns]]
    check_table(kept, input_schema(recognised.columns))
    table = encode(kept, recognised.columns)
    relations = relations_of(table.columns, configuration.columns, configuration.constraints)
    refuse_untrue(relations, table)
    table = with_identifiers(table, recognised.regenerated, stream(job.seed, "identifiers"))
    notices = [*recognised.notices, *standouts(table, rare.min_count)]
    if job.seed_was_given:
        notices.append(
            Notice(
                "FIXED_SEED",
                None,
                "the seed was chosen: whoever knows it can undo the shuffle, so keep it secret",
            )
        )
    return Checked(table, relations, tuple(notices))


def split_rows(checked: Checked, job: Job) -> Split:
    """Set the holdout apart before anything is fitted; refuse a k that the rows do not allow."""
    holdout = job.configuration.holdout
    n, k = len(checked.table), job.configuration.method.k
    if n - 1 < k:
        raise InputError(
            "TOO_FEW_ROWS",
            f"the table has {n} row(s), k = {k} needs at least {k + 1}: the largest usable k is {max(0, n - 1)}",
        )
    halves = split(n, holdout.mode, holdout.min_rows, job.seed)
    if len(halves.anonymised) - 1 < k:
        raise InputError(
            "TOO_FEW_ROWS",
            f"the working half of {n} rows has {len(halves.anonymised)}, k = {k} needs at least {k + 1}: the largest "
            f"usable k is {len(halves.anonymised) - 1}, or set the holdout to approximate",
        )
    return halves


def project_working(checked: Checked, halves: Split, job: Job) -> Projected:
    """Fit the projection on the rows that are measured, and place them in it."""
    return _projected(checked.table.take(halves.anonymised), checked.relations, job)


def project_all(checked: Checked, job: Job) -> Projected:
    """Fit the projection on every row, and place them in it."""
    return _projected(checked.table, checked.relations, job)


def _projected(table: Table, relations: Relations, job: Job) -> Projected:
    method = job.configuration.method
    projection = fit_projection(table, method.ncp, method.imputation, relations)
    return Projected(table, projection, projection.coordinates(table))


def draw(projected: Projected, job: Job, part: int) -> Drawn:
    """Find each individual's neighbours and weigh them at random."""
    method, batches = job.configuration.method, job.configuration.batches
    seed = job.part(part)
    dealt = deal(projected.coordinates, batches.rows, batches.by, method.k, seed)
    barycentres = draw_barycentres(
        projected.coordinates,
        dealt,
        method.k,
        method.weights,
        method.zero_distance,
        seed,
        job.configuration.workers,
    )
    return Drawn(barycentres, len(dealt))


def transform_back(projected: Projected, drawn: Drawn, job: Job, part: int) -> Table:
    """Bring the barycentres back to cells: the avatars, in the originals' order."""
    method = job.configuration.method
    return invert(
        projected.originals,
        drawn.barycentres,
        Decoding(method.categories, method.integers),
        job.part(part),
        projected.projection.space,
    )


def shuffle(avatars: Table, job: Job) -> Table:
    """A uniform permutation of the rows: the link to the originals is gone."""
    return avatars.take(shuffled_rows(len(avatars), job.seed))


def release_frame(projected: Projected, avatars: Table) -> pd.DataFrame:
    """Avatars as a frame, held against the originals' contract."""
    frame = avatars.to_frame()
    check_table(frame, released_schema(projected.originals, projected.projection.space.relations.derived))
    return frame
