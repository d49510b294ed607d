"""Where a maker's avatars lie between privacy and utility: a point a table and maker, and the mean of each maker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from judge_figures import Figures

from sosie.search import UTILITY, frontier, members_hidden, usefulness

YARDSTICKS = ("copy", "real rows")  # the worst and the best there is: no choices, hence on no frontier
Judged = Mapping[str, Mapping[str, Sequence[Figures]]]  # table, maker, split


@dataclass(frozen=True)
class Place:
    """The mean over splits of how well members are hidden and of how well the table is kept, 0–100, 100 ideal."""

    hidden: float
    kept: float


@dataclass(frozen=True)
class MakerPlaces:
    """One maker: its place on each table, in the tables' order, their mean, and whether no other's mean beats it.

    A yardstick neither beats nor is on the frontier.
    """

    maker: str
    tables: tuple[Place, ...]
    mean: Place
    on_frontier: bool


def maker_places(judged: Judged) -> tuple[MakerPlaces, ...]:
    """Every maker's places; ValueError where a figure that they are made of is missing."""
    by_table = [_table_places(makers) for makers in judged.values()]
    names = list(by_table[0])
    means = [
        Place(
            float(np.mean([places[name].hidden for places in by_table])),
            float(np.mean([places[name].kept for places in by_table])),
        )
        for name in names
    ]
    best = frontier(
        [
            None if name in YARDSTICKS else (place.hidden, place.kept)
            for name, place in zip(names, means, strict=True)
        ]
    )
    return tuple(
        MakerPlaces(name, tuple(places[name] for places in by_table), means[place], place in best)
        for place, name in enumerate(names)
    )


def meant(values: Sequence[float | None]) -> float | None:
    """The mean; None when a value is missing, so that a gap is never left out in silence."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def _table_places(makers: Mapping[str, Sequence[Figures]]) -> dict[str, Place]:
    places = {}
    for maker, draws in makers.items():
        hidden = meant([members_hidden(figures) for figures in draws])
        kept = meant([usefulness(figures, UTILITY) for figures in draws])
        if hidden is None or kept is None:
            raise ValueError(f"{maker}: some split has no membership or no utility")
        places[maker] = Place(hidden, kept)
    return places
