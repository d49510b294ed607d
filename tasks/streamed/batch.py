"""One batch: neighbours, weights and decoding, wherever it is worked on. It reads and writes the shelf only."""

import hashlib
import hmac
import json
from dataclasses import dataclass, field

import numpy as np

from sosie.blocks import Rows
from sosie.columns import Column
from sosie.decoding import Decoding, invert
from sosie.generation import WeightLaw, ZeroDistance, draw_barycentres
from sosie.tasks.store.codec import canonical
from sosie.tasks.streamed.dealing import Dealt
from sosie.tasks.streamed.private import Private, read_private
from sosie.tasks.streamed.records import Layout, Records, coordinates_of, records_of, table_of, write_sorted
from sosie.whole import Whole

_VERSION = 2  # raised whenever a batch would give other bytes for the same arguments


@dataclass(frozen=True)
class Recipe:
    """How the avatars of a batch are made; `threads` change nothing of them."""

    k: int
    law: WeightLaw
    zero_distance: ZeroDistance
    decoding: Decoding
    threads: int


@dataclass(frozen=True, eq=False)
class BatchWork:
    """Everything that the batches of one part share, but what is private to them, which lies on the shelf.

    `columns` need not have their levels: a batch knows codes.
    """

    dealt: Dealt
    # a cluster logs what it is asked to do: no end of a column's range may stand there
    columns: tuple[Column, ...] = field(repr=False)
    whole: Whole = field(repr=False)
    recipe: Recipe

    @property
    def output(self) -> Layout:
        """What the avatars' records hold: in place of coordinates the heaviest weight and 1/ΣW²."""
        return Layout(self.dealt.layout.numbers, self.dealt.layout.codes, self.dealt.layout.wide_codes, 2)


def make_batch(work: BatchWork, number: int) -> int:
    """The avatars of a batch on the shelf, sorted by the bucket they are shuffled in; its number.

    A batch that is there, made from the same and undamaged, is left alone. Raises InputError as `invert` does.
    """
    shelf = work.dealt.shelf
    private = read_private(shelf)
    records, origin = work.dealt.batch(number)
    key = _key(work, number, private, origin)
    name = f"avatars/{number}"
    if shelf.holds(name, key):
        return number
    avatars, buckets = _avatars(work, number, records, private)
    write_sorted(shelf, name, key, avatars, buckets)
    return number


def _avatars(work: BatchWork, number: int, records: Records, private: Private) -> tuple[Records, Rows]:
    recipe, seed = work.recipe, private.seed
    table = table_of(records, work.columns)
    barycentres = draw_barycentres(
        coordinates_of(records),
        [np.arange(len(records))],
        recipe.k,
        recipe.law,
        recipe.zero_distance,
        seed,
        recipe.threads,
        first=number,
    )
    avatars = invert(
        table, barycentres, recipe.decoding, seed, private.space, work.whole, workers=recipe.threads
    )
    made = records_of(avatars, work.output, records["row"])
    made["bucket"] = records["bucket"]
    weights = barycentres.weights
    made["coordinates"][:, 0] = weights.max(axis=1)
    made["coordinates"][:, 1] = 1 / np.einsum("ij,ij->i", weights, weights)
    return made, records["bucket"].astype(np.int64)


def _key(work: BatchWork, number: int, private: Private, origin: str) -> str:
    """What a batch is made from, in a form that tells nobody the seed."""
    recipe, layout = work.recipe, work.dealt.layout
    made_from = [
        *("batch", _VERSION, number, str(private.seed), recipe.k, recipe.law, recipe.zero_distance),
        *(recipe.decoding.categories, recipe.decoding.integers, repr(layout), origin),
        [[repr(of.grid), of.truncate, repr(type(of.column))] for of in work.whole.lattices],
        [work.whole.number_gaps, work.whole.code_gaps, canonical(private.space)],
    ]
    return hmac.new(private.key, json.dumps(made_from).encode(), hashlib.sha256).hexdigest()
