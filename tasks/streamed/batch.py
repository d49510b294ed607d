"""One batch: neighbours, weights and decoding, wherever it is worked on. It reads and writes the shelf only."""

import hashlib
import hmac
import json
from dataclasses import dataclass, field

import numpy as np

from sosie.columns import Category, Column
from sosie.decoding import Decoding, invert_batch
from sosie.generation import WeightLaw, ZeroDistance, draw_barycentres
from sosie.recomputation import Wrong
from sosie.tasks.store.codec import canonical
from sosie.tasks.streamed.dealing import Dealt
from sosie.tasks.streamed.private import Private, read_private
from sosie.tasks.streamed.records import Layout, Records, coordinates_of, records_of, table_of, write_sorted
from sosie.tasks.streamed.shelf import Shelf
from sosie.whole import Whole

_WRONG = "wrong"
_VERSION = 3  # raised whenever a batch would give other bytes for the same arguments


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

    `columns` need not have their levels, but for booleans: a batch knows codes.
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

    A batch that is there, made from the same and undamaged, is left alone; its mark notes what derived columns cannot
    hold. Raises InputError where `round_to` leaves a constraint no room.
    """
    shelf = work.dealt.shelf
    private = read_private(shelf)
    records, origin = work.dealt.batch(number)
    key = _key(work, number, private, origin)
    name = _name(number)
    if shelf.holds(name, key):
        return number
    avatars, wrong = _avatars(work, number, records, private)
    noted = {_WRONG: [[one.place, one.why, one.rows] for one in wrong]}
    write_sorted(shelf, name, key, avatars, avatars["bucket"].astype(np.int64), noted=noted)
    return number


def _avatars(
    work: BatchWork, number: int, records: Records, private: Private
) -> tuple[Records, tuple[Wrong, ...]]:
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
    avatars, wrong = invert_batch(
        table, barycentres, recipe.decoding, seed, private.space, work.whole, recipe.threads
    )
    made = records_of(avatars, work.output, records["row"])
    made["bucket"] = records["bucket"]
    weights = barycentres.weights
    made["coordinates"][:, 0] = weights.max(axis=1)
    made["coordinates"][:, 1] = 1 / np.einsum("ij,ij->i", weights, weights)
    return made, wrong


def wrong_in(shelf: Shelf, batches: int) -> list[Wrong]:
    """What derived columns cannot hold of the avatars of all these batches."""
    found = []
    for number in range(batches):
        mark = shelf.mark(_name(number))
        if mark is None:
            raise FileNotFoundError(f"{_name(number)} is gone")
        found += [Wrong(*one) for one in mark.noted[_WRONG]]
    return found


def _name(number: int) -> str:
    return f"avatars/{number}"


def _key(work: BatchWork, number: int, private: Private, origin: str) -> str:
    """What a batch is made from, in a form that tells nobody the seed."""
    recipe, layout = work.recipe, work.dealt.layout
    made_from = [
        *("batch", _VERSION, number, str(private.seed), recipe.k, recipe.law, recipe.zero_distance),
        *(recipe.decoding.categories, recipe.decoding.integers, repr(layout), origin),
        [[bool(level) for level in column.levels] for column in work.columns if isinstance(column, Category)],
        [canonical(work.whole), canonical(private.space)],
    ]
    return hmac.new(private.key, json.dumps(made_from).encode(), hashlib.sha256).hexdigest()
