"""The steps from fitted rows to linked avatars, in batches."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd

from sosie.columns import Category, Column
from sosie.decoding import Decoding
from sosie.derivations import is_boolean
from sosie.recomputation import refuse_wrong
from sosie.schemas.configuration import Batches, Method
from sosie.schemas.runner import Runner
from sosie.tasks.streamed.batch import BatchWork, Recipe, make_batch, wrong_in
from sosie.tasks.streamed.dealing import Dealt, deal_out, place
from sosie.tasks.streamed.executors import executor_of
from sosie.tasks.streamed.fitting import Fitted
from sosie.tasks.streamed.private import Private, leave_private
from sosie.tasks.streamed.shelf import Shelf
from sosie.tasks.streamed.shuffling import Linked

BATCH_ROWS = 500_000  # where the configuration says nothing


def deal(fitted: Fitted, shelf: Shelf, batches: Batches, k: int, part_seed: int, shuffle_seed: int) -> Dealt:
    """Place every row in the projection, and deal the rows into batches."""
    place(fitted, shelf)
    dealt = deal_out(fitted, shelf, batches.rows or BATCH_ROWS, batches.by, k, part_seed, shuffle_seed)
    shelf.remove("coordinates")
    return dealt


def make(
    fitted: Fitted,
    dealt: Dealt,
    method: Method,
    runner: Runner,
    threads: int,
    seed: int,
    key: bytes,
    told: Callable[[str], None],
) -> Linked:
    """The avatars of every batch, wherever batches are worked on; those that are there already are left alone."""
    decoding = Decoding(method.categories, method.integers)
    recipe = Recipe(method.k, method.weights, method.zero_distance, decoding, threads)
    whole = fitted.extent.whole(method.integers == "truncate")
    work = BatchWork(dealt, tuple(map(_without_levels, fitted.extent.columns)), whole, recipe)
    leave_private(dealt.shelf, Private(seed, key, fitted.projection.space))
    count = len(dealt.sizes)
    for done, _ in enumerate(executor_of(runner)(partial(make_batch, work), range(count)), start=1):
        told(f"batch {done} of {count}")
    relations, columns = fitted.projection.space.relations, fitted.extent.columns
    if relations.derivations:
        refuse_wrong(wrong_in(dealt.shelf, count), relations.derivations, columns)
    dealt.shelf.remove("dealt")
    return Linked(dealt.shelf, work.output, columns, relations.derived, fitted.extent, dealt.sizes)


def _without_levels(column: Column) -> Column:
    """What a batch needs to know of a column: no text of the table leaves for a worker that needs only codes."""
    if not isinstance(column, Category) or is_boolean(column):  # a derivation reads truths
        return column
    return replace(column, levels=pd.Index([], dtype=object), merged={})
